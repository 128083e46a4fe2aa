// At stake: a URL that is taken for another is never visited; one that is forgotten too soon is reported twice.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createKeyedHash, createRecentSet, type HashPair } from './recent-set.js';

const KEY = Uint8Array.from({ length: 8 }, (_, at) => at);

/** Two sets of the strings themselves, as a model. */
function model(size: number) {
  let young = new Set<string>();
  let old = new Set<string>();
  const has = (value: string) => young.has(value) || old.has(value);
  return {
    has,
    add(value: string) {
      const isNew = !has(value);
      young.add(value);
      if (young.size >= size) {
        old = young;
        young = new Set();
      }
      return isNew;
    },
  };
}

it('answers as a set of strings would, whatever the strings', () => {
  const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.nat(40).map(String), fc.constant(''));
  const step = fc.tuple(fc.boolean(), value);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (size, steps) => {
      const [real, expected] = [createRecentSet(size, KEY), model(size)];
      for (const [adds, text] of steps) {
        if (adds) expect(real.add(text)).toBe(expected.add(text));
        else expect(real.has(text)).toBe(expected.has(text));
      }
    }),
    { numRuns: 300, seed: 7 },
  );
});

it('remembers as many as it says, of a hundred thousand URLs that look alike', () => {
  const size = 40_000;
  const recent = createRecentSet(size);
  const url = (at: number) => `https://example.org/catalogue/page-${at}.html?sort=name`;
  const numbers = Array.from({ length: 100_000 }, (_, at) => at);
  expect(numbers.filter((at) => !recent.add(url(at)))).toEqual([]);
  // The last 20,000 are in the young set, the 40,000 before them in the old one.
  expect(numbers.filter((at) => recent.has(url(at)) !== at >= 40_000)).toEqual([]);
});

it('distinguishes strings by every code unit and by length, and differently under another key', () => {
  const printOf = (value: string, key = KEY) => {
    const print: HashPair = { low: 0, high: 0 };
    createKeyedHash(key)(value, print);
    return `${print.low} ${print.high}`;
  };
  const values = ['', '\0', '\0\0', 'a', 'a\0', '\0a', 'aa', 'ab', 'ba', 'aaa', 'ā', 'a\u0100', '\u{1f600}'];
  expect(new Set(values.map((value) => printOf(value))).size).toBe(values.length);
  expect(
    printOf(
      'a',
      KEY.map((byte) => byte + 1),
    ),
  ).not.toBe(printOf('a'));
});
