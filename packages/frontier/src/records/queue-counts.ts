// Counts what is in the store: read now and then, and updated with what this process adds and finishes.

import type { FrontierStore } from '../store.js';

/** The counts. Only its own methods change them. `queued` includes entries in flight. */
export class QueueCounts {
  queued = 0;
  known = 0;
  hosts = 0;
  readonly #store: FrontierStore;
  /** The number of hosts in the store that no URL leads to. */
  #lockHosts = 0;

  constructor(store: FrontierStore) {
    this.#store = store;
  }

  /** The lock of the crawl is a host of the store (`records/processes.ts`). */
  noteLockHost(): void {
    this.#lockHosts = 1;
  }

  countQueued(): void {
    this.queued += 1;
    this.known += 1;
  }

  countFinished(entries: number): void {
    this.queued = Math.max(0, this.queued - entries);
  }

  /** Reads the counts from the store. Rejects with what the store throws. */
  async read(): Promise<void> {
    const { queued, inFlight, known, hosts } = await this.#store.stats();
    this.queued = queued + inFlight;
    this.known = known;
    this.hosts = Math.max(0, hosts - this.#lockHosts);
  }
}
