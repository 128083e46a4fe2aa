// A store by its URL, for the command: makes the client and closes it. The libraries are optional and loaded on demand.

import type { FrontierStore } from '@mannerly/frontier';
import type { PostgresPool } from '@mannerly/frontier/postgres';
import type { RedisClient } from '@mannerly/frontier/redis';
import type { StoreNotice } from '../journal/events.js';
import { loadPeer } from '../optional-peer.js';
import { parseUrl } from '../parse-url.js';
import { redacted } from '../redacted.js';
import { UsageError } from './failure.js';

/** A store on a server, and its client. */
export interface OpenedStore {
  /** Makes a store on the client; one run each. */
  make(tell: (notice: StoreNotice) => void): FrontierStore;
  /** Without passwords, for messages. */
  readonly name: string;
  /** The last error of connecting, which the store's own errors hide; `null`: none. */
  connectError(): string | null;
  /** Closes the client, after the stores. */
  close(): Promise<void>;
}

/** Timeout of one command of Redis, milliseconds: a server that does not answer counts as away. */
const COMMAND_MS = 10_000;
/** Longest pause between two tries to connect, milliseconds. */
const RECONNECT_MS = 2_000;
/** Connections of one process to PostgreSQL. */
const POOL_SIZE = 5;

/**
 * Opens a client for `redis://`, `rediss://`, `postgres://` or `postgresql://`. `?crawl=<name>` names one of several
 * crawls on a server (`mannerly` where none is given), `?cluster` says that the server of Redis is one of a cluster.
 *
 * @param identity - The product tokens. A crawl with other ones is refused. Empty: not compared.
 * @throws UsageError for another URL, MannerlyError `peer-missing`.
 */
export async function openStore(text: string, identity: string): Promise<OpenedStore> {
  const url = parseUrl(text);
  if (url === null) throw wrongUrl(text);
  const crawl = url.searchParams.get('crawl') ?? 'mannerly';
  if (!/^[\w-]{1,48}$/.test(crawl)) {
    throw new UsageError(`the crawl of a store has a name of letters, digits, _ and -, not ${JSON.stringify(crawl)}`);
  }
  const isCluster = url.searchParams.has('cluster');
  url.searchParams.delete('crawl');
  url.searchParams.delete('cluster');
  const about = { identity, crawl, name: nameOf(url, crawl) };
  if (/^rediss?:$/.test(url.protocol)) return openRedis(url.href, isCluster, about);
  if (/^postgres(ql)?:$/.test(url.protocol)) return openPostgres(url.href, about);
  throw wrongUrl(text);
}

interface About {
  readonly identity: string;
  readonly crawl: string;
  readonly name: string;
}

async function openRedis(url: string, isCluster: boolean, { identity, crawl, name }: About): Promise<OpenedStore> {
  const { Redis, Cluster } = await loadPeer<RedisModule>('ioredis', '--store redis://…');
  const { redisStore } = await import('@mannerly/frontier/redis');
  const retryStrategy = (times: number): number => Math.min(RECONNECT_MS, 50 * times);
  // A command that cannot be sent fails soon. The store sends it again, and reports that it waits.
  const options = { commandTimeout: COMMAND_MS, maxRetriesPerRequest: 1, retryStrategy };
  const client = isCluster
    ? new Cluster([url], { clusterRetryStrategy: retryStrategy, redisOptions: options })
    : new Redis(url, options);
  let connectError: string | null = null;
  client.on('error', (error) => {
    connectError = textOf(error);
  });
  return {
    name,
    connectError: () => connectError,
    make: (tell) => redisStore({ client, identity, prefix: crawl, onNotice: tell }),
    close: async () => client.disconnect(),
  };
}

interface RedisModule {
  readonly Redis: new (url: string, options: object) => OwnRedis;
  readonly Cluster: new (nodes: readonly string[], options: object) => OwnRedis;
}

type OwnRedis = RedisClient & { on(event: 'error', listener: (error: Error) => void): unknown; disconnect(): void };

async function openPostgres(url: string, { identity, crawl, name }: About): Promise<OpenedStore> {
  const loaded = await loadPeer<{ readonly default?: PgModule } & Partial<PgModule>>('pg', '--store postgres://…');
  const Pool = loaded.Pool ?? loaded.default?.Pool;
  if (Pool === undefined) throw new UsageError('the package pg has no Pool', 'Install pg 8.11 or newer.');
  const { postgresStore } = await import('@mannerly/frontier/postgres');
  const pool = new Pool({ connectionString: url, max: POOL_SIZE, connectionTimeoutMillis: COMMAND_MS });
  pool.on('error', () => undefined);
  return {
    name,
    connectError: () => null,
    make: (tell) => postgresStore({ pool, identity, schema: crawl, onNotice: tell }),
    close: () => pool.end(),
  };
}

interface PgModule {
  readonly Pool: new (
    options: object,
  ) => PostgresPool & { on(event: 'error', listener: () => void): unknown; end(): Promise<void> };
}

function wrongUrl(text: string): UsageError {
  return new UsageError(
    `${JSON.stringify(redacted(text))} is no URL of a store`,
    'Write redis://host:6379, rediss://…, postgres://user@host/database or postgresql://…, with ?crawl=<name> where a server has several.',
  );
}

/** Its code where it has no message: no address answered. */
function textOf(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}

function nameOf(url: URL, crawl: string): string {
  const { protocol, host, pathname } = url;
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}?crawl=${crawl}`;
}
