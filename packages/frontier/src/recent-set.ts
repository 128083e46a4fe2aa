// A bounded memory of strings: exact for what it holds, forgetting the oldest half at a time.
// Two generations instead of an order list: no cost per look-up beyond the set's own.

/** What was seen lately. */
export interface RecentSet {
  /** Whether the string is remembered. */
  has(value: string): boolean;
  /** Remembers it. @returns `true` when it was not remembered before. */
  add(value: string): boolean;
  /** Forgets it. */
  delete(value: string): void;
}

/**
 * @param size - Strings per generation: between `size` and twice as many are remembered. ≥ 1
 * @throws Never.
 */
export function createRecentSet(size: number): RecentSet {
  let young = new Set<string>();
  let old = new Set<string>();
  const has = (value: string) => young.has(value) || old.has(value);
  return {
    has,
    add(value) {
      const isNew = !has(value);
      // One that is met again moves to the young, so that what is met often stays.
      young.add(value);
      if (young.size >= size) {
        old = young;
        young = new Set();
      }
      return isNew;
    },
    delete(value) {
      young.delete(value);
      old.delete(value);
    },
  };
}
