// Pages with nearly the same text are recognised. If this breaks, a page is called a copy although it is not.

import { describe, expect, it } from 'vitest';
import { MAX_NEAR_PAGES } from './limits.js';
import { areNear, NearDuplicates, parseSimhash, simhashOf, simhashText } from './near-duplicates.js';

/** A word of letters, always the same for the same number. */
const word = (at: number): string =>
  at.toString(26).replace(/./g, (digit) => 'abcdefghijklmnopqrstuvwxyz'[Number.parseInt(digit, 26)] ?? '');
const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `o${word(7_919 * (from + at))}`);
const page = (...parts: readonly (readonly string[])[]) => Buffer.from(`<p>${parts.flat().join(' ')}</p>`);
const hash = (...parts: readonly (readonly string[])[]) => {
  const found = simhashOf(page(...parts));
  if (found === null) throw new Error('too few words');
  return found;
};

describe('the simhash of a page', () => {
  const text = words(0, 600);
  it.each<[string, readonly string[], boolean]>([
    ['itself', text, true],
    ['a copy with another word', text.with(300, 'another'), true],
    ['a copy with a sentence more', [...text, ...words(9_000, 4)], true],
    ['a copy with numbers and a date', [...text.slice(0, 300), '17', 'March', '2026', ...text.slice(300)], true],
    ['a text of which a third is new', [...text.slice(0, 400), ...words(5_000, 200)], false],
    ['another text', words(20_000, 600), false],
    ['the same words in another order', text.toReversed(), false],
  ])('tells whether it is near to %s', (_, other, isNear) => {
    expect(areNear(hash(text), hash(other))).toBe(isNear);
  });

  it('is null for a few words, and is read back from its text', () => {
    expect(simhashOf(page(words(0, 15)))).toBeNull();
    expect(simhashOf(new Uint8Array())).toBeNull();
    expect(parseSimhash(simhashText(hash(text)))).toEqual(hash(text));
    for (const none of [undefined, '', 'g'.repeat(16), 7]) expect(parseSimhash(none)).toBeNull();
  });
});

describe('the pages of a crawl', () => {
  const [one, two] = [words(0, 300), words(40_000, 300)];

  it('are in the group of the first one, and a page that is visited again joins none', () => {
    const near = new NearDuplicates();
    const found = [
      ['/a', page(one)],
      ['/b', page(two)],
      ['/a2', page(one, words(700_000, 1))],
      ['/a3', page(one)],
      ['/a', page(one)],
    ].map(([url, html]) => near.compare(String(url), html as Buffer)?.similarTo);
    expect(found).toEqual([null, null, '/a', '/a', null]);
    near.count('/a');
    near.count('/a');
    expect(near.report()).toEqual({ pages: 2, groups: [{ url: '/a', pages: 2 }] });
  });

  it('are restored from the log, whatever the log holds', () => {
    const near = new NearDuplicates();
    near.restore({ url: '/a', simhash: simhashText(hash(one)) });
    near.restore({ url: '/a2', simhash: simhashText(hash(one)), similarTo: '/a' });
    near.restore({ url: '/odd', simhash: 'no hash' });
    near.restore({ url: '/none' });
    expect(near.compare('/a3', page(one))?.similarTo).toBe('/a');
    expect(near.report().pages).toBe(1);
  });

  it('have the text of their last visit, and none when they are gone, have moved or must not be kept', () => {
    const near = new NearDuplicates();
    const similarTo = (url: string, text: readonly string[], isKept = true) =>
      near.compare(url, page(text), isKept)?.similarTo;
    similarTo('/a', one);
    expect(similarTo('/a', two)).toBeNull();
    expect(similarTo('/b', one)).toBeNull();
    expect(similarTo('/a2', two)).toBe('/a');
    near.decided('/a', { status: 'fetched', reason: 'redirect', httpStatus: 301 });
    expect(similarTo('/a3', two)).toBeNull();
    expect(similarTo('/b', one, false)).toBeNull();
    expect(similarTo('/b2', one)).toBeNull();
    for (const left of [
      { status: 'excluded' },
      { status: 'failed', httpStatus: 404 },
      { reason: 'status-410', httpStatus: 410 },
    ]) {
      const restored = new NearDuplicates();
      restored.restore({ url: '/a', simhash: simhashText(hash(one)), status: 'fetched', httpStatus: 200 });
      restored.restore({ url: '/a', ...left });
      expect(restored.compare('/b', page(one))?.similarTo).toBeNull();
    }
  });

  it('are bounded: the older half is forgotten, and pages that share a block cost only a few steps', () => {
    const near = new NearDuplicates();
    expect(near.compare('/a', page(one))?.similarTo).toBeNull();
    // All of these share two blocks.
    for (let at = 0; at < 2 * MAX_NEAR_PAGES; at += 1) {
      const digits = (Math.imul(at, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
      near.restore({ url: `/${at}`, simhash: `0000${digits}0000` });
    }
    expect(near.compare('/a2', page(one))?.similarTo).toBeNull();
    expect(near.compare('/a3', page(one))?.similarTo).toBe('/a2');
  });
});
