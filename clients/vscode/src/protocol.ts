// What the server says beyond the Language Server Protocol; clients/README.md describes it.

export const REFINED = "bowerbird/refined";
export const STATUS = "bowerbird/status";
export const EXPLAIN = "bowerbird/explain";
export const SEARCH = "bowerbird/search";

export interface Status {
  state: "indexing" | "ready" | "generating" | "paused" | "error";
  reason: string;
  message: string;
  model: string;
  latencyMs: number | null;
  files: number;
  shown: number;
  accepted: number;
  /** Older servers do not tell these. */
  lines?: number;
  memoryBytes?: number;
  diskBytes?: number;
  indexMessage?: string;
}

export interface Refined {
  uri: string;
  line: number;
}

export interface Explained {
  sentence: string;
  html?: string;
}

export interface FoundItem {
  kind: string;
  name: string;
  language: string;
  pack: string;
  uri: string;
  /** From 0. */
  line: number;
  summary?: string;
  signatures?: string[];
  code?: string;
}

/** The schemes of documents that somebody writes code in, as the server knows them (`lsp/schemes.py`). */
export const SCHEMES = [
  "file",
  "untitled",
  "vscode-notebook-cell",
  "vscode-scm", // the commit message: a setting decides
  "vscode-interactive-input",
  "vscode-remote",
  "vscode-vfs",
  "vscode-userdata",
];
