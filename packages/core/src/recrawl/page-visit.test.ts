// Two numbers of one visit count as one visit; visits that a handler requested in between count separately.

import { expect, it } from 'vitest';
import { BegunVisits, revisitNumber } from './page-visit.js';

const DAY_MS = 86_400_000;
const LAST_MS = 20_000 * DAY_MS;
const NOW_MS = LAST_MS + 100 * DAY_MS;
const first = revisitNumber(LAST_MS, LAST_MS + DAY_MS);
const second = revisitNumber(LAST_MS, NOW_MS);

it('is over under its second number, here and after a restart, also behind a visit that a handler asked for', () => {
  expect(second).toBeGreaterThan(first);
  const visits = new BegunVisits();
  expect(visits.isOver('a', first, undefined, LAST_MS, NOW_MS)).toBe(false);
  expect(visits.isOver('a', first, undefined, LAST_MS, NOW_MS)).toBe(false);
  expect(visits.isOver('a', second, undefined, LAST_MS, NOW_MS)).toBe(true);
  expect(visits.isOver('a', first + 1, first, LAST_MS + DAY_MS, NOW_MS)).toBe(false);
  expect(visits.isOver('a', second, first, LAST_MS + DAY_MS, NOW_MS)).toBe(true);
  expect(new BegunVisits().isOver('a', second, first, LAST_MS + DAY_MS, NOW_MS)).toBe(true);
  expect(new BegunVisits().isOver('a', revisitNumber(NOW_MS, NOW_MS), first, NOW_MS, NOW_MS)).toBe(false);
});

it('is not over because the page was requested whole seconds after the time before', () => {
  const laterMs = LAST_MS + 2_000;
  const next = revisitNumber(laterMs, laterMs);
  expect(new BegunVisits().isOver('a', next, revisitNumber(LAST_MS, laterMs), laterMs, laterMs)).toBe(false);
});
