// What the server's settings promise: read at open. What the functions need of it is asked for at the same time.

import { FrontierError } from '../../errors.js';
import type { Durability } from '../server/server-store.js';
import type { Connection } from './connection.js';

const OLDEST_VERSION = 130_000;

/** Told where a killed server may forget what it answered for. */
export const WEAKNESS =
  'PostgreSQL answers before it has written (synchronous_commit off): its crash loses the last commits. Set `synchronous_commit = on`.';

/**
 * Reads what the server promises.
 *
 * @returns `none` with `synchronous_commit = off`, `process` where it is on and `fsync` is off, else `power`.
 * @throws FrontierError `store-mismatch` for a server that is too old, or that isolates transactions by other rules.
 */
export async function readDurability(connection: Connection): Promise<Durability> {
  const [row] = await connection.call(
    `SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('synchronous_commit'),
      current_setting('fsync'), current_setting('full_page_writes'), current_setting('default_transaction_isolation')`,
    [],
  );
  const [number, version, commit, fsync, pages, isolation] = row ?? [];
  if (Number(number) < OLDEST_VERSION) {
    throw new FrontierError('store-mismatch', `expected PostgreSQL 13 or newer, the server is ${version}`);
  }
  if (isolation !== 'read committed') {
    throw new FrontierError(
      'store-mismatch',
      `the server isolates transactions as "${isolation}": a host could fall asleep with URLs in its queue`,
      { hint: 'Set `default_transaction_isolation` to `read committed` for this user or database.' },
    );
  }
  if (commit === 'off') return 'none';
  return fsync === 'on' && pages === 'on' ? 'power' : 'process';
}
