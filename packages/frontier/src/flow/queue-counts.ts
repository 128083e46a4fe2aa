// How much the crawl knows and has queued, as a worker of this process sees it: read from the store now and then, kept
// up to date with what this process adds and finishes.

import type { FrontierStore } from '../store.js';

/** The counts; only its own methods write them. `queued`: those in flight included. */
export class QueueCounts {
  queued = 0;
  known = 0;
  hosts = 0;
  readonly #store: FrontierStore;
  /** Hosts of the store that no URL leads to. */
  #lockHosts = 0;

  constructor(store: FrontierStore) {
    this.#store = store;
  }

  /** The lock of the crawl is a host of the store (`records/processes.ts`). */
  noteLockHost(): void {
    this.#lockHosts = 1;
  }

  queuedOne(): void {
    this.queued += 1;
    this.known += 1;
  }

  finished(entries: number): void {
    this.queued = Math.max(0, this.queued - entries);
  }

  /** Reads them from the store. Rejects with what the store throws. */
  async read(): Promise<void> {
    const { queued, inFlight, known, hosts } = await this.#store.stats();
    this.queued = queued + inFlight;
    this.known = known;
    this.hosts = Math.max(0, hosts - this.#lockHosts);
  }
}
