// At stake: an item that is written again after a crash must have the same id, and an item of another page never.
import { expect, it } from 'vitest';
import { itemsOf } from './items.js';

const page = (url: string, visit = 0) => ({
  url,
  visit,
  fetchedAtMs: 5,
  exclusion: { expiresAtMs: null, preferences: {} },
});

it('are named after their page: the same ids for the same page, others for another', () => {
  const first = itemsOf('a.test', page('http://a.test/1'), ['x', 'y']);
  expect(first.map(({ id }) => id)).toEqual(itemsOf('a.test', page('http://a.test/1'), ['z', 'z']).map(({ id }) => id));
  expect(new Set([...first, ...itemsOf('a.test', page('http://a.test/2'), ['x', 'y'])].map(({ id }) => id)).size).toBe(
    4,
  );
  expect(first[1]).toMatchObject({ url: 'http://a.test/1', fetchedAtMs: 5, data: 'y' });
  expect(first[1]?.id).toMatch(/^a\.test\/[0-9a-f]{16}\/1$/);
});

it('have new ids at each visit of their page', () => {
  const idsOf = (visit: number) => itemsOf('a.test', page('http://a.test/1', visit), ['x']).map(({ id }) => id);
  expect(new Set([0, 1, 2].flatMap(idsOf)).size).toBe(3);
  expect(idsOf(1)).toEqual(idsOf(1));
});

it('are absent for a page that emitted nothing', () => {
  expect(itemsOf('a.test', page('http://a.test/1'), [])).toEqual([]);
});
