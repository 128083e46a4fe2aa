// Processes on one PostgreSQL store, for the conformance suite to kill and stop.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { ProcessesUnderTest } from '@mannerly/frontier/conformance';
import { postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';

const worker = fileURLToPath(new URL('postgres-worker.mjs', import.meta.url));

/** A store in a schema of its own on the server's own clock, and processes on it. */
export async function postgresProcesses(url: string): Promise<ProcessesUnderTest> {
  const pool = new Pool({ connectionString: url, max: 3 });
  pool.on('error', () => undefined);
  const schema = `test-${randomUUID()}`;
  return {
    store: postgresStore({ pool, schema, allowUnsafe: ['fsync-off'], onNotice: () => undefined }),
    start: (environment) =>
      spawn(process.execPath, [worker, url, schema], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    dispose: async () => {
      await dropSchema(pool, schema);
      await pool.end();
    },
  };
}

/** Removes a crawl. */
export async function dropSchema(pool: Pool, schema: string): Promise<void> {
  await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
}
