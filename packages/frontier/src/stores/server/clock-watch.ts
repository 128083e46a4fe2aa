// Whether the clock of a server was set forward: leases would end and hosts be due too early. It is compared with a
// clock of ours that never steps. A clock that is set back makes hosts wait longer, which needs no answer.

/** Steps up to this are not told from requests that took so long, milliseconds. */
const TOLERATED_MS = 500;
/** By so much one of two slewed clocks may gain on the other. */
const SLEW = 0.001;
/** Latest time that says: the clock was set forward, so nothing is granted before the longest lease has ended. */
const SET_FORWARD = -1;

/** What `lease` says: the server's clock, and what it granted; `null`: nothing, the clock is later than it may be. */
interface ClockedAnswer<Granted> {
  /** Microseconds. */
  readonly nowUs: number;
  readonly granted: Granted | null;
}

/**
 * Leases from one server, unless its clock was set forward. A request that was slow is told from a step by when its
 * answer came, and sent again.
 *
 * @param monotonicMs - Milliseconds from any start; never steps. `null`: the server's clock is not watched.
 * @returns `send` sends the request; its argument is the latest time that the clock may have, `null`: any.
 */
export function createClockedLease(monotonicMs: (() => number) | null) {
  /** By so much the server's clock is ahead of ours at most, as it was known at `heardMs`; `null`: not heard yet. */
  let aheadMs: number | null = null;
  let heardMs = 0;
  const mostAheadMs = (nowMs: number) => (aheadMs === null ? null : aheadMs + SLEW * (nowMs - heardMs));
  return async <Granted>(send: (latestUs: number | null) => Promise<ClockedAnswer<Granted>>): Promise<Granted> => {
    // Nothing is refused without a latest time.
    if (monotonicMs === null) return (await send(null)).granted!;
    const sentMs = monotonicMs();
    const mostMs = mostAheadMs(sentMs);
    let { nowUs, granted } = await send(mostMs === null ? null : Math.floor((sentMs + mostMs + TOLERATED_MS) * 1_000));
    let cameMs = monotonicMs();
    if (granted === null) {
      const isSetForward = nowUs / 1_000 - cameMs > (mostAheadMs(cameMs) ?? Number.POSITIVE_INFINITY);
      if (isSetForward) aheadMs = null;
      ({ nowUs, granted } = await send(isSetForward ? SET_FORWARD : null));
      cameMs = monotonicMs();
    }
    aheadMs = Math.min(mostAheadMs(cameMs) ?? Number.POSITIVE_INFINITY, nowUs / 1_000 - sentMs);
    heardMs = cameMs;
    return granted!;
  };
}
