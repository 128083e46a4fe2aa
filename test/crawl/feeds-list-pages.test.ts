// RSS and Atom feeds count as sitemaps: their entries are queued, with title and date.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
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
])('the WebSub hub of %s is told, and not asked', async (_, body) => {
  const web = await webForTest({ hosts: { 'a.test': { '/feed': { body }, '*': page('page') } } });
  const feed = web.url('a.test', '/feed');
  const { decisions, requests } = await crawl({ seeds: [web.url('a.test')], discover: { sitemapUrls: [feed] } });
  expect(decisions.find(({ url }) => url === feed)?.detail).toMatch(/, WebSub hub https:\/\/hub\.test\/$/);
  expect(requests.filter(({ url }) => url.includes('hub.test'))).toEqual([]);
});
