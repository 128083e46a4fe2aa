// Validators are trusted until they prove to be wrong.

import { describe, expect, it } from 'vitest';
import { FIRST_ESTIMATE } from './change-estimate.js';
import { type ComparedVisit, createValidatorTrust } from './host-trust.js';
import { UNTRUSTED_MS } from './limits.js';
import type { PageVisit } from './page-visit.js';

const URL_OF_PAGE = 'https://a.example/1';
const BOTH = { 'if-none-match': '"1"', 'if-modified-since': 'Mon, 05 Jan 2026 10:00:00 GMT' };
const BEFORE: PageVisit = {
  ...{ url: URL_OF_PAGE, depth: 0, from: null, label: null, userData: null, atMs: 0, changedAtMs: 0 },
  ...{
    estimate: FIRST_ESTIMATE,
    etag: '"1"',
    lastModified: null,
    kind: 'html',
    digest: 'x',
    freshUntilMs: null,
    sentAs: '',
  },
  ...{ visits: 1, changes: 0, missing: 0, status: 'fetched', reason: 'fetched', bytes: 1 },
};

function setUp(verify = 0.02) {
  const records = new Map<string, Uint8Array>();
  const notices: string[] = [];
  const store = {
    readRecord: async (key: string) => records.get(key) ?? null,
    writeRecord: async (key: string, value: Uint8Array) => void records.set(key, value),
  };
  const make = () => createValidatorTrust(store, verify, (code, url) => notices.push(`${code} ${url}`));
  return { trust: make(), make, notices, records };
}

const visit = (fields: Record<string, string>, more: Partial<ComparedVisit> = {}): ComparedVisit => ({
  headers: Object.entries(fields).map(([name, value]) => [name, value]),
  isProbe: false,
  hasChanged: false,
  atMs: 1_000,
  ...more,
});

async function probes(verify: number, visits: number): Promise<number[]> {
  const { trust } = setUp(verify);
  const found: number[] = [];
  for (let at = 1; at <= visits; at += 1) {
    const { conditions, isProbe } = await trust.selectConditions(`https://a.example/${at}`, BOTH, 0);
    expect(conditions).toEqual(isProbe ? {} : BOTH);
    if (isProbe) found.push(at);
  }
  return found;
}

describe('the validators of a host', () => {
  it.each([
    [0.02, [50, 100, 150, 200]],
    [0.001, [100, 200]],
    [0, []],
    [0.5, Array.from({ length: 100 }, (_, at) => 2 * at + 2)],
  ])('are checked in a share of %s of 200 visits', async (verify, expected) => {
    expect(await probes(verify, 200)).toEqual(expected);
  });

  it('are checked in that share over all runs, however few visits each of them makes', async () => {
    const { make } = setUp();
    const found: number[] = [];
    for (let run = 1; run <= 30; run += 1) {
      const trust = make();
      for (let at = 1; at <= 5; at += 1)
        if ((await trust.selectConditions(URL_OF_PAGE, BOTH, 0)).isProbe) found.push(run);
      await trust.close();
    }
    expect(found).toEqual([10, 20, 30]);
  });

  it('are not sent for 30 days after the same ETag came with other content, also after a restart', async () => {
    const { trust, make, notices } = setUp();
    await trust.addComparison(BEFORE, visit({ etag: '"1"' }, { isProbe: true, hasChanged: true }));
    expect(notices).toEqual([`validator-lies ${URL_OF_PAGE}`]);
    for (const each of [trust, make()]) {
      expect((await each.selectConditions('https://a.example/2', BOTH, 999 + UNTRUSTED_MS)).conditions).toEqual({});
      expect((await each.selectConditions('https://a.example/2', BOTH, 1_000 + UNTRUSTED_MS)).conditions).toEqual(BOTH);
      expect((await each.selectConditions('https://b.example/2', BOTH, 1_001)).conditions).toEqual(BOTH);
    }
  });

  it.each([
    ['a body that a condition did not stop', visit({ etag: '"1"' }, { hasChanged: true })],
    ['a page that is as it was', visit({ etag: '"1"' }, { isProbe: true })],
    ['a new ETag with new content', visit({ etag: '"2"' }, { isProbe: true, hasChanged: true })],
    ['no ETag', visit({}, { isProbe: true, hasChanged: true })],
  ])('are trusted after %s', async (_, compared) => {
    const { trust, notices } = setUp();
    await trust.addComparison(BEFORE, compared);
    expect(notices).toEqual([]);
    expect((await trust.selectConditions(URL_OF_PAGE, BOTH, 2_000)).conditions).toEqual(BOTH);
  });

  it('drop an ETag that is new at five visits of unchanged pages in a row, and keep the date', async () => {
    const { trust, notices } = setUp();
    const date = { 'if-modified-since': BOTH['if-modified-since'] };
    const restless = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at += 1) await trust.addComparison(BEFORE, visit({ etag: `"n${at}"` }));
    };
    await restless(4);
    await trust.addComparison(BEFORE, visit({ etag: '"1"' }));
    await restless(4);
    expect((await trust.selectConditions(URL_OF_PAGE, BOTH, 0)).conditions).toEqual(BOTH);
    await restless(1);
    expect((await trust.selectConditions(URL_OF_PAGE, BOTH, 0)).conditions).toEqual(date);
    await restless(3);
    expect(notices).toEqual([`validator-restless ${URL_OF_PAGE}`]);
  });

  it('are judged once by pages that are compared at the same time', async () => {
    const { trust, notices } = setUp();
    await Promise.all(Array.from({ length: 8 }, (_, at) => trust.addComparison(BEFORE, visit({ etag: `"n${at}"` }))));
    expect(notices).toHaveLength(1);
  });

  it('drop a date that is the time of delivery at five visits in a row', async () => {
    const { trust } = setUp();
    const at = (modified: string) => visit({ date: 'Tue, 06 Jan 2026 10:00:05 GMT', 'last-modified': modified });
    const conditions = async () => (await trust.selectConditions(URL_OF_PAGE, BOTH, 0)).conditions;
    for (const other of ['Tue, 06 Jan 2026 09:00:00 GMT', 'Tue, 06 Jan 2026 11:00:00 GMT']) {
      for (let times = 0; times < 5; times += 1) {
        expect(await conditions()).toEqual(BOTH);
        await trust.addComparison(BEFORE, at('Tue, 06 Jan 2026 10:00:00 GMT'));
      }
      expect(await conditions()).toEqual({ 'if-none-match': '"1"' });
      await trust.addComparison(BEFORE, at(other));
      expect(await conditions()).toEqual(BOTH);
    }
  });

  it('are trusted if their record cannot be read', async () => {
    const { trust, records } = setUp();
    for (const text of ['', 'null', '{"untrustedUntilMs":"x"}', '[]']) {
      records.set('validators/a.example', new TextEncoder().encode(text));
      expect((await trust.selectConditions(URL_OF_PAGE, BOTH, 0)).conditions).toEqual(BOTH);
    }
  });

  it.each<[string, string | undefined, string | undefined, number | undefined]>([
    ['dates a change', 'Mon, 05 Jan 2026 10:00:00 GMT', 'Mon, 05 Jan 2026 16:00:00 GMT', 0.25],
    ['not at its delivery', 'Mon, 05 Jan 2026 15:59:58 GMT', 'Mon, 05 Jan 2026 16:00:00 GMT', undefined],
    ['not before the last visit', 'Mon, 22 Dec 2025 10:00:00 GMT', 'Mon, 05 Jan 2026 16:00:00 GMT', undefined],
    ['not without the time of the answer', 'Mon, 05 Jan 2026 10:00:00 GMT', undefined, undefined],
    ['not by what is no date', 'today', 'Mon, 05 Jan 2026 16:00:00 GMT', undefined],
  ])('Last-Modified %s', async (_what, modified, date, days) => {
    const { trust } = setUp();
    const headers = Object.entries({ 'Last-Modified': modified, Date: date }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    expect(await trust.changeAgeDays(URL_OF_PAGE, headers, 7)).toBe(days);
    // A host whose Last-Modified is the time of delivery is not trusted.
    const delivery = visit({ 'last-modified': 'Mon, 05 Jan 2026 10:00:00 GMT', date: 'Mon, 05 Jan 2026 10:00:00 GMT' });
    for (let at = 0; at < 5; at += 1) await trust.addComparison(BEFORE, delivery);
    expect(await trust.changeAgeDays(URL_OF_PAGE, headers, 7)).toBeUndefined();
  });
});
