// How many exchanges were under way at the same time, from their times alone.

/**
 * Counts overlapping exchanges, which it sees when they end. `#covered[n]` is the latest time at which more than n of
 * the exchanges so far were under way. A new exchange ends last, so it adds itself from its start on: where n were
 * under way after its start there are now n + 1, until the same time. Memory is one number per level of concurrency.
 */
export class Concurrency {
  readonly #covered: number[] = [];
  readonly #most: number;

  /** @param most - Levels that are counted; more count as this many. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * One more exchange, in the order of ends. O(concurrency). @returns The most exchanges under way together while it
   * was, itself included, of those that have ended.
   */
  add(startedAtMs: number, endedAtMs: number): number {
    const covered = this.#covered;
    let together = 1;
    let until = Math.max(endedAtMs, covered[0] ?? endedAtMs);
    for (let n = 0; n < this.#most; n += 1) {
      const before = covered[n];
      covered[n] = until;
      if (before === undefined || before <= startedAtMs) break;
      together = n + 2;
      until = before;
    }
    return Math.min(together, this.#most);
  }
}
