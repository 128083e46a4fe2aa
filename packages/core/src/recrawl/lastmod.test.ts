// Dates of sitemaps and feeds: what they say about a page, when they are ignored, and how far they are trusted.

import { describe, expect, it } from 'vitest';
import { changeAgeDays, createLastmodTrust } from './host-trust.js';
import { LastmodReader, Lastmods } from './lastmod.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;

/** What is known after several readings of one file, each with its dates. */
function kept(...readings: readonly (readonly (string | null)[])[]) {
  let before: Uint8Array | null = null;
  let useless: string | null = null;
  for (const dates of readings) {
    const reader = new LastmodReader();
    for (const [at, date] of dates.entries()) reader.add(`http://a.test/${at}`, date);
    ({ encoded: before, useless } = reader.end(before, NOW));
  }
  const lastmods = new Lastmods(1_000);
  if (before !== null) lastmods.addAll(before, NOW, NOW);
  return { useless, lastmods, of: (at: number) => lastmods.of(`http://a.test/${at}`) };
}

const day = (at: number): string => new Date(NOW - at * DAY_MS).toISOString().slice(0, 10);

describe('the dates of a file', () => {
  it.each<[string, number, number]>([
    ['2026-11-19T10:30:00Z', Date.UTC(2026, 10, 19, 10, 30), 60_000],
    ['2026-11-19T10:30+02:00', Date.UTC(2026, 10, 19, 8, 30), 60_000],
    ['2026-11-19T10:30:59.5', Date.UTC(2026, 10, 19, 10, 30), 60_000],
    ['Thu, 19 Nov 2026 10:30:00 GMT', Date.UTC(2026, 10, 19, 10, 30), 60_000],
    ['2026-11-19', Date.UTC(2026, 10, 19), DAY_MS],
  ])('%s', (text, fromMs, length) => {
    expect(kept([text]).of(0)).toEqual({ fromMs, toMs: fromMs + length, readAtMs: NOW });
  });

  it.each([null, '', '2026', '2026-11', 'yesterday 10:30', '2026-13-45', '9999-01-01', '1800-01-01T10:00:00Z'])(
    'are ignored: %s',
    (text) => {
      expect(kept([text]).of(0)).toBeNull();
    },
  );

  it.each<[string, readonly (readonly (string | null)[])[], string | null]>([
    ['few of them are judged by nothing', [[day(1), day(1), day(1), day(1)]], null],
    ['four of five are no reason', [[day(1), day(1), day(1), day(1), day(2)]], null],
    ['most are one and the same', [[...Array(9).fill(day(1)), day(2)]], 'equal'],
    ['pages without a date count', [[...Array(9).fill(day(1)), null, null, null]], null],
    ['most are in the future', [Array.from({ length: 6 }, (_, at) => day(-9 - at))], 'future'],
    ['one move is no reason', [0, 9].map((more) => Array.from({ length: 6 }, (_, at) => day(20 + at - more))), null],
    ['two are', [0, 9, 18].map((more) => Array.from({ length: 6 }, (_, at) => day(30 + at - more))), 'moving'],
    [
      'unless they stay between',
      [0, 9, 9, 18].map((more) => Array.from({ length: 6 }, (_, at) => day(30 + at - more))),
      null,
    ],
  ])('%s', (_what, readings, useless) => {
    expect(kept(...readings).useless).toBe(useless);
  });

  it('that are all the same are ignored, and the others are used', () => {
    const { of } = kept([...Array(9).fill(day(5)), day(2)]);
    expect(of(0)).toBeNull();
    expect(of(9)?.fromMs).toBe(Date.UTC(2026, 10, 18));
  });

  it('of several files: the latest counts, and an invalid record is ignored', () => {
    const lastmods = new Lastmods(2);
    for (const date of [day(9), day(3), day(5)]) {
      const reader = new LastmodReader();
      reader.add('http://a.test/', date);
      lastmods.addAll(reader.end(null, NOW).encoded, NOW, NOW);
    }
    expect(lastmods.of('http://a.test/')?.fromMs).toBe(Date.parse(day(3)));
    for (const bytes of [[], [0], [0, 0, 0, 0, 0, 1, 2], [9, 9, 9, 9, 9, 9, 9, 9]])
      lastmods.addAll(new Uint8Array(bytes), NOW, NOW);
    const full = kept([day(1), day(2)]);
    expect(full.of(1)).not.toBeNull();
  });
});

describe('claims of a host', () => {
  const URL_OF_PAGE = 'http://a.test/0';
  const setUp = () => {
    const records = new Map<string, Uint8Array>();
    const store = {
      readRecord: async (key: string) => records.get(key) ?? null,
      writeRecord: async (key: string, value: Uint8Array | null) => void (value !== null && records.set(key, value)),
    };
    return { records, store, trust: createLastmodTrust(store) };
  };
  const { lastmods } = kept(['2026-11-10']);
  const at = (hours: number): number => Date.UTC(2026, 10, 10) + hours * HOUR_MS;

  it.each<[string, number, string | undefined]>([
    ['a visit of the day before', at(-1), 'changed'],
    ['a visit of the same day says neither', at(9), undefined],
    ['a visit of the day after', at(24), 'unchanged'],
  ])('%s', async (_what, visitedAtMs, kind) => {
    const claim = await setUp().trust.claim(URL_OF_PAGE, lastmods, visitedAtMs, NOW);
    expect(claim?.kind).toBe(kind);
    if (claim !== null) expect(claim).toMatchObject({ trust: 0.75, weight: 0.5 });
    expect(await setUp().trust.claim('http://a.test/none', lastmods, visitedAtMs, NOW)).toBeNull();
  });

  it('are trusted more with each true one, and less with each wrong one, also after a restart', async () => {
    const { store, trust } = setUp();
    const changed = await trust.claim(URL_OF_PAGE, lastmods, at(-1), NOW);
    const unchanged = await trust.claim(URL_OF_PAGE, lastmods, at(24), NOW);
    for (const hasChanged of [true, true, true, false]) await trust.addComparison(URL_OF_PAGE, changed!, hasChanged);
    for (const hasChanged of [false, false, true]) await trust.addComparison(URL_OF_PAGE, unchanged!, hasChanged);
    const again = createLastmodTrust(store);
    expect(await again.of('a.test')).toEqual({ changed: 6 / 8, unchanged: 5 / 7, weight: 6 / 8 + 5 / 7 - 1 });
    expect(await again.of('b.test')).toEqual({ changed: 3 / 4, unchanged: 3 / 4, weight: 1 / 2 });
    // Older observations lose their weight.
    for (let time = 0; time < 300; time += 1) await again.addComparison(URL_OF_PAGE, changed!, true);
    for (let time = 0; time < 60; time += 1) await again.addComparison(URL_OF_PAGE, changed!, false);
    expect((await again.of('a.test')).changed).toBeLessThan(0.35);
  });

  it('say nothing about the time after they were read', async () => {
    const read = (readAtMs: number): Lastmods => {
      const reader = new LastmodReader();
      reader.add(URL_OF_PAGE, '2026-11-10');
      const known = new Lastmods(1);
      known.addAll(reader.end(null, NOW).encoded, NOW, readAtMs);
      return known;
    };
    const visitedAtMs = NOW - 8 * DAY_MS;
    for (const [ago, coverage] of [
      [0, 1],
      [2, 0.75],
      [6, 0.25],
    ] as const) {
      const { trust } = setUp();
      const claim = await trust.claim(URL_OF_PAGE, read(NOW - ago * DAY_MS), visitedAtMs, NOW);
      expect(claim).toMatchObject({ kind: 'unchanged', weight: 0.5 * coverage, coverage });
      await trust.addComparison(URL_OF_PAGE, claim!, true);
      expect((await trust.of('a.test')).unchanged).toBe(coverage === 1 ? 3 / 5 : 3 / 4);
    }
    expect(await setUp().trust.claim(URL_OF_PAGE, read(NOW - 9 * DAY_MS), visitedAtMs, NOW)).toBeNull();
    // A change stays true, whenever the date was read.
    const changed = await setUp().trust.claim(URL_OF_PAGE, read(at(30)), at(-1), NOW);
    expect(changed).toMatchObject({ kind: 'changed', weight: 0.5, coverage: 1 });
  });

  it('have no weight if pages change as often without them', async () => {
    const { trust } = setUp();
    const changed = await trust.claim(URL_OF_PAGE, lastmods, at(-1), NOW);
    const unchanged = await trust.claim(URL_OF_PAGE, lastmods, at(24), NOW);
    for (let time = 0; time < 30; time += 1) {
      await trust.addComparison(URL_OF_PAGE, changed!, time % 3 === 0);
      await trust.addComparison(URL_OF_PAGE, unchanged!, time % 3 === 0);
    }
    const { changed: p, unchanged: q, weight } = await trust.of('a.test');
    expect(q).toBeGreaterThan(0.6);
    expect(weight).toBeLessThan(0.1);
    expect(weight).toBeCloseTo(p + q - 1, 12);
    for (let time = 0; time < 30; time += 1) await trust.addComparison(URL_OF_PAGE, changed!, false);
    expect((await trust.of('a.test')).weight).toBe(0);
  });

  it('date a change once they are trusted, within the time since the last visit', () => {
    const claim = {
      kind: 'changed',
      trust: 0.9,
      weight: 0.5,
      coverage: 1,
      lastmod: { fromMs: at(0), toMs: at(24), readAtMs: NOW },
    } as const;
    expect(changeAgeDays(claim, at(-48), at(48))).toBe(1.5);
    expect(changeAgeDays(claim, at(6), at(18))).toBe(0.25);
    expect(changeAgeDays({ ...claim, trust: 0.89 }, at(-48), at(48))).toBeUndefined();
    expect(changeAgeDays({ ...claim, kind: 'unchanged' }, at(-48), at(48))).toBeUndefined();
    expect(changeAgeDays(null, at(-48), at(48))).toBeUndefined();
    expect(changeAgeDays(claim, at(-48), at(-1))).toBeUndefined();
  });
});
