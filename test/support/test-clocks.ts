// Clocks for guarantees about minutes, hours and days: one that runs faster than the real one, and one that is ahead of
// it. The crawl and the loopback web use the same clock. The fast one is valid only if nothing in between keeps real
// time: no Crawl-delay or Request-rate, because the second lock does.

import type { Clock } from '@mannerly/frontier';

/** A clock with fractions of milliseconds, for stamping. */
export interface FastClock extends Clock {
  /** `nowMs` with fractions. */
  exactMs(): number;
}

/**
 * Makes the clock. It starts at the real time.
 *
 * @param factor - How many milliseconds pass per real millisecond.
 */
export function createFastClock(factor: number): FastClock {
  const beganAt = performance.timeOrigin + performance.now();
  const exactMs = (): number => beganAt + (performance.timeOrigin + performance.now() - beganAt) * factor;
  return {
    exactMs,
    nowMs: () => Math.floor(exactMs()),
    after(ms, fn) {
      const timer = setTimeout(fn, Math.ceil(Math.max(0, ms) / factor));
      return () => clearTimeout(timer);
    },
  };
}

/** The real clock plus a fixed time: a process that was started that much later. */
export function createShiftedClock(aheadMs: number): Clock {
  return {
    nowMs: () => Date.now() + aheadMs,
    after(ms, fn) {
      const timer = setTimeout(fn, Math.min(Math.max(0, ms), 2_147_483_647));
      return () => clearTimeout(timer);
    },
  };
}
