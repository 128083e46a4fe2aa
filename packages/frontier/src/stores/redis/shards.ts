// The hash tags of a crawl's shards. They are spread evenly over the slots of a cluster, so that any number of
// primaries with equal ranges gets equal shares.

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
