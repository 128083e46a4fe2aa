// Options of the Redis store, checked and filled in, and the client that it takes. The package ioredis is not imported.

import { FrontierError } from '../../errors.js';
import { resolveServerOptions, type ServerStoreOptions } from '../server/server-options.js';
import { wholeWithin } from '../store-options.js';

const PREFIX = 'mannerly';
/** Shards on one server: one time index to read. */
const SHARDS_OF_ONE = 1;
/** Shards of a cluster: enough to spread over a dozen servers, few enough to read all of them for the oldest host. */
const SHARDS_OF_CLUSTER = 16;
const SHARDS_MOST = 1_024;

/** An ioredis client, created and closed by the caller. */
export interface RedisClient {
  /** `end` once the client gave up or was closed. */
  readonly status: string;
  /** Whether it is a `Cluster` client. */
  readonly isCluster: boolean;
  /** Sends a command. Answers are bytes, numbers, `null` and lists of them. */
  callBuffer(command: string, args: (string | Buffer | number)[]): Promise<unknown>;
}

/** Options of the Redis store. */
export interface RedisStoreOptions extends ServerStoreOptions {
  /** An ioredis `Redis` or `Cluster`. The caller closes it, after the store. */
  readonly client: RedisClient;
  /** Prefix of all keys of one crawl. A short one is cheaper. Without braces and blanks. @default 'mannerly' */
  readonly prefix?: string;
  /**
   * Parts of the crawl, by host; each has one hash tag, so a cluster may have them on different servers. Fixed when the
   * crawl is created: afterwards the number that is kept counts. 1 to 1,024.
   * @default 1, of a cluster 16
   */
  readonly shards?: number;
}

export type ResolvedRedisOptions = ReturnType<typeof resolveRedisOptions>;

export function resolveRedisOptions(options: RedisStoreOptions) {
  const { client, prefix = PREFIX } = options;
  if (typeof client?.callBuffer !== 'function') {
    throw new FrontierError('option-invalid', 'expected `client` to be a client of ioredis');
  }
  if (!/^[^{}\s]{1,64}$/.test(prefix)) {
    const expected = 'expected `prefix` to be 1 to 64 characters without braces and blanks';
    throw new FrontierError('option-invalid', `${expected}, got ${JSON.stringify(prefix)}`);
  }
  const shards = options.shards ?? (client.isCluster ? SHARDS_OF_CLUSTER : SHARDS_OF_ONE);
  const common = resolveServerOptions('Redis', options, ['client', 'prefix', 'shards']);
  return { ...common, client, prefix, shards: wholeWithin('shards', shards, 1, SHARDS_MOST) };
}
