// Processes on one PostgreSQL store, for the conformance suite to kill and stop.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { ProcessesUnderTest } from '@mannerly/frontier/conformance';
import { postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';

/** The most bytes that a table keeps on disk: dead rows cost nothing up to this size. */
const MAX_DELETED_BYTES = 65_536;
const worker = fileURLToPath(new URL('postgres-worker.mjs', import.meta.url));

/** A store in a schema of its own, on the server's own clock, and processes on it. */
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

/**
 * Empties a crawl's schema, if it exists, to the state in which a store creates it: creating it again costs the server
 * ten times as much. Large tables are truncated, so that no test meets the dead rows of another.
 */
export async function emptySchema(pool: Pool, schema: string): Promise<void> {
  await pool.query(`DO $$ DECLARE one regclass; BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('"${schema}"') AND relkind = 'r' LOOP
      EXECUTE CASE WHEN pg_relation_size(one) > ${MAX_DELETED_BYTES} THEN 'TRUNCATE ' ELSE 'DELETE FROM ' END || one;
    END LOOP;
    FOR one IN SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('"${schema}"') AND relkind = 'S' LOOP
      EXECUTE 'ALTER SEQUENCE ' || one || ' RESTART';
    END LOOP;
    IF to_regclass('"${schema}".tally') IS NOT NULL THEN
      INSERT INTO "${schema}".tally (slot) SELECT generate_series(0, 63);
    END IF;
  END $$`);
}

/** Drops a crawl's schema. */
export async function dropSchema(pool: Pool, schema: string): Promise<void> {
  await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
}
