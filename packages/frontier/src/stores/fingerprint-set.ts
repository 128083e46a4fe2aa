// An exact set of 8-byte fingerprints, 10 to 12.5 bytes each.
//
// 256 tables by the first byte, each an open-addressed array of (high, low) pairs. Within a table the home of a
// fingerprint is its low word scaled to the table's size, so homes keep their order when the table grows, and growing
// reads and writes memory in sequence. A table grows by a quarter when four fifths full: the share of empty slots stays
// small (a doubling table is half empty on average), and since the tables are small, no single add ever waits long.
// Fingerprints are keyed hashes: no site can aim at one table or one slot.

const TABLES = 256;
const FIRST_SLOTS = 16;
const GROWTH = 1.25;
/** Filled share at which a table grows. */
const FULLEST = 0.8;
/** Square roots of the mean by which the fullest of the tables lies above it. */
const SPREAD = 3;

/** Fingerprints that are known. */
export class FingerprintSet {
  readonly #tables: Uint32Array[] = Array.from({ length: TABLES }, () => new Uint32Array(2 * FIRST_SLOTS));
  readonly #sizes = new Uint32Array(TABLES);
  /** The pair (0, 0) marks an empty slot; that fingerprint is kept here. */
  #hasZero = false;
  #size = 0;

  /** Number of fingerprints. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of the tables. */
  get bytes(): number {
    return this.#tables.reduce((sum, table) => sum + table.byteLength, this.#sizes.byteLength);
  }

  /** Grows for so many more at once: half the work of growing step by step. @throws Never. */
  reserve(count: number): void {
    // Tables differ by a few square roots of what they hold.
    const perTable = (this.#size + count) / TABLES;
    const slots = Math.ceil((perTable + SPREAD * Math.sqrt(perTable)) / FULLEST);
    for (const [which, table] of this.#tables.entries()) {
      if (table.length < 2 * slots) this.#tables[which] = moved(table, slots);
    }
  }

  /** @throws Never. */
  has(fingerprint: Uint8Array): boolean {
    const high = wordAt(fingerprint, 0);
    const low = wordAt(fingerprint, 4);
    if ((high | low) === 0) return this.#hasZero;
    const table = this.#tables[high >>> 24]!;
    const slot = slotOf(table, high, low);
    return table[slot] !== 0 || table[slot + 1] !== 0;
  }

  /** Adds the fingerprint; `false` when it was there. @throws Never. */
  add(fingerprint: Uint8Array): boolean {
    return this.addWords(wordAt(fingerprint, 0), wordAt(fingerprint, 4));
  }

  /** As `add`, of the two big-endian words of the fingerprint. */
  addWords(high: number, low: number): boolean {
    if ((high | low) === 0) {
      if (this.#hasZero) return false;
      this.#hasZero = true;
      this.#size += 1;
      return true;
    }
    const which = high >>> 24;
    let table = this.#tables[which]!;
    let slot = slotOf(table, high, low);
    if (table[slot] !== 0 || table[slot + 1] !== 0) return false;
    const size = this.#sizes[which]! + 1;
    if (2 * size > FULLEST * table.length) {
      table = moved(table, Math.ceil((table.length / 2) * GROWTH));
      this.#tables[which] = table;
      slot = slotOf(table, high, low);
    }
    table[slot] = high;
    table[slot + 1] = low;
    this.#sizes[which] = size;
    this.#size += 1;
    return true;
  }

  /** As `addWords`, of the pairs up to `end`, whose first bytes are all the same. */
  addWordsOf(words: Uint32Array, end: number): void {
    if (end === 0) return;
    const which = words[0]! >>> 24;
    // Grows first, so that the loop need not.
    const most = this.#sizes[which]! + end / 2;
    if (2 * most > FULLEST * this.#tables[which]!.length) {
      this.#tables[which] = moved(this.#tables[which]!, Math.ceil((most * GROWTH) / FULLEST));
    }
    const table = this.#tables[which]!;
    const length = table.length;
    // low × slots / 2^32, as in `homeOf`: a power of two changes nothing of a number but its exponent.
    const scale = length / 2 / 0x1_0000_0000;
    let added = 0;
    for (let at = 0; at < end; at += 2) {
      const high = words[at]!;
      const low = words[at + 1]!;
      if ((high | low) === 0) {
        this.addWords(0, 0);
        continue;
      }
      let slot = 2 * ((low * scale) >>> 0);
      for (;;) {
        const there = table[slot + 1]!;
        if (there === 0 && table[slot] === 0) {
          table[slot] = high;
          table[slot + 1] = low;
          added += 1;
          break;
        }
        if (there === low && table[slot] === high) break;
        slot += 2;
        if (slot === length) slot = 0;
      }
    }
    this.#sizes[which]! += added;
    this.#size += added;
  }

  /** All fingerprints as (high, low) pairs, in no particular order. */
  *words(): Generator<readonly [number, number]> {
    if (this.#hasZero) yield [0, 0];
    for (const table of this.#tables) {
      for (let slot = 0; slot < table.length; slot += 2) {
        const high = table[slot]!;
        const low = table[slot + 1]!;
        if ((high | low) !== 0) yield [high, low];
      }
    }
  }
}

/** The slot at which a fingerprint is looked for first: low × slots / 2^32; exact, the product stays below 2^53. */
function homeOf(table: Uint32Array, low: number): number {
  return 2 * Math.floor((low * (table.length >>> 1)) / 0x1_0000_0000);
}

/** Where the fingerprint is, or the empty slot where it belongs. A table always has empty slots. */
function slotOf(table: Uint32Array, high: number, low: number): number {
  const end = table.length;
  let slot = homeOf(table, low);
  for (;;) {
    const there = table[slot + 1]!;
    if (there === low && table[slot] === high) return slot;
    if (there === 0 && table[slot] === 0) return slot;
    slot += 2;
    if (slot === end) slot = 0;
  }
}

/** The same fingerprints in a table of so many slots. */
function moved(table: Uint32Array, slots: number): Uint32Array {
  const next = new Uint32Array(2 * slots);
  for (let slot = 0; slot < table.length; slot += 2) {
    const high = table[slot]!;
    const low = table[slot + 1]!;
    if ((high | low) === 0) continue;
    const to = slotOf(next, high, low);
    next[to] = high;
    next[to + 1] = low;
  }
  return next;
}

function wordAt(fingerprint: Uint8Array, at: number): number {
  return (
    ((fingerprint[at]! << 24) | (fingerprint[at + 1]! << 16) | (fingerprint[at + 2]! << 8) | fingerprint[at + 3]!) >>> 0
  );
}
