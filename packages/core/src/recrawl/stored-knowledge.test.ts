// What users can see about the visits of a page: the stored numbers, and why it is due when it is.

import { describe, expect, it } from 'vitest';
import { encodeJson } from '../json-record.js';
import { resolveRecrawl } from '../options/options.js';
import { FIRST_ESTIMATE } from './change-estimate.js';
import { type PageVisit, visitKey } from './page-visit.js';
import { inspectVisit } from './recrawl-plan.js';

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;
const URL_OF_PAGE = 'http://a.test/1';

function look(more: Partial<PageVisit>, everyDays: number | null, records: Readonly<Record<string, unknown>> = {}) {
  const visit: PageVisit = {
    ...{ url: URL_OF_PAGE, depth: 1, from: null, label: null, userData: null, atMs: NOW - 7 * DAY_MS, changedAtMs: 0 },
    ...{
      estimate: FIRST_ESTIMATE,
      etag: '"1"',
      lastModified: null,
      kind: 'html',
      digest: 'x',
      freshUntilMs: null,
      sentAs: '',
    },
    ...{ visits: 3, changes: 0, missing: 0, status: 'fetched', reason: 'fetched', bytes: 1 },
    ...more,
  };
  const store = {
    readRecord: async (key: string) => {
      if (key === visitKey(URL_OF_PAGE)) return encodeJson(visit);
      return records[key] === undefined ? null : new TextEncoder().encode(JSON.stringify(records[key]));
    },
    listRecords: async () => ({ cursor: null, items: [] }),
  };
  return inspectVisit(store, URL_OF_PAGE, resolveRecrawl(everyDays === null ? {} : { everyDays }), NOW);
}

describe('the description of a visit', () => {
  it.each<[string, Partial<PageVisit>, number | null, string, number | null]>([
    ['at once, by its bounds alone', {}, null, 'bounds', -7],
    ['by its lifetime', { freshUntilMs: NOW + DAY_MS }, null, 'lifetime', 1],
    ['by its interval', { estimate: { shape: 1, days: 1 } }, 1, 'interval', -7 + (1 + Math.sqrt(5)) / 2],
    ['by its interval, its lifetime is over before', { freshUntilMs: NOW - DAY_MS * 6.9 }, 1, 'interval', -2.725],
    ['a week after it was missing', { missing: 1 }, null, 'missing', 0],
    ['never, it is gone', { missing: 2 }, null, 'gone', null],
  ])('says when a page is due: %s', async (_what, more, everyDays, reason, days) => {
    const found = await look(more, everyDays);
    expect(found?.why).toBe(reason);
    if (days === null) expect(found?.dueAtMs).toBeNull();
    else expect(((found?.dueAtMs ?? 0) - NOW) / DAY_MS).toBeCloseTo(days, 3);
  });

  it.each<[string, Partial<PageVisit>, string | null]>([
    ['its validators', {}, '"1"'],
    ['none of a page that was missing, which is requested whole', { missing: 1 }, null],
    ['none of a page whose items were left out', { status: 'excluded', reason: 'noindex', isRemoved: true }, null],
  ])('says %s', async (_what, more, etag) => {
    expect((await look(more, null))?.etag).toBe(etag);
  });

  it('shows what is estimated, and what is trusted', async () => {
    const found = await look({ estimate: { shape: 2, days: 20 }, changes: 2, depth: 0 }, null, {
      'validators/a.test': { untrustedUntilMs: NOW + 5, restless: 5, deliveryDates: 4 },
      'lastmod/a.test': { changed: 3, changedTrue: 3, unchanged: 8, unchangedTrue: 1 },
    });
    expect(found).toMatchObject({ shape: 2, days: 20, changesPerDay: 0.1, changes: 2, visits: 3, importance: 4 });
    expect(found?.fresh).toBeCloseTo((20 / 27) ** 2, 12);
    expect(found?.value).toBeCloseTo((4 * 0.1 * 49) / 1.7, 12);
    expect(found).toMatchObject({ untrustedUntilMs: NOW + 5, isEtagTrusted: false, isLastModifiedTrusted: true });
    expect(found?.lastmodTrust).toEqual({
      changed: 6 / 7,
      unchanged: 4 / 12,
      weight: expect.closeTo(6 / 7 + 1 / 3 - 1, 9),
    });
    expect(found?.lastmod).toBeNull();
  });

  it('is empty for a page that was not visited', async () => {
    const store = { readRecord: async () => null, listRecords: async () => ({ cursor: null, items: [] }) };
    expect(await inspectVisit(store, URL_OF_PAGE, resolveRecrawl({}), NOW)).toBeNull();
  });
});
