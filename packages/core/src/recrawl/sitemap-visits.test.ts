// When sitemaps and feeds are read again: by their own estimates, at most once an hour, and by what they declare.

import type { PageWork } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import type { ResponseOutcome } from '../fetch/outcome.js';
import type { FeedFrequency } from '../page/sitemap.js';
import { SitemapVisits } from './sitemap-visits.js';

const HOUR_MS = 3_600_000;
const LIST = 'http://a.test/list.xml';

function setUp() {
  const records = new Map<string, Uint8Array>();
  let nowMs = Date.UTC(2026, 0, 5);
  const store = {
    readRecord: async (key: string) => records.get(key) ?? null,
    writeRecord: async (key: string, value: Uint8Array | null) => void (value !== null && records.set(key, value)),
    listRecords: async (prefix: string) => ({
      cursor: null,
      items: [...records].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => ({ key, value })),
    }),
  };
  const make = () =>
    new SitemapVisits(store, { sentAs: () => 's', trustFreshnessDays: 7, nowMs: () => nowMs, warn: () => undefined });
  let visits = make();
  const record = { url: LIST, via: 'companion', from: null, hops: 0, userData: { sitemap: { level: 0, hosts: [] } } };
  const response = (status: number, headers: Record<string, string>): ResponseOutcome =>
    ({ status, headers: Object.entries(headers), timing: { endedAtMs: nowMs }, truncated: null }) as never;
  return {
    wait: (hours: number) => {
      nowMs += hours * HOUR_MS;
      visits = make();
    },
    due: () => visits.due(),
    visits: () => visits,
    now: () => nowMs,
    another: make,
    /** Reads the sitemap. @returns The conditions of its request. */
    async read(
      urls: readonly string[],
      status = 200,
      headers: Record<string, string> = {},
      frequency: FeedFrequency | null = null,
      by = visits,
    ) {
      const work = { kind: 'page', url: LIST, record } as never as PageWork;
      const conditions = await by.prepare(work);
      if (status === 304) return { conditions, answer: await by.notModified(work, response(304, headers)) };
      by.addEntries(
        work,
        urls.map((url) => ({ url, depth: 1, via: 'sitemap' })),
      );
      await by.read(work, response(status, headers), frequency);
      return { conditions, answer: by.earlierDecision(work) };
    },
  };
}

/** Hours from each reading until the next is due. */
async function gaps(readings: number, changes: (reading: number) => boolean): Promise<number[]> {
  const { wait, due, read } = setUp();
  let edition = 0;
  await read(['http://a.test/0']);
  const found: number[] = [];
  for (let reading = 0; reading < readings; reading += 1) {
    let hours = 0;
    while ((await due()).length === 0) {
      wait(0.5);
      hours += 0.5;
    }
    found.push(hours);
    if (changes(reading)) edition += 1;
    await read([`http://a.test/${edition}`]);
  }
  return found;
}

describe('sitemaps and feeds', () => {
  it('are read about every two hours if they always change, never more often', async () => {
    const hours = await gaps(60, () => true);
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(1);
    expect(hours.at(-1)).toBeLessThanOrEqual(3);
  });

  it('are read ever more rarely if they do not change, at least every month', async () => {
    const hours = await gaps(150, () => false);
    expect(hours[0]).toBeLessThan(24);
    expect(hours[20]).toBeGreaterThan(36);
    expect(Math.max(...hours)).toBeLessThanOrEqual(30 * 24);
  });

  it('are requested with their validators, and with new visit numbers', async () => {
    const { wait, due, read, visits } = setUp();
    expect((await read(['http://a.test/1'], 200, { etag: '"1"' })).conditions).toEqual({});
    wait(48);
    const [one, ...others] = await due();
    expect(others).toEqual([]);
    expect(one).toMatchObject({ url: LIST, via: 'companion', priority: 1, userData: { sitemap: { level: 0 } } });
    expect(one?.visit).toBeGreaterThan(0);
    expect(visits().isReading()).toBe(true);
    expect(await read([], 304)).toEqual({ conditions: { 'if-none-match': '"1"' }, answer: 'known' });
    expect(visits().isReading()).toBe(false);
    expect(await due()).toEqual([]);
    wait(48);
    expect((await due())[0]?.visit).not.toBe(one?.visit);
    // The tag is another document's: nothing is learned, and the next request has no conditions.
    expect(await read([], 304, { etag: '"2"' })).toMatchObject({ answer: 'mismatch' });
    expect((await read([])).conditions).toEqual({});
  });

  it.each<[string, Partial<FeedFrequency>, number]>([
    ['a ttl of three days', { minutes: 4_320 }, 72],
    ['a ttl of years', { minutes: 9_999_999 }, 90 * 24],
    // Without this it would be due on a Monday at 18:50.
    ['hours of the evening', { skipHours: [18, 19, 20] }, 21],
    ['Mondays', { skipDays: [1] }, 24],
    ['Mondays and Tuesdays, and mornings', { skipDays: [1, 2], skipHours: [0, 1, 2, 3, 4, 5] }, 54],
    ['every hour, which is nothing', { skipHours: Array.from({ length: 24 }, (_, at) => at) }, 19],
  ])('that are feeds are not read again as long as they say: %s', async (_what, schedule, hours) => {
    const { wait, due, read } = setUp();
    await read([], 200, {}, { minutes: 0, skipHours: [], skipDays: [], ...schedule });
    let waited = 0;
    for (; waited <= 91 * 24 && (await due()).length === 0; waited += 1) wait(1);
    expect(waited).toBe(hours);
  });

  it('that another process reads are awaited until it has stored them', async () => {
    const { wait, due, read, visits, now, another } = setUp();
    await read([]);
    wait(48);
    await due();
    const others = another();
    await visits().dropReadByOthers(now());
    expect(visits().isReading()).toBe(true);
    await read(['http://a.test/1'], 200, {}, null, others);
    expect(visits().isReading()).toBe(true);
    await visits().dropReadByOthers(now());
    expect(visits().isReading()).toBe(false);
  });

  it('that redirect are awaited until their target is read', async () => {
    const { wait, due, read, visits } = setUp();
    await read([]);
    wait(48);
    await due();
    visits().decision({ url: LIST, reason: 'redirect' });
    expect(visits().isReading()).toBe(true);
    visits().decision({ url: LIST, reason: 'robots-rule' });
    expect(visits().isReading()).toBe(false);
  });
});
