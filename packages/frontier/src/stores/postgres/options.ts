// Options of the PostgreSQL store, checked and filled in, and the pool that it takes. The package pg is not imported.

import { FrontierError } from '../../errors.js';
import { resolveServerOptions, type ServerStoreOptions } from '../server/server-options.js';

const SCHEMA = 'mannerly';
const NAME = /^(?!pg_)[\w-]{1,63}$/;

/** One statement: prepared under its name, with answers as text in lists. */
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
  /** `error`: an idle connection broke. Without a listener that ends the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Options of the PostgreSQL store. */
export interface PostgresStoreOptions extends ServerStoreOptions {
  /** A `Pool` of pg. The caller ends it, after the store. Five connections are enough for most crawls. */
  readonly pool: PostgresPool;
  /** The schema of one crawl's tables, created with it. Letters, digits, `_` and `-`. @default 'mannerly' */
  readonly schema?: string;
}

export type ResolvedPostgresOptions = ReturnType<typeof resolvePostgresOptions>;

export function resolvePostgresOptions(options: PostgresStoreOptions) {
  const { pool, schema = SCHEMA } = options;
  if (typeof pool?.query !== 'function' || typeof pool.on !== 'function') {
    throw new FrontierError('option-invalid', 'expected `pool` to be a `Pool` of pg');
  }
  if (!NAME.test(schema)) {
    const expected = 'expected `schema` to be 1 to 63 letters, digits, _ or -, and not to start with pg_';
    throw new FrontierError('option-invalid', `${expected}, got ${JSON.stringify(schema)}`);
  }
  return { ...resolveServerOptions('PostgreSQL', options, ['pool', 'schema']), pool, schema };
}
