// Versions of the server, and whether one is new enough.

/** The oldest server that this client can talk to. */
export const OLDEST_SERVER = "0.1.0";

/** What `bowerbird --version` prints names a version; undefined where it does not. */
export function versionIn(printed: string): string | undefined {
  return /^bowerbird\s+(\d+(?:\.\d+)+\S*)\s*$/m.exec(printed)?.[1];
}

/** Numbers decide; what follows them (`0.2.0rc1`) does not. */
export function isOld(version: string, oldest = OLDEST_SERVER): boolean {
  const [left, right] = [numbers(version), numbers(oldest)];
  for (let place = 0; place < Math.max(left.length, right.length); place += 1) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) {
      return difference < 0;
    }
  }
  return false;
}

function numbers(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "0").split(".").map(Number);
}
