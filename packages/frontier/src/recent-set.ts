// A bounded memory of strings that forgets the older half at a time. It keeps 64 bits of each string, a hash under a
// random key: with 131,072 remembered, the chance that a new string passes for one of them is 1 in 10^14. A set of the
// strings themselves takes ten times the memory. Two generations: a string that is met again moves to the young one.

import { createKeyedHash, type Print } from './keyed-hash.js';

/** What was seen lately. */
export interface RecentSet {
  /** Whether the string is remembered. */
  has(value: string): boolean;
  /** Remembers it. @returns `true` when it was not remembered before. */
  add(value: string): boolean;
}

/** Slots of a generation before it has grown: a power of two, as all its sizes. */
const LEAST_SLOTS = 64;

/**
 * @param size - Strings per generation: between `size` and twice as many are remembered, 16 to 32 bytes each. ≥ 1
 * @param key - Eight bytes. @default random ones
 * @throws Never.
 */
export function createRecentSet(size: number, key: Uint8Array = crypto.getRandomValues(new Uint8Array(8))): RecentSet {
  const print: Print = { low: 0, high: 0 };
  const hash = createKeyedHash(key);
  let young = createGeneration();
  let old = createGeneration();
  return {
    has(value) {
      hash(value, print);
      return young.has(print) || old.has(print);
    },
    add(value) {
      hash(value, print);
      if (!young.add(print)) return false;
      const isNew = !old.has(print);
      if (young.count() >= size) {
        old = young;
        young = createGeneration();
      }
      return isNew;
    },
  };
}

interface Generation {
  has(print: Print): boolean;
  /** @returns Whether it was not there. */
  add(print: Print): boolean;
  count(): number;
}

/** Open addressing, never more than half full. */
function createGeneration(): Generation {
  let mask = LEAST_SLOTS - 1;
  let table = new Int32Array(2 * LEAST_SLOTS);
  let count = 0;

  /** Where the print stands, or the empty slot where it would. Zero and zero is empty: no print is. */
  const slotOf = (low: number, high: number): number => {
    let slot = low & mask;
    for (;;) {
      const at = 2 * slot;
      if ((table[at] === low && table[at + 1] === high) || (table[at] === 0 && table[at + 1] === 0)) return at;
      slot = (slot + 1) & mask;
    }
  };
  const isEmpty = (at: number): boolean => table[at] === 0 && table[at + 1] === 0;

  const grow = (): void => {
    const full = table;
    table = new Int32Array(2 * full.length);
    mask = full.length - 1;
    for (let at = 0; at < full.length; at += 2) {
      const [low, high] = [full[at] as number, full[at + 1] as number];
      if (low === 0 && high === 0) continue;
      const to = slotOf(low, high);
      table[to] = low;
      table[to + 1] = high;
    }
  };

  return {
    has: ({ low, high }) => !isEmpty(slotOf(low, high)),
    add({ low, high }) {
      const at = slotOf(low, high);
      if (!isEmpty(at)) return false;
      table[at] = low;
      table[at + 1] = high;
      count += 1;
      if (2 * count > mask + 1) grow();
      return true;
    },
    count: () => count,
  };
}
