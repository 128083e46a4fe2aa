// Which item ids were seen lately, in bounded memory: 64 bits of a hash for each, in two open tables.
//
// Ids go into the young table. When that holds `limit` of them it becomes the old one and an empty one takes its place, so
// that at least the latest `limit` ids are known and never more than twice as many. A sink needs the latest only: what is written
// again after a crash is what was in hand when it came. Two ids that share 64 bits would lose an item; among a hundred
// million ids the odds of one such pair are 1 in 3,700.

import { hash } from 'node:crypto';

/** Remembers ids. */
export interface RecentIds {
  has(id: string): boolean;
  add(id: string): void;
}

/** Makes an empty memory. @param limit - Ids that are surely known; 64 bytes each at most. */
export function createRecentIds(limit: number): RecentIds {
  let young = createTable(FIRST_SLOTS);
  let old = createTable(FIRST_SLOTS);
  return {
    has(id) {
      const key = keyOf(id);
      return young.has(key) || old.has(key);
    },
    add(id) {
      const key = keyOf(id);
      young.add(key);
      if (young.size < limit) return;
      old = young;
      young = createTable(FIRST_SLOTS);
    },
  };
}

const FIRST_SLOTS = 1024;

interface Table {
  readonly size: number;
  has(key: bigint): boolean;
  add(key: bigint): void;
}

/** Linear probing, at most half full, zero for an empty slot. */
function createTable(firstSlots: number): Table {
  let slots = new BigUint64Array(firstSlots);
  let size = 0;
  const placeOf = (key: bigint, table: BigUint64Array): number => {
    const mask = table.length - 1;
    let place = Number(key & 0x7fff_ffffn) & mask;
    while (table[place] !== 0n && table[place] !== key) place = (place + 1) & mask;
    return place;
  };
  const grow = (): void => {
    const larger = new BigUint64Array(slots.length * 2);
    for (const key of slots) if (key !== 0n) larger[placeOf(key, larger)] = key;
    slots = larger;
  };
  return {
    get size() {
      return size;
    },
    has: (key) => slots[placeOf(key, slots)] === key,
    add(key) {
      const place = placeOf(key, slots);
      if (slots[place] === key) return;
      slots[place] = key;
      size += 1;
      if (size * 2 > slots.length) grow();
    },
  };
}

/** Never zero, which marks an empty slot. */
function keyOf(id: string): bigint {
  const key = hash('sha1', id, 'buffer').readBigUInt64LE(0);
  return key === 0n ? 1n : key;
}
