/**
 * Every vector about other lines of a file: diagnostics, sitemaps, politeness, preferences. If one breaks, the crawler
 * is faster than asked, or the operator gets a wrong diagnostic.
 */
import { describe, expect, it } from 'vitest';
import { answerOf, expectedOf, vectorsOf } from './robots-vectors.js';

const KINDS: readonly (readonly [string, number])[] = [
  ['parse', 47],
  ['dedupe-key', 5],
  ['crawl-delay', 22],
  ['request-rate', 24],
  ['rate-in-force', 20],
  ['visit-time', 22],
  ['schedule', 6],
  ['politeness', 14],
  ['content-usage', 13],
  ['content-signal', 7],
];

describe.each(KINDS)('vectors of kind %s', (kind, count) => {
  const vectors = vectorsOf(kind);

  it('are all here', () => {
    expect(vectors.length).toBe(count);
  });

  it.each(vectors)('$id ($spec)', (vector) => {
    expect(answerOf(vector)).toEqual(expectedOf(vector));
  });
});
