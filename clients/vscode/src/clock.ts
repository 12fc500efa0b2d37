// Imported before anything else: when the editor began to load the extension.
import { performance } from "node:perf_hooks";

const LOADED_FROM_MS = performance.now();

/** Milliseconds since the editor began to load the extension. */
export function sinceLoadMs(): number {
  return performance.now() - LOADED_FROM_MS;
}
