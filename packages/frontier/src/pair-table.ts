// Pairs of 32-bit words in an array with open addressing: a slot is two words, and the pair (0, 0) marks an empty slot.
// The home slot of a pair is its low word scaled to the size of the table. So homes keep their order when a table
// grows, and growing reads and writes memory sequentially. The words come from keyed hashes, so no site can aim at one
// slot.

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
