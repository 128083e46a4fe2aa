// How many requests were under way at the same time, from their times alone. It sees an exchange when it ends, and keeps
// one time per number: as much memory as the highest number found.

/** Counts what was under way together. */
export interface AtOnce {
  /**
   * One more exchange, in the order of ends.
   *
   * @returns How many were under way together at some time of it, itself included, as far as exchanges have ended.
   */
  add(startedAtMs: number, endedAtMs: number): number;
}

/**
 * Makes the count of one lane.
 *
 * `covered[n]` is the latest time at which more than n of the exchanges so far were under way. A new one ends last, so it
 * adds itself from its start on: where n were under way after its start there are now n + 1, until the same time.
 *
 * @param most - Numbers told apart; more count as this many.
 */
export function createAtOnce(most: number): AtOnce {
  const covered: number[] = [];
  return {
    add(startedAtMs, endedAtMs) {
      let together = 1;
      let until = Math.max(endedAtMs, covered[0] ?? endedAtMs);
      for (let n = 0; n < most; n += 1) {
        const before = covered[n];
        covered[n] = until;
        if (before === undefined || before <= startedAtMs) break;
        together = n + 2;
        until = before;
      }
      return Math.min(together, most);
    },
  };
}
