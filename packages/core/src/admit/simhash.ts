// The text of a page as 64 bits of which most stay when a few words change (Charikar 2002): each three words in a row
// vote on every bit. Words are those of page-likeness.ts, so numbers, dates and URLs in the text do not count.

import { LEAST_SIMHASH_WORDS, MAX_SIMHASH_DISTANCE } from './limits.js';
import { readWords, type Words } from './page-likeness.js';

/** 64 bits, as two whole numbers below 2^32. */
export interface Simhash {
  readonly low: number;
  readonly high: number;
}

/** The simhash of a page; `null`: it has too few words. Linear in its bytes. Never throws. */
export function simhashOf(page: Uint8Array): Simhash | null {
  const votes = new Votes();
  readWords(page, votes);
  return votes.words < LEAST_SIMHASH_WORDS ? null : votes.result();
}

/** Whether two pages say nearly the same. */
export function areNear(one: Simhash, other: Simhash): boolean {
  return bitsIn(one.low ^ other.low) + bitsIn(one.high ^ other.high) <= MAX_SIMHASH_DISTANCE;
}

/** As 16 hex digits. */
export function simhashText({ low, high }: Simhash): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

export function parseSimhash(text: unknown): Simhash | null {
  if (typeof text !== 'string' || !/^[0-9a-f]{16}$/.test(text)) return null;
  return { high: Number.parseInt(text.slice(0, 8), 16), low: Number.parseInt(text.slice(8), 16) };
}

class Votes implements Words {
  words = 0;
  readonly #bits = new Int32Array(64);
  #before = 0;
  #last = 0;

  add(hash: number): void {
    this.words += 1;
    const three = Math.imul(Math.imul(this.#before, 0x01000193) ^ this.#last, 0x01000193) ^ hash;
    this.#before = this.#last;
    this.#last = hash;
    if (this.words < 3) return;
    this.#vote(mixed(three, 0x9e3779b9), 0);
    this.#vote(mixed(three, 0x7f4a7c15), 32);
  }

  result(): Simhash {
    return { low: this.#half(0), high: this.#half(32) };
  }

  #vote(hash: number, from: number): void {
    for (let bit = 0; bit < 32; bit += 1) {
      this.#bits[from + bit] = (this.#bits[from + bit] ?? 0) + ((hash >>> bit) & 1) * 2 - 1;
    }
  }

  #half(from: number): number {
    let half = 0;
    for (let bit = 0; bit < 32; bit += 1) if ((this.#bits[from + bit] ?? 0) > 0) half |= 1 << bit;
    return half >>> 0;
  }
}

/** Every bit of the result depends on every bit given (the finalizer of MurmurHash3). */
function mixed(hash: number, seed: number): number {
  let at = hash ^ seed;
  at = Math.imul(at ^ (at >>> 16), 0x85ebca6b);
  at = Math.imul(at ^ (at >>> 13), 0xc2b2ae35);
  return at ^ (at >>> 16);
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
