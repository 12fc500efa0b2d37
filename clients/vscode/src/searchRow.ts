// A thing found in the documentation as a row of a list.
import type { FoundItem } from "./protocol";

const ICONS: Record<string, string> = {
  function: "symbol-function",
  method: "symbol-method",
  class: "symbol-class",
  type: "symbol-class",
  constant: "symbol-constant",
  enum: "symbol-enum",
  keyword: "symbol-keyword",
  module: "symbol-module",
  example: "note",
};

export interface SearchRow {
  label: string;
  description: string;
  detail: string;
}

export function foundRow(found: FoundItem): SearchRow {
  const icon = ICONS[found.kind] ?? "book";
  const detail = found.kind === "example" ? found.code : (found.summary ?? found.signatures?.[0]);
  return {
    label: `$(${icon}) ${oneLine(found.name).replace(/\$\(/g, "$ (")}`, // a name must not become an icon
    description: `${found.kind}, ${found.pack}`,
    detail: oneLine(detail ?? "")
      .replace(/\$\(/g, "$ (")
      .slice(0, 200),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
