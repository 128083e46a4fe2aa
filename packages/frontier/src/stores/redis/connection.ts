// The client that the Redis store takes, its options, and commands and scripts that are sent again while the client
// cannot reach its server. Scripts are called by their digest, or in full if a server does not know them yet: after a
// restart, a failover or on another node of a cluster. It does not import the package ioredis.

import { createHash } from 'node:crypto';
import { invalid, wholeIn } from '../../option-value.js';
import { messageOf } from '../checked-store.js';
import { isError } from '../is-error.js';
import { DAMAGED_ADVICE, NETWORK_ERRORS, NEVER, Resending, type ServerErrors } from '../server/resending.js';
import { resolveServerOptions, type ServerStoreOptions } from '../server/server-store.js';
import { COMMIT_SCRIPT } from './lua-commit.js';
import { LEASE_SCRIPTS } from './lua-lease.js';
import { READ_SCRIPTS } from './lua-read.js';
import { SHARD_LUA } from './lua-shard.js';

export type ScriptValue = string | Buffer | number;

const SCRIPT_BODIES = { commit: COMMIT_SCRIPT, ...LEASE_SCRIPTS, ...READ_SCRIPTS };

export type ScriptName = keyof typeof SCRIPT_BODIES;

const SCRIPTS = new Map(
  Object.entries(SCRIPT_BODIES).map(([name, body]) => {
    // With the first line a server whose memory is full refuses the whole script, not a command in the middle of it.
    const text = `#!lua\n${SHARD_LUA}${body}`;
    return [name, { text, digest: createHash('sha1').update(text).digest('hex') }];
  }),
);

const ERRORS: ServerErrors = {
  conflict: NEVER,
  // The server is loading its file.
  starting: /^LOADING /,
  // Of the server or of ioredis: connections, restarts, failovers, migrating slots.
  unreachable: new RegExp(
    [
      '^(?:READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|MISCONF|NOREPLICAS|OOM|BUSY|MOVED|ASK)\\b',
      ...['Connection is closed', 'writeable', 'max retries per request', 'Too many Cluster redirections'],
      ...['Command timed out', 'refresh slots cache', 'startup nodes', "Cluster isn't ready", 'non local key'],
      NETWORK_ERRORS,
    ].join('|'),
    'i',
  ),
  // By `lua-shard.ts`.
  lost: /EMPTIED/,
  advice: [
    [/^OOM\b/, 'Its memory is full: raise `maxmemory`.'],
    [/^READONLY\b/, 'It is a replica: name its primary.'],
    [/^MISCONF\b/, 'It cannot write its file: is its disk full?'],
    [/^NOREPLICAS\b/, 'Start its replicas.'],
    [/DB index is out of range/, 'It has fewer databases: name another number in its URL, or none.'],
    [/cluster support disabled/, 'It is no node of a cluster: omit `?cluster` from its URL.'],
    [/^(?:WRONGTYPE|DAMAGED|ERR user_script)|Error running script/, DAMAGED_ADVICE],
    [/\bEPIPE\b/, 'It closes connections: is its `maxclients` reached?'],
  ],
};

/** Milliseconds in which a replica should have a commit. After that the wait is reported as a notice and continues. */
const REPLICATION_TIMEOUT_MS = 1_000;

/** One client for one shard. Every call rejects with `store-failed` if the server refuses or is silent for `holdMs`. */
export class Connection {
  /** The prefix of its shard's keys. */
  readonly base: string;
  readonly #client: ResolvedRedisOptions['client'];
  readonly #resending: Resending;

  constructor(options: ResolvedRedisOptions, base: string) {
    this.base = base;
    this.#client = options.client;
    const isEnded = () => options.client.status === 'end';
    this.#resending = new Resending({ ...options, errors: ERRORS, location: `the keys ${base}`, isEnded });
  }

  /** Waiting commands are not sent again. */
  close(): void {
    this.#resending.close();
  }

  call(command: string, args: ScriptValue[]): Promise<unknown> {
    return this.#resending.call(() => this.#client.callBuffer(command, args).catch(rethrowWithoutCommand));
  }

  /** Waits until `replicas` replicas have everything that was written before. */
  async waitForReplicas(replicas: number): Promise<void> {
    await this.#resending.call(async () => {
      // Writes first: the server does not wait for the writes of another connection.
      const written = this.#client.callBuffer('SET', [`${this.base}W`, 1]);
      const [, copies] = await Promise.all([
        written,
        this.#client.callBuffer('WAIT', [replicas, REPLICATION_TIMEOUT_MS]),
      ]);
      if (Number(copies) < replicas) throw new Error(`NOREPLICAS ${copies} of ${replicas} replicas have the commit`);
    });
  }

  /** Runs a script. `values`: its `ARGV`, the clock first. */
  run(name: ScriptName, values: readonly ScriptValue[]): Promise<unknown> {
    const { base } = this;
    const { text, digest } = SCRIPTS.get(name)!;
    const rest = [2, `${base}m`, `${base}-`, ...values];
    return this.call('EVALSHA', [digest, ...rest]).catch((error: unknown) => {
      if (messageOf(error).includes(': NOSCRIPT')) return this.call('EVAL', [text, ...rest]);
      throw error;
    });
  }
}

/**
 * ioredis adds the command to its errors: a whole script and the URLs of pages, which would be printed with the
 * message.
 */
function rethrowWithoutCommand(error: unknown): never {
  if (isError(error)) Reflect.deleteProperty(error, 'command');
  throw error;
}

const PREFIX = 'mannerly';
/** Shards on one server: one time index to read. */
const DEFAULT_SHARDS = 1;
/** Shards of a cluster: enough to spread over a dozen servers, few enough to read them all to find the oldest host. */
const DEFAULT_CLUSTER_SHARDS = 16;
export const MAX_SHARDS = 1_024;
const MAX_REPLICAS = 16;

/** An ioredis client, created and closed by the caller. */
export interface RedisClient {
  /** `end` once the client has given up or was closed. */
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
  /** Prefix of all keys of one crawl. A short one is cheaper. No braces or blanks. @default 'mannerly' */
  readonly prefix?: string;
  /**
   * Parts of the crawl, by host. Each has one hash tag, so a cluster may have them on different servers. Fixed when the
   * crawl is created: afterwards the stored number counts. 1 to 1,024.
   * @default 1, for a cluster 16
   */
  readonly shards?: number;
  /**
   * Replicas that must have a commit before it is answered (`WAIT`), so that a failover to one of them forgets nothing
   * that was answered. Every commit takes as long as the slowest of them, and commits of one process wait for each
   * other. Not for a cluster, where `WAIT` reaches any node. 0 to 16.
   * @default 0
   */
  readonly waitReplicas?: number;
}

export type ResolvedRedisOptions = ReturnType<typeof resolveRedisOptions>;

export function resolveRedisOptions(options: RedisStoreOptions) {
  const { client, prefix = PREFIX } = options;
  if (typeof client?.callBuffer !== 'function') throw invalid('client', 'a client of ioredis', client);
  if (!/^[^{}\s]{1,64}$/.test(prefix)) throw invalid('prefix', '1 to 64 characters without braces and blanks', prefix);
  const shards = options.shards ?? (client.isCluster ? DEFAULT_CLUSTER_SHARDS : DEFAULT_SHARDS);
  const waitReplicas = wholeIn('waitReplicas', options.waitReplicas ?? 0, 0, client.isCluster ? 0 : MAX_REPLICAS);
  const common = resolveServerOptions('Redis', options, ['client', 'prefix', 'shards', 'waitReplicas']);
  return { ...common, client, prefix, shards: wholeIn('shards', shards, 1, MAX_SHARDS), waitReplicas };
}
