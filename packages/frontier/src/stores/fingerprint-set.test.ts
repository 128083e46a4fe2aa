// Known URLs are not fetched again: if a fingerprint is lost, a page is fetched twice; if one is invented, a page is
// never fetched.

import { describe, expect, it } from 'vitest';
import { FingerprintSet } from './fingerprint-set.js';

/** A seeded source of 32-bit words (xorshift). */
function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

function fingerprintOf(high: number, low: number): Uint8Array {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setUint32(0, high);
  new DataView(fingerprint.buffer).setUint32(4, low);
  return fingerprint;
}

describe('the fingerprint set', () => {
  it('agrees with a plain set, including clusters and wrap-around', () => {
    const next = randomWords(20_261_120);
    const set = new FingerprintSet();
    const plain = new Set<string>();
    const wrong: string[] = [];
    for (let n = 0; n < 12_000; n += 1) {
      // A third of all low words fall at the end of a table, so that probes wrap.
      const high = next() % 4_096;
      const low = n % 3 === 0 ? 0xffffffff - (next() % 8) : next();
      const key = `${high} ${low}`;
      if (set.add(fingerprintOf(high, low)) === plain.has(key)) wrong.push(key);
      plain.add(key);
    }
    expect(set.size).toBe(plain.size);
    for (let n = 0; n < 20_000; n += 1) {
      const [high, low] = [next() % 4_096, next()];
      if (set.has(fingerprintOf(high, low)) !== plain.has(`${high} ${low}`)) wrong.push(`${high} ${low}`);
    }
    for (const key of plain) {
      const [high = 0, low = 0] = key.split(' ').map(Number);
      if (!set.has(fingerprintOf(high, low))) wrong.push(key);
    }
    expect(wrong).toEqual([]);
    const parts = Array.from({ length: 256 }, (_, part) => set.part(part)).flat();
    const keys = parts
      .map(({ buffer }) => new DataView(buffer))
      .map((view) => `${view.getUint32(0)} ${view.getUint32(4)}`);
    expect(new Set(keys)).toEqual(plain);
  });

  it.each([
    [0, 0],
    [0, 1],
    [1, 0],
    [0xffffffff, 0xffffffff],
    [0x80000000, 0],
    [0, 0x80000000],
  ])('holds the pair %d, %d and not its neighbours', (high, low) => {
    const set = new FingerprintSet();
    expect(set.has(fingerprintOf(high, low))).toBe(false);
    expect(set.add(fingerprintOf(high, low))).toBe(true);
    expect(set.add(fingerprintOf(high, low))).toBe(false);
    expect(set.has(fingerprintOf(high, low))).toBe(true);
    expect(set.has(fingerprintOf(high, (low ^ 2) >>> 0))).toBe(false);
    expect(set.size).toBe(1);
  });

  it('holds the same when many are loaded at once, and takes no more space then', () => {
    const next = randomWords(11);
    const set = new FingerprintSet();
    const pairs = Array.from({ length: 100_000 }, () => [next(), next()] as const);
    for (const [high, low] of pairs.slice(0, 10_000)) set.add(fingerprintOf(high, low));
    set.load(
      pairs.slice(5_000).map(([high, low]) => fingerprintOf(high, low)),
      95_000,
    );
    expect(set.size).toBe(100_000);
    expect(set.bytes / set.size).toBeLessThanOrEqual(14);
    expect(pairs.filter(([high, low]) => !set.has(fingerprintOf(high, low)))).toEqual([]);
    expect(pairs.some(([high, low]) => set.add(fingerprintOf(high, low)))).toBe(false);
  });

  it('holds what is loaded at once, including (0, 0) and what it held before', () => {
    const next = randomWords(13);
    const set = new FingerprintSet();
    const bytes = new Uint8Array(8 * 700_000);
    const view = new DataView(bytes.buffer);
    // The first is (0, 0); many share their first byte, so that its table is grown more than once.
    for (let at = 8; at < bytes.length; at += 8) {
      view.setUint32(at, at % 16 === 0 ? next() : next() % 0x0100_0000);
      view.setUint32(at + 4, next());
    }
    set.add(bytes.subarray(8_000, 8_008));
    set.load([bytes.subarray(0, 800), bytes.subarray(800)], 700_000);
    const plain = new Set<string>();
    const missing: number[] = [];
    for (let at = 0; at < bytes.length; at += 8) {
      plain.add(`${view.getUint32(at)} ${view.getUint32(at + 4)}`);
      if (!set.has(bytes.subarray(at, at + 8))) missing.push(at);
    }
    expect(missing).toEqual([]);
    expect(set.size).toBe(plain.size);
  });

  it('needs at most 14 bytes per fingerprint at every size', () => {
    const next = randomWords(7);
    const set = new FingerprintSet();
    for (let n = 1; n <= 400_000; n += 1) {
      set.add(fingerprintOf(next(), next()));
      if (n >= 50_000 && n % 10_000 === 0) expect(set.bytes / set.size).toBeLessThanOrEqual(14);
    }
  });
});
