// Items as rows of a PostgreSQL table, by the user's pool or client. One statement inserts all items of a page, or
// none. It may run twice, so that a pool is retried while its server restarts.

import { isError, MannerlyError } from '../errors.js';
import { fill } from '../options/check.js';
import { POSTGRES_ROWS } from '../options/sink-rows.js';
import { batchedSink } from '../output/page-batches.js';
import type { Item, Sink } from '../output/sink.js';
import { ITEM_COLUMNS, itemRow, quotedName } from './encoded-items.js';
import { FIRST_RETRY_MS, INSERT_RETRIES, MAX_TRANSACTION_ROWS } from './limits.js';
import { wait } from './send.js';

/** The parts of a `Pool` or a connected `Client` of `pg` that are used. */
export interface PostgresQueries {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>;
}

/** Options of a PostgreSQL sink. */
interface PostgresSinkOptions {
  /** The user's `Pool` of `pg`. The sink neither connects nor ends it. */
  readonly pool?: PostgresQueries;
  /** A connected `Client`, instead of `pool`. */
  readonly client?: PostgresQueries;
  /** The table, with its schema if that is not the connection's; created if it is absent. @default 'items' */
  readonly table?: string;
}

/**
 * The server restarts, closes idle connections, is out of connections, disk or memory, is read-only; or its socket
 * broke.
 */
const TRANSIENT_CODE = /^(?:08|53|57P0[1235]|25006|E(?:CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND))/;
const CONNECTION_LOST =
  /Connection terminated|timeout exceeded when trying|Query read timeout|Client has encountered a connection error/;
/** Each column of `itemRow` is one parameter: a name, its type, and the value that is stored. */
const PARAMETERS = '$1::text[], $2::text[], $3::float8[], $4::float8[], $5::text[], $6::text[], $7::text[], $8::text[]';
const NAMES = 'id, url, f, e, p, l, r, d';
const STORED = 'id, url, to_timestamp(f / 1000), to_timestamp(e / 1000), p::json, l::json, r, d::json';

/**
 * A sink that inserts into a PostgreSQL table. A resolved write is committed. Several processes may write one table: an
 * existing id is not changed. Data is `json`, not `jsonb`, which refuses the character U+0000 that pages may have. A
 * pool whose server is unavailable is retried for four minutes while its pages wait; a client is not, because its
 * connection does not come back.
 * @throws MannerlyError `option-invalid`, `option-unknown`
 */
export function postgresSink(options: PostgresSinkOptions): Sink {
  const { pool, client, table } = fill('postgresSink.', POSTGRES_ROWS, options);
  const queries = pool ?? client;
  if (queries === null || (pool !== null && client !== null)) {
    throw new MannerlyError('option-invalid', 'expected one of `pool` and `client` of `postgresSink`');
  }
  const name = quotedName(table);

  /** The pool's answer, once its server accepts the statement. */
  const insertWithRetries = async (insert: () => Promise<unknown>, stop: AbortSignal): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await insert();
        return;
      } catch (cause) {
        if (pool === null || !isTransient(cause)) throw cause;
        if (attempt >= INSERT_RETRIES || stop.aborted) {
          throw new MannerlyError(
            'sink-failed',
            `${cause.message}, ${attempt + 1} ${attempt === 0 ? 'attempt' : 'attempts'}`,
            { cause, hint: RESTART_HINT },
          );
        }
        if (attempt === 0)
          process.emitWarning(`${cause.message}: the table ${table} waits for its server`, 'MannerlyWarning');
      }
      await wait(FIRST_RETRY_MS * 2 ** attempt, stop);
    }
  };

  const insert = async (items: readonly Item[]): Promise<unknown> => {
    const rows = items.map(itemRow);
    return queries.query(
      `INSERT INTO ${name} (${ITEM_COLUMNS.join(', ')})
       SELECT ${STORED} FROM unnest(${PARAMETERS}) WITH ORDINALITY AS given(${NAMES}, at)
       ORDER BY at ON CONFLICT (id) DO NOTHING`,
      ITEM_COLUMNS.map((_, at) => rows.map((row) => row[at])),
    );
  };

  return batchedSink(`postgres ${table}`, `the table ${table}`, async (stop) => {
    // Two processes that create it at once conflict in the catalogue: the lock is for this name.
    await queries.query(
      `DO $$ BEGIN
         PERFORM pg_advisory_xact_lock(hashtext(${literal(`mannerly ${table}`)}));
         CREATE TABLE IF NOT EXISTS ${name} (
           seq bigint GENERATED ALWAYS AS IDENTITY, id text COLLATE "C" PRIMARY KEY, url text NOT NULL,
           fetched_at timestamptz NOT NULL, expires_at timestamptz, preferences json NOT NULL, license json,
           removed text, data json NOT NULL);
       END $$`,
    );
    return {
      write: (items) => insertWithRetries(() => insert(items), stop),
      limits: { items: MAX_TRANSACTION_ROWS, waitMs: 0 },
    };
  });
}

const RESTART_HINT =
  'Start the server of its table. Pages whose items were not written come again with the same command.';

function isTransient(error: unknown): error is Error {
  if (!isError(error)) return false;
  return ('code' in error && TRANSIENT_CODE.test(String(error.code))) || CONNECTION_LOST.test(error.message);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
