// RSS and Atom feeds count as sitemaps: their entries are queued, with title and date.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const RSS = `<rss version="2.0"><channel><title>News</title><link>/</link>
  <item><title>One &amp; only</title><link>/one</link><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>
  <item><title>Closed</title><link>/closed/two</link></item>
  <item><title>Elsewhere</title><link>http://b.test/three</link></item></channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Four</title><link href="four"/>
  <updated>2026-11-20T10:00:00Z</updated></entry></feed>`;

it.each([
  ['RSS', 'application/rss+xml', RSS, '/one', { title: 'One & only', lastmod: 'Fri, 20 Nov 2026 10:00:00 GMT' }],
  ['Atom', 'application/atom+xml', ATOM, '/four', { title: 'Four', lastmod: '2026-11-20T10:00:00Z' }],
  ['Atom that calls itself HTML', 'text/html', ATOM, '/four', { title: 'Four', lastmod: '2026-11-20T10:00:00Z' }],
])('%s', async (_kind, type, body, path, userData) => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
        '/feed': { body, headers: { 'content-type': type } },
        '*': page('page'),
      },
    },
  });
  const { items, requests } = await crawl({
    seeds: [web.url('a.test')],
    discover: { sitemapUrls: [web.url('a.test', '/feed')] },
    handlers: (crawler) => crawler.on('html', (each) => each.emit({ via: each.via, userData: each.userData })),
  });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/feed', '/', path]);
  expect(requests[1]?.purpose).toBe('sitemap');
  expect(items[1]?.data).toEqual({ via: 'feed', userData });
});

it.each([
  ['RSS', RSS.replace('<link>/</link>', '<link>/</link><atom:link rel="hub" href="https://hub.test/"/>')],
  ['Atom', ATOM.replace('<entry>', '<link rel="self" href="/feed"/><link rel="hub" href="https://hub.test/"/><entry>')],
])('the WebSub hub of %s is reported, and not requested', async (_, body) => {
  const web = await webForTest({ hosts: { 'a.test': { '/feed': { body }, '*': page('page') } } });
  const feed = web.url('a.test', '/feed');
  const { decisions, requests } = await crawl({ seeds: [web.url('a.test')], discover: { sitemapUrls: [feed] } });
  expect(decisions.find(({ url }) => url === feed)?.detail).toMatch(/, WebSub hub https:\/\/hub\.test\/$/);
  expect(requests.filter(({ url }) => url.includes('hub.test'))).toEqual([]);
});

describe('feeds that pages name', () => {
  const named = (href: string, type = 'application/rss+xml', more = ''): string =>
    `<title>x</title>${more}<link rel="alternate" type="${type}" href="${href}">`;
  const HTML = { 'content-type': 'text/html' };
  const siteWith = (front: string | ((port: string) => string)) =>
    webForTest({
      hosts: {
        'a.test': {
          '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
          '/': ({ headers }) => ({
            headers: HTML,
            body: typeof front === 'string' ? front : front(new URL(`http://${headers['host']}`).port),
          }),
          '/feed': ({ headers }) =>
            headers['if-none-match'] === '"1"'
              ? { status: 304, headers: { etag: '"1"' } }
              : { body: RSS, headers: { 'content-type': 'application/rss+xml', etag: '"1"' } },
          '*': { headers: HTML, body: named('/feed') },
        },
        'b.test': { '*': { body: RSS } },
      },
    });
  const feeds = { discover: { feeds: true } };

  it('are read once, if enabled, and list pages', async () => {
    const web = await siteWith(named('/feed', 'Application/RSS+XML; charset=utf-8'));
    const { requests, items } = await crawl({ seeds: [web.url('a.test')], ...feeds });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/feed', '/one']);
    expect(requests.map(({ purpose }) => purpose)).toEqual(['robots', 'page', 'sitemap', 'page']);
    expect(items).toHaveLength(2);
  });

  it.each([
    ['by default none is', named('/feed'), {}],
    ['none of another host', (port: string) => named(`http://b.test:${port}/feed`), feeds],
    ['nothing that calls itself no feed', named('/feed', 'application/json'), feeds],
    [
      'none of a page with nofollow',
      named('/feed', 'application/atom+xml', '<meta name=robots content=nofollow>'),
      feeds,
    ],
  ])('%s', async (_what, front, options) => {
    const web = await siteWith(front);
    const seeds = [web.url('a.test')];
    await crawl({ seeds, scope: { seeds, within: 'any' }, ...options });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/']);
    expect(web.paths('b.test')).toEqual([]);
  });

  it('are at most ten per host, and disallowed ones are not requested', async () => {
    const many = Array.from({ length: 14 }, (_, at) => named(at === 0 ? '/closed/feed' : `/feed?${at}`)).join('');
    const web = await siteWith(many);
    const { decisions } = await crawl({ seeds: [web.url('a.test')], ...feeds });
    expect(web.paths('a.test').filter((path) => path.startsWith('/feed?'))).toHaveLength(9);
    expect(decisions.find(({ url }) => url.endsWith('/closed/feed'))).toMatchObject({ status: 'excluded' });
  });

  it('are read again in a recrawl, conditionally', async () => {
    const place = mkdtempSync(join(tmpdir(), 'mannerly-feeds-'));
    onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
    const web = await siteWith(named('/feed'));
    const run = (days: number) => {
      const clock = createShiftedClock(days * 86_400_000);
      const store = lmdbStore({ path: join(place, 'store'), nowMs: () => clock.nowMs() });
      return crawl({ seeds: [web.url('a.test')], ...feeds, recrawl: true, again: days > 0, clock, store });
    };
    await run(0);
    await run(30);
    const feedRequests = web.log.filter(({ path }) => path === '/feed');
    expect(feedRequests.map(({ status, headers }) => [status, headers['if-none-match']])).toEqual([
      [200, undefined],
      [304, '"1"'],
    ]);
  });
});
