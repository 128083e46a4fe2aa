// Processes on one Redis store, for the conformance suite to kill and stop.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { ProcessesUnderTest } from '@mannerly/frontier/conformance';
import { redisStore } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';

const worker = fileURLToPath(new URL('redis-worker.mjs', import.meta.url));

/** A store under a prefix of its own, on the server's own clock, and processes on it. */
export async function redisProcesses(url: string): Promise<ProcessesUnderTest> {
  const client = new Redis(url, { maxRetriesPerRequest: 3 });
  client.on('error', () => undefined);
  const prefix = `test-${randomUUID()}`;
  return {
    store: redisStore({ client, prefix, onNotice: () => undefined }),
    start: (environment) =>
      spawn(process.execPath, [worker, url, prefix], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    dispose: async () => {
      await removeKeys(client, prefix);
      client.disconnect();
    },
  };
}

/** Removes everything under a prefix. */
export async function removeKeys(client: Redis, prefix: string): Promise<void> {
  for await (const keys of client.scanStream({ match: `{${prefix}:*`, count: 1_000 })) {
    const found = keys as string[];
    if (found.length > 0) await client.unlink(...found);
  }
}
