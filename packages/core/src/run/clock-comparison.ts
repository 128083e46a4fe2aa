// Compares this machine's clock with that of the store's server during a crawl, so that an audit of several machines
// knows how far apart their clocks were. No decision depends on it.

import type { Clock, Frontier } from '@mannerly/frontier';
import type { RunLogs } from '../report/run-logs.js';
import { CLOCK_COMPARISON_INTERVAL_MS, FIRST_COMPARISONS } from './limits.js';
import { repeatEvery } from './repeat-every.js';

type ClockComparison = NonNullable<Awaited<ReturnType<Frontier['compareClock']>>>;

/** Logs the first result, and later ones that differ. @returns Stops it. Rejects with what a store throws. */
export async function compareClocks(
  frontier: Pick<Frontier, 'compareClock'>,
  clock: Clock,
  logs: Pick<RunLogs, 'clock'>,
): Promise<() => void> {
  /** The last result that was logged. */
  let lastLogged: ClockComparison | null = null;
  const logChange = (found: ClockComparison | null): void => {
    if (found === null) return;
    // A slow answer is imprecise.
    const isChanged = lastLogged === null || Math.abs(found.aheadMs - lastLogged.aheadMs) > lastLogged.errorMs;
    if (!isChanged || found.errorMs > 2 * (lastLogged?.errorMs ?? found.errorMs)) return;
    lastLogged = found;
    logs.clock({ atMs: clock.nowMs(), ...found });
  };
  let best: ClockComparison | null = null;
  for (let count = 0; count < FIRST_COMPARISONS; count += 1) {
    const found = await frontier.compareClock();
    // The store has no clock of its own.
    if (found === null) return () => undefined;
    if (best === null || found.errorMs < best.errorMs) best = found;
  }
  logChange(best);
  return repeatEvery(clock, CLOCK_COMPARISON_INTERVAL_MS, async (isStopped) => {
    const found = await frontier.compareClock();
    if (!isStopped()) logChange(found);
  });
}
