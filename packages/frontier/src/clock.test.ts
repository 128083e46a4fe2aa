// The platform's clock: it measures elapsed time, whatever the wall clock says, and catches up after sleep.

import { expect, it } from 'vitest';
import { elapsedTime, systemClock } from './clock.js';

/** A machine whose time a test controls. */
function machine() {
  const at = { wallMs: 1_700_000_000_000, monotonicMs: 5_000, uptimeS: 90 };
  const nowMs = elapsedTime({
    wallMs: () => at.wallMs,
    monotonicMs: () => at.monotonicMs,
    uptimeS: () => Math.floor(at.uptimeS),
  });
  /** @returns By how much the clock has moved. */
  const pass = (ms: number, { sleptS = 0, setMs = 0 } = {}): number => {
    const before = nowMs();
    at.monotonicMs += ms;
    at.uptimeS += ms / 1_000 + sleptS;
    at.wallMs += ms + sleptS * 1_000 + setMs;
    return nowMs() - before;
  };
  return { nowMs, pass };
}

it('starts with the time of the wall clock', () => {
  expect(machine().nowMs()).toBe(1_700_000_000_000);
  expect(Math.abs(systemClock().nowMs() - Date.now())).toBeLessThan(5_000);
});

it('is not affected when the wall clock is set', () => {
  const { pass } = machine();
  for (const setMs of [3_600_000, -7_200_000, 1, 86_400_000]) expect(pass(1_500, { setMs })).toBe(1_500);
});

it('catches up with the time for which the machine slept if that is seconds or more', () => {
  const { pass } = machine();
  expect(pass(2_000)).toBe(2_000);
  expect(pass(2_000, { sleptS: 600 })).toBe(602_000);
  for (let at = 0; at < 100; at += 1) expect(pass(1_100)).toBe(1_100);
  // The platform counts whole seconds.
  expect(pass(2_000, { sleptS: 1 })).toBe(2_000);
});
