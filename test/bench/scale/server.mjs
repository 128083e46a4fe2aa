// The server of a store for a measured crawl: one of our own, or the one that the environment names.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns `{ url, pid, end }`; a store without a server has no `url`, a server from the environment no `pid` */
export async function startServer(kind) {
  if (kind === 'redis') return startRedis();
  if (kind === 'postgres') {
    if (process.env.DATABASE_URL !== undefined) return { url: process.env.DATABASE_URL, end: async () => undefined };
    const { startPostgres } = await import('../../support/postgres-server.mjs');
    const { url, pid, dispose } = await startPostgres('fsync=on', 'shared_buffers=512MB', 'max_wal_size=4GB');
    return { url, pid, end: dispose };
  }
  return { url: undefined, end: async () => undefined };
}

async function startRedis() {
  if (process.env.REDIS_URL !== undefined) return { url: process.env.REDIS_URL, end: async () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-bench-redis-'));
  const port = await freePort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const server = spawn('redis-server', words, { stdio: 'ignore' });
  return {
    // The client reconnects until the server listens.
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid,
    async end() {
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
