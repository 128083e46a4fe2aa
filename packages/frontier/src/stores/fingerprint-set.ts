// An exact set of 8-byte fingerprints, 10 to 12.5 bytes each.
//
// It has 256 tables of (high, low) pairs, chosen by the first byte. A table grows by a quarter when it is four fifths
// full, so few slots are empty (a doubling table is half empty on average). The tables are small, so no single add
// takes long. Fingerprints are keyed hashes, so no site can aim at one table.

import { isTaken, put, resized, slotOf } from '../recent-set.js';

const TABLES = 256;
const INITIAL_SLOTS = 16;
const GROWTH = 1.25;
/** The filled share at which a table grows. */
const MAX_FILL = 0.8;
/** By how many square roots of the mean the fullest table exceeds the mean. */
const SPREAD = 3;
/** Pairs gathered per table when many are added, 32 MB in all at most: more would not fit into the cache. */
const MAX_GATHERED_PAIRS = 16_384;
const MIN_GATHERED_PAIRS = 256;

export class FingerprintSet {
  readonly #tables: Uint32Array[] = Array.from({ length: TABLES }, () => new Uint32Array(2 * INITIAL_SLOTS));
  readonly #sizes = new Uint32Array(TABLES);
  /** The pair (0, 0) marks an empty slot. This field says whether the set contains that fingerprint. */
  #hasZero = false;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#tables.reduce((sum, table) => sum + table.byteLength, this.#sizes.byteLength);
  }

  /** @throws Never. */
  has(fingerprint: Uint8Array): boolean {
    const high = wordAt(fingerprint, 0);
    const low = wordAt(fingerprint, 4);
    if ((high | low) === 0) return this.#hasZero;
    const table = this.#tables[high >>> 24]!;
    return isTaken(table, slotOf(table, high, low));
  }

  /** Adds the fingerprint; `false` if it was there already. @throws Never. */
  add(fingerprint: Uint8Array): boolean {
    return this.#put(wordAt(fingerprint, 0), wordAt(fingerprint, 4));
  }

  /**
   * Adds `count` fingerprints in half the time of adding them one by one: it gathers them by table, so that each table
   * is in the processor's cache while its share is added.
   */
  load(chunks: Iterable<Uint8Array>, count: number): void {
    this.#reserve(count);
    const pairs = Math.min(MAX_GATHERED_PAIRS, Math.max(MIN_GATHERED_PAIRS, Math.ceil((1.1 * count) / TABLES)));
    const pairsByTable = Array.from({ length: TABLES }, () => new Uint32Array(2 * pairs));
    const filled = new Uint32Array(TABLES);
    for (const bytes of chunks) {
      for (let at = 0; at < bytes.length; at += 8) {
        const index = bytes[at]!;
        const words = pairsByTable[index]!;
        const to = filled[index]!;
        words[to] = wordAt(bytes, at);
        words[to + 1] = wordAt(bytes, at + 4);
        filled[index] = to + 2;
        if (to + 2 < words.length) continue;
        this.#putAll(index, words);
        filled[index] = 0;
      }
    }
    for (const [index, words] of pairsByTable.entries()) this.#putAll(index, words.subarray(0, filled[index]!));
  }

  /** The fingerprints of one of 256 parts. Each fingerprint is in exactly one part. */
  part(number: number): Uint8Array[] {
    const words = this.#tables[number] ?? new Uint32Array(0);
    const found: Uint8Array[] = number === 0 && this.#hasZero ? [new Uint8Array(8)] : [];
    for (let slot = 0; slot < words.length; slot += 2) {
      if ((words[slot]! | words[slot + 1]!) === 0) continue;
      const fingerprint = new Uint8Array(8);
      const view = new DataView(fingerprint.buffer);
      view.setUint32(0, words[slot]!);
      view.setUint32(4, words[slot + 1]!);
      found.push(fingerprint);
    }
    return found;
  }

  /** Grows for `count` more at once. Table sizes differ by a few square roots of their mean. */
  #reserve(count: number): void {
    const perTable = (this.#size + count) / TABLES;
    const slots = Math.ceil((perTable + SPREAD * Math.sqrt(perTable)) / MAX_FILL);
    for (const [index, table] of this.#tables.entries()) {
      if (table.length < 2 * slots) this.#tables[index] = resized(table, slots);
    }
  }

  /** The two big-endian words of a fingerprint. */
  #put(high: number, low: number): boolean {
    if ((high | low) === 0) {
      if (this.#hasZero) return false;
      this.#hasZero = true;
      this.#size += 1;
      return true;
    }
    const index = high >>> 24;
    const table = this.#tables[index]!;
    if (!put(table, high, low)) return false;
    const size = this.#sizes[index]! + 1;
    this.#sizes[index] = size;
    this.#size += 1;
    if (2 * size > MAX_FILL * table.length)
      this.#tables[index] = resized(table, Math.ceil((table.length / 2) * GROWTH));
    return true;
  }

  /** Like `#put`, for many pairs of one table. The table grows first, so that the loop does not have to. */
  #putAll(index: number, pairs: Uint32Array): void {
    const size = this.#sizes[index]! + pairs.length / 2;
    if (2 * size > MAX_FILL * this.#tables[index]!.length) {
      this.#tables[index] = resized(this.#tables[index]!, Math.ceil((size * GROWTH) / MAX_FILL));
    }
    const table = this.#tables[index]!;
    let added = 0;
    for (let at = 0; at < pairs.length; at += 2) {
      const high = pairs[at]!;
      const low = pairs[at + 1]!;
      if ((high | low) === 0) this.#put(high, low);
      else if (put(table, high, low)) added += 1;
    }
    this.#sizes[index]! += added;
    this.#size += added;
  }
}

function wordAt(fingerprint: Uint8Array, at: number): number {
  return (
    ((fingerprint[at]! << 24) | (fingerprint[at + 1]! << 16) | (fingerprint[at + 2]! << 8) | fingerprint[at + 3]!) >>> 0
  );
}
