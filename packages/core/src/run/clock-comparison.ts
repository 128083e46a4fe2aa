// Compares this machine's clock with that of the store's server during a crawl, so that an audit of several machines
// knows how far apart their clocks were. No decision depends on it.

import type { Clock, Frontier } from '@mannerly/frontier';
import type { CrawlLogs } from '../report/crawl-logs.js';
import { CLOCK_COMPARISON_INTERVAL_MS, FIRST_COMPARISONS } from './limits.js';
import { repeatedly } from './repeatedly.js';

type Compared = NonNullable<Awaited<ReturnType<Frontier['compareClock']>>>;

/**
 * Logs the first result, and later ones that differ from it.
 *
 * @returns A function that stops it. Rejects with what a store throws.
 */
export async function compareClocks(
  frontier: Pick<Frontier, 'compareClock'>,
  clock: Clock,
  logs: Pick<CrawlLogs, 'clock'>,
): Promise<() => void> {
  /** The last result that was logged. */
  let known: Compared | null = null;
  let isOver = false;
  const note = (found: Compared | null): void => {
    if (found === null || isOver) return;
    // A slow answer is imprecise.
    const isNews = known === null || Math.abs(found.aheadMs - known.aheadMs) > known.errorMs;
    if (!isNews || found.errorMs > 2 * (known?.errorMs ?? found.errorMs)) return;
    known = found;
    logs.clock({ atMs: clock.nowMs(), ...found });
  };
  let best: Compared | null = null;
  for (let count = 0; count < FIRST_COMPARISONS; count += 1) {
    const found = await frontier.compareClock();
    // The store has no clock of its own.
    if (found === null) return () => undefined;
    if (best === null || found.errorMs < best.errorMs) best = found;
  }
  note(best);
  const stop = repeatedly(clock, CLOCK_COMPARISON_INTERVAL_MS, async () => note(await frontier.compareClock()));
  return () => {
    isOver = true;
    void stop();
  };
}
