// A Redis to measure: the one that REDIS_URL names, else a `redis-server` of its own on a socket, with an append-only
// file as an operator would have it. CPU time is from INFO, memory from `used_memory`.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisStore } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';

/** @returns The engine that `server.mjs` measures. */
export async function startRedisEngine() {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-bench-redis-'));
  const socket = join(folder, 'redis.sock');
  const given = process.env.REDIS_URL;
  const words = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const server =
    given === undefined
      ? spawn('redis-server', [...words, '--auto-aof-rewrite-percentage', '0'], { stdio: 'ignore' })
      : null;
  const client = new Redis(given ?? socket, { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  const prefixes = [];
  const infoOf = async (section, ...names) => {
    const text = await client.info(section);
    return names.map((name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]));
  };
  const removeAll = async () => {
    for (const prefix of prefixes.splice(0)) {
      for await (const keys of client.scanStream({ match: `{${prefix}:*`, count: 1_000 })) {
        if (keys.length > 0) await client.unlink(...keys);
      }
    }
  };
  return {
    held: 'memory',
    open: async () => {
      const prefix = `b${randomUUID().slice(0, 4)}`;
      prefixes.push(prefix);
      const store = redisStore({ client, prefix, maxQueued: 100_000_000, onNotice: () => undefined });
      await store.open({ crawl: 'bench', create: true });
      return store;
    },
    /** The server's CPU seconds, all threads. */
    cpuS: async () => {
      const [user, system] = await infoOf('cpu', 'used_cpu_user', 'used_cpu_sys');
      return user + system;
    },
    /** Bytes that the server uses. */
    bytes: async () => (await infoOf('memory', 'used_memory'))[0],
    removeAll,
    dispose: async () => {
      if (given !== undefined) await removeAll();
      client.disconnect();
      if (server !== null) {
        const isGone = new Promise((resolve) => server.once('exit', resolve));
        server.kill('SIGKILL');
        await isGone;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
