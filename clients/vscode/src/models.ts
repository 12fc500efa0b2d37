// What `bowerbird model list --json` says, as rows to choose from.

export interface Model {
  name: string;
  path: string;
  origin: string;
  bytes: number;
  fit?: string;
}

export interface CatalogRow {
  name: string;
  bytes: number;
  licence: string;
  good_for?: string[];
  note?: string;
  here: boolean;
  fit?: string;
}

export interface Models {
  folder: string;
  /** The path or URL of what completes now. */
  completion: string;
  here: Model[];
  catalog: CatalogRow[];
}

export interface ModelRow {
  label: string;
  description: string;
  detail: string;
  /** What the setting becomes; undefined where the model must be fetched first. */
  setting: string | undefined;
  /** What `bowerbird model pull` is told. */
  pull?: CatalogRow;
}

const BUILT_IN = "built-in"; // the server's word for its own model, in the setting as in the list

export function modelsIn(printed: string): Models | undefined {
  try {
    const told = JSON.parse(printed) as Partial<Models> | null;
    return told && Array.isArray(told.here) && Array.isArray(told.catalog) ? (told as Models) : undefined;
  } catch {
    return undefined;
  }
}

export function hereRows(models: Models): ModelRow[] {
  return models.here.map((model) => {
    const isBuiltIn = model.origin === BUILT_IN;
    const isUsed = model.path === models.completion;
    return {
      label: `$(${isUsed ? "check" : "blank"}) ${model.name}`,
      description: isBuiltIn ? "built-in" : size(model.bytes),
      detail: isBuiltIn ? "" : model.path,
      setting: isBuiltIn ? BUILT_IN : model.path,
    };
  });
}

export function catalogRows(models: Models): ModelRow[] {
  return models.catalog
    .filter((row) => !row.here)
    .map((row) => ({
      label: `$(cloud-download) ${row.name}`,
      description: [size(row.bytes), row.fit, row.licence].filter(Boolean).join(", "),
      detail: [(row.good_for ?? []).join(", "), row.note].filter(Boolean).join(". "),
      setting: undefined,
      pull: row,
    }));
}

export function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`;
}

/** Why a string is no address of a model server; undefined where it may be one. */
export function urlProblem(text: string): string | undefined {
  try {
    const { protocol, hostname } = new URL(text);
    return /^https?:$/.test(protocol) && hostname !== ""
      ? undefined
      : "An address begins with http:// or https://.";
  } catch {
    return "That is no address, such as http://127.0.0.1:8080.";
  }
}
