// What the Redis store may be told, checked and filled in.

import { FrontierError } from '../../errors.js';
import { QUEUED_MAX } from '../../limits.js';
import type { RedisClient } from './client.js';

const PREFIX = 'mannerly';
/** Shards of a client of one server: there is one time index to look at. */
const SHARDS_OF_ONE = 1;
/** Shards of a cluster: enough to spread over a dozen servers, few enough to look at all of them for the oldest host. */
const SHARDS_OF_CLUSTER = 16;
const SHARDS_MOST = 1_024;
/** Milliseconds without a server before the store has failed: a restart or a failover takes less. */
const HOLD_MS = 900_000;
const HOLD_MOST_MS = 86_400_000;

/** What the store says beside its answers. */
export interface RedisNotice {
  /** `weak-durability`: the server's settings promise less than the survival of its process. `holding`: no answer, the crawl waits. `resumed`: it goes on. */
  readonly kind: 'weak-durability' | 'holding' | 'resumed';
  readonly message: string;
}

/** What the Redis store may be told. */
export interface RedisStoreOptions {
  /** An ioredis `Redis` or `Cluster`. The caller closes it, after the store. */
  readonly client: RedisClient;
  /** In front of all keys; one crawl each. Short is cheaper: it is part of each key. Without braces and blanks. @default 'mannerly' */
  readonly prefix?: string;
  /** Who crawls, usually the product token; a crawl of another one is refused. @default not compared */
  readonly identity?: string;
  /** Entries unfinished at a time, all processes together; more are answered `full`. With several shards an equal share of each. @default 10,000,000 */
  readonly maxQueued?: number;
  /**
   * Parts of the crawl, by host; each has one hash tag, so a cluster may have them on different servers. Fixed when the
   * crawl is created, and then what is kept counts. 1 to 1,024.
   * @default 1, of a cluster 16
   */
  readonly shards?: number;
  /**
   * Milliseconds for which a server that does not answer is asked again, before the store has failed; ten seconds at most
   * while it never answered. What the client itself does about a lost connection comes before.
   * @default 900,000; 0 to 86,400,000
   */
  readonly holdMs?: number;
  /** Hears what an operator should know. @default a warning of the process */
  readonly onNotice?: (notice: RedisNotice) => void;
  /** The store's clock, milliseconds, instead of the server's; for tests. */
  readonly nowMs?: () => number;
}

/** Every option, filled in. */
export interface RedisSettings {
  readonly client: RedisClient;
  readonly prefix: string;
  /** Empty: not compared. */
  readonly identity: string;
  readonly maxQueued: number;
  readonly shards: number;
  readonly holdMs: number;
  readonly onNotice: (notice: RedisNotice) => void;
  /** `null`: the server's own. */
  readonly nowMs: (() => number) | null;
}

const KNOWN = new Set(['client', 'prefix', 'identity', 'maxQueued', 'shards', 'holdMs', 'onNotice', 'nowMs']);

/** @throws FrontierError `option-invalid`. */
export function resolveRedisOptions(options: RedisStoreOptions): RedisSettings {
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) throw new FrontierError('option-invalid', `the Redis store has no option \`${name}\``);
  }
  const { client, prefix = PREFIX, identity = '', nowMs = null, onNotice = warn } = options;
  if (typeof client?.callBuffer !== 'function') {
    throw new FrontierError('option-invalid', 'expected `client` to be a client of ioredis');
  }
  if (!/^[^{}\s]{1,64}$/.test(prefix)) {
    throw new FrontierError(
      'option-invalid',
      `expected \`prefix\` to be 1 to 64 characters without braces and blanks, got ${JSON.stringify(prefix)}`,
    );
  }
  return {
    client,
    prefix,
    identity,
    nowMs,
    onNotice,
    maxQueued: wholeWithin('maxQueued', options.maxQueued ?? QUEUED_MAX, 1, Number.MAX_SAFE_INTEGER),
    shards: wholeWithin(
      'shards',
      options.shards ?? (client.isCluster ? SHARDS_OF_CLUSTER : SHARDS_OF_ONE),
      1,
      SHARDS_MOST,
    ),
    holdMs: wholeWithin('holdMs', options.holdMs ?? HOLD_MS, 0, HOLD_MOST_MS),
  };
}

function warn({ message }: RedisNotice): void {
  process.emitWarning(message, 'MannerlyRedisWarning');
}

function wholeWithin(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new FrontierError(
    'option-invalid',
    `expected \`${name}\` to be a whole number from ${least} to ${most}, got ${value}`,
  );
}
