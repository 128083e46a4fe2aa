// Items as rows of a PostgreSQL table, by a pool or client of the user's. One statement inserts the items of a page:
// all of them, or none.

import { MannerlyError } from '../errors.js';
import { fill } from '../options/check.js';
import { POSTGRES_ROWS } from '../options/sink-rows.js';
import { batchedSink, PageBatches } from '../output/page-batches.js';
import type { Item, Sink } from '../output/sink.js';
import { ITEM_COLUMNS, itemRow, quotedName } from './item-row.js';
import { ROWS_AT_ONCE } from './limits.js';

/** What is needed of a `Pool` or a connected `Client` of `pg`. */
export interface PostgresQueries {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>;
}

/** Options of a PostgreSQL sink. */
export interface PostgresSinkOptions {
  /** A `Pool` of `pg`. Yours: the sink neither connects nor ends it. */
  readonly pool?: PostgresQueries;
  /** In place of `pool`, a connected `Client`. */
  readonly client?: PostgresQueries;
  /** The table, with its schema where it is not that of the connection; made when it is absent. @default 'items' */
  readonly table?: string;
}

const TYPES = ['text', 'text', 'float8', 'float8', 'text', 'text', 'text', 'text'];
const STORED = ['id', 'url', 'to_timestamp(f / 1000)', 'to_timestamp(e / 1000)', 'p::json', 'l::json', 'r', 'd::json'];

/**
 * A sink that inserts into a table of PostgreSQL. A write that has resolved is committed. Several processes may write
 * one table: an id that is there stays as it is. Data is `json`, not `jsonb`, which refuses the character U+0000 that
 * pages may have.
 * @throws MannerlyError `option-invalid`, `option-unknown`
 */
export function postgresSink(options: PostgresSinkOptions): Sink {
  const { pool, client, table } = fill('postgresSink.', POSTGRES_ROWS, options);
  const queries = pool ?? client;
  if (queries === null || (pool !== null && client !== null)) {
    throw new MannerlyError('option-invalid', 'expected one of `pool` and `client` of `postgresSink`');
  }
  const name = quotedName(table);

  const insert = async (items: readonly Item[]): Promise<void> => {
    const rows = items.map(itemRow);
    const columns = ITEM_COLUMNS.map((_, at) => rows.map((row) => row[at]));
    const given = TYPES.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
    await queries.query(
      `INSERT INTO ${name} (${ITEM_COLUMNS.join(', ')})
       SELECT ${STORED.join(', ')} FROM unnest(${given}) WITH ORDINALITY AS given(id, url, f, e, p, l, r, d, at)
       ORDER BY at ON CONFLICT (id) DO NOTHING`,
      columns,
    );
  };

  return batchedSink(`postgres ${table}`, `the table ${table}`, async () => {
    // Two processes that make it at once meet in the catalogue: the lock is that of this name.
    await queries.query(
      `DO $$ BEGIN
         PERFORM pg_advisory_xact_lock(hashtext(${literal(`mannerly ${table}`)}));
         CREATE TABLE IF NOT EXISTS ${name} (
           seq bigint GENERATED ALWAYS AS IDENTITY, id text COLLATE "C" PRIMARY KEY, url text NOT NULL,
           fetched_at timestamptz NOT NULL, expires_at timestamptz, preferences json NOT NULL, license json,
           removed text, data json NOT NULL);
       END $$`,
    );
    return { batches: new PageBatches(insert, { items: ROWS_AT_ONCE, waitMs: 0 }) };
  });
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
