// The pace of the whole crawl: no more requests per second than an operator allows, over all hosts, evenly spaced.
// Planned when work is taken, checked again right before the socket. Processes that share a store share the pace.

import type { FrontierStore } from '../store.js';

/** The key under which processes share the pace. */
const KEY = 'pace of the crawl';

/** The pace. All times are epoch milliseconds. */
export class CrawlPace {
  readonly #intervalMs: number | null;
  readonly #store: Pick<FrontierStore, 'capabilities' | 'reserve'>;
  #lastTakenMs = Number.NEGATIVE_INFINITY;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #plannedMs: number | null = null;

  /** @param intervalMs - Between two requests, from start to start; `null`: no limit. */
  constructor(intervalMs: number | null, store: Pick<FrontierStore, 'capabilities' | 'reserve'>) {
    this.#intervalMs = intervalMs;
    this.#store = store;
  }

  /** Makes sure that the next time is planned. Rejects with what the store throws. */
  async prepare(nowMs: number): Promise<void> {
    const intervalMs = this.#intervalMs;
    if (intervalMs === null) return;
    // A time that was not used for an interval is planned again: others may have relied on our use of it.
    if (this.#plannedMs !== null && this.#plannedMs > nowMs - intervalMs) return;
    const ownMs = Math.max(nowMs, this.#lastTakenMs + intervalMs);
    this.#plannedMs = ownMs;
    if (!this.#store.capabilities.shared || this.#store.reserve === undefined) return;
    const [waitMs = 0] = await this.#store.reserve([{ key: KEY, delayMs: intervalMs }]);
    this.#plannedMs = Math.max(ownMs, nowMs + waitMs);
  }

  /** When the next work may be taken; 0 without a limit. */
  nextAtMs(): number {
    if (this.#intervalMs === null) return 0;
    return Math.ceil(this.#plannedMs ?? this.#lastTakenMs + this.#intervalMs);
  }

  /** A work was taken. */
  took(nowMs: number): void {
    this.#lastTakenMs = nowMs;
    this.#plannedMs = null;
  }

  /** When the next request may leave; 0 without a limit. */
  mayStartAtMs(): number {
    return this.#intervalMs === null ? 0 : Math.ceil(this.#lastStartMs + this.#intervalMs);
  }

  /** A request leaves. */
  started(nowMs: number): void {
    this.#lastStartMs = nowMs;
  }
}
