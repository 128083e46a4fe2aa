// Shards of a crawl: which one a host, a record or a slot of time belongs to, and the hash tags of their keys. The tags
// lie evenly over the slots of a cluster, so that any number of primaries with equal ranges has equal shares.

const SLOTS = 16_384;

/** The shard of a host, a record or a slot: FNV-1a of its name. Keys are placed by it, so it never changes. */
export function shardOf(name: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}

/**
 * The beginning of a shard's keys: one hash tag, so one slot. The tag is the first of `docs:3`, `docs:3.1`, `docs:3.2`
 * and so on whose slot is in the shard's equal part of all slots.
 */
export function shardBase(prefix: string, shard: number, shards: number): string {
  const isOurs = (slot: number) => Math.floor((slot * shards) / SLOTS) === shard;
  let tag = `${prefix}:${shard}`;
  for (let more = 1; !isOurs(slotOf(tag)); more += 1) tag = `${prefix}:${shard}.${more}`;
  return `{${tag}}`;
}

/** The key that names the crawl: found without the number of its shards, which it holds. */
export function crawlKey(prefix: string): string {
  return `${shardBase(prefix, 0, 1)}crawl`;
}

/** The slot of a hash tag, as every cluster computes it: CRC-16 of its bytes (XMODEM). */
function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  }
  return (crc & 0xffff) % SLOTS;
}

/** One of several, with its index among them. */
export interface Placed<T> {
  readonly one: T;
  readonly at: number;
}

export function byShard<T>(all: readonly T[], shards: number, nameOf: (one: T) => string): Map<number, Placed<T>[]> {
  const parts = new Map<number, Placed<T>[]>();
  for (const [at, one] of all.entries()) {
    const shard = shardOf(nameOf(one), shards);
    const part = parts.get(shard);
    if (part === undefined) parts.set(shard, [{ one, at }]);
    else part.push({ one, at });
  }
  return parts;
}
