// A bounded memory of strings that forgets the older half at a time. It stores a keyed hash of 64 bits of each string
// (decision 0018): with 131,072 remembered strings, the chance that a new string is taken for one of them is 1 in
// 10^14, and no site can choose URLs that collide. It has two generations: a string that is met again moves to the
// young one.
//
// A generation is a table of pairs of 32-bit words with open addressing: a slot is two words, and the pair (0, 0) marks
// an empty slot. The home slot of a pair is its low word scaled to the size of the table. So homes keep their order
// when a table grows, and growing reads and writes memory sequentially. The words come from keyed hashes, so no site
// can aim at one slot.

/** What was seen lately. */
export interface RecentSet {
  has(value: string): boolean;
  /** Remembers the string. @returns Whether it was new. */
  add(value: string): boolean;
}

/** 64 bits in two halves, not both zero. */
export interface HashPair {
  low: number;
  high: number;
}

/** Slots of a generation before it has grown. */
const MIN_SLOTS = 64;
/** Rounds of the hash after the last word: the length, three for the low half, three for the high one. */
const LAST_ROUNDS = 7;

/**
 * @param size - Strings per generation: between `size` and twice as many are remembered, 16 to 32 bytes each. ≥ 1
 * @param key - Eight bytes.
 * @default a random key
 */
export function createRecentSet(size: number, key: Uint8Array = crypto.getRandomValues(new Uint8Array(8))): RecentSet {
  const pair: HashPair = { low: 0, high: 0 };
  const hash = createKeyedHash(key);
  let young: Uint32Array = new Uint32Array(2 * MIN_SLOTS);
  let old: Uint32Array = new Uint32Array(2 * MIN_SLOTS);
  let count = 0;
  const isInTable = (table: Uint32Array): boolean => isTaken(table, slotOf(table, pair.high, pair.low));
  return {
    has(value) {
      hash(value, pair);
      return isInTable(young) || isInTable(old);
    },
    add(value) {
      hash(value, pair);
      if (!put(young, pair.high, pair.low)) return false;
      const isNew = !isInTable(old);
      count += 1;
      if (count >= size) {
        old = young;
        young = new Uint32Array(2 * MIN_SLOTS);
        count = 0;
        // Never more than half full.
      } else if (4 * count > young.length) young = resized(young, young.length);
      return isNew;
    },
  };
}

/**
 * A keyed hash: HalfSipHash with one round per word and three at the end (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF"). Each word has two UTF-16 code units; the last one is the number of units.
 *
 * @param key - Eight bytes.
 * @returns Writes the hash of a string into `into`, which the caller reuses.
 */
export function createKeyedHash(key: Uint8Array): (value: string, into: HashPair) => void {
  const words = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const [k0, k1] = [words.getInt32(0, true), words.getInt32(4, true)];
  return (value, into) => {
    let v0 = k0;
    let v1 = k1;
    let v2 = 0x6c796765 ^ k0;
    let v3 = 0x74656462 ^ k1;
    let low = 0;
    const { length } = value;
    const end = length + (length & 1) + 2 * LAST_ROUNDS;
    for (let at = 0; at < end; at += 2) {
      let word = 0;
      if (at + 1 < length) word = value.charCodeAt(at) | (value.charCodeAt(at + 1) << 16);
      else if (at < length) word = value.charCodeAt(at);
      else if (at === end - 14) word = length;
      else if (at === end - 12) v2 ^= 0xee;
      else if (at === end - 6) {
        low = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    const high = v1 ^ v3;
    into.low = (low === 0 && high === 0 ? 1 : low) >>> 0;
    into.high = high >>> 0;
  };
}

/**
 * Returns the slot of the pair, or the empty slot where it belongs. A table always has empty slots. The search starts
 * at low × slots / 2^32, which is exact, because the product stays below 2^53.
 */
export function slotOf(table: Uint32Array, high: number, low: number): number {
  const end = table.length;
  let slot = 2 * Math.floor((low * (end >>> 1)) / 0x1_0000_0000);
  for (;;) {
    const storedLow = table[slot + 1]!;
    if ((storedLow === low && table[slot] === high) || (storedLow === 0 && table[slot] === 0)) return slot;
    slot += 2;
    if (slot === end) slot = 0;
  }
}

/** Whether a slot contains a pair. */
export function isTaken(table: Uint32Array, slot: number): boolean {
  return table[slot] !== 0 || table[slot + 1] !== 0;
}

/** Puts a pair into its slot from `slotOf`. @returns Whether the pair was new. */
export function put(table: Uint32Array, high: number, low: number): boolean {
  const slot = slotOf(table, high, low);
  if (isTaken(table, slot)) return false;
  table[slot] = high;
  table[slot + 1] = low;
  return true;
}

/** Copies the pairs to a table of `slots` slots. */
export function resized(table: Uint32Array, slots: number): Uint32Array {
  const next = new Uint32Array(2 * slots);
  for (let slot = 0; slot < table.length; slot += 2) {
    if (!isTaken(table, slot)) continue;
    const high = table[slot]!;
    const low = table[slot + 1]!;
    const to = slotOf(next, high, low);
    next[to] = high;
    next[to + 1] = low;
  }
  return next;
}
