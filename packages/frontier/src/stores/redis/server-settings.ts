// What the server's settings promise: read at open. A server that may evict keys would forget URLs and leases, and is refused.

import { FrontierError } from '../../errors.js';
import { messageOf } from '../server/failures.js';
import type { Durability } from '../server/server-store.js';
import type { Connection } from './connection.js';
import { runScript } from './scripts.js';

const OLDEST_VERSION = 7;
const KEEPS_EVERYTHING = 'noeviction';

/** Told where nothing survives for certain. */
export const WEAKNESS =
  'Redis keeps no append-only file: its restart loses what came after its last snapshot, or everything. Set `appendonly yes`.';

/**
 * Reads what the server of a shard promises.
 *
 * @param base - What the shard's keys begin with.
 * @returns With an append-only file a killed process survives, with `appendfsync always` a power cut.
 * @throws FrontierError `store-mismatch` for a server that may evict, or that is too old.
 */
export async function readDurability(connection: Connection, base: string): Promise<Durability> {
  const info = String(await runScript(connection, 'settings', base, ['']));
  const version = fieldOf(info, 'redis_version') ?? '0';
  if (Number.parseInt(version, 10) < OLDEST_VERSION) {
    throw new FrontierError('store-mismatch', `expected Redis ${OLDEST_VERSION} or newer, the server is ${version}`);
  }
  const policy = fieldOf(info, 'maxmemory_policy');
  if (policy !== KEEPS_EVERYTHING) {
    throw new FrontierError(
      'store-mismatch',
      `the server may drop keys when memory runs out (maxmemory-policy ${policy ?? 'unknown'}): it would forget URLs and leases`,
      { hint: `Set \`maxmemory-policy ${KEEPS_EVERYTHING}\`.` },
    );
  }
  if (fieldOf(info, 'aof_enabled') !== '1') return 'none';
  return (await fsync(connection)) === 'always' ? 'power' : 'process';
}

/** The weakest of several promises. Never throws. */
export function weakestOf(promises: readonly Durability[]): Durability {
  const order: readonly Durability[] = ['none', 'process', 'power'];
  return order.find((one) => promises.includes(one)) ?? 'none';
}

/** When the file is forced to disk; where the server does not tell, not always. */
async function fsync(connection: Connection): Promise<string> {
  try {
    const answer = await connection.call('CONFIG', ['GET', 'appendfsync']);
    return Array.isArray(answer) ? String(answer[1]) : 'everysec';
  } catch (error) {
    // Managed servers have no CONFIG, and users may not be allowed it.
    if (/^(?:ERR|NOPERM)\b/.test(messageOf(error))) return 'everysec';
    throw error;
  }
}

function fieldOf(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;
}
