// Finds pages whose text is nearly the same as another page's. The text becomes 64 bits, most of which stay the same
// when a few words change (Charikar 2002): every three consecutive words vote on each bit. Pages within three bits
// agree in one of four blocks of 16 bits (Manku, Jain, Das Sarma 2007), so a page is compared with a bounded number of
// pages that share a block with it. The first page of a group represents it, while the crawl keeps it with that text.
// When one half is full, the older half is forgotten.

import {
  MAX_NEAR_CHAIN,
  MAX_NEAR_PAGES,
  MAX_REPORTED_GROUPS,
  MAX_SIMHASH_DISTANCE,
  MIN_SIMHASH_WORDS,
} from './limits.js';
import { readWords } from './page-fingerprint.js';

export interface NearDuplicate {
  /** 16 hex digits. */
  readonly simhash: string;
  /** The first page with nearly the same text; `null`: none is known. */
  readonly similarTo: string | null;
}

/** What counts of a page's decision. */
interface Decided {
  readonly status?: string;
  readonly reason?: string;
  readonly httpStatus?: number | null;
}

const BLOCKS = 4;
const BLOCK_VALUES = 0x10000;
const MAX_GENERATION_PAGES = MAX_NEAR_PAGES / 2;

export class NearDuplicates {
  #newer = new Generation();
  #older: Generation | null = null;
  #pages = 0;
  readonly #groups = new Map<string, number>();

  /** Compares a page with earlier ones. @returns `null` if it has too few words. */
  compare(url: string, html: Uint8Array, isKept = true): NearDuplicate | null {
    const simhash = simhashOf(html);
    return simhash === null
      ? null
      : { simhash: simhashText(simhash), similarTo: this.#similarTo(url, simhash, isKept) };
  }

  /** A page is decided. One that is gone, has moved or must not be kept no longer represents its group. */
  decided(url: string, { status, reason, httpStatus }: Decided): void {
    if (status === 'excluded' || reason === 'redirect' || httpStatus === 404 || httpStatus === 410) this.#forget(url);
  }

  /** Counts a decided page that is nearly the same as another. */
  count(similarTo: string): void {
    this.#pages += 1;
    const known = this.#groups.get(similarTo);
    if (known !== undefined || this.#groups.size < MAX_NEAR_PAGES) this.#groups.set(similarTo, (known ?? 0) + 1);
  }

  /** Restores what an earlier run logged about a page. */
  restore({ url, simhash, similarTo, ...decision }: { readonly url: string } & Decided & Partial<NearDuplicate>): void {
    const parsed = parseSimhash(simhash);
    if (similarTo != null) {
      this.count(similarTo);
      this.#forget(url);
    } else if (parsed !== null) this.#similarTo(url, parsed, true);
    this.decided(url, decision);
  }

  /** How many visits found a page nearly the same as another, and the largest groups of them. */
  report(): { readonly pages: number; readonly groups: { readonly url: string; readonly pages: number }[] } {
    const groups = Array.from(this.#groups, ([url, pages]) => ({ url, pages }));
    return { pages: this.#pages, groups: groups.sort((a, b) => b.pages - a.pages).slice(0, MAX_REPORTED_GROUPS) };
  }

  #similarTo(url: string, simhash: Simhash, isKept: boolean): string | null {
    const found = this.#newer.find(simhash) ?? this.#older?.find(simhash) ?? null;
    // The same page, visited again.
    if (found === url && isKept) return null;
    this.#forget(url);
    if (found === url) return null;
    if (found !== null || !isKept) return found;
    if (this.#newer.size === MAX_GENERATION_PAGES) {
      this.#older = this.#newer;
      this.#newer = new Generation();
    }
    this.#newer.add(url, simhash);
    return null;
  }

  #forget(url: string): void {
    this.#newer.forget(url);
    this.#older?.forget(url);
  }
}

/** Pages in order of arrival, and for each value of a block the last page that has it. */
class Generation {
  size = 0;
  readonly #urls: string[] = [];
  /** The index of the text that a page has now. Its earlier texts, and those of pages that are gone, do not count. */
  readonly #current = new Map<string, number>();
  readonly #low = new Uint32Array(MAX_GENERATION_PAGES);
  readonly #high = new Uint32Array(MAX_GENERATION_PAGES);
  /** One more than the index of a page; 0: none. */
  readonly #heads = new Uint32Array(BLOCKS * BLOCK_VALUES);
  readonly #next = new Uint32Array(BLOCKS * MAX_GENERATION_PAGES);

  find(simhash: Simhash): string | null {
    for (let block = 0; block < BLOCKS; block += 1) {
      let at = this.#heads[headOf(simhash, block)] ?? 0;
      for (let steps = 0; at !== 0 && steps < MAX_NEAR_CHAIN; steps += 1) {
        const other = { low: this.#low[at - 1] ?? 0, high: this.#high[at - 1] ?? 0 };
        if (areNear(simhash, other) && this.#isCurrent(at - 1)) return this.#urls[at - 1] ?? null;
        at = this.#next[block * MAX_GENERATION_PAGES + at - 1] ?? 0;
      }
    }
    return null;
  }

  #isCurrent(index: number): boolean {
    return this.#current.get(this.#urls[index] ?? '') === index;
  }

  forget(url: string): void {
    this.#current.delete(url);
  }

  add(url: string, simhash: Simhash): void {
    const at = this.size;
    this.#urls.push(url);
    this.#current.set(url, at);
    this.#low[at] = simhash.low;
    this.#high[at] = simhash.high;
    this.size += 1;
    for (let block = 0; block < BLOCKS; block += 1) {
      const head = headOf(simhash, block);
      this.#next[block * MAX_GENERATION_PAGES + at] = this.#heads[head] ?? 0;
      this.#heads[head] = this.size;
    }
  }
}

function headOf({ low, high }: Simhash, block: number): number {
  const half = block < 2 ? low : high;
  return block * BLOCK_VALUES + ((block & 1) === 0 ? half & 0xffff : half >>> 16);
}

/** 64 bits, as two whole numbers below 2^32. */
interface Simhash {
  readonly low: number;
  readonly high: number;
}

/** The simhash of a page; `null`: it has too few words. Linear in its bytes. Never throws. */
export function simhashOf(page: Uint8Array): Simhash | null {
  const votes = new Int32Array(64);
  let words = 0;
  let previous = 0;
  let last = 0;
  readWords(page, (hash) => {
    const trigram = Math.imul(Math.imul(previous, 0x01000193) ^ last, 0x01000193) ^ hash;
    words += 1;
    previous = last;
    last = hash;
    if (words < 3) return;
    vote(votes, mixHash(trigram, 0x9e3779b9), 0);
    vote(votes, mixHash(trigram, 0x7f4a7c15), 32);
  });
  return words < MIN_SIMHASH_WORDS ? null : { low: majorityBits(votes, 0), high: majorityBits(votes, 32) };
}

function vote(votes: Int32Array, hash: number, from: number): void {
  for (let bit = 0; bit < 32; bit += 1) {
    votes[from + bit] = (votes[from + bit] ?? 0) + ((hash >>> bit) & 1) * 2 - 1;
  }
}

function majorityBits(votes: Int32Array, from: number): number {
  let half = 0;
  for (let bit = 0; bit < 32; bit += 1) if ((votes[from + bit] ?? 0) > 0) half |= 1 << bit;
  return half >>> 0;
}

export function areNear(one: Simhash, other: Simhash): boolean {
  return countBits(one.low ^ other.low) + countBits(one.high ^ other.high) <= MAX_SIMHASH_DISTANCE;
}

/** As 16 hex digits. */
export function simhashText({ low, high }: Simhash): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

export function parseSimhash(text: unknown): Simhash | null {
  if (typeof text !== 'string' || !/^[0-9a-f]{16}$/.test(text)) return null;
  return { high: Number.parseInt(text.slice(0, 8), 16), low: Number.parseInt(text.slice(8), 16) };
}

/** Every bit of the result depends on every input bit (the finalizer of MurmurHash3). */
function mixHash(hash: number, seed: number): number {
  let at = hash ^ seed;
  at = Math.imul(at ^ (at >>> 16), 0x85ebca6b);
  at = Math.imul(at ^ (at >>> 13), 0xc2b2ae35);
  return at ^ (at >>> 16);
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
