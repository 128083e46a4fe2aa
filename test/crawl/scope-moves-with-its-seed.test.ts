// If a seed is http://example.org and the site is at www.example.org, a crawl that stays on the seed's host finds
// nothing. One that follows any redirect fetches other people's pages.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlReport } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl, makeCrawler } from '../support/crawl.js';
import { page, type Routes, redirect } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const to =
  (host: string, path = '/') =>
  ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    redirect(`http://${host}:${headers['host']?.split(':')[1]}${path}`, 301);
const site = (): Routes => ({
  '/robots.txt': { status: 404 },
  '/': page('home', ['/a', '/b', '/c', '/private/x']),
  '*': page('leaf', ['/']),
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-scope-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const pagesOf = (paths: readonly string[]): string[] => paths.filter((path) => path !== '/robots.txt').sort();

describe('a seed that redirects within its registrable domain', () => {
  it('extends the scope to its target, and the report and an event say so', async () => {
    const web = await webForTest({
      hosts: { 'site.test': { '/robots.txt': { status: 404 }, '*': to('www.site.test') }, 'www.site.test': site() },
    });
    const moves: CrawlReport['scopeMoves'][number][] = [];
    const { report, decisions } = await crawl({
      seeds: [],
      scope: { seeds: [web.url('site.test')], exclude: ['/private/'] },
      handlers(crawler) {
        crawler.events.on('scope-moved', (move) => moves.push(move));
      },
    });
    expect(pagesOf(web.paths('www.site.test'))).toEqual(['/', '/a', '/b', '/c']);
    expect(moves).toEqual([{ from: web.url('site.test'), to: web.url('www.site.test') }]);
    expect(report.scopeMoves).toEqual(moves);
    expect(decisions.find(({ url }) => url.endsWith('/private/x'))?.reason).toBe('scope-excluded');
    expect(report.state).toBe('finished');
  });

  it('keeps the extended scope after a restart', async () => {
    const web = await webForTest({
      hosts: { 'site.test': { '/robots.txt': { status: 404 }, '*': to('www.site.test') }, 'www.site.test': site() },
    });
    const out = folder();
    const scope = { seeds: [web.url('site.test')] };
    const first = await crawl({ seeds: [], scope, out, bounds: { pages: 1 } });
    expect([first.report.state, first.report.bound]).toEqual(['bounded', 'pages']);
    const second = await crawl({ seeds: [], scope, out, bounds: { pages: 50 } });
    expect(second.report.state).toBe('finished');
    expect(pagesOf(web.paths('www.site.test'))).toEqual(['/', '/a', '/b', '/c', '/private/x']);
    expect(second.report.scopeMoves).toHaveLength(1);
    // The seed was not requested again: its redirect was known from the store.
    expect(pagesOf(web.paths('site.test'))).toEqual(['/']);
  });

  it.each<[string, Routes, string]>([
    ['another domain', { '/': to('else.test'), '*': page('x') }, 'else.test'],
    ['a page that is no seed', { '/': page('home', ['/go']), '/go': to('www.site.test') }, 'www.site.test'],
  ])('does not for %s', async (_name, routes, host) => {
    const web = await webForTest({
      hosts: { 'site.test': { '/robots.txt': { status: 404 }, ...routes }, [host]: site() },
    });
    const { report, decisions } = await crawl({ seeds: [web.url('site.test')] });
    expect(web.paths(host)).toEqual([]);
    expect(report.scopeMoves).toEqual([]);
    expect(decisions.find(({ url }) => new URL(url).hostname === host)?.reason).toBe('out-of-scope');
  });
});

describe('one scope for every way in which a URL is found', () => {
  it('applies to seeds, links, redirects, sitemaps and what handlers add', async () => {
    const urls = (port: string, paths: readonly string[]) =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>http://site.test:${port}${path}</loc></url>`).join('')}</urlset>`;
    const portOf = (headers: Readonly<Record<string, string>>) => headers['host']?.split(':')[1] ?? '';
    const web = await webForTest({
      hosts: {
        'site.test': {
          '/robots.txt': ({ headers }) => ({
            body: `User-agent: *\nDisallow:\nSitemap: http://site.test:${portOf(headers)}/sitemap.xml\n`,
            headers: { 'content-type': 'text/plain' },
          }),
          '/sitemap.xml': ({ headers }) => ({
            body: urls(portOf(headers), ['/docs/listed', '/docs/no-sitemap', '/shop/sitemap']),
            headers: { 'content-type': 'application/xml' },
          }),
          '/docs/': page('docs', ['/docs/linked', '/docs/no-link', '/shop/link', '/docs/go']),
          '/docs/go': to('site.test', '/shop/redirect'),
          '*': page('leaf'),
        },
      },
    });
    const { report, decisions } = await crawl({
      seeds: [],
      scope: {
        seeds: [web.url('site.test', '/docs/'), web.url('site.test', '/shop/seed')],
        prefixes: ['/docs/'],
        allows: (url, via) => !url.endsWith(`/no-${via}`),
      },
      discover: { sitemaps: true },
      handlers(crawler) {
        crawler.on('html', async (fetched) => {
          await fetched.follow();
          await fetched.add('/docs/no-handler');
          await fetched.add('/shop/handler');
        });
      },
    });
    expect(pagesOf(web.paths('site.test'))).toEqual([
      '/docs/',
      '/docs/go',
      '/docs/linked',
      '/docs/listed',
      '/sitemap.xml',
    ]);
    const refused = decisions
      .filter(({ status }) => status === 'dropped')
      .map(({ url, reason }) => `${new URL(url).pathname} ${reason}`);
    expect(refused.sort()).toEqual([
      '/docs/no-handler hook-refused',
      '/docs/no-link hook-refused',
      '/docs/no-sitemap hook-refused',
      '/shop/handler out-of-scope',
      '/shop/link out-of-scope',
      '/shop/redirect out-of-scope',
      '/shop/seed out-of-scope',
      '/shop/sitemap out-of-scope',
    ]);
    expect(report.state).toBe('finished');
  });
});

describe('which URLs count as one', () => {
  const links = ['/a?utm_source=x', '/a?id=1&fbclid=2', '/a?id=1', '/a', '/a?ref=4'];
  it.each<[string, object, number]>([
    ['tracking parameters are kept', {}, 5],
    ['tracking parameters are dropped', { trackingParameters: 'drop' }, 3],
    ['other names are dropped', { trackingParameters: ['ref', 'utm_*'] }, 3],
    [
      'rules of another program',
      { rules: [{ name: 'path-only', apply: (parts: object) => ({ ...parts, query: null }) }] },
      1,
    ],
  ])('%s', async (_name, urls, pages) => {
    const web = await webForTest({
      hosts: { 'site.test': { '/robots.txt': { status: 404 }, '/': page('home', links), '*': page('leaf') } },
    });
    await crawl({ seeds: [web.url('site.test')], urls });
    const requestedPaths = pagesOf(web.paths('site.test')).filter((path) => path !== '/');
    expect(requestedPaths).toHaveLength(pages);
    // Whatever the key, the requested URLs are those that the site gave.
    expect(requestedPaths.filter((path) => !links.includes(path))).toEqual([]);
  });

  it('parameters in Clean-param do not count if they are left out of the key', async () => {
    const robots = {
      body: 'User-agent: *\nDisallow:\nClean-param: sid /\n',
      headers: { 'content-type': 'text/plain' },
    };
    const routes: Routes = {
      '/robots.txt': robots,
      '/': page('home', ['/a?sid=1', '/a?sid=2', '/?sid=3']),
      '*': page('leaf'),
    };
    const web = await webForTest({ hosts: { 'site.test': routes } });
    const { decisions, report } = await crawl({
      seeds: [],
      robots: { cleanParam: 'dedupe' },
      scope: { seeds: [web.url('site.test'), web.url('site.test', '/?sid=9')] },
    });
    expect(pagesOf(web.paths('site.test'))).toEqual(['/', '/a?sid=1']);
    expect(
      decisions.filter(({ reason }) => reason === 'duplicate').map(({ url, status, detail }) => [url, status, detail]),
    ).toEqual([[web.url('site.test', '/?sid=9'), 'dropped', web.url('site.test')]]);
    expect(report.state).toBe('finished');
  });

  it.each([
    [{ urls: { trackingParameters: 'yes' } }, '`urls.trackingParameters`'],
    [{ urls: { trackingParameters: ['a*b'] } }, '`urls.trackingParameters[0]`'],
    [{ urls: { rules: ['fragment'] } }, '`urls.rules[0]`'],
    [{ urls: { rules: [], trackingParameters: 'drop' } }, '`urls.trackingParameters`'],
    [{ urls: { tracking: true } }, '`urls.tracking`'],
  ])('%j is refused, and the message names it', (options, message) => {
    expect(() => makeCrawler({ seeds: ['http://a.test/'], ...(options as object) })).toThrow(message);
  });
});
