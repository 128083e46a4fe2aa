// A store by its URL, or several stores as one, for the command: makes the clients and closes them. The libraries are
// optional and loaded on demand.

import { type FrontierStore, shardedStore } from '@mannerly/frontier';
import type { PostgresQuery } from '@mannerly/frontier/postgres';
import type { RedisClient, ServerStoreOptions } from '@mannerly/frontier/redis';
import type { StoreNotice } from '../journal/events.js';
import { loadPeer } from '../optional-peer.js';
import { present } from '../present.js';
import { UsageError } from './failure.js';
import { createMultiHostPool, type HostPool } from './postgres-hosts.js';
import { type SentCommands, saysWhy } from './redis-commands.js';
import { parseStoreUrls, type StoreUrl } from './store-url.js';

/** A store on a server, and its client. */
export interface OpenedStore {
  /** Makes a store on the client, one for each run. @param signal - Once aborted, nothing waits for a server. */
  createStore(notify: (notice: StoreNotice) => void, signal?: AbortSignal): FrontierStore;
  /** For messages, without passwords. */
  readonly name: string;
  /** Closes the client, after the stores. */
  close(): Promise<void>;
}

/** The longest waits, in milliseconds. Tests use shorter ones. */
interface StoreTimeouts {
  /** For the answer to one command: a server that does not answer counts as unavailable, and is reconnected. */
  readonly commandMs: number;
  /** For an unavailable server. @default that of the store */
  readonly holdMs?: number;
}

const DEFAULT_TIMEOUTS: StoreTimeouts = { commandMs: 10_000 };
/** The longest pause between two attempts to connect, milliseconds. */
const MAX_RECONNECT_MS = 2_000;
/** Connections of one process to PostgreSQL. */
const POOL_SIZE = 5;

/**
 * Opens a client for each URL of a store (`store-url.ts`).
 *
 * @param identity - The product tokens. A crawl with other tokens is refused. Empty: not compared.
 * @param timeouts - Shorter ones, for tests.
 * @throws UsageError for any other URL, MannerlyError `peer-missing`.
 */
export async function openStore(text: string, identity: string, timeouts = DEFAULT_TIMEOUTS): Promise<OpenedStore> {
  const opened: OpenedStore[] = [];
  const close = async (): Promise<void> => void (await Promise.all(opened.map((one) => one.close())));
  try {
    for (const url of parseStoreUrls(text))
      opened.push(await (url.kind === 'redis' ? openRedis : openPostgres)(url, identity, timeouts));
  } catch (error) {
    await close();
    throw error;
  }
  if (opened.length === 1) return opened[0]!;
  return {
    name: opened.map(({ name }) => name).join(' '),
    createStore: (notify, signal) =>
      shardedStore(
        opened.map(({ name, createStore }) =>
          createStore(({ kind, message }) => notify({ kind, message: `${name}: ${message}` }), signal),
        ),
      ),
    close,
  };
}

async function openRedis(url: StoreUrl, identity: string, timeouts: StoreTimeouts): Promise<OpenedStore> {
  const { commandMs } = timeouts;
  const { Redis, Cluster } = await loadPeer<RedisModule>('ioredis', '--store redis://…');
  const { redisStore } = await import('@mannerly/frontier/redis');
  const retryStrategy = (times: number): number => Math.min(MAX_RECONNECT_MS, 50 * times);
  // A command that cannot be sent fails soon. The store sends it again, and reports that it waits. A silent connection
  // is closed: its other end may be gone without notice.
  const options = { commandTimeout: commandMs, socketTimeout: commandMs, maxRetriesPerRequest: 1, retryStrategy };
  const client = url.isCluster
    ? new Cluster(url.urls, { clusterRetryStrategy: retryStrategy, redisOptions: options })
    : url.sentinel === null
      ? new Redis(url.urls[0], options)
      : new Redis({ ...options, ...sentinelOptions(url, url.sentinel) });
  saysWhy(client, url, commandMs);
  const { crawl, name, shards, waitReplicas } = url;
  const redisOptions = { client, prefix: crawl, ...present({ shards, waitReplicas }) };
  return {
    name,
    createStore: (notify, signal) =>
      redisStore({
        ...redisOptions,
        ...commonOptions(url, timeouts),
        ...present({ signal }),
        identity,
        onNotice: notify,
      }),
    close: async () => client.disconnect(),
  };
}

/** The options of both stores, which refuse values out of range. */
function commonOptions(
  { allowUnsafe, maxQueued }: StoreUrl,
  { holdMs }: StoreTimeouts,
): Pick<ServerStoreOptions, 'allowUnsafe' | 'maxQueued' | 'holdMs'> {
  const unsafe = allowUnsafe as NonNullable<ServerStoreOptions['allowUnsafe']>;
  return { allowUnsafe: unsafe, ...present({ maxQueued, holdMs }) };
}

interface RedisModule {
  readonly Redis: new (urlOrOptions: string | object, options?: object) => RedisConnection;
  readonly Cluster: new (nodes: readonly string[], options: object) => RedisConnection;
}

interface RedisConnection extends RedisClient, SentCommands {
  callBuffer: RedisClient['callBuffer'];
  disconnect(): void;
}

/** The hosts are Sentinels, which know the named server. The rest of the URL is about that server. */
function sentinelOptions({ urls, database }: StoreUrl, name: string): object {
  const { username, password, protocol } = new URL(urls[0]);
  return {
    name,
    sentinels: urls.map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port || 26_379) })),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: {}, enableTLSForSentinelMode: true } : {}),
    db: database,
    // Disconnects at once from a server that Sentinel has replaced.
    failoverDetector: true,
  };
}

async function openPostgres(url: StoreUrl, identity: string, timeouts: StoreTimeouts): Promise<OpenedStore> {
  const { commandMs } = timeouts;
  const loaded = await loadPeer<{ readonly default?: PgModule } & Partial<PgModule>>('pg', '--store postgres://…');
  const Pool = loaded.Pool ?? loaded.default?.Pool;
  if (Pool === undefined) throw new UsageError('the package pg has no Pool', 'Install pg 8.11 or newer.');
  const { postgresStore } = await import('@mannerly/frontier/postgres');
  const poolTimeouts = { connectionTimeoutMillis: commandMs, query_timeout: commandMs, keepAlive: true };
  const pool = createMultiHostPool(
    url.urls.map((one) => new Pool({ connectionString: one, max: POOL_SIZE, ...poolTimeouts })),
  );
  pool.on('error', () => undefined);
  return {
    name: url.name,
    createStore: (notify, signal) => {
      const common = { ...commonOptions(url, timeouts), ...present({ signal }), identity, onNotice: notify };
      return postgresStore({ pool, schema: url.crawl, ...common });
    },
    close: () => pool.end(),
  };
}

interface PgModule {
  readonly Pool: new (options: object) => HostPool<PostgresQuery>;
}
