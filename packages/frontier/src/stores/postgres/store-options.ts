// What the PostgreSQL store may be told, checked and filled in.

import { FrontierError } from '../../errors.js';
import { resolveServerOptions, type ServerSettings, type ServerStoreOptions } from '../server/server-options.js';
import type { PostgresPool } from './client.js';

const SCHEMA = 'mannerly';
/** What PostgreSQL takes as a name, without what would need more than quotes. */
const NAME = /^(?!pg_)[\w-]{1,63}$/;

/** What the PostgreSQL store may be told. */
export interface PostgresStoreOptions extends ServerStoreOptions {
  /** A `Pool` of pg. The caller ends it, after the store. Five connections are enough for most crawls. */
  readonly pool: PostgresPool;
  /** The schema of the crawl's tables, one crawl each; made when the crawl is. Letters of ASCII, digits, `_` and `-`. @default 'mannerly' */
  readonly schema?: string;
}

/** Every option, filled in. */
export interface PostgresSettings extends ServerSettings {
  readonly pool: PostgresPool;
  readonly schema: string;
}

/** @throws FrontierError `option-invalid`. */
export function resolvePostgresOptions(options: PostgresStoreOptions): PostgresSettings {
  const { pool, schema = SCHEMA } = options;
  if (typeof pool?.query !== 'function' || typeof pool.on !== 'function') {
    throw new FrontierError('option-invalid', 'expected `pool` to be a `Pool` of pg');
  }
  if (!NAME.test(schema)) {
    throw new FrontierError(
      'option-invalid',
      `expected \`schema\` to be 1 to 63 letters, digits, _ or -, and not to start with pg_, got ${JSON.stringify(schema)}`,
    );
  }
  return { ...resolveServerOptions('PostgreSQL', options, ['pool', 'schema']), pool, schema };
}
