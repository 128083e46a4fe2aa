// A store by its URL, or several stores as one, for the command: makes the clients and closes them. The libraries are
// optional and loaded on demand. A Redis client says why its server cannot be reached, uses the database that the URL
// names or none, and never waits without a limit. Of several hosts of PostgreSQL, one accepts writes.

import { type EventEmitter, once } from 'node:events';
import { type FrontierStore, shardedStore } from '@mannerly/frontier';
import type { PostgresQuery } from '@mannerly/frontier/postgres';
import type { RedisClient, ServerStoreOptions } from '@mannerly/frontier/redis';
import type { StoreNotice } from '../journal/events.js';
import { loadPeer } from '../optional-peer.js';
import { present } from '../present.js';
import { UsageError } from './failure.js';
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
const POOL_SIZE = 5;
/** A node that is not part of a cluster answers so. */
const NO_CLUSTER = /cluster support disabled/;
/** A server that has fewer databases answers so. */
const NO_DATABASE = /DB index is out of range/;
const NOT_READY = "Cluster isn't ready";
const TIMED_OUT = 'Command timed out';
/** Codes of a PostgreSQL server that is read-only, shutting down or starting, and of connections. */
const TRY_NEXT_HOST = /^(?:25006|57P0\d|08|E[A-Z]+$)/;

/**
 * Opens a client for each URL of a store (`store-url.ts`).
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

/** The options of all stores, which refuse values out of range. */
function commonOptions({ allowUnsafe, maxQueued }: StoreUrl, identity: string, { holdMs }: StoreTimeouts) {
  const unsafe = allowUnsafe as NonNullable<ServerStoreOptions['allowUnsafe']>;
  return { identity, allowUnsafe: unsafe, ...present({ maxQueued, holdMs }) };
}

interface RedisModule {
  readonly Redis: new (urlOrOptions: string | object, options?: object) => RedisConnection;
  readonly Cluster: new (nodes: readonly string[], options: object) => RedisConnection;
}

interface RedisConnection extends RedisClient, EventEmitter {
  readonly status: string;
  callBuffer: RedisClient['callBuffer'];
  disconnect(): void;
}

async function openRedis(url: StoreUrl, identity: string, timeouts: StoreTimeouts): Promise<OpenedStore> {
  const { crawl, name, shards, waitReplicas } = url;
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
  const given = {
    client,
    prefix: crawl,
    ...commonOptions(url, identity, timeouts),
    ...present({ shards, waitReplicas }),
  };
  return {
    name,
    createStore: (onNotice, signal) => redisStore({ ...given, ...present({ signal }), onNotice }),
    close: async () => client.disconnect(),
  };
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

/**
 * Replaces `callBuffer` of a client. ioredis itself
 * - says how often it tried to connect, not why that failed,
 * - stays with database 0 if the server refuses another one: a crawl would be in the wrong place,
 * - keeps the commands of a cluster for as long as none of its nodes answers.
 * @param commandMs - How long a command waits for a cluster.
 */
function saysWhy(client: RedisConnection, { isCluster, database, sentinel }: StoreUrl, commandMs: number): void {
  let connectError: Error | null = null;
  let isSelected = database === 0;
  /** For all commands that wait. */
  let readiness: Promise<void> | null = null;
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    connectError = error.lastNodeError ?? error;
    if (NO_DATABASE.test(error.message)) isSelected = false;
  });
  client.on('ready', () => {
    connectError = null;
  });
  const callBuffer = client.callBuffer.bind(client);
  client.callBuffer = async (command, args) => {
    try {
      if (isCluster && client.status !== 'ready') {
        readiness ??= untilReady(client, commandMs).finally(() => {
          readiness = null;
        });
        await readiness;
      }
      if (!isSelected) await callBuffer('SELECT', [database]);
      isSelected = true;
      return await callBuffer(command, args);
    } catch (error) {
      // It stays an ioredis error, because the store recognises by its name or text that it may wait. A silent server
      // gets another message than one that refuses.
      if (error instanceof Error && connectError !== null) {
        if (error.name === 'MaxRetriesPerRequestError') error.message = reasonText(connectError);
        else if (error.message === NOT_READY || (error.message === TIMED_OUT && sentinel !== null))
          error.message += `: ${reasonText(connectError)}`;
      }
      throw error;
    }
  };
}

/** Waits for the first node of a cluster that answers. */
async function untilReady(client: RedisConnection, commandMs: number): Promise<void> {
  try {
    await once(client, 'ready', { signal: AbortSignal.timeout(commandMs) });
  } catch (error) {
    const { lastNodeError } = error as { lastNodeError?: Error };
    if (lastNodeError !== undefined && NO_CLUSTER.test(lastNodeError.message)) throw lastNodeError;
    throw new Error(NOT_READY);
  }
}

/** The code if there is no message: no address answered. */
function reasonText(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}

interface PgModule {
  readonly Pool: new (options: object) => HostPool<PostgresQuery>;
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
  const given = { pool, schema: url.crawl, ...commonOptions(url, identity, timeouts) };
  return {
    name: url.name,
    createStore: (onNotice, signal) => postgresStore({ ...given, ...present({ signal }), onNotice }),
    close: () => pool.end(),
  };
}

export interface HostPool<Query> {
  readonly ended: boolean;
  query(query: Query): Promise<{ readonly rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

/**
 * One pool over the pools of all hosts. Statements go to the host that accepted the last one, and to the next host if
 * that one is unreachable or read-only (a standby). The store resends a failed statement.
 * @param pools - One per host; they end with it.
 */
export function createMultiHostPool<Query>(pools: readonly HostPool<Query>[]): HostPool<Query> {
  let current = 0;
  return {
    get ended() {
      return pools.every(({ ended }) => ended);
    },
    async query(query) {
      const used = current;
      try {
        return await pools[used]!.query(query);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        // No code: a timeout or a broken connection. Only one of several concurrent statements switches the host.
        if (current === used && (code === '' || TRY_NEXT_HOST.test(code))) current = (used + 1) % pools.length;
        throw error;
      }
    },
    on: (event, listener) => pools.map((pool) => pool.on(event, listener)),
    removeListener: (event, listener) => pools.map((pool) => pool.removeListener(event, listener)),
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}
