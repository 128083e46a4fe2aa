// A PostgreSQL to measure: the one that DATABASE_URL names if it runs on this machine, else one of its own that syncs
// to disk as an operator's does. CPU time is that of all its processes, space is that of its tables and indexes.

import { randomUUID } from 'node:crypto';
import { postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';
import { startPostgres } from '../../support/postgres-server.mjs';
import { cpuOfTree, statOf } from './process-tree.mjs';

/** Connections of the store. */
const CONNECTIONS = 8;
const SETTINGS = ['fsync=on', 'shared_buffers=512MB', 'max_wal_size=4GB', 'checkpoint_timeout=15min'];

/** @returns The engine that `server.mjs` measures. */
export async function startPostgresEngine() {
  const given = process.env.DATABASE_URL;
  const server = given === undefined ? await startPostgres(...SETTINGS) : null;
  const pool = new Pool({ connectionString: given ?? server.url, max: CONNECTIONS });
  const postmaster = server?.pid ?? (await postmasterOf(pool));
  const schemas = [];
  const removeAll = async () => {
    for (const schema of schemas.splice(0)) await pool.query(`DROP SCHEMA "${schema}" CASCADE`);
  };
  const bytesOf = async (table) => {
    const { rows } = await pool.query(
      `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname = ${table}`,
      [schemas.at(-1)],
    );
    return rows[0].bytes;
  };
  return {
    held: 'disk',
    open: async () => {
      const schema = `bench-${randomUUID()}`;
      schemas.push(schema);
      const store = postgresStore({
        pool,
        schema,
        maxQueued: 100_000_000,
        allowUnsafe: ['fsync-off'],
        onNotice: () => undefined,
      });
      await store.open({ crawl: 'bench', create: true });
      return store;
    },
    /** CPU seconds of the server's processes, including those that have ended. */
    cpuS: async () => cpuOfTree(postmaster),
    /** Bytes of the last crawl's tables and indexes. */
    bytes: () => bytesOf('c.relname'),
    bytesOfSeen: () => bytesOf("'seen'"),
    removeAll,
    dispose: async () => {
      if (given !== undefined) await removeAll();
      await pool.end();
      await server?.dispose();
    },
  };
}

/** The parent of all of a server's processes, if it is on this machine. */
async function postmasterOf(pool) {
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
  const found = statOf(rows[0].pid);
  if (found === null || !found.name.startsWith('postgres')) {
    throw new Error('DATABASE_URL names a server on another machine, whose CPU time cannot be read');
  }
  return found.parent;
}
