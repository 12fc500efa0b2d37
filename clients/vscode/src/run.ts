// Runs a program to its end and collects what it says.
import { spawn } from "node:child_process";

const MOST_CHARACTERS = 64_000; // of each stream's end

export interface Ended {
  /** null where a signal or the time limit ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Hears each line as it comes, of both streams. */
  line?: (text: string) => void;
}

/** Never throws: a program that cannot be started has the code null and the reason on stderr. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const isWindows = process.platform === "win32";
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      detached: !isWindows, // a group of its own, so that what it started ends with it
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const said = { stdout: "", stderr: "" };
    const end = (): void => {
      if (isWindows && child.pid !== undefined) {
        spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { windowsHide: true }).on("error", () =>
          child.kill(),
        );
      } else if (child.pid !== undefined) {
        endGroup(child.pid);
      }
    };
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(end, options.timeoutMs);
    if (options.signal?.aborted) {
      end();
    }
    options.signal?.addEventListener("abort", end, { once: true });
    for (const name of ["stdout", "stderr"] as const) {
      let unfinished = "";
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] = (said[name] + text).slice(-MOST_CHARACTERS);
        const lines = (unfinished + text).split(/\r?\n/);
        unfinished = lines.pop() ?? "";
        lines.forEach((line) => options.line?.(line));
      });
    }
    const finish = (code: number | null): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", end);
      resolve({ code, ...said });
    };
    child.on("error", (error) => {
      said.stderr += error.message;
      finish(null);
    });
    child.on("close", finish);
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // It has ended by itself.
  }
}
