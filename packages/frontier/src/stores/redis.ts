// The store on Redis, for any number of processes on any number of machines. Every verb is one script on one shard,
// which makes it atomic there; the scripts are in `redis/lua-*.ts`. A commit whose links are in other shards adds those
// first (C5).

import type { FrontierStore } from '../store.js';
import { Connection, type RedisStoreOptions, resolveRedisOptions } from './redis/connection.js';
import { claimCrawl, readDurability, WEAKNESS } from './redis/open-crawl.js';
import { RedisQueues } from './redis/queues.js';
import { shardBase } from './redis/shards.js';
import { type Durability, serverStore } from './server/server-store.js';

export type { RedisClient, RedisStoreOptions } from './redis/connection.js';
export type { ServerNotice, ServerStoreOptions } from './server/server-store.js';

const WEAKEST_FIRST: readonly Durability[] = ['none', 'process', 'power'];

/**
 * A store on a Redis server, 7 or newer, or a Redis Cluster.
 *
 * `capabilities.durable` is known after `open`, from the server's settings: `none` without an append-only file,
 * `process` with one, `power` with `appendfsync always`. While the server cannot be reached, verbs wait for it, up to
 * `holdMs`. After a restart or a failover of the server the links of the last ten seconds are added again, and no host
 * is granted before the longest lease has ended and the host's delay has passed.
 *
 * @param options - The client belongs to the caller, who closes it after the store.
 * @returns A store that was not opened yet.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for keys of another crawl, identity or
 *   format, for a server that may evict keys and for one that is too old; every verb rejects with `store-failed` where
 *   the server refuses or stays unreachable.
 * @example const store = redisStore({ client: new Redis('redis://localhost'), prefix: 'docs' })
 */
export function redisStore(options: RedisStoreOptions): FrontierStore {
  const resolved = resolveRedisOptions(options);
  const connection = new Connection(resolved);
  const durabilityOf = (shard: number, shards: number) =>
    readDurability(connection, shardBase(resolved.prefix, shard, shards), resolved.allowUnsafe);
  return serverStore({
    options: resolved,
    weakness: WEAKNESS,
    open: async (request) => {
      // The first shard's server is checked before anything is written to it.
      const first = await durabilityOf(0, 1);
      const shards = await claimCrawl(connection, request, resolved);
      const others = await Promise.all(Array.from({ length: shards }, (_, shard) => durabilityOf(shard, shards)));
      const weakest = WEAKEST_FIRST.find((one) => one === first || others.includes(one)) ?? 'none';
      return { queues: new RedisQueues(connection, { ...resolved, shards }), durable: weakest };
    },
    close: () => connection.close(),
  });
}
