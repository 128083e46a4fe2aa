// The store on Redis, for any number of processes on any number of machines. Every verb is one script on one shard,
// which makes it atomic there. The scripts are in `redis/lua-*.ts`. Shards are combined like any other stores
// (`sharded/`).

import type { FrontierStore } from '../store.js';
import { weakestOf } from './checked-store.js';
import { Connection, type RedisStoreOptions, resolveRedisOptions } from './redis/connection.js';
import { redisEngine } from './redis/engine.js';
import { claimCrawl, crawlKey, readDurability, shardBase, WEAKNESS } from './redis/open-crawl.js';
import { serverQueues } from './server/server-queues.js';
import { serverStore } from './server/server-store.js';
import { ShardedQueues } from './sharded/sharded-queues.js';

export type { RedisClient, RedisStoreOptions } from './redis/connection.js';
export type { ServerNotice, ServerStoreOptions } from './server/server-store.js';

/**
 * A store on a Redis server, 7 or newer, or a Redis Cluster.
 *
 * `capabilities.durable` is known after `open`, from the server's settings: `none` without an append-only file,
 * `process` with one, `power` with `appendfsync always`. While the server cannot be reached, verbs wait for it, up to
 * `holdMs`. After a restart or a failover of the server the links of the last ten seconds are added again, and no host
 * is granted before the longest lease has ended and the host's delay has passed.
 *
 * @param options - The client belongs to the caller, who closes it after the store.
 * @returns A store that is not open yet.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for keys of another crawl, identity or
 *   format, for a server that may evict keys and for one that is too old; every verb rejects with `store-failed` if
 *   the server refuses or stays unreachable.
 * @example const store = redisStore({ client: new Redis('redis://localhost'), prefix: 'docs' })
 */
export function redisStore(options: RedisStoreOptions): FrontierStore {
  const resolved = resolveRedisOptions(options);
  const connections: Connection[] = [];
  const connect = (shard: number, shards: number) => {
    const server = shards === 1 ? resolved.server : `${resolved.server} (shard ${shard + 1} of ${shards})`;
    const connection = new Connection({ ...resolved, server }, shardBase(resolved.prefix, shard, shards));
    connections.push(connection);
    return connection;
  };
  return serverStore({
    options: resolved,
    weakness: WEAKNESS,
    open: async (request) => {
      // The first shard's server is checked before anything is written to it.
      const first = connect(0, 1);
      const durable = [await readDurability(first, resolved.allowUnsafe)];
      const shards = await claimCrawl(first, request, resolved);
      const all = Array.from({ length: shards }, (_, shard) => (shards === 1 ? first : connect(shard, shards)));
      durable.push(...(await Promise.all(all.map((one) => readDurability(one, resolved.allowUnsafe)))));
      const [one, ...others] = all.map((connection, at) => {
        const key = at === 0 ? crawlKey(resolved.prefix) : null;
        return serverQueues(redisEngine(connection, { ...resolved, shards }, key), resolved, shards);
      });
      const queues = others.length === 0 ? one! : new ShardedQueues([one!, ...others]);
      return { queues, durable: weakestOf(durable) };
    },
    close: () => {
      for (const connection of connections) connection.close();
    },
  });
}
