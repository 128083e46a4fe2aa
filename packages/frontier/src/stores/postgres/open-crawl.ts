// What is checked at open: the server's settings, and which crawl the tables belong to (O2). Also creates the tables.

import { FrontierError } from '../../errors.js';
import type { OpenRequest } from '../../store.js';
import { compareCrawl } from '../checked-store.js';
import { absentCrawlError, type Durability, refuseUnsafe, type UnsafeSetting } from '../server/server-store.js';
import type { Connection, ResolvedPostgresOptions } from './connection.js';
import { FORMAT, INSTALL_SQL, NAME_CRAWL_SQL, VERSION } from './schema.js';

const MIN_SERVER_VERSION = 130_000;

/** The message if a killed server may forget what it answered. */
export const WEAKNESS =
  'PostgreSQL answers before it has written (synchronous_commit off): its crash loses the last commits. ' +
  'Set `synchronous_commit = on`.';

/** Compares the stored crawl with the request, or creates it. @throws FrontierError `store-mismatch`. */
export async function claimCrawl(
  connection: Connection,
  { crawl, create }: OpenRequest,
  { schema, identity }: ResolvedPostgresOptions,
): Promise<void> {
  if (!(await hasTables(connection, schema))) {
    if (!create) throw absentCrawlError(crawl, `in the schema ${schema}`);
    await connection.run(INSTALL_SQL);
  }
  if (create) await connection.call(NAME_CRAWL_SQL, [crawl, identity]);
  const [row] = await connection.call('SELECT format, version, crawl, identity FROM $S.crawl WHERE one');
  if (row === undefined) throw absentCrawlError(crawl, `in the schema ${schema}`);
  const [format = '', version, storedCrawl = '', storedIdentity = ''] = row.map((value) => value ?? '');
  compareCrawl(
    `the schema ${schema}`,
    'Use another schema, or drop this one to start over.',
    { format, version: Number(version), crawl: storedCrawl, identity: storedIdentity },
    { format: FORMAT, version: VERSION, crawl, identity },
  );
}

/** @throws FrontierError `store-mismatch` if the tables are not ours. */
async function hasTables(connection: Connection, schema: string): Promise<boolean> {
  const [row] = await connection.call(
    `SELECT count(*), count(*) FILTER (WHERE attname IN ('format', 'version', 'crawl', 'identity'))
     FROM pg_attribute WHERE attrelid = to_regclass('$S.crawl') AND attnum > 0`,
  );
  const [columns, ours] = row ?? [];
  if (columns === '0') return false;
  if (ours === '4') return true;
  throw new FrontierError('store-mismatch', `the schema ${schema} holds something other than a crawl`, {
    hint: 'Take another schema.',
  });
}

/**
 * What the server guarantees.
 *
 * @throws FrontierError `store-mismatch`: it is too old, uses another isolation level, or does not sync to disk.
 */
export async function readDurability(
  connection: Connection,
  allowUnsafe: readonly UnsafeSetting[],
): Promise<Durability> {
  const names = ['server_version_num', 'server_version', 'synchronous_commit', 'fsync', 'full_page_writes'];
  const settings = [...names, 'default_transaction_isolation'].map((name) => `current_setting('${name}')`);
  const [row] = await connection.call(`SELECT ${settings.join(', ')}`);
  const [number, version, commit, fsync, pages, isolation] = row ?? [];
  if (Number(number) < MIN_SERVER_VERSION) {
    throw new FrontierError('store-mismatch', `expected PostgreSQL 13 or newer, the server is ${version}`);
  }
  if (isolation !== 'read committed') {
    const message = `the server isolates transactions as "${isolation}": a host with URLs in its queue could go idle`;
    const hint = 'Set `default_transaction_isolation` to `read committed` for this user or database.';
    throw new FrontierError('store-mismatch', message, { hint });
  }
  if (fsync !== 'on') {
    refuseUnsafe(allowUnsafe, 'fsync-off', {
      message: 'the server does not write to disk (fsync off): a power cut corrupts the crawl',
      hint: 'Set `fsync = on`.',
    });
  }
  if (commit === 'off') return 'none';
  return fsync === 'on' && pages === 'on' ? 'power' : 'process';
}
