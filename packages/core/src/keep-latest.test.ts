// What a crawl remembers in memory is bounded. If this breaks, memory grows with the crawl, or something that is still
// needed is forgotten.

import { expect, it } from 'vitest';
import { keepLatest } from './keep-latest.js';

it('keeps the latest value of a key, and past its bound forgets the key that was set longest ago', () => {
  const map = new Map<string, string>();
  keepLatest(map, '1', 'old', 2);
  keepLatest(map, '2', 'second', 2);
  keepLatest(map, '1', 'new', 2);
  keepLatest(map, '3', 'third', 2);
  expect([...map]).toEqual([
    ['1', 'new'],
    ['3', 'third'],
  ]);
});
