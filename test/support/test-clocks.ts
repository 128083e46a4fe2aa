// Clocks for promises about minutes, hours and days: one that runs faster than the real one, one that is ahead of it.
// The crawl and the loopback web are given the same clock, so that both speak of the same minutes. The fast one is
// right only where nothing between them keeps real time: no Crawl-delay or Request-rate, whose second lock does.

import type { Clock } from '@mannerly/frontier';

/** A clock whose fractions are kept, for stamping. */
export interface FastClock extends Clock {
  /** As `nowMs`, with fractions. */
  exactMs(): number;
}

/**
 * Makes the clock. It begins at the real time.
 *
 * @param factor - Milliseconds that pass per real millisecond.
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

/** The real clock, ahead by a fixed time: a process started that much later. */
export function createShiftedClock(aheadMs: number): Clock {
  return {
    nowMs: () => Date.now() + aheadMs,
    after(ms, fn) {
      const timer = setTimeout(fn, Math.min(Math.max(0, ms), 2_147_483_647));
      return () => clearTimeout(timer);
    },
  };
}
