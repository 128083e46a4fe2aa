// What is checked at open: the server's settings, and which crawl the keys belong to (O2). A server that may evict keys
// would forget URLs and leases, so it is refused. Also the hash tags of the crawl's shards.

import { FrontierError, unreadable } from '../../errors.js';
import type { OpenRequest } from '../../store.js';
import { type CrawlName, compareCrawl, messageOf, readCrawlName } from '../checked-store.js';
import { absentCrawlError, type Durability, refuseUnsafe, type UnsafeSetting } from '../server/server-store.js';
import { type Connection, MAX_SHARDS, type ResolvedRedisOptions } from './connection.js';

const FORMAT = 'mannerly-frontier-redis';
const VERSION = 4;
const MIN_SERVER_VERSION = 7;
const REQUIRED_POLICY = 'noeviction';

/** The message if nothing is certain to survive. */
export const WEAKNESS =
  'Redis keeps no append-only file: its restart loses what came after its last snapshot, or everything. ' +
  'Set `appendonly yes`.';

type StoredCrawl = CrawlName & { readonly shards: number };

/**
 * Compares or creates the crawl. Returns its number of shards.
 * @throws FrontierError `store-mismatch`, with both names.
 */
export async function claimCrawl(
  connection: Connection,
  { crawl, create }: OpenRequest,
  { prefix, identity, shards }: ResolvedRedisOptions,
): Promise<number> {
  const key = crawlKey(prefix);
  const requested: StoredCrawl = { format: FORMAT, version: VERSION, crawl, identity, shards };
  if (create) await connection.call('SET', [key, JSON.stringify(requested), 'NX']);
  const bytes = await connection.call('GET', [key]);
  if (!Buffer.isBuffer(bytes)) throw absentCrawlError(crawl, `under the prefix ${prefix}`);
  const location = `the prefix ${prefix}`;
  const hint = 'Take another prefix, or remove the keys of this one to start over.';
  const stored = readCrawlName(location, hint, bytes) as StoredCrawl;
  compareCrawl(location, hint, stored, requested);
  if (!Number.isInteger(stored.shards) || stored.shards < 1 || stored.shards > MAX_SHARDS)
    throw unreadable(`the number of shards of ${location}`);
  return stored.shards;
}

/**
 * What a shard's server guarantees.
 *
 * @throws FrontierError `store-mismatch`: it is too old, may evict keys, or may be one of two that grant one host.
 */
export async function readDurability(
  connection: Connection,
  allowUnsafe: readonly UnsafeSetting[],
): Promise<Durability> {
  const info = String(await connection.run('settings', [',']));
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;
  const version = field('redis_version') ?? '0';
  if (Number.parseInt(version, 10) < MIN_SERVER_VERSION) {
    throw new FrontierError(
      'store-mismatch',
      `expected Redis ${MIN_SERVER_VERSION} or newer, the server is ${version}`,
    );
  }
  const policy = field('maxmemory_policy');
  if (policy !== REQUIRED_POLICY) {
    const message = `the server may drop keys when memory runs out (maxmemory-policy ${policy ?? 'unknown'})`;
    const hint = `Set \`maxmemory-policy ${REQUIRED_POLICY}\`.`;
    throw new FrontierError('store-mismatch', `${message}: it would forget URLs and leases`, { hint });
  }
  // The second field exists only if the server counts its replicas before it accepts a write.
  if (Number(field('connected_slaves')) > 0 && field('min_slaves_good_slaves') === null) {
    refuseUnsafe(allowUnsafe, 'split-brain', {
      message:
        'the server has replicas and accepts writes without them (min-replicas-to-write 0): cut off from the replica ' +
        'that takes over, it would go on granting the same hosts',
      hint: 'Set `min-replicas-to-write 1`.',
    });
  }
  if (field('aof_enabled') !== '1') return 'none';
  return (await readFsync(connection)) === 'always' ? 'power' : 'process';
}

/** When the file is synced to disk. A server that does not say counts as `everysec`. */
async function readFsync(connection: Connection): Promise<string> {
  try {
    const answer = await connection.call('CONFIG', ['GET', 'appendfsync']);
    return Array.isArray(answer) ? String(answer[1]) : 'everysec';
  } catch (error) {
    // Managed servers have no CONFIG, and users may not be allowed to use it.
    if (/: (?:ERR|NOPERM)\b/.test(messageOf(error))) return 'everysec';
    throw error;
  }
}

/** Slots of a cluster. Shards are spread evenly over them, so that primaries with equal ranges get equal shares. */
const SLOTS = 16_384;

/**
 * The prefix of a shard's keys: one hash tag, so one slot. The tag is the first of `docs:3`, `docs:3.1`, `docs:3.2` and
 * so on whose slot is in the shard's equal part of all slots.
 */
export function shardBase(prefix: string, shard: number, shards: number): string {
  const isOurs = (slot: number) => Math.floor((slot * shards) / SLOTS) === shard;
  let tag = `${prefix}:${shard}`;
  for (let more = 1; !isOurs(slotOf(tag)); more += 1) tag = `${prefix}:${shard}.${more}`;
  return `{${tag}}`;
}

/** The key that names the crawl. It is found without the number of shards, because it contains that number. */
export function crawlKey(prefix: string): string {
  return `${shardBase(prefix, 0, 1)}crawl`;
}

/** The slot of a hash tag, as every cluster computes it: the CRC-16 (XMODEM) of its bytes. */
function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  }
  return (crc & 0xffff) % SLOTS;
}
