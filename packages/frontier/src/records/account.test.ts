// What a process may hand out: together never more than the bound, and no page stays unused while a process could use
// it.

import { describe, expect, it } from 'vitest';
import { grantSize, remainingPages, retainedGrant } from './account.js';
import { MAX_GRANT_PAGES } from './limits.js';

describe('pages are granted', () => {
  const left = [
    ['nothing is taken', 100, 0, 0, 100],
    ['others have some, we have some', 100, 30, 20, 50],
    ['everything is granted', 100, 60, 40, 0],
    ['the bound was made smaller', 100, 150, 40, 0],
  ] as const;
  it.each(left)('%s', (_, limit, taken, own, expected) => {
    expect(remainingPages(limit, { taken, alive: 1 }, own)).toBe(expected);
  });

  const grants = [
    ['alone, all that is left', 50, 0, 50],
    ['alone, no more than the most', 5_000, 0, MAX_GRANT_PAGES],
    ['one of two takes a quarter', 100, 1, 25],
    ['the last page is granted too', 1, 3, 1],
    ['nothing is left', 0, 3, 0],
  ] as const;
  it.each(grants)('%s', (_, many, alive, expected) => expect(grantSize(many, alive)).toBe(expected));

  const kept = [
    ['there is more for everybody', 40, 10, 2, 40],
    ['alone', 40, 0, 0, 40],
    ['others find nothing: half goes back', 40, 0, 1, 20],
    ['the last one goes back', 1, 0, 1, 0],
  ] as const;
  it.each(kept)('%s', (_, unused, many, alive, expected) => expect(retainedGrant(unused, many, alive)).toBe(expected));
});
