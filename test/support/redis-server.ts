// A real Redis for the tests: the one that REDIS_URL names, or a `redis-server` from the PATH, started on loopback in a
// folder of its own. Without either, suites are skipped by name; with CI=true that is a failure.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.mjs';

/** The most milliseconds until a server answers, loading its file included. */
const START_MS = 120_000;
/** Milliseconds between two checks whether it answers. */
const POLL_MS = 20;
/** The slots of every cluster. */
const SLOTS = 16_384;
/** The program; REDIS_SERVER overrides the one in the PATH. */
const PROGRAM = process.env['REDIS_SERVER'] ?? 'redis-server';

/** Whether there is a Redis to test with; `false`: suites are skipped by name, or fail if `CI` is set. */
export const HAS_REDIS =
  process.env['REDIS_URL'] !== undefined || spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0;

/** A running server. */
export interface RedisForTest {
  readonly url: string;
  /** Kills it at once, like a crash; only for a server that was started here. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the data in its folder. */
  readonly start: () => Promise<void>;
  /** The folder it writes to. */
  readonly folder: string;
  readonly dispose: () => Promise<void>;
}

/**
 * A server for one test file.
 *
 * @param settings - Arguments of its command line, such as `--appendonly yes`. By default it persists nothing. An
 *   append-only file is written before each answer, so a killed server has lost nothing: with `everysec`, Redis's
 *   default, it answers before it writes for up to two seconds while the disk is busy.
 */
export async function startRedis(...settings: readonly string[]): Promise<RedisForTest> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendfsync', 'no'];
  let child: ChildProcess | null = null;
  const kill = async () => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await exited;
  };
  const start = async () => {
    for (const untilMs = performance.now() + START_MS; ; await pause()) {
      const started = spawn(PROGRAM, [...args, ...settings], { stdio: 'ignore' });
      child = started;
      const exited = new Promise<false>((resolve, reject) => {
        started.once('exit', () => resolve(false));
        started.once('error', (cause) =>
          reject(new Error(`${PROGRAM} cannot be started; is it on the PATH?`, { cause })),
        );
      });
      if (await Promise.race([answers(url, started, untilMs), exited])) return;
      // It was killed meanwhile, or its port is not free yet.
      if (child !== started) return;
      if (performance.now() > untilMs) throw new Error(`${PROGRAM} did not start at port ${port}`);
    }
  };
  await start();
  return {
    url,
    kill,
    start,
    folder,
    dispose: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** A shared server: `REDIS_URL`, or one of our own that keeps every acknowledged write when it is killed. */
export async function sharedRedis(): Promise<Pick<RedisForTest, 'url' | 'dispose'>> {
  const url = process.env['REDIS_URL'];
  return url === undefined ? startRedis('--appendonly', 'yes') : { url, dispose: async () => undefined };
}

/** A cluster of three servers. */
export interface ClusterForTest {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly servers: readonly [RedisForTest, RedisForTest, RedisForTest];
  readonly dispose: () => Promise<void>;
}

/** Three servers on loopback that share the slots, without replicas. */
export async function startCluster(): Promise<ClusterForTest> {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '60000'];
  const settings = [...cluster, '--cluster-require-full-coverage', 'no', '--appendonly', 'yes'];
  const start = () => startRedis(...settings);
  const servers = await Promise.all([start(), start(), start()]);
  const dispose = async () => void (await Promise.all(servers.map((server) => server.dispose())));
  const nodes = servers.map(({ url }) => ({ host: '127.0.0.1', port: Number(new URL(url).port) }));
  const clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
  const third = Math.ceil(SLOTS / nodes.length);
  for (const [at, client] of clients.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', at * third, Math.min(SLOTS, (at + 1) * third) - 1);
    if (at > 0) await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', nodes[at]?.port ?? 0);
  }
  const untilMs = performance.now() + START_MS;
  for (const client of clients) {
    while (
      !String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok') ||
      !(await knowsAllSlots(client))
    ) {
      if (performance.now() > untilMs) throw new Error('the cluster did not come together');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    client.disconnect();
  }
  return { nodes, servers, dispose };
}

/** Whether a node knows the slots of the others. */
async function knowsAllSlots(client: Redis): Promise<boolean> {
  const slots = (await client.call('CLUSTER', 'SLOTS')) as unknown[];
  return slots.length === 3;
}

/** Whether this very process answers before `untilMs`. */
async function answers(url: string, server: ChildProcess, untilMs: number): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  while (server.exitCode === null && server.signalCode === null && performance.now() < untilMs) {
    try {
      if (client.status !== 'ready') await client.connect();
      if (new RegExp(`^process_id:${server.pid}\\r?$`, 'm').test(await client.info('server'))) {
        client.disconnect();
        return true;
      }
    } catch {
      // Not yet.
    }
    await pause();
  }
  client.disconnect();
  return false;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** Moves a slot to another node, a few keys at a time, as operators' tools do. */
export async function migrateSlot(servers: ClusterForTest, slot: number): Promise<void> {
  const clients = servers.nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
  const ids = await Promise.all(clients.map(async (client) => String(await client.call('CLUSTER', 'MYID'))));
  const slots = (await clients[0]?.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
  const owner = slots.find(([from, to]) => from <= slot && slot <= to)?.[2][2];
  const from = ids.indexOf(owner ?? '');
  const to = (from + 1) % clients.length;
  const [source, target] = [clients[from], clients[to]];
  await target?.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from] ?? '');
  await source?.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to] ?? '');
  for (;;) {
    const keys = (await source?.call('CLUSTER', 'GETKEYSINSLOT', slot, 3)) as string[];
    if (keys.length === 0) break;
    await source?.call('MIGRATE', '127.0.0.1', servers.nodes[to]?.port ?? 0, '', 0, 60_000, 'KEYS', ...keys);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  for (const client of [target, source, ...clients])
    await client?.call('CLUSTER', 'SETSLOT', slot, 'NODE', ids[to] ?? '');
  for (const client of clients) client.disconnect();
}

/** The slots that contain keys of a crawl. */
export async function slotsOf(servers: ClusterForTest, prefix: string): Promise<number[]> {
  const slots = new Set<number>();
  for (const { port } of servers.nodes) {
    const client = new Redis(port, '127.0.0.1');
    for (const key of await client.keys(`{${prefix}:*`)) slots.add(Number(await client.cluster('KEYSLOT', key)));
    client.disconnect();
  }
  return [...slots].sort((a, b) => a - b);
}
