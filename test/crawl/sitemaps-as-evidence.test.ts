// Dates in sitemaps and feeds influence the order of a recrawl as far as they have proved reliable. The files are read
// before pages, rarely and conditionally. In virtual time, on one store.

import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import type { Explanation } from 'mannerly';
import { createFakeWeb, createVirtualClock, type FakeExchange, type FakeHost } from 'mannerly/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Crawler, type CrawlStory, crawl, type TestCrawlOptions } from '../support/crawl.js';

const DAY_MS = 86_400_000;
type VisitExplanation = NonNullable<Explanation['visit']>;
const HOUR_MS = DAY_MS / 24;
const XML = { 'content-type': 'application/xml' };
const iso = (ms: number): string => new Date(ms).toISOString();

const ROBOTS = 'User-agent: *\nSitemap: http://a.test/list.xml\n';

/** A site of numbered pages; a test controls its sitemap. */
class Site {
  readonly edition: number[];
  /** The date of each page in the sitemap; `null`: none. */
  readonly lastmod: (string | null)[];
  /** The content of the sitemap instead of a list. */
  list: (() => string) | null = null;
  robots = ROBOTS;
  listStatus = 200;
  /** The path that redirects to the list at /moved.xml. */
  moved: string | null = null;
  /** The path of the list if the sitemap is an index. */
  more = '/list.xml';
  listLastsSeconds = 0;

  constructor(pages: number, lastmod: (at: number) => string | null) {
    this.edition = Array.from({ length: pages }, () => 1);
    this.lastmod = this.edition.map((_, at) => lastmod(at));
  }

  change(at: number, lastmod: string | null = this.lastmod[at] ?? null): void {
    this.edition[at] = (this.edition[at] ?? 0) + 1;
    this.lastmod[at] = lastmod;
  }

  setDates(lastmod: (at: number) => string): void {
    for (const at of this.lastmod.keys()) this.lastmod[at] = lastmod(at);
  }

  urlset(): string {
    const entry = (lastmod: string | null, at: number): string =>
      `<url><loc>http://a.test/${at}</loc>${lastmod === null ? '' : `<lastmod>${lastmod}</lastmod>`}</url>`;
    return `<urlset>${this.lastmod.map(entry).join('')}</urlset>`;
  }

  host(): FakeHost {
    return {
      robots: () => ({ body: this.robots }),
      pages: ({ path, headers }) => {
        if (path === this.moved) return { status: 301, headers: { location: '/moved.xml' } };
        if (path === this.more && path !== '/list.xml') return { headers: XML, body: this.urlset() };
        if (path === '/list.xml' || (path === '/moved.xml' && this.moved !== null)) {
          const body = this.list?.() ?? this.urlset();
          const etag = `"${hash('sha256', body).slice(0, 16)}"`;
          if (this.listStatus !== 200) return { status: this.listStatus };
          return headers['if-none-match'] === etag
            ? { status: 304, headers: { etag } }
            : { headers: { ...XML, etag, 'cache-control': `max-age=${this.listLastsSeconds}` }, body };
        }
        const edition = path === '/' ? 1 : this.edition[Number(path.slice(1))];
        if (edition === undefined || Number.isNaN(edition)) return { status: 404 };
        return {
          headers: { 'content-type': 'text/html' },
          body: `<title>${path}</title><p>Edition ${edition}</p>`,
        };
      },
    };
  }
}

/** Runs on one store, each a number of days after the start. */
function runs(hosts: Readonly<Record<string, FakeHost>>) {
  const place = mkdtempSync(join(tmpdir(), 'mannerly-evidence-'));
  const clock = createVirtualClock();
  onTestFinished(() => {
    clock.end();
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  });
  const startMs = clock.nowMs();
  return {
    startMs,
    async run(days: number, options: Partial<TestCrawlOptions> = {}) {
      const beforeMs = startMs + days * DAY_MS - clock.nowMs();
      if (beforeMs > 0) await clock.advance(beforeMs);
      const web = createFakeWeb({ hosts });
      const { fetcher, network } = web.fakes(clock);
      const story: CrawlStory = await clock.finish(
        crawl({
          seeds: ['http://a.test/'],
          scope: { seeds: ['http://a.test/'], within: 'list', hosts: Object.keys(hosts) },
          bounds: { pages: 500 },
          discover: { sitemaps: true },
          recrawl: true,
          again: days > 0,
          clock,
          fetcher,
          network,
          store: lmdbStore({ path: join(place, 'store'), nowMs: () => clock.nowMs() }),
          ...options,
        }),
      );
      if (web.errors.length > 0) throw web.errors[0];
      const exchanges: FakeExchange[] = web.exchanges.filter(({ path }) => path !== '/robots.txt');
      return { ...story, exchanges, paths: exchanges.map(({ path }) => path) };
    },
  };
}

/** A date before the start of virtual time, unique to each page. */
const wasAt = (at: number): string => iso(Date.UTC(2025, 5, 1) + at * DAY_MS);
const codes = ({ notices }: CrawlStory): readonly string[] => notices.map(({ code }) => code);

describe('a recrawl of a site with a sitemap', () => {
  it('reads the sitemap first, conditionally, and visits the pages that it says have changed', async () => {
    const site = new Site(20, wasAt);
    const { startMs, run } = runs({ 'a.test': site.host() });
    const first = await run(0);
    expect(first.paths[0]).toBe('/list.xml');
    expect(first.exchanges).toHaveLength(22);
    for (const at of [3, 11, 17]) site.change(at, iso(startMs + 4 * DAY_MS));
    const second = await run(5, { bounds: { pages: 4 } });
    expect(second.paths[0]).toBe('/list.xml');
    expect(second.exchanges[0]?.headers['if-none-match']).toBeDefined();
    // The seed has four times the weight.
    expect(second.paths.slice(1).sort()).toEqual(['/', '/11', '/17', '/3']);
    expect(second.report.recrawl).toMatchObject({ visits: 4, changed: 3, sameContent: 1 });
    expect(second.report.outcomes['fetched']).toMatchObject({ sitemap: 1 });
  });

  it('finds pages that the sitemap lists now', async () => {
    const site = new Site(5, wasAt);
    const { run } = runs({ 'a.test': site.host() });
    await run(0);
    site.edition.push(1);
    site.lastmod.push(null);
    expect((await run(5)).paths).toContain('/5');
  });

  it('visits a page that was gone when the sitemap names it with a later date, once for each date', async () => {
    const site = new Site(5, wasAt);
    const { startMs, run } = runs({ 'a.test': site.host() });
    await run(0);
    const edition = site.edition.splice(3, 1, Number.NaN);
    await run(5);
    expect((await run(20)).report.recrawl).toMatchObject({ gone: 1 });
    expect((await run(30)).paths).not.toContain('/3');
    site.lastmod[3] = iso(startMs + 35 * DAY_MS);
    const inVain = await run(40);
    expect(inVain.exchanges.filter(({ path }) => path === '/3').map(({ status }) => status)).toEqual([404]);
    expect(inVain.report.recrawl).toMatchObject({ gone: 0 });
    expect((await run(50)).paths).not.toContain('/3');
    site.edition.splice(3, 1, ...edition);
    site.lastmod[3] = iso(startMs + 55 * DAY_MS);
    const back = await run(60);
    expect(back.exchanges.filter(({ path }) => path === '/3').map(({ status }) => status)).toEqual([200]);
    expect((await run(70)).paths).toContain('/3');
  });

  it('reads the sitemap rarely: not within an hour, and not at all while it says how long it lasts', async () => {
    const site = new Site(3, wasAt);
    const { run } = runs({ 'a.test': site.host() });
    await run(0);
    expect((await run(0.04)).paths).not.toContain('/list.xml');
    const { exchanges } = await run(2);
    expect(exchanges[0]).toMatchObject({ path: '/list.xml', status: 304 });
    site.change(1, wasAt(100));
    site.listLastsSeconds = 5 * 86_400;
    expect((await run(4)).exchanges[0]).toMatchObject({ path: '/list.xml', status: 200 });
    expect((await run(8)).paths).not.toContain('/list.xml');
    expect((await run(10)).paths).toContain('/list.xml');
  });

  it.each([
    ['goes by its dates where they have proved true', true, '/11'],
    ['goes by what was seen where they have not', false, '/0'],
  ])('%s', async (_what, isHonest, first) => {
    const site = new Site(12, (at) => (at === 0 ? null : wasAt(at)));
    const { startMs, run } = runs({ 'a.test': site.host() });
    await run(0);
    for (let day = 1; day <= 10; day += 1) {
      site.change(0);
      const lastmod = iso(startMs + (day - 0.5) * DAY_MS);
      if (isHonest) site.change(day, lastmod);
      else site.lastmod[day] = lastmod;
      await run(day);
    }
    site.lastmod[11] = iso(startMs + 10.5 * DAY_MS);
    const { paths } = await run(11, { bounds: { pages: 1 } });
    expect(paths).toEqual(['/list.xml', first]);
  });

  it('takes the dates of a feed like those of a sitemap, and reads it as often as it says', async () => {
    const site = new Site(8, wasAt);
    const { startMs, run } = runs({ 'a.test': site.host() });
    await run(0);
    const item = (lastmod: string | null, at: number): string =>
      `<item><link>http://a.test/${at}</link><pubDate>${new Date(lastmod ?? '').toUTCString()}</pubDate></item>`;
    site.list = () => `<rss><channel><ttl>4320</ttl>${site.lastmod.map(item).join('')}</channel></rss>`;
    await run(2);
    for (const at of [2, 5]) site.change(at, iso(startMs + 3 * DAY_MS));
    expect((await run(4, { bounds: { pages: 1 } })).paths).not.toContain('/list.xml');
    const { paths } = await run(5.5, { bounds: { pages: 3 } });
    expect(paths[0]).toBe('/list.xml');
    expect(paths).toEqual(expect.arrayContaining(['/2', '/5']));
  });

  it('expects of a new page what it has seen of the others, and says why a page is due', async () => {
    const site = new Site(12, (at) => (at === 11 ? wasAt(at) : null));
    const { run } = runs({ 'a.test': site.host() });
    await run(0);
    for (let day = 1; day <= 3; day += 1) {
      for (let at = 0; at < 10; at += 1) site.change(at);
      if (day === 3) {
        site.edition.push(1);
        site.lastmod.push(null);
      }
      await run(day);
    }
    const looks = new Map<string, VisitExplanation | undefined>();
    await run(8, {
      recrawl: { everyDays: 2 },
      handlers: (crawler) =>
        void crawler.on('unchanged', async () => {
          if (looks.size > 0) return;
          for (const path of ['/0', '/11', '/12'])
            looks.set(path, (await crawler.explain(`http://a.test${path}`)).visit);
        }),
    });
    expect(looks.get('/12')).toMatchObject({ visits: 1, changes: 0, lastmod: null, why: 'interval' });
    expect(looks.get('/12')?.changesPerDay).toBeGreaterThan(0.3);
    expect(looks.get('/11')).toMatchObject({
      visits: 4,
      lastmod: 'unchanged',
      shape: 0.5,
      days: expect.closeTo(10, 2),
    });
    expect(looks.get('/11')?.lastmodTrust).toMatchObject({ changed: 3 / 4, unchanged: 6 / 7 });
    const [often, rare] = [looks.get('/0'), looks.get('/11')];
    expect(often?.fresh).toBeLessThan(rare?.fresh ?? 0);
    expect(often?.dueAtMs).toBeLessThan(rare?.dueAtMs ?? 0);
    expect(often?.value).toBeGreaterThan(rare?.value ?? 1);
  });

  it.each<[string, Partial<Site>, readonly string[]]>([
    ['has moved', { moved: '/list.xml' }, ['/list.xml', '/moved.xml']],
    ['is closed by robots.txt', { robots: `${ROBOTS}Disallow: /list.xml\n` }, []],
    ['is gone', { listStatus: 404 }, ['/list.xml']],
    ['is no sitemap any more', { list: () => '<html><p>Welcome' }, ['/list.xml']],
  ])('does not wait for a sitemap that %s', async (_what, changes, requests) => {
    const site = new Site(4, wasAt);
    const { startMs, run } = runs({ 'a.test': site.host() });
    await run(0);
    Object.assign(site, changes);
    for (const day of [5, 10]) {
      const second = await run(day);
      const lists = second.paths.filter((path) => path.endsWith('.xml'));
      expect(lists.slice(0, 2)).toEqual(requests);
      const pages = second.exchanges.filter(({ path }) => !path.endsWith('.xml'));
      expect(pages).toHaveLength(5);
      expect((pages[0]?.startMs ?? 0) - startMs - day * DAY_MS).toBeLessThan(5_000);
      expect(second.report.state).toBe('finished');
    }
  });

  it('reads the files of an index each by itself', async () => {
    const one = { bounds: { pages: 1 }, recrawl: { importance: () => 1 } };
    const site = new Site(4, wasAt);
    const { startMs, run } = runs({ 'a.test': site.host() });
    site.list = () => '<sitemapindex><sitemap><loc>http://a.test/moved.xml</loc></sitemap></sitemapindex>';
    site.more = '/moved.xml';
    expect((await run(0)).paths).toContain('/moved.xml');
    site.change(2, iso(startMs + 4 * DAY_MS));
    const { exchanges, paths } = await run(5, one);
    expect(exchanges.slice(0, 2).map(({ path, status }) => `${path} ${status}`)).toEqual([
      '/list.xml 304',
      '/moved.xml 200',
    ]);
    expect(paths[2]).toBe('/2');
    // A newly named sitemap is also read before pages are chosen.
    site.change(3, iso(startMs + 9 * DAY_MS));
    site.list = () => '<sitemapindex><sitemap><loc>http://a.test/new.xml</loc></sitemap></sitemapindex>';
    site.more = '/new.xml';
    expect((await run(10, one)).paths.at(-1)).toBe('/3');
  });

  it('says nothing by dates that were not read again', async () => {
    const site = new Site(3, wasAt);
    const { run } = runs({ 'a.test': site.host() });
    const explainAfter = async (days: number): Promise<VisitExplanation | undefined> => {
      let look: VisitExplanation | undefined;
      const handlers = (crawler: Crawler): void =>
        void crawler.on('unchanged', async () => {
          look ??= (await crawler.explain('http://a.test/1')).visit;
        });
      await run(days, { handlers });
      return look;
    };
    await run(0);
    expect((await explainAfter(2))?.lastmod).toBe('unchanged');
    site.listLastsSeconds = 6 * 86_400;
    site.change(2, wasAt(40));
    expect((await explainAfter(4))?.lastmod).toBe('unchanged');
    expect((await explainAfter(6))?.lastmod).toBeNull();
  });

  it('waits at most a minute for a sitemap that does not arrive', async () => {
    const [good, bad] = [new Site(4, wasAt), new Site(4, wasAt)];
    const hosts = { 'a.test': good.host(), 'b.test': bad.host() };
    const { startMs, run } = runs(hosts);
    const seeds = ['http://a.test/', 'http://b.test/'];
    const more = { seeds, scope: { seeds, within: 'host' as const } };
    bad.robots = bad.robots.replace('a.test', 'b.test');
    bad.list = () => bad.urlset().replaceAll('a.test', 'b.test');
    expect((await run(0, more)).exchanges).toHaveLength(12);
    bad.listStatus = 500;
    const { exchanges } = await run(5, more);
    const pages = exchanges.filter(({ path }) => path !== '/list.xml');
    expect(pages).toHaveLength(10);
    const waitedMs = Math.min(...pages.map((each) => each.startMs)) - (startMs + 5 * DAY_MS);
    expect(waitedMs).toBeLessThan(61_000);
    // Its earlier dates still count, and it is requested again.
    expect(exchanges.filter(({ path }) => path === '/list.xml').length).toBeGreaterThan(1);
  });

  it.each<[string, (site: Site, startMs: number, day: number) => void]>([
    ['one date for most of its pages', (site, startMs, day) => site.lastmod.fill(iso(startMs + (day - 1) * DAY_MS), 1)],
    ['dates in the future', (site, startMs) => site.setDates((at) => iso(startMs + (500 + at) * DAY_MS))],
    [
      'other dates at each reading',
      (site, startMs, day) => site.setDates((at) => iso(startMs + (day - 0.5) * DAY_MS + (at * HOUR_MS) / 4)),
    ],
  ])('uses no dates of a sitemap with %s, and says so', async (_what, setDates) => {
    const site = new Site(12, () => null);
    const { startMs, run } = runs({ 'a.test': site.host() });
    for (const day of [0, 5, 10]) {
      setDates(site, startMs, day);
      await run(day);
    }
    setDates(site, startMs, 15);
    // The seed, and the first two by name: if the dates were trusted, the last ones would come first.
    site.change(0, null);
    const last = await run(15, { bounds: { pages: 3 } });
    expect(codes(last)).toContain('lastmod-useless');
    expect(last.paths.slice(1).sort()).toEqual(['/', '/0', '/1']);
  });
});
