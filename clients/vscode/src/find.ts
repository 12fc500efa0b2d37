// Where the server is: the setting, the Python extension's interpreter, the PATH, what one button has installed.
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import * as path from "node:path";
import { isOld, OLDEST_SERVER, versionIn } from "./version";
import { run } from "./run";

const PROBE_MS = 30_000; // a cold disk and a virus scanner

/** A way to start Bowerbird; `args` come before `serve`. */
export interface Command {
  command: string;
  args: readonly string[];
  /** Such as "on the PATH". */
  origin: string;
}

export interface Found extends Command {
  version: string;
}

/** A place to look at: nothing there, or a command that may be Bowerbird. */
export type Place = () => Promise<Command | undefined>;

/** Asks a command for its version; undefined where it is not Bowerbird, else what it says, maybe an old one. */
export type Probe = (command: Command) => Promise<string | undefined>;

export type Search =
  | { kind: "found"; server: Found }
  | { kind: "old"; server: Found }
  | { kind: "broken"; sentence: string }
  | { kind: "missing" };

/** The first server that is new enough. What the user named is taken or reported, and nothing else looked at. */
export async function findServer(
  named: string,
  places: readonly Place[],
  probe: Probe = askVersion,
): Promise<Search> {
  if (named !== "") {
    return findNamed(named, probe);
  }
  let old: Found | undefined;
  for (const place of places) {
    const command = await place();
    const version = command && (await probe(command));
    if (command && version !== undefined) {
      const server = { ...command, version };
      if (!isOld(version)) {
        return { kind: "found", server };
      }
      old ??= server;
    }
  }
  return old ? { kind: "old", server: old } : { kind: "missing" };
}

async function findNamed(named: string, probe: Probe): Promise<Search> {
  const setting = "The setting bowerbird.server.path";
  if (!path.isAbsolute(named)) {
    return { kind: "broken", sentence: `${setting} must be an absolute path, not ${named}.` };
  }
  const command = { command: named, args: [], origin: "set in bowerbird.server.path" };
  if (!isExecutable(named)) {
    return { kind: "broken", sentence: `${setting} names ${named}, which is no program that can be run.` };
  }
  const version = await probe(command);
  if (version === undefined) {
    return { kind: "broken", sentence: `${setting} names ${named}, which is not Bowerbird.` };
  }
  const server = { ...command, version };
  return { kind: isOld(version) ? "old" : "found", server };
}

/** What to say of a server that is too old. */
export function oldSentence(server: Found): string {
  return `The server ${server.origin} is Bowerbird ${server.version}; this extension needs ${OLDEST_SERVER} or newer. (${server.command})`;
}

export async function askVersion(command: Command): Promise<string | undefined> {
  const ended = await run(command.command, [...command.args, "--version"], { timeoutMs: PROBE_MS });
  return ended.code === 0 ? versionIn(ended.stdout) : undefined;
}

export interface PathOptions {
  path: string | undefined;
  platform: NodeJS.Platform;
  /** Programs within these are never taken: a file of a workspace must not become what is run. */
  folders: readonly string[];
}

/** The first executable of that name on the PATH. Relative entries are left out: they mean the current folder. */
export function onPath(name: string, options: PathOptions): string | undefined {
  const isWindows = options.platform === "win32";
  const file = isWindows ? `${name}.exe` : name;
  return (options.path ?? "")
    .split(isWindows ? ";" : ":")
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, file))
    .find((candidate) => isExecutable(candidate) && !liesWithin(candidate, options.folders));
}

/** Does the file, or what it links to, lie in one of the folders? */
export function liesWithin(file: string, folders: readonly string[]): boolean {
  const real = (name: string): string => {
    try {
      return realpathSync(name);
    } catch {
      return path.resolve(name);
    }
  };
  const within = (inner: string, outer: string): boolean => {
    const way = path.relative(outer, inner);
    return way === "" || (!way.startsWith("..") && !path.isAbsolute(way));
  };
  // A virtual environment's interpreter links to the system's: the folder it lies in counts as well as its end.
  const names = [path.resolve(file), path.join(real(path.dirname(file)), path.basename(file)), real(file)];
  return folders.some((folder) =>
    names.some((name) => within(name, path.resolve(folder)) || within(name, real(folder))),
  );
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
