// Which sitemaps are requested, and whose entries each may list. If this breaks, a site lists the pages of another, or
// makes the crawl request sitemaps without end.

import type { NewUrl, PageWork } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import { pageWork, response } from '../../test-support/page-work.js';
import type { FetchOutcome } from '../fetch/outcome.js';
import { MAX_COMPANION_HOPS, MAX_SITEMAP_LEVELS, MAX_SITEMAP_VOUCHERS, MAX_SITEMAPS_PER_HOST } from './limits.js';
import { type SitemapFinds, Sitemaps } from './sitemaps.js';

const A = 'https://a.test';
const MAP = `${A}/map.xml`;
const make = (options: Partial<ConstructorParameters<typeof Sitemaps>[0]> = {}) =>
  new Sitemaps({ sitemaps: true, sitemapUrls: [], feeds: false, ...options });
const robots = (...urls: readonly string[]) =>
  response(`${A}/robots.txt`, urls.map((url) => `Sitemap: ${url}`).join('\n'));
const workOf = ({ url, ...record }: NewUrl): PageWork => pageWork(url, record);
const urlsOf = (finds: SitemapFinds) => finds.candidates.map(({ url }) => url);
const index = (...urls: readonly string[]) =>
  response(MAP, `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`);
const list = (...urls: readonly string[]) =>
  response(MAP, `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`);

/** Reads a sitemap. @returns What it lists, and what it was. */
async function read(sitemaps: Sitemaps, work: PageWork, outcome: ReturnType<typeof response>) {
  const all: { candidates: NewUrl[]; refused: string[] } = { candidates: [], refused: [] };
  const { detail } = await sitemaps.read(work, outcome, async ({ candidates, refused }) => {
    all.candidates.push(...candidates);
    all.refused.push(...refused.map(({ reason }) => reason));
  });
  return { ...all, urls: all.candidates.map(({ url }) => url), detail };
}

describe('a robots.txt', () => {
  it.each<[string, FetchOutcome, readonly string[]]>([
    ['names sitemaps', robots(MAP), [MAP]],
    ['with another good status', { ...robots(MAP), status: 299 }, [MAP]],
    ['that is missing names none', { ...robots(MAP), status: 404 }, []],
    ['that redirects names none', { ...robots(MAP), status: 300 }, []],
    ['that was cut names none', { ...robots(MAP), truncated: 'connection' }, []],
    ['that is too long names those that were read', { ...robots(MAP), truncated: 'limit' }, [MAP]],
  ])('%s', (_what, outcome, expected) => {
    expect(urlsOf(make().fromRobots(A, outcome))).toEqual(expected);
    expect(urlsOf(make({ sitemaps: false }).fromRobots(A, outcome))).toEqual([]);
  });

  it('vouches for a sitemap of another host, which then may list its pages', async () => {
    const sitemaps = make();
    const [first] = sitemaps.fromRobots(A, robots('https://maps.test/all.xml')).candidates;
    const all = list(`${A}/1`, 'https://b.test/1', 'https://maps.test/1');
    const own = await read(sitemaps, workOf(first as NewUrl), all);
    expect(own).toMatchObject({ urls: [`${A}/1`, 'https://maps.test/1'], refused: ['sitemap-foreign'] });
    expect(own.detail).toContain('1 left out');
    expect(sitemaps.isRead(workOf(first as NewUrl))).toBe(true);
    // It is read once more for another host that names it, and not for the same one again.
    const [again] = sitemaps.fromRobots(A, robots('https://maps.test/all.xml')).candidates;
    expect([again?.dedupe, sitemaps.isRead(workOf(again as NewUrl))]).toEqual([undefined, true]);
    const [other] = sitemaps.fromRobots('https://b.test', robots('https://maps.test/all.xml')).candidates;
    expect([other?.dedupe, sitemaps.isRead(workOf(other as NewUrl))]).toEqual([false, false]);
    expect((await read(sitemaps, workOf(other as NewUrl), all)).refused).toEqual([]);
    expect(sitemaps.isRead(workOf(other as NewUrl))).toBe(true);
    expect(sitemaps.isRead(workOf({ ...(other as NewUrl), visit: 1 }))).toBe(false);
  });
});

it('one reading of a sitemap serves all hosts that have named it by then', async () => {
  const sitemaps = make();
  const [first] = sitemaps.fromRobots(A, robots('https://maps.test/all.xml')).candidates as readonly [NewUrl];
  sitemaps.fromRobots('https://b.test', robots('https://maps.test/all.xml'));
  const { refused } = await read(sitemaps, workOf(first), list(`${A}/1`, 'https://b.test/1', 'https://c.test/1'));
  expect(refused).toEqual(['sitemap-foreign']);
});

describe('an index', () => {
  it('leads to sitemaps, at most a few levels deep', async () => {
    const sitemaps = make({ sitemapUrls: [MAP] });
    let [next] = sitemaps.configured().candidates;
    for (let level = 1; level <= MAX_SITEMAP_LEVELS; level += 1) {
      const { candidates, refused } = await read(sitemaps, workOf(next as NewUrl), index(`${A}/${level}.xml`));
      expect(refused).toEqual([]);
      [next] = candidates;
    }
    const { refused } = await read(sitemaps, workOf(next as NewUrl), index(`${A}/deeper.xml`));
    expect(refused).toEqual(['sitemap-limit']);
  });

  it('leads to a bounded number of sitemaps of a host, and a known one counts once', async () => {
    const sitemaps = make({ sitemapUrls: [MAP] });
    const [start] = sitemaps.configured().candidates;
    const urls = Array.from({ length: MAX_SITEMAPS_PER_HOST - 1 }, (_, at) => `${A}/${at}.xml`);
    const { candidates, refused } = await read(sitemaps, workOf(start as NewUrl), index(MAP, ...urls, `${A}/more.xml`));
    expect([candidates.length, refused]).toEqual([MAX_SITEMAPS_PER_HOST, ['sitemap-limit']]);
  });
});

describe('a sitemap', () => {
  it('is followed over a bounded number of redirects, as what it was named', async () => {
    const sitemaps = make({ sitemapUrls: [MAP] });
    const [start] = sitemaps.configured().candidates as readonly [NewUrl];
    let hop: NewUrl | null = start;
    for (let hops = 1; hops <= MAX_COMPANION_HOPS; hops += 1) {
      hop = sitemaps.redirected(workOf(hop as NewUrl), `https://b.test/${hops}`);
      expect(hop).toMatchObject({ url: `https://b.test/${hops}`, hops, from: MAP, dedupe: false });
    }
    const moved = workOf(hop as NewUrl);
    expect(sitemaps.redirected(moved, 'https://b.test/more')).toBeNull();
    expect(sitemaps.isSitemap(moved)).toBe(true);
    // Its own host and the one that has it may be listed.
    const { refused } = await read(sitemaps, moved, list(`${A}/1`, 'https://b.test/1', 'https://c.test/1'));
    expect(refused).toEqual(['sitemap-foreign']);
    expect(sitemaps.redirected(pageWork(MAP, { via: 'companion' }), `${A}/x`)).toBeNull();
    expect(sitemaps.isSitemap(pageWork(MAP, { userData: start.userData ?? null }))).toBe(false);
  });

  it('remembers a bounded number of hosts that vouch for it', () => {
    const sitemaps = make();
    const named = Array.from({ length: MAX_SITEMAP_VOUCHERS + 2 }, (_, at) => {
      const [found] = sitemaps.fromRobots(`https://h${at}.test`, robots('https://maps.test/all.xml')).candidates;
      return found?.dedupe === false;
    });
    expect(named.filter(Boolean)).toHaveLength(MAX_SITEMAP_VOUCHERS - 1);
  });
});
