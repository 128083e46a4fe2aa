// What the visits of other pages in its group predict for a page: nothing until enough of them were visited again, then
// the mean and the variance of their rates.

import { describe, expect, it } from 'vitest';
import { afterChange, afterUnchanged, FIRST_ESTIMATE, GroupPriors } from './change-estimate.js';
import { MAX_GROUPS, MAX_SHAPE, MIN_SHAPE } from './limits.js';
import type { PageVisit } from './page-visit.js';

const visit = (path: string, more: Partial<PageVisit> = {}): PageVisit => ({
  ...{ url: `http://a.test${path}`, depth: 1, from: null, label: null, userData: null, atMs: 0, changedAtMs: 0 },
  ...{ estimate: FIRST_ESTIMATE, etag: null, lastModified: null, digest: 'x', freshUntilMs: null, sentAs: '' },
  ...{ visits: 1, changes: 0, missing: 0, status: 'fetched', reason: 'fetched', bytes: 1, kind: 'html' },
  ...more,
});
const seen = (path: string, shape: number, days: number, visits = 3, url = `http://a.test${path}`): PageVisit =>
  visit(path, { url, visits, estimate: { shape, days } });

describe('an estimate', () => {
  it('counts the days of a page that is as it was, and none if a clock was set back', () => {
    expect(afterUnchanged({ shape: 2, days: 10 }, 5)).toEqual({ shape: 2, days: 15 });
    expect(afterUnchanged({ shape: 2, days: 10 }, -5)).toEqual({ shape: 2, days: 10 });
  });

  it('counts one more change, by its age if that is known', () => {
    expect(afterChange({ shape: 2, days: 10 }, 5, 3)).toEqual({ shape: 3, days: 13 });
    expect(afterChange({ shape: 2, days: 10 }, 5, -3)).toEqual({ shape: 3, days: 10 });
    for (const sinceDays of [-1, 0, 5]) {
      const { shape, days } = afterChange({ shape: 2, days: 10 }, sinceDays);
      expect([shape / days > 0.2, Number.isFinite(days)]).toEqual([true, true]);
    }
  });

  it('lets older observations fade, and stays a distribution', () => {
    expect(afterChange({ shape: MAX_SHAPE - 1, days: 9 }, 5, 1)).toEqual({ shape: MAX_SHAPE, days: 10 });
    expect(afterChange({ shape: MAX_SHAPE, days: 9 }, 5, 1)).toEqual({ shape: (MAX_SHAPE + 1) / 2, days: 5 });
    expect(afterUnchanged({ shape: MIN_SHAPE / 2, days: 9 }, 1)).toEqual({ shape: MIN_SHAPE, days: 10 });
  });
});

describe('the groups of a crawl', () => {
  it('say nothing before twenty further visits', () => {
    const groups = new GroupPriors();
    for (let at = 0; at < 9; at += 1) groups.add(seen(`/news/${at}`, 2, 2));
    groups.add(seen('/news/9', 2, 2, 2));
    expect(groups.estimateOf(visit('/news/x'))).toBeNull();
    expect(groups.withExpectedEstimate(visit('/news/x')).estimate).toBe(FIRST_ESTIMATE);
    groups.add(seen('/news/10', 2, 2, 2));
    expect(groups.estimateOf(visit('/news/x'))).not.toBeNull();
  });

  it('have the mean and the variance of their pages, including the uncertainty about each', () => {
    const groups = new GroupPriors();
    // Rates of 1 and 3 a day, each known with a variance of 1 / 4.
    for (let at = 0; at < 20; at += 1)
      groups.add(at % 2 === 0 ? seen(`/news/${at}`, 4, 4) : seen(`/news/${at}`, 36, 12));
    const prior = groups.estimateOf(visit('/news/x'));
    expect((prior?.shape ?? 0) / (prior?.days ?? 1)).toBeCloseTo(2, 9);
    expect((prior?.shape ?? 0) / (prior?.days ?? 1) ** 2).toBeCloseTo(1 + 0.25, 9);
    expect(groups.withExpectedEstimate(visit('/news/x')).estimate).toEqual(prior);
    // A page that was visited again uses its own visits.
    expect(groups.withExpectedEstimate(seen('/news/3', 36, 12)).estimate).toEqual({ shape: 36, days: 12 });
  });

  it('are by host, by first path segment, and by kind', () => {
    const groups = new GroupPriors();
    for (let at = 0; at < 20; at += 1) groups.add(seen(`/news/${at}`, 4, 4));
    expect(groups.estimateOf(visit('/news/2026/11/x'))).not.toBeNull();
    for (const other of [
      visit('/about/x'),
      visit('/news'),
      visit('/news?to=/x/'),
      visit('/news/x', { kind: 'pdf' }),
      visit('', { url: 'http://b.test/news/x' }),
    ])
      expect(groups.estimateOf(other)).toBeNull();
  });

  it('count a page once, with its latest visit, and are saved', () => {
    const groups = new GroupPriors();
    const first = Array.from({ length: 20 }, (_, at) => seen(`/news/${at}`, 4, 4));
    for (const page of first) groups.add(page);
    for (const page of first) {
      groups.add(page, -1);
      groups.add({ ...page, visits: 4, estimate: { shape: 4, days: 8 } });
    }
    const prior = new GroupPriors(groups.encode()).estimateOf(visit('/news/x'));
    expect((prior?.shape ?? 0) / (prior?.days ?? 1)).toBeCloseTo(0.5, 9);
    for (const bytes of ['', '{', 'null', '[[1,2]]', '[["a",[1,2,3,4,null]]]', '7'])
      expect(new GroupPriors(new TextEncoder().encode(bytes)).estimateOf(visit('/news/x'))).toBeNull();
  });

  it('are bounded, and fit into a record', () => {
    const groups = new GroupPriors();
    const host = `${'h'.repeat(60)}.`.repeat(4).slice(0, 240);
    for (let at = 0; at < MAX_GROUPS + 10; at += 1)
      for (let page = 0; page < 2; page += 1)
        groups.add(seen('', 4.1234567, 4.7654321, 11, `http://${host}${at}.test/${'s'.repeat(90)}/${page}`));
    expect(groups.encode().length).toBeLessThan(1_048_576);
    expect(groups.estimateOf(visit('', { url: `http://${host}0.test/${'s'.repeat(90)}/` }))).not.toBeNull();
    expect(groups.estimateOf(visit('', { url: `http://${host}${MAX_GROUPS + 1}.test/${'s'.repeat(90)}/` }))).toBeNull();
  });
});
