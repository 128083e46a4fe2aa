// Items as rows of a SQLite database. The items of a page are one transaction; an id that is there stays as it is.

import { MannerlyError } from '../errors.js';
import { loadPeer } from '../optional-peer.js';
import { fill } from '../options/check.js';
import { SQLITE_ROWS } from '../options/sink-rows.js';
import { batchedSink } from '../output/page-batches.js';
import type { Item, Sink } from '../output/sink.js';
import { ITEM_COLUMNS, itemRow, quotedName } from './encoded-items.js';
import { MAX_TRANSACTION_ROWS } from './limits.js';

/** Options of a SQLite sink. */
interface SqliteSinkOptions {
  /** The file; made when it is absent. Its directory has to exist. Several processes may write it. */
  readonly path: string;
  /** The table; made when it is absent. @default 'items' */
  readonly table?: string;
}

/** What `node:sqlite` and better-sqlite3 have in common. */
interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): { run(...values: (string | number | null)[]): { readonly changes: number | bigint } };
  close(): unknown;
}

/**
 * A sink that inserts into a table of a SQLite file: `node:sqlite` where it exists (Node.js 22.13), elsewhere
 * `better-sqlite3`, which you install. A write that has resolved survives a killed process. A row has `seq`, which
 * counts up, and the columns `id`, `url`, `fetched_at`, `expires_at`, `preferences`, `license`, `removed`, `data`.
 * @throws MannerlyError `option-invalid`, `option-unknown`; `open` rejects with `peer-missing` where neither is there.
 */
export function sqliteSink(options: SqliteSinkOptions): Sink {
  const { path, table } = fill('sqliteSink.', SQLITE_ROWS, options);
  return batchedSink(`sqlite ${path}`, `the database ${path}`, async (_stop, _addId, countKnown) => {
    const db = await openDatabase(path);
    const end = async (): Promise<void> => {
      db.close();
    };
    try {
      // Of several processes one waits for the other.
      db.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      db.exec(`CREATE TABLE IF NOT EXISTS ${quotedName(table)} (
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, url TEXT NOT NULL, fetched_at INTEGER NOT NULL,
        expires_at INTEGER, preferences TEXT NOT NULL, license TEXT, removed TEXT, data TEXT NOT NULL)`);
      // Nothing else happens in this process while SQLite writes.
      return { write: insertInto(db, table, countKnown), limits: { items: MAX_TRANSACTION_ROWS, waitMs: 0 }, end };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function insertInto(db: Database, table: string, countKnown: () => void): (items: readonly Item[]) => Promise<void> {
  const values = ITEM_COLUMNS.map(() => '?').join(', ');
  const insert = db.prepare(
    `INSERT INTO ${quotedName(table)} (${ITEM_COLUMNS.join(', ')}) VALUES (${values}) ON CONFLICT (id) DO NOTHING`,
  );
  return async (items) => {
    db.exec('BEGIN IMMEDIATE');
    try {
      for (const item of items) if (Number(insert.run(...itemRow(item)).changes) === 0) countKnown();
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  };
}

/** By name: the types and bundlers of older versions do not know it. */
const BUILT_IN = 'node:sqlite';

async function openDatabase(path: string): Promise<Database> {
  try {
    const { DatabaseSync } = (await import(BUILT_IN)) as { readonly DatabaseSync: new (path: string) => Database };
    return new DatabaseSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
  }
  const loaded = await loadPeer<{ readonly default: new (path: string) => Database }>(
    'better-sqlite3',
    '`sqliteSink` on this version of Node.js (22.13 has SQLite built in)',
  ).catch((error: unknown) => {
    if (!(error instanceof MannerlyError)) throw error;
    const hint = 'Install version 12: npm install better-sqlite3@12. Version 13 does not run on Node.js 20.';
    throw new MannerlyError(error.code, error.message, { cause: error.cause, hint });
  });
  return new loaded.default(path);
}
