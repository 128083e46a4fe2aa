// At stake: a site's reservation of rights must apply even if its file moved, failed, or was never read.
import type { PageWork } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import { response } from '../../test-support/page-work.js';
import type { ResponseOutcome } from '../fetch/outcome.js';
import type { RecordStore } from '../json-record.js';
import { type CompanionOptions, Companions } from './companions.js';
import { TDM_POLL_MS, TDM_TURN_MS } from './limits.js';
import { Sitemaps } from './sitemaps.js';

const NOW = 1_000_000;
const FILE = 'https://a.test/.well-known/tdmrep.json';
const RULES = '[{"location":"/closed/","tdm-reservation":1},{"location":"/","tdm-reservation":0}]';

const work = (url: string, more: Partial<PageWork['record']> = {}): PageWork =>
  ({
    kind: 'page',
    url,
    record: { url, depth: 0, via: 'companion', from: null, hops: 0, label: null, userData: null, tries: 0, ...more },
  }) as PageWork;

const answer = (status: number, body = '', truncated: 'connection' | null = null): ResponseOutcome =>
  response(FILE, body, [], { status, truncated });

function records(): RecordStore & { kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    readRecord: async (key) => kept.get(key) ?? null,
    writeRecord: async (key, value) => {
      if (value === null) kept.delete(key);
      else kept.set(key, value);
    },
  };
}

const NO_SITEMAPS = new Sitemaps({ sitemaps: false, sitemapUrls: [], feeds: false });

function createCompanions(options: CompanionOptions, frontier: RecordStore, nowMs: () => number): Companions {
  return new Companions({ frontier, sitemaps: NO_SITEMAPS, nowMs }, options);
}

const reserved = async (companions: Companions, url: string): Promise<boolean | null> =>
  (await companions.tdmFor(url)).reserved;

const notOffered = (): Promise<never> => Promise.reject(new Error('nothing is offered by a tdmrep.json'));

describe('tdmrep.json', () => {
  it.each<[string, ResponseOutcome, boolean | null, boolean | null]>([
    ['rules', answer(200, RULES), true, false],
    ['no file', answer(404), null, null],
    ['a refused file', answer(403), null, null],
    ['no JSON', answer(200, '<html>'), null, null],
    ['an answer of several choices', answer(300, RULES), null, null],
    ['rules with another good status', answer(299, RULES), true, false],
    ['a broken server', answer(500), true, true],
    ['a failing server', answer(503), true, true],
    ['a server that waited too long', answer(408), true, true],
    ['a server that is asked too much', answer(429), true, true],
    ['a cut body', answer(200, RULES, 'connection'), true, true],
  ])('%s', async (_name, outcome, closed, open) => {
    const companions = createCompanions({ tdm: true, datasets: null }, records(), () => NOW);
    await companions.read(work(FILE), outcome, notOffered);
    expect(await reserved(companions, 'https://a.test/closed/x')).toBe(closed);
    expect(await reserved(companions, 'https://a.test/open')).toBe(open);
  });

  it('reserves everything until it is known', async () => {
    expect(
      await reserved(
        createCompanions({ tdm: true, datasets: null }, records(), () => NOW),
        'https://a.test/',
      ),
    ).toBe(true);
  });

  it('is not requested without a purpose that needs it', async () => {
    const companions = createCompanions({ tdm: false, datasets: null }, records(), () => NOW);
    expect(await companions.urlsFor('https://a.test', true)).toEqual([]);
    expect(await reserved(companions, 'https://a.test/')).toBeNull();
  });

  it('counts as missing if robots.txt disallows it', async () => {
    const companions = createCompanions({ tdm: true, datasets: null }, records(), () => NOW);
    await companions.markExcluded(FILE);
    expect(await reserved(companions, 'https://a.test/')).toBeNull();
  });

  it('is remembered over a restart', async () => {
    const kept = records();
    const made = () => createCompanions({ tdm: true, datasets: null }, kept, () => NOW);
    await made().read(work(FILE), answer(200, RULES), notOffered);
    const next = made();
    expect(await reserved(next, 'https://a.test/closed/x')).toBe(true);
    expect(await reserved(next, 'https://a.test/open')).toBe(false);
  });

  it('is not answered by what becomes of another companion', async () => {
    const companions = createCompanions({ tdm: true, datasets: () => [] }, records(), () => NOW);
    const other = 'https://a.test/data.txt';
    await companions.markExcluded(other);
    expect(await companions.redirected(work(other, { hops: 5 }), other)).toBeNull();
    await companions.read(work(other), answer(200), notOffered);
    expect(await companions.tdmFor('https://a.test/')).toMatchObject({ reserved: true, isUnknown: true });
    companions.ended(work(other), NOW + 1);
    expect(await companions.waitsUntil('https://a.test/')).toBeNull();
  });

  it('keeps the pages of its authority waiting while it is tried again, and no longer', async () => {
    let now = NOW;
    const companions = createCompanions({ tdm: true, datasets: null }, records(), () => now);
    const wait = (url = 'https://a.test/page') => companions.waitsUntil(url);
    expect(await wait()).toBeNull();
    const againAtMs = NOW + 60_000;
    companions.ended(work(FILE), againAtMs);
    expect([await wait(), await wait('https://b.test/')]).toEqual([againAtMs, null]);
    now = againAtMs + TDM_TURN_MS;
    expect(await wait()).toBe(now + TDM_POLL_MS);
    now += 1;
    expect(await wait()).toBeNull();
    companions.ended(work(FILE), now);
    expect(await wait()).toBe(now + TDM_POLL_MS);
    companions.ended(work(FILE), null);
    expect(await wait()).toBeNull();
    companions.ended(work('https://b.test/rights.json', { from: FILE, hops: 1 }), now);
    expect(await wait()).toBe(now + TDM_POLL_MS);
    await companions.read(work(FILE), answer(404), notOffered);
    expect(await wait()).toBeNull();
  });

  it('applies to the first authority, after at most five redirects', async () => {
    const companions = createCompanions({ tdm: true, datasets: null }, records(), () => NOW);
    const hop = await companions.redirected(work(FILE), 'https://b.test/rights.json');
    expect(hop).toMatchObject({
      url: 'https://b.test/rights.json',
      via: 'companion',
      from: FILE,
      hops: 1,
      priority: 0,
    });
    await companions.read(work('https://b.test/rights.json', { from: FILE, hops: 1 }), answer(200, RULES), notOffered);
    expect(await reserved(companions, 'https://a.test/closed/x')).toBe(true);
    expect(await reserved(companions, 'https://b.test/closed/x')).toBe(true);
    expect(await companions.redirected(work(FILE, { hops: 4 }), 'https://b.test/')).toMatchObject({ hops: 5 });
    expect(await companions.redirected(work(FILE, { hops: 5 }), 'https://b.test/')).toBeNull();
    expect(await reserved(companions, 'https://a.test/closed/x')).toBe(true);
  });

  it('does not exist if its redirects do not end', async () => {
    const companions = createCompanions({ tdm: true, datasets: null }, records(), () => NOW);
    expect(await reserved(companions, 'https://a.test/')).toBe(true);
    expect(await companions.redirected(work(FILE, { hops: 5 }), FILE)).toBeNull();
    expect(await reserved(companions, 'https://a.test/')).toBeNull();
  });

  it('still applies if robots.txt disallows it later', async () => {
    const companions = createCompanions({ tdm: true, datasets: null }, records(), () => NOW);
    await companions.read(work(FILE), answer(200, RULES), notOffered);
    await companions.markExcluded(FILE);
    expect(await reserved(companions, 'https://a.test/closed/x')).toBe(true);
  });

  it('is requested again after a later robots.txt, a day after its last answer', async () => {
    let now = NOW;
    const day = 90_000_000;
    const companions = createCompanions({ tdm: true, datasets: null }, records(), () => now);
    expect(await companions.urlsFor('https://a.test', true)).toMatchObject([{ url: FILE, priority: 0 }]);
    now += day - 1;
    expect(await companions.urlsFor('https://a.test', false)).toEqual([]);
    now += 1;
    expect(await companions.urlsFor('https://a.test', false)).toMatchObject([{ url: FILE, visit: NOW + day }]);
    expect(await companions.urlsFor('https://a.test', false)).toEqual([]);
    now += day;
    await companions.read(work(FILE), answer(200, RULES), notOffered);
    expect(await companions.urlsFor('https://a.test', false)).toEqual([]);
    now += day;
    expect(await companions.urlsFor('https://a.test', false)).toMatchObject([{ url: FILE, visit: now }]);
  });
});

describe('data.txt', () => {
  it('is requested again when it has expired, after the next robots.txt, also after a restart (data-txt §6)', async () => {
    let now = NOW;
    const kept = records();
    const datasets = () => [];
    const made = () => createCompanions({ tdm: false, datasets }, kept, () => now);
    const url = 'https://a.test/data.txt';
    expect(await made().urlsFor('https://a.test', true)).toMatchObject([{ url }]);
    expect(await made().urlsFor('https://a.test', false)).toEqual([]);
    const headers = [['Cache-Control', 'max-age=3600']] as const;
    const timing = { startedAtMs: now, headersAtMs: now, endedAtMs: now };
    await made().read(work(url), { ...answer(200), headers, timing }, notOffered);
    now += 3_599_000;
    expect(await made().urlsFor('https://a.test', false)).toEqual([]);
    now += 1_000;
    expect(await made().urlsFor('https://a.test', false)).toMatchObject([{ url, visit: NOW + 3_600_000 }]);
  });
});
