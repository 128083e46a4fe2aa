// The durable store: a crawl in one folder, for several processes at a time. A verb that has resolved survives a killed
// process. A power cut may lose the last commits, but never the file. The verbs are in `lmdb/queues.ts`.

import { MAX_STORE_BODY_BYTES } from '../limits.js';
import { invalid, wholeIn } from '../option-value.js';
import type { FrontierStore, StoreCapabilities } from '../store.js';
import { checkedStore, resolveSharedOptions, type SharedOptions } from './checked-store.js';
import type { ResolvedLmdbOptions } from './lmdb/queues.js';

/**
 * The most entries of one `add`, or links of one commit. A verb is one synchronous step, so this bounds how long it
 * blocks.
 */
const MAX_BATCH = 8_192;
const DEFAULT_COMMIT_EVERY_MS = 50;
const MAX_COMMIT_EVERY_MS = 1_000;
const DEFAULT_SEEN_BUDGET_BYTES = 268_435_456;
const MIN_SEEN_BUDGET_BYTES = 65_536;

/** Options of the lmdb store. */
export interface LmdbStoreOptions extends SharedOptions {
  /** The folder, for this store alone, on a local disk. `open` creates it, with its parents, if it may. */
  readonly path: string;
  /**
   * Bytes of memory for fingerprints, about 12 each. Fingerprints beyond it are looked up in the file, which takes
   * about 3 µs longer.
   * @default 268,435,456, for 20 million; at least 65,536
   */
  readonly seenBudget?: number;
  /**
   * The most milliseconds between two commits while verbs keep coming. A higher value saves work, but every settlement
   * waits up to this long.
   * @default 50; 0 to 1,000
   */
  readonly commitEveryMs?: number;
}

/** The capabilities of the lmdb store. */
export const LMDB_CAPABILITIES: StoreCapabilities = Object.freeze({
  shared: true,
  durable: 'process',
  maxBody: MAX_STORE_BODY_BYTES,
  maxBatch: MAX_BATCH,
});

/**
 * An lmdb store in a folder on a local disk. Several processes of one machine may have it open.
 *
 * Verbs that come close together are committed together: a promise resolves when its commit is done. While one process
 * is stopped in the middle of a commit, the others wait.
 *
 * @returns A store that is not open yet. After `close`, another store can open the same path.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for a folder of another crawl, identity
 *   or format, and with `store-failed` if the folder cannot be used or lmdb cannot be loaded.
 */
export function lmdbStore(options: LmdbStoreOptions): FrontierStore {
  const resolved = resolveLmdbOptions(options);
  return checkedStore({
    capabilities: LMDB_CAPABILITIES,
    // Loaded at open, so that crawls in other stores start without it.
    open: async (request) => (await import('./lmdb/queues.js')).LmdbQueues.open(resolved, request),
  });
}

function resolveLmdbOptions(options: LmdbStoreOptions): ResolvedLmdbOptions {
  const shared = resolveSharedOptions(options, ['path', 'seenBudget', 'commitEveryMs']);
  const { path, seenBudget = DEFAULT_SEEN_BUDGET_BYTES, commitEveryMs = DEFAULT_COMMIT_EVERY_MS } = options;
  if (typeof path !== 'string' || path === '') throw invalid('path', 'the name of a folder', path);
  return {
    ...shared,
    path,
    seenBudget: wholeIn('seenBudget', seenBudget, MIN_SEEN_BUDGET_BYTES, Number.MAX_SAFE_INTEGER),
    commitEveryMs: wholeIn('commitEveryMs', commitEveryMs, 0, MAX_COMMIT_EVERY_MS),
  };
}
