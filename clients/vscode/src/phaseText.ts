// What the status item says, in words: a function of what the server does.
import { size } from "./models";
import type { Phase } from "./server";

export interface StatusText {
  icon: string;
  /** One or two words. */
  state: string;
  /** Each a line of the tooltip. */
  lines: string[];
  isWarning: boolean;
}

const STATES: Record<string, { icon: string; state: string }> = {
  indexing: { icon: "sync~spin", state: "indexing" },
  ready: { icon: "sparkle", state: "ready" },
  generating: { icon: "loading~spin", state: "generating" },
  paused: { icon: "debug-pause", state: "paused" },
  error: { icon: "warning", state: "needs attention" },
};
const UNKNOWN = { icon: "question", state: "busy" }; // a newer server's word

export function phaseText(phase: Phase): StatusText {
  switch (phase.kind) {
    case "looking":
      return { icon: "loading~spin", state: "starting", lines: [], isWarning: false };
    case "missing":
      return { icon: "cloud-download", state: "not installed", lines: [phase.sentence], isWarning: true };
    case "old":
      return { icon: "warning", state: "server too old", lines: [phase.sentence], isWarning: true };
    case "failed":
      return { icon: "error", state: "not running", lines: [phase.sentence], isWarning: true };
    case "running":
      break;
  }
  const { status } = phase;
  if (!status) {
    return { icon: "sparkle", state: "running", lines: [], isWarning: false }; // it has not told more
  }
  const row = STATES[status.state] ?? UNKNOWN;
  const lines = [`Model: ${status.model || "not loaded yet"}`];
  if (status.latencyMs !== null) {
    lines.push(`Last completion: ${Math.round(status.latencyMs)} ms`);
  }
  if (status.message && status.reason !== "ok") {
    const isAnswer = status.state === "paused" || status.reason === "time";
    lines.push(isAnswer ? status.message : `Nothing came: ${status.message}`);
  }
  lines.push(`${status.files} files indexed, ${status.shown} completions shown, ${status.accepted} accepted`);
  if (status.memoryBytes !== undefined) {
    const memory = `${size(status.memoryBytes)} of memory`;
    lines.push(`Index: ${status.lines ?? 0} lines, ${memory}, ${size(status.diskBytes ?? 0)} on disk`);
  }
  if (status.indexMessage) {
    lines.push(status.indexMessage);
  }
  return { ...row, lines, isWarning: status.state === "error" };
}
