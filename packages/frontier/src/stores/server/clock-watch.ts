// Whether the clock of a server was set forward: leases would end and hosts be due too early. It is compared with a
// clock of ours that never steps. A clock that is set back makes hosts wait longer, which needs no answer.

/** Steps up to this are not told from requests that took so long, milliseconds. */
const TOLERATED_MS = 500;
/** By so much one of two slewed clocks may gain on the other. */
const SLEW = 0.001;

/** The clock of one server. Its times are microseconds. */
export class ClockWatch {
  readonly #monotonicMs: () => number;
  /** By so much it is ahead of ours at most, as `heard` knew at `#heardMs`; `null`: not heard yet. */
  #aheadMs: number | null = null;
  #heardMs = 0;

  /** @param monotonicMs - Milliseconds from any start; never steps. */
  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  nowMs(): number {
    return this.#monotonicMs();
  }

  /** What the clock says at most when a request that is sent now arrives soon; `null`: not known. */
  latestUs(): number | null {
    const mostMs = this.#mostAheadMs();
    return mostMs === null ? null : Math.floor((this.nowMs() + mostMs + TOLERATED_MS) * 1_000);
  }

  /** Notes what an answer says of the clock. `sentMs`: `nowMs` when it was requested. */
  heard(us: number, sentMs: number): void {
    const mostMs = this.#mostAheadMs() ?? Number.POSITIVE_INFINITY;
    this.#aheadMs = Math.min(mostMs, us / 1_000 - sentMs);
    this.#heardMs = this.nowMs();
  }

  /** Whether the clock was set forward, by an answer that came just now. If so, what was known of it is forgotten. */
  isSetForward(us: number): boolean {
    const mostMs = this.#mostAheadMs();
    if (mostMs === null || us / 1_000 - this.nowMs() <= mostMs) return false;
    this.#aheadMs = null;
    return true;
  }

  #mostAheadMs(): number | null {
    return this.#aheadMs === null ? null : this.#aheadMs + SLEW * (this.nowMs() - this.#heardMs);
  }
}

/** What `lease` says: the server's clock, and what it granted; `null`: nothing, the clock is later than it may be. */
export interface ClockedAnswer<Granted> {
  readonly nowUs: number;
  readonly granted: Granted | null;
}

/** Latest time that says: the clock was set forward, so nothing is granted before the longest lease has ended. */
const SET_FORWARD = -1;

/**
 * Leases, unless the server's clock was set forward. A request that was slow is told from a step by when its answer
 * came, and sent again.
 *
 * @param clock - `null`: it is not watched.
 * @param lease - Sends the request; its argument is the latest time that the clock may have, `null`: any.
 */
export async function underClock<Granted>(
  clock: ClockWatch | null,
  lease: (latestUs: number | null) => Promise<ClockedAnswer<Granted>>,
): Promise<Granted> {
  const sentMs = clock?.nowMs() ?? 0;
  let { nowUs, granted } = await lease(clock?.latestUs() ?? null);
  if (granted === null) ({ nowUs, granted } = await lease(clock?.isSetForward(nowUs) === true ? SET_FORWARD : null));
  clock?.heard(nowUs, sentMs);
  // Nothing is refused without a latest time.
  return granted!;
}
