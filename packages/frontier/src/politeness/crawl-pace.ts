// The pace of the whole crawl: no more requests per second than an operator allows, over all hosts together, evenly
// spaced. Planned when work is taken, checked again right before the socket. Processes that share a store share the pace.

import type { FrontierStore } from '../store.js';

/** The pace. All times are epoch milliseconds. */
export interface CrawlPace {
  /** Makes sure that the next time is known. */
  prepare(nowMs: number): Promise<void>;
  /** The time from which the next piece of work may be taken; 0 without a limit. */
  nextAtMs(): number;
  /** A piece of work was taken. */
  took(nowMs: number): void;
  /** The time from which the next request may leave; 0 without a limit. */
  mayStartAtMs(): number;
  /** A request leaves. */
  started(nowMs: number): void;
}

/** The key under which processes share the pace. */
const KEY = 'pace of the crawl';
/** A planned time that was not used for this many intervals is planned anew: others may have counted on ours. */
const STALE_INTERVALS = 1;

/**
 * @param intervalMs - Between two requests, from start to start; `null`: no limit.
 * @throws Never; `prepare` rejects with what the store throws.
 */
export function createCrawlPace(
  intervalMs: number | null,
  store: Pick<FrontierStore, 'capabilities' | 'reserve'>,
): CrawlPace {
  if (intervalMs === null) {
    const free = () => 0;
    return { prepare: () => Promise.resolve(), nextAtMs: free, took: free, mayStartAtMs: free, started: free };
  }
  let lastTakenMs = Number.NEGATIVE_INFINITY;
  let lastStartMs = Number.NEGATIVE_INFINITY;
  let plannedMs: number | null = null;
  return {
    async prepare(nowMs) {
      if (plannedMs !== null && plannedMs > nowMs - STALE_INTERVALS * intervalMs) return;
      const ownMs = Math.max(nowMs, lastTakenMs + intervalMs);
      plannedMs = ownMs;
      if (!store.capabilities.shared || store.reserve === undefined) return;
      const [waitMs = 0] = await store.reserve([{ key: KEY, delayMs: intervalMs }]);
      plannedMs = Math.max(ownMs, nowMs + waitMs);
    },
    nextAtMs: () => Math.ceil(plannedMs ?? lastTakenMs + intervalMs),
    took(nowMs) {
      lastTakenMs = nowMs;
      plannedMs = null;
    },
    mayStartAtMs: () => Math.ceil(lastStartMs + intervalMs),
    started(nowMs) {
      lastStartMs = nowMs;
    },
  };
}
