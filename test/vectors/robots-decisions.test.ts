/**
 * Every vector about decisions: dialects, groups, agents, bytes, precedence, policies. If one breaks, the crawler
 * fetches what a site closed, or leaves out what it opened.
 */
import { describe, expect, it } from 'vitest';
import { answerOf, expectedOf, vectorsOf } from './robots-vectors.js';

const vectors = vectorsOf('access');

describe('decisions of the specification', () => {
  it('are all here', () => {
    expect(vectors.length).toBe(476);
  });

  it.each(vectors)('$id: $dialect ($spec)', (vector) => {
    expect(answerOf(vector)).toEqual(expectedOf(vector));
  });
});
