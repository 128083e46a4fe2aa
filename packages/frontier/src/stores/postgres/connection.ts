// The pool that the PostgreSQL store takes, its options, and statements over connections that may break. It does not
// import the package pg.

import { createHash } from 'node:crypto';
import { invalid } from '../../option-value.js';
import { DAMAGED_ADVICE, NETWORK_ERRORS, Resending, type ServerErrors } from '../server/resending.js';
import { resolveServerOptions, type ServerStoreOptions } from '../server/server-store.js';

const ERRORS: ServerErrors = {
  // Deadlock, serialization failure, lock not available.
  conflict: /^(?:40P01|40001|55P03) /,
  // Starting, recovering, or about to shut down.
  starting: /^57P03 /,
  unreachable: new RegExp(
    [
      // Connections; too few of them, of disk or of memory.
      '^(?:08|53)',
      // Shut down, crashed, cancelled by a timeout, a standby that will be promoted.
      '^(?:57P01|57P02|57P05|57014|25006|25P03) ',
      ...['Connection terminated', 'Client has encountered a connection error', 'not queryable'],
      ...['timeout exceeded when trying to connect', 'timeout expired', 'Query read timeout'],
      `${NETWORK_ERRORS}|ENOENT`,
    ].join('|'),
    'i',
  ),
  // There is no such table, function or schema.
  lost: /^(?:42P01|42883|3F000) /,
  advice: [
    [/^53300 /, 'Raise `max_connections` or the limit of this user, or start fewer processes: each opens up to five.'],
    [/^53100 /, 'Its disk is full: give it more space.'],
    [/^53200 /, 'Its memory is full: give it more.'],
    [/^57014 /, 'Set a longer `statement_timeout` for this user.'],
    [/^25006 /, 'It only reads: is it a standby, or is `default_transaction_read_only` on?'],
    [/^3D000 /, 'Create the database, or name another one in the URL of the store.'],
    // Data, constraints, what the functions raise, corrupted files.
    [/^(?:2[123]|P0|XX)/, DAMAGED_ADVICE],
    [/^42501 /, 'Let this user create schemas in the database, or name the user that began the crawl.'],
  ],
};
/** Values stay as the server wrote them, whatever type parsers the process has registered with pg. */
const AS_TEXT = { rowMode: 'array', types: { getTypeParser: () => (value: unknown) => value } } as const;

export type Row = readonly (string | null)[];

/** One pool and one schema (`$S` in statements). Statements are sent again while the pool cannot reach its server. */
export class Connection {
  readonly #options: ResolvedPostgresOptions;
  readonly #resending: Resending;
  /** A broken idle connection is not reported: the next statement notices it. */
  readonly #ignore = () => undefined;
  readonly #prepared = new Map<string, Pick<PostgresQuery, 'name' | 'text'>>();

  constructor(options: ResolvedPostgresOptions) {
    this.#options = options;
    const isEnded = () => options.pool.ended;
    this.#resending = new Resending({ ...options, errors: ERRORS, location: `the schema ${options.schema}`, isEnded });
    options.pool.on('error', this.#ignore);
  }

  /** Waiting statements are not sent again. A second call does nothing. */
  close(): void {
    this.#resending.close();
    this.#options.pool.removeListener('error', this.#ignore);
  }

  async run(sql: string): Promise<void> {
    await this.#send({ text: this.#inSchema(sql) });
  }

  /** The rows, as text, of a prepared statement. @throws FrontierError `store-failed`, like `Resending.call`. */
  call(sql: string, values: unknown[] = []): Promise<Row[]> {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const text = this.#inSchema(sql);
      const digest = createHash('sha256').update(text).digest('base64url');
      prepared = { name: `mannerly-${digest.slice(0, 22)}`, text };
      this.#prepared.set(sql, prepared);
    }
    return this.#send({ ...prepared, values });
  }

  async #send(query: Omit<PostgresQuery, keyof typeof AS_TEXT>): Promise<Row[]> {
    const { rows } = await this.#resending.call(() => this.#options.pool.query({ ...query, ...AS_TEXT }));
    return rows as Row[];
  }

  /** The options have checked that quotes are all the name needs. */
  #inSchema(sql: string): string {
    return sql.replaceAll('$S', `"${this.#options.schema}"`);
  }
}

const SCHEMA = 'mannerly';
const NAME = /^(?!pg_)[\w-]{1,63}$/;

/** One statement: prepared under its name, with its answer as lists of text. */
export interface PostgresQuery {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  readonly rowMode: 'array';
  readonly types: { readonly getTypeParser: () => (value: unknown) => unknown };
}

/** A pool of pg, created and closed by the caller. */
export interface PostgresPool {
  /** Whether `end` was called. */
  readonly ended: boolean;
  query(query: PostgresQuery): Promise<{ readonly rows: unknown[] }>;
  /** `error`: an idle connection broke. Without a listener the process ends. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Options of the PostgreSQL store. */
export interface PostgresStoreOptions extends ServerStoreOptions {
  /** A `Pool` of pg. The caller ends it, after the store. Five connections are enough for most crawls. */
  readonly pool: PostgresPool;
  /** The schema of one crawl's tables, created if missing. Letters, digits, `_` and `-`. @default 'mannerly' */
  readonly schema?: string;
}

export type ResolvedPostgresOptions = ReturnType<typeof resolvePostgresOptions>;

export function resolvePostgresOptions(options: PostgresStoreOptions) {
  const { pool, schema = SCHEMA } = options;
  if (typeof pool?.query !== 'function' || typeof pool.on !== 'function') throw invalid('pool', 'a `Pool` of pg', pool);
  if (!NAME.test(schema)) throw invalid('schema', '1 to 63 letters, digits, _ or -, not beginning with pg_', schema);
  return { ...resolveServerOptions('PostgreSQL', options, ['pool', 'schema']), pool, schema };
}
