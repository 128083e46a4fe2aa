// Detects that a server's clock was set forward, so that leases would end and hosts be due too early. It compares the
// clock with one of ours that never steps. A clock that is set back only makes hosts wait longer and needs no reaction.

/** Milliseconds: steps up to this size cannot be told from slow requests. */
const TOLERANCE_MS = 500;
/** The rate at which one of two slewed clocks may gain on the other. */
const MAX_SLEW = 0.001;
/** As the latest time it means: the clock was set forward, so nothing is granted before the longest lease has ended. */
const SET_FORWARD = -1;

/**
 * The answer of `lease`: the server's clock, and what was granted; `null`: nothing, because the clock is past the
 * latest time.
 */
interface ClockedAnswer<Granted> {
  /** Microseconds. */
  readonly nowUs: number;
  readonly granted: Granted | null;
}

/**
 * Leases from one server, unless its clock was set forward. The time of the answer tells a slow request from a step; a
 * slow request is sent again.
 *
 * @param monotonicMs - Milliseconds from any start; never steps. `null`: the server's clock is not watched.
 * @returns `send` sends the request; its argument is the latest time that the clock may have, `null`: any.
 */
export function createClockedLease(monotonicMs: (() => number) | null) {
  /** The most that the server's clock is ahead of ours, as known at `heardMs`; `null`: not known yet. */
  let aheadMs: number | null = null;
  let answeredAtMs = 0;
  const maxAheadMs = (nowMs: number) => (aheadMs === null ? null : aheadMs + MAX_SLEW * (nowMs - answeredAtMs));
  return async <Granted>(send: (latestUs: number | null) => Promise<ClockedAnswer<Granted>>): Promise<Granted> => {
    // Without a latest time nothing is refused.
    if (monotonicMs === null) return (await send(null)).granted!;
    const sentMs = monotonicMs();
    const latestAheadMs = maxAheadMs(sentMs);
    let { nowUs, granted } = await send(
      latestAheadMs === null ? null : Math.floor((sentMs + latestAheadMs + TOLERANCE_MS) * 1_000),
    );
    let receivedMs = monotonicMs();
    if (granted === null) {
      const isSetForward = nowUs / 1_000 - receivedMs > (maxAheadMs(receivedMs) ?? Number.POSITIVE_INFINITY);
      if (isSetForward) aheadMs = null;
      ({ nowUs, granted } = await send(isSetForward ? SET_FORWARD : null));
      receivedMs = monotonicMs();
    }
    aheadMs = Math.min(maxAheadMs(receivedMs) ?? Number.POSITIVE_INFINITY, nowUs / 1_000 - sentMs);
    answeredAtMs = receivedMs;
    return granted!;
  };
}
