// One process at a time among all that share a store: for the few things that are read, computed and written again,
// such as how many pages are left. The lock is the lease of a host that no URL leads to, so every store that keeps its
// contract has it. A process that dies with it delays the others by the length of a lease.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import { CRAWL_LOCK_RETRY_MS, CRAWL_LOCK_TTL_MS, CRAWL_LOCK_WAIT_MS } from './limits.js';

/** The host whose lease it is; no host name has a blank in it. */
export const LOCK_HOST = ' crawl';

/** What is done under the lock. `isStill`: whether the lock is still ours, to be asked right before a write. */
type Act<T> = (isStill: () => boolean) => Promise<T>;

export class CrawlLock {
  readonly #store: FrontierStore;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** What this process does under the lock, it does in turn. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param random - Numbers in [0, 1): processes that wait do not come back together. */
  constructor(store: FrontierStore, clock: Clock, random: () => number) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Waits for the lock and acts.
   *
   * @throws FrontierError (rejects) `store-failed` when the lock does not come; what `act` throws.
   */
  exclusively<T>(act: Act<T>): Promise<T> {
    return this.#inTurn(async () => {
      const giveUpMs = this.#clock.nowMs() + CRAWL_LOCK_WAIT_MS;
      for (;;) {
        const done = await this.#once(act);
        if (done !== null) return done.value;
        if (this.#clock.nowMs() >= giveUpMs) {
          throw new FrontierError('store-failed', 'the other processes of this crawl do not release its lock', {
            hint: 'Is one of them stopped, or the clock of the store standing still?',
          });
        }
        const pauseMs = CRAWL_LOCK_RETRY_MS * (1 + this.#random());
        await new Promise<void>((resolve) => void this.#clock.after(pauseMs, resolve));
      }
    });
  }

  /** The same without waiting for other processes. @returns `null` where another process has the lock. */
  tryExclusively<T>(act: Act<T>): Promise<T | null> {
    return this.#inTurn(async () => (await this.#once(act))?.value ?? null);
  }

  async #once<T>(act: Act<T>): Promise<{ readonly value: T } | null> {
    if (!this.#store.capabilities.shared) return { value: await act(() => true) };
    const askedMs = this.#clock.nowMs();
    const request = { maxHosts: 1, entriesPerHost: 1, ttlMs: CRAWL_LOCK_TTL_MS, hosts: [LOCK_HOST] };
    const [lease] = await this.#store.lease(request);
    if (lease === undefined) return null;
    const { host, fencingToken } = lease;
    try {
      return { value: await act(() => this.#clock.nowMs() < askedMs + CRAWL_LOCK_TTL_MS / 2) };
    } finally {
      await this.#store.commit([{ host, fencingToken, delayMs: 0, then: { release: { dueInMs: 0 } } }]);
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}
