// The private environment that one button makes: where it lies, and the steps to it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { isExecutable } from "./find";
import { type Ended, run } from "./run";

export const PACKAGE = "bowerbird";
export const WITH_ENGINE = "[llama]";
const SEAL = "installed-by-bowerbird"; // written last: an environment without it was never finished

export interface Step {
  title: string;
  command: string;
  args: string[];
}

export class Environment {
  constructor(
    /** The extension's own folder, which every window shares. */
    readonly storage: string,
    readonly platform: NodeJS.Platform = process.platform,
  ) {}

  get folder(): string {
    return path.join(this.storage, "venv");
  }

  /** The finished environment's server; undefined where there is none. */
  executable(): string | undefined {
    const file = this.#program("bowerbird");
    return existsSync(path.join(this.folder, SEAL)) && isExecutable(file) ? file : undefined;
  }

  steps(python: string, source: string): Step[] {
    const inside = this.#program("python");
    return [
      { title: "Making an environment", command: python, args: ["-I", "-m", "venv", "--clear", this.folder] },
      {
        title: source.endsWith(WITH_ENGINE)
          ? "Installing; compiling llama.cpp takes some minutes"
          : "Installing",
        command: inside,
        args: [
          "-I",
          "-m",
          "pip",
          "install",
          "--disable-pip-version-check",
          "--no-input",
          "--progress-bar",
          "off",
          source,
        ],
      },
      { title: "Looking whether it runs", command: this.#program("bowerbird"), args: ["--version"] },
    ];
  }

  /** Takes the steps; what the failed one said, undefined after the last one. Only `seal` makes it count. */
  async take(
    steps: readonly Step[],
    options: { signal: AbortSignal; begin: (step: Step) => void; line: (text: string) => void },
  ): Promise<Ended | undefined> {
    rmSync(path.join(this.folder, SEAL), { force: true });
    for (const step of steps) {
      options.begin(step);
      const ended = await run(step.command, step.args, {
        cwd: this.storage,
        signal: options.signal,
        line: options.line,
      });
      if (ended.code !== 0) {
        return ended;
      }
    }
    return undefined;
  }

  seal(source: string): void {
    writeFileSync(path.join(this.folder, SEAL), `${source}\n`);
  }

  /** One window at a time: the way to let the next one in, undefined while another window that lives is at it. */
  lock(): (() => void) | undefined {
    mkdirSync(this.storage, { recursive: true });
    const file = path.join(this.storage, "installing");
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        writeFileSync(file, String(process.pid), { flag: "wx" });
        return () => rmSync(file, { force: true });
      } catch {
        if (isAlive(Number(readFileSync(file, "utf8")))) {
          return undefined;
        }
        rmSync(file, { force: true });
      }
    }
    return undefined;
  }

  #program(name: string): string {
    return this.platform === "win32"
      ? path.join(this.folder, "Scripts", `${name}.exe`)
      : path.join(this.folder, "bin", name);
  }
}

/** What pip is to install: what the user named, else a wheel that came with the extension, else the package. */
export function sourceToInstall(named: string, wheels: string): string {
  if (named !== "") {
    return named;
  }
  const found = existsSync(wheels)
    ? readdirSync(wheels)
        .filter((name) => name.endsWith(".whl"))
        .sort()
    : [];
  const wheel = found.at(-1);
  return (wheel === undefined ? PACKAGE : path.join(wheels, wheel)) + WITH_ENGINE;
}

/** Why a step failed, from the end of what it said. */
export function problemIn(ended: Ended): string {
  const lines = `${ended.stdout}\n${ended.stderr}`.split(/\r?\n/).map((line) => line.trim());
  const told = lines.filter((line) => /^(error|fatal)\b/i.test(line));
  return told.at(-1) ?? lines.findLast((line) => line !== "") ?? `exit code ${ended.code}`;
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it is another user's
  }
}
