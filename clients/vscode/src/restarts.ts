// When a server that ended by itself is started again, so that a broken one does not keep the machine busy.

const MOST = 3;
const WITHIN_MS = 3 * 60_000;
const FIRST_PAUSE_MS = 1_000;

export class Restarts {
  #ends: number[] = [];

  /** The server has ended; how long to wait before the next start, undefined where it should stay down. */
  pauseMs(now: number): number | undefined {
    this.#ends = [...this.#ends.filter((end) => now - end < WITHIN_MS), now];
    return this.#ends.length > MOST ? undefined : FIRST_PAUSE_MS * 2 ** (this.#ends.length - 1);
  }

  /** The user has asked for a start. */
  forget(): void {
    this.#ends = [];
  }
}
