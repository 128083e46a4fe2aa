// The default store without a path: everything in this process, nothing after it.

import { FrontierError } from '../errors.js';
import { STORE_BATCH_MAX, STORE_BODY_MAX_BYTES } from '../limits.js';
import type { FrontierStore, StoreCapabilities } from '../store.js';
import { CheckedStore } from './checked-store.js';
import { MemoryQueues } from './memory-queues.js';
import { resolveMaxQueued } from './store-options.js';

/** Options of the memory store. */
export interface MemoryStoreOptions {
  /** Entries unfinished at a time; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /** The store's clock, milliseconds; for tests. @default a clock that never goes back */
  readonly nowMs?: () => number;
}

/** The capabilities of the memory store. */
export const MEMORY_CAPABILITIES: StoreCapabilities = Object.freeze({
  shared: false,
  durable: 'none',
  exactCounts: true,
  maxBody: STORE_BODY_MAX_BYTES,
  maxBatch: STORE_BATCH_MAX,
});

/**
 * A store in memory. Bodies, states and records are kept as they are handed over, not copied.
 *
 * Memory: 10 to 13 bytes per known URL, some 500 per queued URL, some 1.5 KB per host. For more than some 100,000 hosts
 * take lmdb.
 *
 * @returns A store that was not opened yet. After `close` it holds nothing and cannot be opened again.
 * @throws FrontierError `option-invalid`.
 */
export function memoryStore(options: MemoryStoreOptions = {}): FrontierStore {
  const maxQueued = resolveMaxQueued(options.maxQueued);
  const nowMs = options.nowMs ?? (() => performance.now());
  return new CheckedStore({
    capabilities: MEMORY_CAPABILITIES,
    open: async ({ crawl, create }) => {
      if (create) return new MemoryQueues(maxQueued, nowMs);
      throw new FrontierError('store-mismatch', `a new memory store holds no crawl ${JSON.stringify(crawl)}`);
    },
  });
}
