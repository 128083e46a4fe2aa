// Compares the clock of this machine with that of the store's server while a crawl runs, so that an audit of several
// machines knows how far apart their clocks were. Nothing is decided by it.

import type { Clock, Frontier } from '@mannerly/frontier';
import type { CrawlLogs } from '../report/crawl-logs.js';
import { CLOCK_COMPARED_EVERY_MS, FIRST_COMPARISONS } from './limits.js';
import { repeatedly } from './repeatedly.js';

type Compared = NonNullable<Awaited<ReturnType<Frontier['compareClock']>>>;

export class ClockComparison {
  readonly #clock: Clock;
  readonly #logs: Pick<CrawlLogs, 'clock'>;
  /** The last that was written down. */
  #known: Compared | null = null;
  #isOver = false;
  #stop = (): void => undefined;

  constructor(clock: Clock, logs: Pick<CrawlLogs, 'clock'>) {
    this.#clock = clock;
    this.#logs = logs;
  }

  /** Writes down what is found at first, and later what differs from it. Rejects with what a store throws. */
  async open(frontier: Pick<Frontier, 'compareClock'>): Promise<void> {
    let best: Compared | null = null;
    for (let count = 0; count < FIRST_COMPARISONS; count += 1) {
      const found = await frontier.compareClock();
      // The store has no clock but ours.
      if (found === null) return;
      if (best === null || found.errorMs < best.errorMs) best = found;
    }
    this.#note(best);
    this.#stop = repeatedly(this.#clock, CLOCK_COMPARED_EVERY_MS, async () =>
      this.#note(await frontier.compareClock()),
    );
  }

  close(): void {
    this.#isOver = true;
    this.#stop();
  }

  #note(found: Compared | null): void {
    const known = this.#known;
    if (found === null || this.#isOver) return;
    // An answer that was slow says little.
    const isNews = known === null || Math.abs(found.aheadMs - known.aheadMs) > known.errorMs;
    if (!isNews || found.errorMs > 2 * (known?.errorMs ?? found.errorMs)) return;
    this.#known = found;
    this.#logs.clock({ atMs: this.#clock.nowMs(), ...found });
  }
}
