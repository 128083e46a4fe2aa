// Several stores that share one crawl: each host belongs to one of them, by the hash of its name.

import { FrontierError } from '../errors.js';
import { invalid } from '../option-value.js';
import type { FrontierStore, OpenRequest, StoreCapabilities } from '../store.js';
import { checkedStore, type StoreVerbs, weakestOf } from './checked-store.js';
import { ShardedQueues } from './sharded/sharded-queues.js';

const OPTIONAL_VERBS = ['destroy', 'isKnown', 'listRecords', 'overdueMs', 'readHost', 'reserve'] as const;

/**
 * One store made of several, such as one on each of three PostgreSQL servers. Each has the hosts whose names hash to
 * it, with their URLs, their leases and their robots.txt. A store that does not answer for five seconds stops only its
 * own hosts: they wait, and links to them are kept in another store until it answers.
 *
 * The crawl remembers the number and the order of its stores and refuses any other.
 *
 * @param stores - Not open, at least one, each on its own data. They are opened and closed with this one.
 * @returns A store that is not open yet. Its capabilities are the weakest of the stores' capabilities.
 * @throws FrontierError `option-invalid` for a store without one of the optional verbs; `open` rejects with
 *   `store-mismatch` for another number or order of stores, and if one of them has lost the crawl. After that it
 *   cannot be opened any more.
 * @example const store = shardedStore(pools.map((pool) => postgresStore({ pool, schema: 'docs' })))
 */
export function shardedStore(stores: readonly FrontierStore[]): FrontierStore {
  if (!Array.isArray(stores) || stores.length === 0) throw invalid('stores', 'at least one store', stores);
  for (const verb of OPTIONAL_VERBS) {
    if (stores.some((store) => store[verb] === undefined)) throw invalid('stores', `stores with \`${verb}\``, stores);
  }
  const smallest = (of: 'maxBody' | 'maxBatch') => Math.min(...stores.map((store) => store.capabilities[of]));
  const closeAll = async () => {
    await Promise.all(stores.map((store) => store.close()));
  };
  const capabilities: StoreCapabilities = Object.freeze({
    shared: stores.every((store) => store.capabilities.shared),
    maxBody: smallest('maxBody'),
    maxBatch: smallest('maxBatch'),
    // For servers it is known only after open.
    get durable() {
      return weakestOf(stores.map((store) => store.capabilities.durable));
    },
  });
  return checkedStore({
    capabilities,
    open: async (request) => {
      try {
        await openAll(stores, request);
        return new ShardedQueues(stores as readonly StoreVerbs[], closeAll);
      } catch (error) {
        await closeAll();
        throw error;
      }
    },
  });
}

/**
 * Each store's crawl is named with the store's place, so that a store in the wrong place is refused by name. The first
 * one is created last: if it exists, all do.
 */
async function openAll(stores: readonly FrontierStore[], request: OpenRequest): Promise<void> {
  const open = (at: number, create: boolean) => {
    const crawl = stores.length === 1 ? request.crawl : `${request.crawl} (${at + 1} of ${stores.length})`;
    return stores[at]!.open({ ...request, crawl, create });
  };
  const exists = await open(0, false).then(
    () => true,
    (error: unknown) => {
      if (request.create && error instanceof FrontierError && error.code === 'store-mismatch') return false;
      throw error;
    },
  );
  for (let at = 1; at < stores.length; at += 1) await open(at, !exists);
  if (exists) return;
  const others = await Promise.all(stores.slice(1).map((store) => store.stats()));
  // If the others contain anything, the first existed before. It exists again if another process has just created it.
  await open(0, !others.some(({ known }) => known > 0));
}
