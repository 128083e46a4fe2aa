// The plan of a recrawl: what is due, in which order, how fresh the copy is, and what is expected not to be
// transferred.

import { describe, expect, it } from 'vitest';
import { encodeJson } from '../json-record.js';
import { resolveRecrawl } from '../options/options.js';
import { expectedFresh, FIRST_ESTIMATE } from './change-estimate.js';
import { type PageVisit, visitKey } from './page-visit.js';
import { planRecrawl, type RecrawlPlanParts } from './recrawl-plan.js';

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;

const visit = (path: string, more: Partial<PageVisit> = {}): PageVisit => ({
  ...{ url: `http://a.test${path}`, depth: 1, from: 'http://a.test/', label: null, userData: null },
  ...{ atMs: NOW - 7 * DAY_MS, changedAtMs: 0, estimate: FIRST_ESTIMATE, etag: '"1"', lastModified: null, digest: 'x' },
  ...{ freshUntilMs: null, sentAs: 's', visits: 2, changes: 0, missing: 0, status: 'fetched', reason: 'fetched' },
  ...{ bytes: 1_000, kind: 'html' },
  ...more,
});

function plan(visits: readonly PageVisit[], more: Partial<RecrawlPlanParts> = {}, records: [string, unknown][] = []) {
  const kept = new Map([
    ...visits.map((each) => [visitKey(each.url), encodeJson(each)] as const),
    ...records.map(([key, value]) => [key, new TextEncoder().encode(JSON.stringify(value))] as const),
  ]);
  const store = {
    readRecord: async (key: string) => kept.get(key) ?? null,
    listRecords: async (prefix: string) => ({
      cursor: null,
      items: [...kept].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => ({ key, value })),
    }),
    inspectHost: async () => ({ interval: { ms: 10_000 } }) as never,
    counts: () => ({ queued: 0 }) as never,
  };
  const options = resolveRecrawl({});
  return planRecrawl(store, { options, pages: null, pagesPerHost: null, minutes: null, nowMs: NOW, ...more });
}

describe('the plan of a recrawl', () => {
  it('is empty without visits', async () => {
    expect(await plan([])).toMatchObject({ known: 0, due: 0, visits: 0, freshNow: null, freshAfter: null, hosts: [] });
    expect(await plan([visit('/', { missing: 2 })])).toMatchObject({ known: 0, hosts: [] });
  });

  it('respects the bound of each host, including hosts that it does not list', async () => {
    const paths = ['/a', '/b'].flatMap((path) => Array.from({ length: 1_001 }, (_, at) => [at, path] as const));
    const visits = paths.map(([at, path]) => visit(path, { url: `http://${at}.test${path}` }));
    const whole = await plan(visits, { pagesPerHost: 1 });
    expect([whole.due, whole.visits, whole.hosts.length]).toEqual([2_002, 1_001, 1_000]);
  });

  it('has the expected share of fresh pages, now and after the run', async () => {
    const often = visit('/often', { estimate: { shape: 10, days: 10 } });
    const rare = visit('/rare', { estimate: { shape: 0.5, days: 700 } });
    const [fresh, still] = [expectedFresh(often.estimate, 7), expectedFresh(rare.estimate, 7)];
    expect(fresh).toBeCloseTo((10 / 17) ** 10, 12);
    const whole = await plan([often, rare]);
    expect(whole).toMatchObject({ known: 2, due: 2, visits: 2, freshAfter: 1, nextDueAtMs: null });
    expect(whole.freshNow).toBeCloseTo((fresh + still) / 2, 12);
    expect(whole.changed).toBeCloseTo(2 - fresh - still, 12);
    expect(whole.bytesSaved).toBe(Math.round(1_000 * (fresh + still)));
    const one = await plan([often, rare], { pages: 1 });
    expect(one.hosts[0]?.first.map(({ url }) => url)).toEqual([often.url]);
    expect(one.freshAfter).toBeCloseTo((1 + still) / 2, 12);
  });

  it('does not count a page that was only attempted as known, neither in all nor for its host', async () => {
    const attempted = visit('/failed', { visits: 0, status: 'failed', reason: 'status-404', missing: 1 });
    const whole = await plan([visit('/'), attempted]);
    expect([whole.known, ...whole.hosts.map(({ known }) => known)]).toEqual([1, 1]);
  });

  it('leaves out what is not due, and says when it is', async () => {
    const lasting = visit('/lasting', { freshUntilMs: NOW + DAY_MS });
    expect(await plan([lasting, visit('/b')])).toMatchObject({ known: 2, due: 1, nextDueAtMs: NOW + DAY_MS });
  });

  it('names the hosts with their first pages, and keeps to the bounds of each', async () => {
    const pages = Array.from({ length: 30 }, (_, at) => visit(`/${at}`, { atMs: NOW - (at + 1) * DAY_MS }));
    const other = visit('', { url: 'http://b.test/' });
    const whole = await plan([...pages, other]);
    expect(whole.hosts.map(({ host, visits }) => [host, visits])).toEqual([
      ['a.test', 30],
      ['b.test', 1],
    ]);
    expect(whole.hosts[0]?.first.map(({ url }) => url)).toEqual(
      Array.from({ length: 10 }, (_, at) => `http://a.test/${29 - at}`),
    );
    expect(whole.hosts[0]?.first[0]).toMatchObject({ lastVisitMs: NOW - 30 * DAY_MS, changesPerDay: 0.5 / 7 });
    expect(await plan([...pages, other], { pagesPerHost: 4 })).toMatchObject({ due: 31, visits: 5 });
    // One request every ten seconds.
    expect(await plan([...pages, other], { minutes: 2 })).toMatchObject({ due: 31, visits: 13 });
  });

  it('expects no saved bytes without validators, or for a host with wrong validators', async () => {
    expect((await plan([visit('/', { etag: null })])).bytesSaved).toBe(0);
    const lies = { untrustedUntilMs: NOW + 1, restless: 0, deliveryDates: 0 };
    expect((await plan([visit('/')], {}, [['validators/a.test', lies]])).bytesSaved).toBe(0);
    expect(
      (await plan([visit('/')], {}, [['validators/a.test', { ...lies, untrustedUntilMs: 0 }]])).bytesSaved,
    ).not.toBe(0);
  });
});
