// Servers that lose data, as ordinary faults cause it. `crawlWithFour` kills and restarts each of them.

import { cp, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  backUpPostgres,
  dumpPostgres,
  startDumpable,
  startPostgres,
  startStandby,
} from '../support/postgres-server.mjs';
import { type RedisForTest, startCluster, startRedis } from '../support/redis-server.js';
import { startLink } from '../support/tcp-link.js';
import type { CrewPlan } from './four-crawlers.js';

/** How far behind the server is that takes over, milliseconds. */
const BEHIND_MS = 1_000;
/** The age of a backup when it is restored, milliseconds: more than the ten seconds of links that are added again. */
const BACKUP_AGE_MS = 12_000;
const POLL_MS = 20;

/** A server for this test only. `url`: several for the nodes of a cluster. */
export interface ForgetfulServer extends NonNullable<CrewPlan['server']> {
  readonly url: string | readonly string[];
  readonly dispose: () => Promise<void>;
}

/** Fails over to a replica that is a second behind. */
export async function failingOverRedis(): Promise<ForgetfulServer> {
  const primary = await startRedis('--min-replicas-to-write', '1');
  const copying = await startLink(portOf(primary.url));
  const replica = await startRedis('--replicaof', '127.0.0.1', String(copying.port));
  const client = new Redis(replica.url);
  await until(async () => (await client.info('replication')).includes('master_link_status:up'));
  const front = await startLink(portOf(primary.url));
  return {
    url: `redis://127.0.0.1:${front.port}`,
    async kill() {
      copying.silence();
      await pause(BEHIND_MS);
      await primary.kill();
    },
    async start() {
      await client.replicaof('NO', 'ONE');
      front.redirectTo(portOf(replica.url));
    },
    async dispose() {
      client.disconnect();
      await Promise.all([front, copying, primary, replica].map((one) => one.dispose()));
    },
  };
}

/** Loses its last second in a power cut, like an append-only file that is synced to disk every second. */
export async function powerCutRedis(): Promise<ForgetfulServer> {
  const server = await startRedis('--appendonly', 'yes');
  return { ...server, kill: () => cutPower(server) };
}

/** One of three primaries loses its last second. */
export async function powerCutCluster(): Promise<ForgetfulServer> {
  const cluster = await startCluster();
  const [server] = cluster.servers;
  return {
    url: cluster.nodes.map(({ port }) => `redis://127.0.0.1:${port}`),
    kill: () => cutPower(server),
    start: server.start,
    dispose: cluster.dispose,
  };
}

/** Restores a backup that is older than what processes add again: the folder of the append-only file. */
export async function restoredRedis(): Promise<ForgetfulServer> {
  const server = await startRedis('--appendonly', 'yes', '--auto-aof-rewrite-percentage', '0');
  const [file, backup] = ['appendonlydir', 'backup'].map((name) => join(server.folder, name)) as [string, string];
  return {
    ...server,
    async kill() {
      await cp(file, backup, { recursive: true });
      await pause(BACKUP_AGE_MS);
      await server.kill();
    },
    async start() {
      await rm(file, { recursive: true });
      await rename(backup, file);
      await server.start();
    },
  };
}

/** Comes back empty. */
export function emptyRedis(): Promise<ForgetfulServer> {
  return startRedis();
}

/** Its connections go silent, without any notice. */
export async function silentRedis(): Promise<ForgetfulServer> {
  const server = await startRedis('--appendonly', 'yes');
  const front = await startLink(portOf(server.url));
  return {
    url: `redis://127.0.0.1:${front.port}`,
    kill: async () => front.silence(),
    start: async () => undefined,
    dispose: async () => void (await Promise.all([front.dispose(), server.dispose()])),
  };
}

/** Its memory is full for a while. */
export async function fullRedis(): Promise<ForgetfulServer> {
  const server = await startRedis('--appendonly', 'yes');
  const client = new Redis(server.url);
  return {
    url: server.url,
    kill: async () => void (await client.config('SET', 'maxmemory', '1')),
    start: async () => void (await client.config('SET', 'maxmemory', '0')),
    async dispose() {
      client.disconnect();
      await server.dispose();
    },
  };
}

/** Fails over to a standby that is a second behind. */
export async function failingOverPostgres(): Promise<ForgetfulServer> {
  const primary = await startPostgres('wal_level=replica');
  const copying = await startLink(portOf(primary.url));
  const standby = await startStandby(primary, copying.port);
  const pool = new pg.Pool({ connectionString: standby.url, max: 1 });
  await until(async () => (await pool.query('SELECT FROM pg_stat_wal_receiver')).rowCount === 1);
  const front = await startLink(portOf(primary.url));
  return {
    url: primary.url.replace(`:${portOf(primary.url)}`, `:${front.port}`),
    async kill() {
      copying.silence();
      await pause(BEHIND_MS);
      await primary.kill();
    },
    async start() {
      await pool.query('SELECT pg_promote()');
      front.redirectTo(portOf(standby.url));
    },
    async dispose() {
      await pool.end();
      await Promise.all([front, copying, primary, standby].map((one) => one.dispose()));
    },
  };
}

/** Restores a backup that is older than what processes add again, as another server under the same name. */
export function restoredPostgres(): Promise<ForgetfulServer> {
  return restored(() => startPostgres('wal_level=replica'), backUpPostgres);
}

/** The same with a dump (`pg_dump`), read into another server. */
export function dumpedPostgres(): Promise<ForgetfulServer> {
  return restored(startDumpable, dumpPostgres);
}

async function restored(begin: typeof startDumpable, backUp: typeof dumpPostgres): Promise<ForgetfulServer> {
  const primary = await begin();
  const front = await startLink(portOf(primary.url));
  const all: { readonly dispose: () => Promise<void> }[] = [front, primary];
  let backup: Awaited<ReturnType<typeof backUp>> | undefined;
  return {
    url: primary.url.replace(`:${portOf(primary.url)}`, `:${front.port}`),
    async kill() {
      backup = await backUp(primary);
      await pause(BACKUP_AGE_MS);
      await primary.kill();
    },
    async start() {
      const other = await backup?.restore();
      if (other === undefined) throw new Error('there is no backup');
      all.push(other);
      front.redirectTo(portOf(other.url));
    },
    dispose: async () => void (await Promise.all(all.map((one) => one.dispose()))),
  };
}

/** Comes back without the crawl. */
export async function emptyPostgres(): Promise<ForgetfulServer> {
  const server = await startPostgres();
  return {
    ...server,
    async start() {
      await server.start();
      const client = new pg.Client(server.url);
      await client.connect();
      await client.query('DROP SCHEMA mannerly CASCADE');
      await client.end();
    },
  };
}

/** Kills it, and removes from its file what was written in its last second. */
async function cutPower(server: RedisForTest): Promise<void> {
  const folder = join(server.folder, 'appendonlydir');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof'));
  const paths = names.map((name) => join(folder, name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  await pause(BEHIND_MS);
  await server.kill();
  await Promise.all(paths.map((path, at) => truncate(path, sizes[at])));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(POLL_MS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
