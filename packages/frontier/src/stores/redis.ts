// The store on Redis: as many processes on as many machines as one likes. Every verb is one script on one shard, so it is one
// atom there; the scripts are in `redis/lua-*.ts`. A commit whose links lie in other shards adds those first (C5).

import type { FrontierStore } from '../store.js';
import { Connection } from './redis/connection.js';
import { claimCrawl } from './redis/crawl-name.js';
import { RedisQueues } from './redis/queues.js';
import { readDurability, WEAKNESS, weakestOf } from './redis/server-settings.js';
import { shardBase } from './redis/shards.js';
import { type RedisStoreOptions, resolveRedisOptions } from './redis/store-options.js';
import { ServerStore } from './server/server-store.js';

export type { RedisClient } from './redis/client.js';
export type { RedisStoreOptions } from './redis/store-options.js';
export type { ServerNotice, ServerStoreOptions } from './server/server-options.js';

/**
 * A store on a Redis server, 7 or newer, or a Redis Cluster.
 *
 * `capabilities.durable` is known after `open`, from the server's settings: `none` without an append-only file, `process` with one,
 * `power` with `appendfsync always`. While the server cannot be reached, verbs wait for it, up to `holdMs`. After a restart
 * or a failover of the server no host is granted before the longest lease has ended and the host's delay has passed.
 *
 * @param options - The client is the caller's, who closes it after the store.
 * @returns A store that was not opened yet.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for keys of another crawl, identity or format, for a
 * server that may evict keys and for one that is too old, and every verb with `store-failed` where the server refuses or stays away.
 * @example const store = redisStore({ client: new Redis('redis://localhost'), prefix: 'docs' })
 */
export function redisStore(options: RedisStoreOptions): FrontierStore {
  const settings = resolveRedisOptions(options);
  const { prefix, identity, maxQueued, nowMs } = settings;
  const connection = new Connection(settings);
  return new ServerStore({
    settings,
    weakness: WEAKNESS,
    open: async ({ crawl, create }) => {
      // The first shard's server is asked before anything is written to it.
      const first = await readDurability(connection, shardBase(prefix, 0));
      const shards = await claimCrawl(connection, { prefix, crawl, identity, create, shards: settings.shards });
      const others = Array.from({ length: shards - 1 }, (_, at) =>
        readDurability(connection, shardBase(prefix, at + 1)),
      );
      const durable = weakestOf([first, ...(await Promise.all(others))]);
      return { queues: new RedisQueues({ connection, prefix, shards, maxQueued, nowMs }), durable };
    },
    close: () => connection.close(),
  });
}
