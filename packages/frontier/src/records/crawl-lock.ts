// One process at a time among all that share a store: for the few things that are read, thought over and written again, such
// as how many pages are left. It is the lease of a host that no URL leads to, so every store that keeps its contract has it,
// and a process that dies over it holds the others up for the length of a lease.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import { CRAWL_LOCK_RETRY_MS, CRAWL_LOCK_TTL_MS, CRAWL_LOCK_WAIT_MS } from './limits.js';

/** The host whose lease it is; no host name has a blank in it. */
export const LOCK_HOST = ' crawl';

/** What is done alone. */
export interface CrawlLock {
  /**
   * Waits for its turn and does it. `isStill` says whether the turn lasts: asked right before what was thought over is written.
   *
   * @throws FrontierError `store-failed` when the turn does not come; what `act` throws.
   */
  exclusively<T>(act: (isStill: () => boolean) => Promise<T>): Promise<T>;
  /** The same without waiting for other processes. @returns `null` where another one has its turn. */
  tryExclusively<T>(act: (isStill: () => boolean) => Promise<T>): Promise<T | null>;
}

/** The lock of a store. @param random - Numbers in [0, 1): those who wait do not come back together. @throws Never */
export function createCrawlLock(store: FrontierStore, clock: Clock, random: () => number): CrawlLock {
  // One process alone needs none; what it does itself it does in turn.
  let turn: Promise<unknown> = Promise.resolve();
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const once = async <T>(act: (isStill: () => boolean) => Promise<T>): Promise<{ readonly value: T } | null> => {
    if (!store.capabilities.shared) return { value: await act(() => true) };
    const requiredMs = clock.nowMs();
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: CRAWL_LOCK_TTL_MS, hosts: [LOCK_HOST] });
    if (lease === undefined) return null;
    const { host, fencingToken } = lease;
    try {
      return { value: await act(() => clock.nowMs() < requiredMs + CRAWL_LOCK_TTL_MS / 2) };
    } finally {
      await store.commit([{ host, fencingToken, delayMs: 0, then: { release: { dueInMs: 0 } } }]);
    }
  };
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const mine = turn.then(act);
    turn = mine.catch(() => undefined);
    return mine;
  };
  return {
    exclusively: (act) =>
      inTurn(async () => {
        const giveUpMs = clock.nowMs() + CRAWL_LOCK_WAIT_MS;
        for (;;) {
          const done = await once(act);
          if (done !== null) return done.value;
          if (clock.nowMs() >= giveUpMs) {
            throw new FrontierError('store-failed', 'the other processes of this crawl do not let go of its lock', {
              hint: 'Is one of them stopped, or the clock of the store standing still?',
            });
          }
          await pause(CRAWL_LOCK_RETRY_MS * (1 + random()));
        }
      }),
    tryExclusively: (act) => inTurn(async () => (await once(act))?.value ?? null),
  };
}
