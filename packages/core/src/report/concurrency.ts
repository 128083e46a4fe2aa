// How many exchanges were in flight at the same time, computed from their times alone.

/**
 * Counts overlapping exchanges, which it sees when they end. `#covered[n]` is the latest time at which more than n of
 * the exchanges so far were in flight. A new exchange ends last, so it adds itself from its start on: wherever n were
 * in flight after its start there are now n + 1, until the same time. Memory is one number per level of concurrency.
 */
export class Concurrency {
  readonly #covered: number[] = [];
  readonly #max: number;

  /** @param max - The highest level that is counted; more count as this many. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Adds one exchange, in the order of ends. O(concurrency). @returns The most exchanges in flight at once during it,
   * itself included, among those that have ended.
   */
  add(startedAtMs: number, endedAtMs: number): number {
    const covered = this.#covered;
    let level = 1;
    let until = Math.max(endedAtMs, covered[0] ?? endedAtMs);
    for (let n = 0; n < this.#max; n += 1) {
      const before = covered[n];
      covered[n] = until;
      if (before === undefined || before <= startedAtMs) break;
      level = n + 2;
      until = before;
    }
    return Math.min(level, this.#max);
  }
}
