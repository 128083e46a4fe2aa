// The numbers of the policy: estimates, values, lifetimes and conditions, from the tables of the specification.

import type { JsonValue } from '@mannerly/frontier';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesTag } from '../fetch/outcome.js';
import { encodeJson } from '../json-record.js';
import { resolveRecrawl } from '../options/options.js';
import {
  afterChange,
  afterUnchanged,
  type ChangeEstimate,
  changesPerDay,
  FIRST_ESTIMATE,
  GroupPriors,
} from './change-estimate.js';
import { conditionsOf, freshUntilMs, validatorsAfter, validatorsAfterMismatch, validatorsOf } from './conditions.js';
import { createLastmodTrust } from './host-trust.js';
import { Lastmods } from './lastmod.js';
import { MAX_SHAPE, MIN_SHAPE } from './limits.js';
import { decodeVisit, type PageVisit, visitKey } from './page-visit.js';
import { chooseVisits, dueAfterDays, dueOf, importanceOf, visitValue } from './visit-choice.js';

const DAY_MS = 86_400_000;
const VISIT: PageVisit = {
  url: 'http://a.test/',
  depth: 1,
  from: 'http://a.test/x',
  label: null,
  userData: null,
  atMs: 0,
  changedAtMs: 0,
  estimate: FIRST_ESTIMATE,
  kind: 'html',
  etag: null,
  lastModified: null,
  digest: 'd',
  freshUntilMs: null,
  sentAs: 's',
  visits: 1,
  changes: 0,
  missing: 0,
  status: 'fetched',
  reason: 'fetched',
  bytes: 100,
};

type Step = (estimate: ChangeEstimate) => ChangeEstimate;
const changed7: Step = (estimate) => afterChange(estimate, 7);
const unchanged7: Step = (estimate) => afterUnchanged(estimate, 7);
const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step);

describe('estimates', () => {
  it.each<[string, readonly Step[], number, number, number]>([
    ['prior', [], 0.5, 7, 0.071429],
    ['unchanged over 7 d', [unchanged7], 0.5, 14, 0.035714],
    ['changed over 7 d', [changed7], 1.368095, 8.678024, 0.15765],
    ['changed, changed', [changed7, changed7], 2.172016, 10.143021, 0.214139],
    ['changed, unchanged', [changed7, unchanged7], 1.368095, 15.678024, 0.087262],
    ['ten changes in ten daily visits', times(10, (one) => afterChange(one, 1)), 10.112428, 10.836613, 0.9332],
    ['ten unchanged daily visits', times(10, (one) => afterUnchanged(one, 1)), 0.5, 17, 0.02941],
    ['changed, dated to 6 h ago', [(one) => afterChange(one, 7, 0.25)], 1.5, 7.25, 0.206897],
  ])('%s', (_, steps, shape, days, mean) => {
    const estimate = steps.reduce((before, step) => step(before), FIRST_ESTIMATE);
    expect(estimate.shape).toBeCloseTo(shape, 5);
    expect(estimate.days).toBeCloseTo(days, 5);
    expect(changesPerDay(estimate)).toBeCloseTo(mean, 4);
  });

  // The gamma prior times exp(−uλ)(1 − exp(−wλ))^n, expanded as a sum of gammas.
  it.each<[string, number, number, number, number, readonly Step[]]>([
    ['changed, changed', 2, 7, 0, 0.212505, [changed7, changed7]],
    ['changed, unchanged', 1, 7, 7, 0.088684, [changed7, unchanged7]],
    ['ten changes in ten daily visits', 10, 1, 0, 0.9413, times(10, (one) => afterChange(one, 1))],
  ])('are within 2 %% of the exact mean: %s', (_, changes, width, unchanged, exact, steps) => {
    const { shape, days } = FIRST_ESTIMATE;
    const sum = (power: number): number => {
      let [total, choose] = [0, 1];
      for (let k = 0; k <= changes; k += 1) {
        total += (-1) ** k * choose * (days + unchanged + width * k) ** -power;
        choose = (choose * (changes - k)) / (k + 1);
      }
      return total;
    };
    const mean = (shape * sum(shape + 1)) / sum(shape);
    expect(mean).toBeCloseTo(exact, 4);
    const estimate = steps.reduce((before, step) => step(before), FIRST_ESTIMATE);
    expect(Math.abs(changesPerDay(estimate) / mean - 1)).toBeLessThan(0.02);
  });

  it('stay within their bounds, whatever is observed', () => {
    const seen = fc.array(fc.tuple(fc.boolean(), fc.double({ min: 0, max: 4_000, noNaN: true })), { maxLength: 200 });
    fc.assert(
      fc.property(seen, (visits) => {
        let estimate = FIRST_ESTIMATE;
        for (const [isChanged, days] of visits)
          estimate = isChanged ? afterChange(estimate, days) : afterUnchanged(estimate, days);
        expect(estimate.shape).toBeGreaterThanOrEqual(MIN_SHAPE);
        expect(estimate.shape).toBeLessThanOrEqual(MAX_SHAPE);
        expect(changesPerDay(estimate)).toBeGreaterThan(0);
        expect(Number.isFinite(changesPerDay(estimate))).toBe(true);
      }),
      { seed: 22 },
    );
  });
});

describe('values', () => {
  it.each([
    [1 / 7, 7, 3.5],
    [1 / 30, 30, 15],
    [12, 1, 0.9231],
  ])('of a page with %d changes per day after %d days', (perDay, days, value) => {
    expect(visitValue(perDay, days)).toBeCloseTo(value, 4);
  });

  it.each([
    [12, 1.077, 7.08],
    [1, 1.618, 7.89],
    [1 / 7, 3.193, 11.33],
    [1 / 30, 6, 18.41],
    [1 / 1_000, 32.127, 87.24],
  ])(
    'a page with %d changes per day is due after %d days at a daily pace, and after %d at a weekly one',
    (perDay, daily, weekly) => {
      expect(dueAfterDays(perDay, 1)).toBeCloseTo(daily, 3);
      expect(dueAfterDays(perDay, 7)).toBeCloseTo(weekly, 2);
      expect(visitValue(perDay, dueAfterDays(perDay, 7))).toBeCloseTo(7, 6);
    },
  );

  it.each([
    ['says that it has changed', 'changed', 0.9, 6.3, 7.778],
    ['says so and is not believed', 'changed', 0.1, 3.5, 11.326],
    ['says that it has not', 'unchanged', 0.9, 0.35, 76.413],
  ] as const)('of a page whose sitemap %s', (_, kind, weight, value, days) => {
    const claim = { kind, weight };
    expect(visitValue(1 / 7, 7, 1, claim)).toBeCloseTo(value, 6);
    expect(visitValue(1 / 7, 7, 4, claim)).toBeCloseTo(4 * value, 6);
    expect(dueAfterDays(1 / 7, 7, claim)).toBeCloseTo(days, 3);
    expect(visitValue(1 / 7, dueAfterDays(1 / 7, 7, claim), 1, claim)).toBeCloseTo(7, 6);
  });

  it('grow for every page, so that each is first some day', () => {
    expect(visitValue(0.1 / 4_000, 1_000)).toBeGreaterThan(visitValue(50 / 5, 1));
  });

  it.each([
    ['is 4 of a seed', 0, null, 4],
    ['is 1 of other pages', 1, null, 1],
    ['is as the user says, from 0.01', 0, () => 0.01, 0.01],
    ['to 100', 0, () => 100, 100],
    ['is as ever where he does not say', 0, () => undefined, 4],
    ['depends on what was handed along', 1, (_url: string, data: JsonValue | null) => Number(data), 7],
  ] as const)('importance %s', (_, depth, own, importance) => {
    const visit = { ...VISIT, depth, userData: 7 };
    expect(importanceOf(visit, own)).toBe(importance);
    expect(visitValue(1 / 14, 1, importance)).toBeCloseTo(importance * visitValue(1 / 14, 1), 9);
  });

  it.each([0, 0.009, 101, Number.NaN, Number.POSITIVE_INFINITY, '1', null])('importance is not %s', (given) => {
    expect(() => importanceOf(VISIT, () => given as number)).toThrow(/recrawl\.importance.*0\.01 to 100.*a\.test/);
  });

  it('an invalid importance is an error of the user', () => {
    const own = (): number => {
      throw new TypeError('no');
    };
    expect(() => importanceOf(VISIT, own)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
  });

  const NOW_MS = 5_004 * DAY_MS;
  /** What is chosen of pages that were visited so many days ago. */
  const choose = (daysAgo: readonly number[]) => {
    const items = daysAgo.map((days, at) => ({
      key: `visit/${at}`,
      value: encodeJson({ ...VISIT, visits: 2, url: `http://a.test/${at}`, atMs: NOW_MS - days * DAY_MS }),
    }));
    const store = { listRecords: async () => ({ items, cursor: null }) };
    const nothing = { readRecord: async () => null, writeRecord: async () => undefined };
    const parts = {
      options: resolveRecrawl({}),
      priors: new GroupPriors(),
      lastmods: new Lastmods(0),
      lastmodTrust: createLastmodTrust(nothing),
      ...{ nowMs: NOW_MS, sinceMs: NOW_MS, maxPages: 3 },
    };
    return chooseVisits(store, parts);
  };

  it('a choice has pages that a wrong clock visited in the future, and says when the next other is due', async () => {
    const { visits, nextDueMs } = await choose([-0.9, -0.5, -1.1]);
    expect([visits.map(({ visit }) => visit.url), nextDueMs]).toEqual([['http://a.test/2'], NOW_MS + 0.5 * DAY_MS]);
  });

  it('a choice has the most valuable pages, whatever came first', async () => {
    const ages = Array.from({ length: 5_000 }, (_, at) => [(at * 7_919) % 5_003, at] as const);
    const { visits } = await choose(ages.map(([age]) => age + 1));
    const best = ages.sort((a, b) => b[0] - a[0]).slice(0, 3);
    expect(visits.map(({ visit }) => visit.url)).toEqual(best.map(([, at]) => `http://a.test/${at}`));
  });
});

describe('when a page is due', () => {
  const bounded = { everyDays: null, minDays: 1 / 24, maxDays: 90 };
  const weekly = { everyDays: 7, minDays: 1 / 24, maxDays: 90 };
  it.each([
    ['at once in a bounded recrawl', VISIT, bounded, 0],
    ['not before its own lifetime is over', { ...VISIT, freshUntilMs: 5 * DAY_MS }, bounded, 5],
    ['a week after it was missing once', { ...VISIT, missing: 1 }, bounded, 7],
    ['never after it was missing twice', { ...VISIT, missing: 2 }, bounded, null],
    ['never after the date that it names itself', { ...VISIT, reason: 'unavailable-after' }, bounded, null],
    ['a while after a failure', { ...VISIT, triedAtMs: DAY_MS, failures: 1 }, bounded, 1 + 2 / 24],
    ['ever longer after more of them', { ...VISIT, triedAtMs: DAY_MS, failures: 6 }, bounded, 1 + 64 / 24],
    ['after the longest interval, however many', { ...VISIT, triedAtMs: DAY_MS, failures: 60 }, bounded, 91],
    ['after twice its interval in a standing crawl', { ...VISIT, triedAtMs: DAY_MS, failures: 1 }, weekly, 1 + 2 * 14],
    ['after twice its last interval', { ...VISIT, missing: 1, triedAtMs: DAY_MS, failures: 1 }, bounded, 1 + 2],
    ['a week after it was missing at most', { ...VISIT, missing: 1, triedAtMs: 9 * DAY_MS, failures: 1 }, weekly, 16],
    ['at one interval for all, where the shortest is the longest', VISIT, { everyDays: 3, minDays: 3, maxDays: 3 }, 3],
    ['by its rate in a standing crawl', { ...VISIT, estimate: { shape: 1, days: 1 } }, weekly, 7.887],
    ['after the longest interval at the latest', { ...VISIT, estimate: { shape: 0.1, days: 9_999 } }, weekly, 90],
  ])('%s', (_, visit, options, days) => {
    const at = dueOf(visit, options).atMs;
    if (days === null) expect(at).toBeNull();
    else expect(at! / DAY_MS).toBeCloseTo(days, 3);
  });
});

describe('conditions', () => {
  const headers = (lines: Readonly<Record<string, string>>) => Object.entries(lines);
  it.each([
    ['a weak tag with a suffix', { ETag: 'W/"a-gzip"' }, { 'if-none-match': 'W/"a-gzip"' }],
    [
      'a tag and a date',
      { ETag: '"a"', 'Last-Modified': 'Mon, 02 Nov 2026 10:00:00 GMT' },
      { 'if-none-match': '"a"', 'if-modified-since': 'Mon, 02 Nov 2026 10:00:00 GMT' },
    ],
    ['no-store', { ETag: '"a"', 'Cache-Control': 'private, No-Store' }, {}],
    ['Vary: *', { ETag: '"a"', Vary: '*' }, {}],
    ['a tag of 512 characters', { ETag: `"${'a'.repeat(510)}"` }, { 'if-none-match': `"${'a'.repeat(510)}"` }],
    ['a tag that is too long', { ETag: `"${'a'.repeat(511)}"` }, {}],
    ['a tag that is none', { ETag: 'a"\r\nX: y' }, {}],
  ])('%s', (_, received, sent) => {
    const visit = { ...VISIT, ...validatorsOf(headers(received as Record<string, string>), null, 0) };
    expect(conditionsOf(visit, 's')).toEqual(sent);
    expect(conditionsOf(visit, 'another offer')).toEqual({});
  });

  it.each([
    ['names another tag', { ETag: 'W/"b"' }, { etag: 'W/"b"', lastModified: 'then' }],
    ['names nothing', {}, { etag: '"a"', lastModified: 'then' }],
    ['names what is no tag', { ETag: 'b' }, { etag: '"a"', lastModified: 'then' }],
    ['may not be kept', { ETag: '"a"', 'Cache-Control': 'no-store' }, { etag: null, lastModified: null }],
    ['is for every request another', { Vary: '*' }, { etag: null, lastModified: null }],
  ])('after a 304 that %s', (_, received, kept) => {
    const before = { ...VISIT, etag: '"a"', lastModified: 'then' };
    expect(validatorsAfter(before, headers(received as Record<string, string>), 0)).toEqual(kept);
  });

  it('a tag is not kept for thirty days after a 304 named another one', () => {
    const mismatch = validatorsAfterMismatch(0);
    const endMs = 30 * 86_400_000;
    expect(validatorsOf(headers({ ETag: '"a"' }), mismatch, endMs - 1)).toEqual(mismatch);
    expect(validatorsOf(headers({ ETag: '"a"' }), mismatch, endMs)).toEqual({ etag: '"a"', lastModified: null });
  });

  it.each([
    [{ ETag: 'W/"a"' }, '"a"', true],
    [{ ETag: '"b"' }, '"a"', false],
    [{}, '"a"', true],
    [{ ETag: '"b"' }, null, true],
  ])('a 304 with %j for %s', (received, sent, isForIt) => {
    expect(matchesTag(headers(received as Record<string, string>), sent)).toBe(isForIt);
  });

  it.each([
    [
      'max-age less Age',
      { 'Cache-Control': 'max-age=7200', Age: '3600', Expires: 'Thu, 01 Jan 2099 00:00:00 GMT' },
      3_600,
    ],
    ['Expires less Date', { Expires: 'Thu, 01 Jan 2026 02:00:00 GMT', Date: 'Thu, 01 Jan 2026 01:00:00 GMT' }, 3_600],
    ['seven days at most', { 'Cache-Control': 'max-age=31536000' }, 7 * 86_400],
    ['thirty where it is immutable', { 'Cache-Control': 'max-age=31536000, immutable' }, 30 * 86_400],
    ['a number that is too large', { 'Cache-Control': `max-age=${'9'.repeat(20)}` }, 7 * 86_400],
    ['no lifetime', { 'Cache-Control': 'max-age=0' }, null],
    ['Expires without Date', { Expires: 'Thu, 01 Jan 1970 01:00:01 GMT' }, 3_600],
    ['no-cache', { 'Cache-Control': 'no-cache, max-age=60' }, null],
    ['no-store', { 'Cache-Control': 'no-store, max-age=60' }, null],
    ['Expires that is no date', { Expires: 'soon' }, null],
    ['that of shared caches', { 'Cache-Control': 's-maxage=60' }, null],
    ['a word', { 'Cache-Control': 'max-age=soon' }, null],
    ['nothing', {}, null],
  ])('lifetime: %s', (_, received, seconds) => {
    expect(freshUntilMs(headers(received as Record<string, string>), 1_000, 7)).toBe(
      seconds === null ? null : 1_000 + seconds * 1_000,
    );
    expect(freshUntilMs(headers(received as Record<string, string>), 1_000, 0)).toBeNull();
  });
});

describe('records', () => {
  it('are read back unchanged, and invalid bytes are rejected', () => {
    expect(decodeVisit(encodeJson(VISIT))).toEqual(VISIT);
    for (const text of ['', '{', 'null', '[]', '{"url":1}', '{"url":"http://a.test/"}'])
      expect(decodeVisit(new TextEncoder().encode(text))).toBeNull();
    expect(decodeVisit(null)).toBeNull();
  });

  it('have short keys, one per URL', () => {
    const long = `http://a.test/${'x'.repeat(8_000)}`;
    expect(visitKey(long).length).toBeLessThan(40);
    expect(visitKey(long)).not.toBe(visitKey(`${long}y`));
  });
});
