// What the Redis store may be told, checked and filled in.

import { FrontierError } from '../../errors.js';
import { resolveServerOptions, type ServerSettings, type ServerStoreOptions } from '../server/server-options.js';
import { wholeWithin } from '../whole-within.js';
import type { RedisClient } from './client.js';

const PREFIX = 'mannerly';
/** Shards of a client of one server: there is one time index to look at. */
const SHARDS_OF_ONE = 1;
/** Shards of a cluster: enough to spread over a dozen servers, few enough to look at all of them for the oldest host. */
const SHARDS_OF_CLUSTER = 16;
const SHARDS_MOST = 1_024;

/** What the Redis store may be told. */
export interface RedisStoreOptions extends ServerStoreOptions {
  /** An ioredis `Redis` or `Cluster`. The caller closes it, after the store. */
  readonly client: RedisClient;
  /** In front of all keys; one crawl each. Short is cheaper: it is part of each key. Without braces and blanks. @default 'mannerly' */
  readonly prefix?: string;
  /**
   * Parts of the crawl, by host; each has one hash tag, so a cluster may have them on different servers. Fixed when the
   * crawl is created, and then what is kept counts. 1 to 1,024.
   * @default 1, of a cluster 16
   */
  readonly shards?: number;
}

/** Every option, filled in. */
export interface RedisSettings extends ServerSettings {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly shards: number;
}

/** @throws FrontierError `option-invalid`. */
export function resolveRedisOptions(options: RedisStoreOptions): RedisSettings {
  const { client, prefix = PREFIX } = options;
  if (typeof client?.callBuffer !== 'function') {
    throw new FrontierError('option-invalid', 'expected `client` to be a client of ioredis');
  }
  if (!/^[^{}\s]{1,64}$/.test(prefix)) {
    throw new FrontierError(
      'option-invalid',
      `expected \`prefix\` to be 1 to 64 characters without braces and blanks, got ${JSON.stringify(prefix)}`,
    );
  }
  const shards = options.shards ?? (client.isCluster ? SHARDS_OF_CLUSTER : SHARDS_OF_ONE);
  return {
    ...resolveServerOptions('Redis', options, ['client', 'prefix', 'shards']),
    client,
    prefix,
    shards: wholeWithin('shards', shards, 1, SHARDS_MOST),
  };
}
