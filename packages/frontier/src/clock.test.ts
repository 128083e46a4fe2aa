// The platform's clock: it goes by the time that has passed, whatever the wall clock says, and catches up after sleep.

import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from './clock.js';

const machine = vi.hoisted(() => ({ uptimeS: 1_000 }));
vi.mock('node:os', () => ({ uptime: () => machine.uptimeS }));

afterEach(() => {
  vi.restoreAllMocks();
});

it('runs on when the wall clock is set', () => {
  const { nowMs } = systemClock();
  const before = nowMs();
  expect(Math.abs(before - Date.now())).toBeLessThan(1_000);
  vi.spyOn(Date, 'now').mockReturnValue(before - 3_600_000);
  expect(nowMs() - before).toBeGreaterThanOrEqual(0);
  expect(nowMs() - before).toBeLessThan(1_000);
});

it('catches up by the time for which the machine slept, and by no less than seconds', () => {
  const { nowMs } = systemClock();
  let monotonicMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs);
  const pass = (ms: number, sleptS = 0) => {
    const before = nowMs();
    monotonicMs += ms;
    machine.uptimeS += ms / 1_000 + sleptS;
    return Math.round((nowMs() - before) / 100) * 100;
  };
  expect(pass(2_000)).toBe(2_000);
  expect(pass(2_000, 600)).toBe(602_000);
  expect(pass(2_000)).toBe(2_000);
  // The platform counts in seconds.
  expect(pass(2_000, 1)).toBe(2_000);
});
