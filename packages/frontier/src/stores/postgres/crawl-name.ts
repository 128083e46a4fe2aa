// Whose tables these are: format, version, crawl and identity, written once and compared at every open (O2). Here too the tables
// are made, and brought to the present version.

import { FrontierError } from '../../errors.js';
import { compareCrawl } from '../crawl-name.js';
import type { Connection } from './connection.js';
import { FORMAT, inSchema, installText, migrationText, NAME_CRAWL_SQL, quoteName, VERSION } from './schema.js';

/** What is asked of the tables. */
export interface CrawlRequest {
  readonly schema: string;
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
  readonly create: boolean;
}

/**
 * Compares what is kept with what is asked, or makes a new crawl.
 *
 * @throws FrontierError `store-mismatch`, both names in the message.
 */
export async function claimCrawl(
  connection: Connection,
  { schema, crawl, identity, create }: CrawlRequest,
): Promise<void> {
  const quoted = quoteName(schema);
  const absent = () => new FrontierError('store-mismatch', `no crawl ${JSON.stringify(crawl)} in the schema ${schema}`);
  if (!(await isThere(connection, quoted))) {
    if (!create) throw absent();
    await connection.call(installText(quoted));
  }
  if (create) await connection.call(inSchema(quoted, NAME_CRAWL_SQL), [crawl, identity]);
  const [row] = await connection.call(`SELECT format, version, crawl, identity FROM ${quoted}.crawl WHERE one`, []);
  const [format, version, kept, keptIdentity] = row ?? [];
  if (format === undefined) throw absent();
  const steps = format === FORMAT && Number(version) < VERSION ? migrationText(quoted, Number(version)) : null;
  compareCrawl(
    { name: `the schema ${schema}`, hint: 'Take another schema, or drop this one to start over.' },
    {
      format: format ?? '',
      version: steps === null ? Number(version) : VERSION,
      crawl: kept ?? '',
      identity: keptIdentity ?? '',
    },
    { format: FORMAT, version: VERSION, crawl, identity },
  );
  if (steps !== null) await connection.call(steps);
}

/** @throws FrontierError `store-mismatch` where somebody else's tables are. */
async function isThere(connection: Connection, schema: string): Promise<boolean> {
  const [row] = await connection.call(
    `SELECT count(*), count(*) FILTER (WHERE attname IN ('format', 'version', 'crawl', 'identity'))
     FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0`,
    [`${schema}.crawl`],
  );
  const [columns, ours] = row ?? [];
  if (columns === '0') return false;
  if (ours === '4') return true;
  throw new FrontierError('store-mismatch', `the schema ${schema} holds something else than a crawl`, {
    hint: 'Take another schema.',
  });
}
