// What a sitemap lists passes the same checks as any link, the file itself is fetched like any page of its host, and no
// sitemap is fetched unless the crawl uses them.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CONTACT, type CrawlStory, crawl, NO_INTERVAL } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type Reply, type Route, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const xml = (body: string | Uint8Array, type = 'application/xml'): Reply => ({
  body,
  headers: { 'content-type': type },
});
const urlset = (...locs: readonly string[]): string =>
  `<?xml version="1.0"?><urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`;
const index = (...locs: readonly string[]): string =>
  `<?xml version="1.0"?><sitemapindex>${locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`;
/** A route that knows the authority of its request. */
const here =
  (make: (url: (path: string, host?: string) => string) => Reply): Route =>
  ({ headers }) => {
    const [host = '', port = ''] = (headers['host'] ?? '').split(':');
    return make((path, other = host) => `http://${other}:${port}${path}`);
  };
const NAMED = here((url) => text(`User-agent: *\nDisallow: /closed\nSitemap: ${url('/sitemap.xml')}\n`));
const PAGE = page('page');

async function read(
  hosts: Readonly<Record<string, Routes>>,
  options: Partial<Parameters<typeof crawl>[0]> & { readonly given?: readonly string[] } = {},
): Promise<CrawlStory & { readonly paths: (host?: string) => string[] }> {
  const web = await webForTest({ hosts });
  const { given, ...rest } = options;
  const seeds = [web.url('a.test')];
  const story = await crawl({
    seeds,
    scope: { seeds, within: 'list', hosts: Object.keys(hosts) },
    discover: { sitemaps: true, sitemapUrls: (given ?? []).map((path) => web.url('a.test', path)) },
    handlers: (crawler) => crawler.on('any', (each) => each.emit({ via: each.via, userData: each.userData })),
    ...rest,
  });
  expect(judge(web.log, { contact: CONTACT, rules: {} })).toEqual(POLITE);
  return { ...story, paths: (host = 'a.test') => web.paths(host) };
}

describe('the sitemaps that a robots.txt names', () => {
  it('are read before the pages, and robots.txt applies to what they list', async () => {
    const { paths, requests, decisions } = await read({
      'a.test': {
        '/robots.txt': NAMED,
        '/sitemap.xml': here((url) => xml(urlset(url('/1'), url('/closed/x'), url('/2#part')))),
        '*': PAGE,
      },
    });
    expect(paths()).toEqual(['/robots.txt', '/sitemap.xml', '/', '/1', '/2']);
    expect(requests.map(({ purpose }) => purpose)).toEqual(['robots', 'sitemap', 'page', 'page', 'page']);
    expect(decisions.find(({ url }) => url.endsWith('/sitemap.xml'))).toMatchObject({
      status: 'fetched',
      reason: 'sitemap',
      detail: 'urlset of 3',
    });
    expect(decisions.find(({ url }) => url.endsWith('/closed/x'))).toMatchObject({ reason: 'robots-rule' });
  });

  it('are not requested unless discovery is on', async () => {
    const { paths } = await read(
      { 'a.test': { '/robots.txt': NAMED, '/sitemap.xml': xml(urlset()), '*': PAGE } },
      { discover: {} },
    );
    expect(paths()).toEqual(['/robots.txt', '/']);
  });

  it('are not read if robots.txt disallows them', async () => {
    const { paths } = await read({
      'a.test': {
        '/robots.txt': here((url) => text(`User-agent: *\nDisallow: /s\nSitemap: ${url('/sitemap.xml')}\n`)),
        '*': PAGE,
      },
    });
    expect(paths()).toEqual(['/robots.txt', '/']);
  });

  it('do not use up pages', async () => {
    const { paths, report } = await read(
      {
        'a.test': {
          '/robots.txt': NAMED,
          '/sitemap.xml': here((url) => xml(index(url('/1.xml'), url('/2.xml')))),
          '/1.xml': here((url) => xml(urlset(url('/1')))),
          '/2.xml': here((url) => xml(urlset(url('/2')))),
          '*': PAGE,
        },
      },
      { bounds: { pages: 2 } },
    );
    expect(paths().slice(0, 5).sort()).toEqual(['/', '/1.xml', '/2.xml', '/robots.txt', '/sitemap.xml']);
    expect(report).toMatchObject({ state: 'bounded', pages: 2 });
  });

  it('queues the URLs of PleaseVisit', async () => {
    const { paths } = await read({ 'a.test': { '/robots.txt': text('PleaseVisit: /please\n'), '*': PAGE } });
    expect(paths()).toContain('/please');
  });

  it('are tried again when the server fails, like any page', async () => {
    const { decisions, paths } = await read(
      {
        'a.test': {
          '/robots.txt': NAMED,
          '/sitemap.xml': { status: 500 },
          '*': PAGE,
        },
      },
      { maxIdleMs: 0 },
    );
    expect(paths()).toEqual(['/robots.txt', '/sitemap.xml', '/']);
    expect(decisions.find(({ url }) => url.endsWith('/sitemap.xml'))).toMatchObject({
      status: 'held',
      reason: 'not-before',
    });
  });
});

describe('a sitemap that is named on the command line', () => {
  it('is read even if robots.txt does not name it', async () => {
    const { paths, items } = await read(
      { 'a.test': { '/robots.txt': text(''), '/maps/m.txt': here((url) => text(`${url('/t')}\n`)), '*': PAGE } },
      { given: ['/maps/m.txt'] },
    );
    expect(paths()).toEqual(['/robots.txt', '/maps/m.txt', '/', '/t']);
    expect(items.map(({ data }) => data)).toContainEqual({ via: 'sitemap', userData: null });
  });
});

describe('gzip', () => {
  const gz = (type: string, headers: Readonly<Record<string, string>> = {}): Route =>
    here((url) => ({ body: gzipSync(urlset(url('/z'))), headers: { 'content-type': type, ...headers } }));

  it.each([
    ['as a file', gz('application/gzip')],
    ['that calls itself XML', gz('application/xml')],
    ['as a content coding', gz('application/xml', { 'content-encoding': 'gzip' })],
  ])('%s', async (_how, route) => {
    const { paths } = await read({ 'a.test': { '/robots.txt': NAMED, '/sitemap.xml': route, '*': PAGE } });
    expect(paths()).toContain('/z');
  });
});

describe('indexes', () => {
  it('that name each other and themselves are read once each', async () => {
    const { paths, report } = await read({
      'a.test': {
        '/robots.txt': NAMED,
        '/sitemap.xml': here((url) => xml(index(url('/b.xml'), url('/sitemap.xml')))),
        '/b.xml': here((url) => xml(index(url('/sitemap.xml'), url('/b.xml')))),
        '*': PAGE,
      },
    });
    expect(paths().sort()).toEqual(['/', '/b.xml', '/robots.txt', '/sitemap.xml']);
    expect(report.state).toBe('finished');
  });

  it('of indexes end at the third level', async () => {
    const { paths, decisions } = await read({
      'a.test': {
        '/robots.txt': NAMED,
        '/': PAGE,
        '*': ({ path, headers }) => xml(index(`http://${headers['host']}${path}x`)),
      },
    });
    const sitemaps = paths().filter((path) => path.startsWith('/sitemap'));
    expect(sitemaps).toEqual(['/sitemap.xml', '/sitemap.xmlx', '/sitemap.xmlxx', '/sitemap.xmlxxx']);
    expect(decisions.find(({ reason }) => reason === 'sitemap-limit')).toMatchObject({ status: 'dropped' });
  });
});

describe('the hosts whose URLs a sitemap may list', () => {
  const B = { '/robots.txt': text(''), '*': PAGE };

  it('do not include another host', async () => {
    const { paths, decisions } = await read({
      'a.test': { '/robots.txt': NAMED, '/sitemap.xml': here((url) => xml(urlset(url('/x', 'b.test')))), '*': PAGE },
      'b.test': B,
    });
    expect(paths('b.test')).toEqual([]);
    expect(decisions.find(({ url }) => url.includes('b.test'))).toMatchObject({
      status: 'dropped',
      reason: 'sitemap-foreign',
    });
  });

  it('include a host whose robots.txt names it, also through its indexes', async () => {
    const { paths } = await read({
      'a.test': { '/robots.txt': here((url) => text(`Sitemap: ${url('/for-a.xml', 'b.test')}\n`)), '*': PAGE },
      'b.test': {
        '/robots.txt': text(''),
        '/for-a.xml': here((url) => xml(index(url('/deep.xml')))),
        '/deep.xml': here((url) => xml(urlset(url('/mine', 'a.test'), url('/no', 'c.test')))),
      },
      'c.test': B,
    });
    expect(paths('b.test')).toEqual(['/robots.txt', '/for-a.xml', '/deep.xml']);
    expect(paths('a.test')).toEqual(['/robots.txt', '/', '/mine']);
    expect(paths('c.test')).toEqual([]);
  });

  it('may be many without many readings of their sitemap', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `n${n}.test`);
    const others = names.map((name): [string, Routes] => [
      name,
      { '/robots.txt': here((url) => text(`Sitemap: ${url('/index.xml', 'a.test')}\n`)), '/mine': PAGE, '*': PAGE },
    ]);
    const hosts = {
      'a.test': {
        '/robots.txt': here((url) => text(`User-agent: *\nCrawl-delay: 0.4\nSitemap: ${url('/index.xml')}\n`)),
        '/': here((url) => ({
          body: page(
            'a',
            names.map((name) => url('/', name)),
          ),
          headers: { 'content-type': 'text/html' },
        })),
        '/index.xml': here((url) => xml(index(url('/all.xml')))),
        '/all.xml': here((url) => xml(urlset(...names.map((name) => url('/mine', name))))),
        '*': PAGE,
      },
      ...Object.fromEntries(others),
    };
    const { paths } = await read(hosts, { handlers: (crawler) => crawler.on('any', (each) => each.follow()) });
    for (const name of names) expect(paths(name)).toContain('/mine');
    const counts = ['/index.xml', '/all.xml'].map((path) => paths().filter((each) => each === path).length);
    for (const count of counts) expect(count).toBeLessThanOrEqual(4);
  });

  it('include both ends of a redirect', async () => {
    const { paths } = await read({
      'a.test': { '/robots.txt': NAMED, '/sitemap.xml': here((url) => redirect(url('/s', 'b.test'))), '*': PAGE },
      'b.test': { ...B, '/s': here((url) => xml(urlset(url('/ours', 'a.test'), url('/theirs')))) },
    });
    expect(paths('a.test')).toContain('/ours');
    expect(paths('b.test')).toEqual(['/robots.txt', '/s', '/theirs']);
  });

  it('are limited by the scope', async () => {
    const web = await webForTest({
      hosts: {
        'a.test': { '/robots.txt': here((url) => text(`Sitemap: ${url('/s.xml', 'b.test')}\n`)), '*': PAGE },
        'b.test': B,
      },
    });
    await crawl({ seeds: [web.url('a.test')], discover: { sitemaps: true }, politeness: { profile: NO_INTERVAL } });
    expect(web.paths('b.test')).toEqual([]);
  });
});

describe('the data of an entry', () => {
  it('is passed to its handler', async () => {
    const { items } = await read({
      'a.test': {
        '/robots.txt': NAMED,
        '/sitemap.xml': here((url) =>
          xml(
            `<urlset><url><loc>${url('/1')}</loc><lastmod>2026-01-02</lastmod><xhtml:link rel="alternate" hreflang="de" href="${url('/de')}"/></url></urlset>`,
          ),
        ),
        '*': PAGE,
      },
    });
    const [, item] = items;
    expect(item?.data).toMatchObject({
      via: 'sitemap',
      userData: { lastmod: '2026-01-02', alternates: [{ hreflang: 'de', url: expect.stringContaining('/de') }] },
    });
  });
});
