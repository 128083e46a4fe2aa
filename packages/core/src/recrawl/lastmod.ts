// What a sitemap's `lastmod` or a feed's date says, and what is kept of it: six bytes of the URL's hash and four of the
// time. A day lasts a day, a time a minute; years and months alone are too imprecise.

import { createHash } from 'node:crypto';
import {
  DAY_MS,
  MAX_FUTURE_LASTMOD_MS,
  MAX_USELESS_LASTMOD_SHARE,
  MIN_COMPARED_LASTMODS,
  MOVED_READS,
} from './limits.js';

/** When a page changed last, by a claim: at or after `fromMs`, and before `toMs`. Epoch milliseconds. */
export interface Lastmod {
  readonly fromMs: number;
  readonly toMs: number;
  /** When that was read, or a 304 confirmed it. Later changes are not covered. */
  readonly readAtMs: number;
}

const MINUTE_MS = 60_000;
const ENTRY_BYTES = 10;
const HASH_BYTES = 6;
/** Set if only the day is known. Minutes need 31 bits until the year 6053. */
const IS_DAY = 0x8000_0000;
const FILE_FACTOR = 2 ** 32;
/** Before the entries: how many times in a row most of them have moved, and the value that most of them share. */
const HEAD_BYTES = 5;

/** A date in its stored form; 0: unusable. */
function pack(text: string | null): number {
  const isDay = text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (text === null || !(isDay || /\d:\d\d/.test(text))) return 0;
  // Without a zone, a time would be in this machine's zone.
  const ms = Date.parse(/\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text);
  if (!(ms > 0) || ms >= IS_DAY * MINUTE_MS) return 0;
  return Math.floor(ms / MINUTE_MS) + (isDay ? IS_DAY : 0);
}

function unpack(value: number): Pick<Lastmod, 'fromMs' | 'toMs'> {
  const fromMs = (value % IS_DAY) * MINUTE_MS;
  return { fromMs, toMs: fromMs + (value >= IS_DAY ? DAY_MS : MINUTE_MS) };
}

/** Why most dates of a file are unusable. */
export type UselessLastmod = 'equal' | 'future' | 'moving';

/** The dates of one sitemap or feed while it is read. */
export class LastmodReader {
  readonly #digest = createHash('sha256');
  readonly #values = new Map<number, number>();
  #urls = 0;

  add(url: string, lastmod: string | null): void {
    this.#urls += 1;
    this.#digest.update(`${url}\n${lastmod ?? ''}\n`);
    const value = pack(lastmod);
    if (value > 0) this.#values.set(hashOf(url), value);
  }

  /** @param previous - What was kept of the last reading; `null`: nothing. */
  end(
    previous: Uint8Array | null,
    nowMs: number,
  ): { readonly digest: string; readonly encoded: Uint8Array; readonly useless: UselessLastmod | null } {
    const values = [...this.#values.values()];
    const isMajority = (count: number, of: number): boolean =>
      of >= MIN_COMPARED_LASTMODS && count > MAX_USELESS_LASTMOD_SHARE * of;
    const [mostCommon, count] = mostFrequent(values);
    const future = values.filter((value) => isFuture(value, nowMs)).length;
    const known = previous === null ? [] : [...entriesOf(previous)].filter(([hash]) => this.#values.has(hash));
    const moved = known.filter(([hash, value]) => this.#values.get(hash) !== value).length;
    const moves = isMajority(moved, known.length) ? Math.min(MOVED_READS, (previous?.[0] ?? 0) + 1) : 0;
    const isEqual = isMajority(count, this.#urls);
    const encoded = Buffer.alloc(HEAD_BYTES + ENTRY_BYTES * this.#values.size);
    encoded[0] = moves;
    encoded.writeUInt32BE(isEqual ? mostCommon : 0, 1);
    let at = HEAD_BYTES;
    for (const [hash, value] of this.#values) {
      encoded.writeUIntBE(hash, at, HASH_BYTES);
      at = encoded.writeUInt32BE(value, at + HASH_BYTES);
    }
    const isMoving = moves >= MOVED_READS;
    const useless = isEqual ? 'equal' : isMajority(future, this.#urls) ? 'future' : isMoving ? 'moving' : null;
    return { digest: this.#digest.digest('base64url'), encoded, useless };
  }
}

/** The dates of many files by URL, in little memory. Unusable dates are left out. */
export class Lastmods {
  /** By the hash of the URL: the date, plus `FILE_FACTOR` times the index of its file in `#readAtMs`. */
  readonly #values = new Map<number, number>();
  readonly #readAtMs: number[] = [];
  readonly #max: number;

  /** @param max - The most URLs whose dates are kept; the first ones stay. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Of several dates of a URL the latest counts. Invalid bytes add nothing. */
  addAll(encoded: Uint8Array, nowMs: number, readAtMs: number): void {
    if (encoded.length < HEAD_BYTES || (encoded[0] ?? 0) >= MOVED_READS) return;
    const mostCommon = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length).readUInt32BE(1);
    const file = this.#readAtMs.push(readAtMs) - 1;
    for (const [hash, value] of entriesOf(encoded)) {
      if (value === mostCommon || isFuture(value, nowMs)) continue;
      const earlier = this.#values.get(hash);
      if (earlier === undefined ? this.#values.size < this.#max : value % IS_DAY >= earlier % IS_DAY)
        this.#values.set(hash, value + FILE_FACTOR * file);
    }
  }

  /** `null`: there is no usable date. */
  of(url: string): Lastmod | null {
    const value = this.#values.size === 0 ? undefined : this.#values.get(hashOf(url));
    if (value === undefined) return null;
    return { ...unpack(value % FILE_FACTOR), readAtMs: this.#readAtMs[Math.floor(value / FILE_FACTOR)] ?? 0 };
  }
}

function* entriesOf(encoded: Uint8Array): Generator<readonly [hash: number, value: number]> {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length);
  for (let at = HEAD_BYTES; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES)
    yield [bytes.readUIntBE(at, HASH_BYTES), bytes.readUInt32BE(at + HASH_BYTES)];
}

function isFuture(value: number, nowMs: number): boolean {
  return unpack(value).fromMs > nowMs + MAX_FUTURE_LASTMOD_MS;
}

function hashOf(url: string): number {
  return createHash('sha256').update(url).digest().readUIntBE(0, HASH_BYTES);
}

function mostFrequent(values: readonly number[]): readonly [value: number, count: number] {
  const counts = new Map<number, number>();
  let [mostCommon, max] = [0, 0];
  for (const value of values) {
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    if (count > max) [mostCommon, max] = [value, count];
  }
  return [mostCommon, max];
}
