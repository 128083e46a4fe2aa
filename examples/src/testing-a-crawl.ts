// A test of your own crawler: a site that asks for an hour between two requests, crawled to its end in milliseconds.
// With vitest or jest the assertions are matchers too; this example uses `node --test`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrawlerOptions, createCrawler, memorySink } from 'mannerly';
import {
  assertKeepsGap,
  assertNotRequested,
  assertRobotsFirst,
  crawlInVirtualTime,
  createFakeWeb,
  fakePage,
} from 'mannerly/testing';

/** The program under test. Its own code never names the fakes: they come in with the options, like everything else. */
function titlesOf(seed: string, more: Partial<CrawlerOptions> = {}) {
  const crawler = createCrawler({
    identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
    scope: { seeds: [seed], within: 'host' },
    bounds: { pages: 20, depth: 4 },
    maxIdleMs: 2 * 3_600_000,
    ...more,
  });
  crawler.on('html', async (page) => {
    await page.emit({ title: page.title });
    await page.follow();
  });
  return crawler;
}

test('titles are read at the pace of the site, and closed pages are left alone', async () => {
  const web = createFakeWeb({
    hosts: {
      'example.org': {
        robots: 'User-agent: *\nCrawl-delay: 3600\nDisallow: /private/\n',
        pages: {
          '/': fakePage('Start', ['/crabs', '/private/diary']),
          '/crabs': ({ before }) => (before === 0 ? { status: 503 } : fakePage('Crabs')),
        },
      },
    },
  });
  const sink = memorySink();
  const crawl = await crawlInVirtualTime(web, (fakes) => titlesOf('https://example.org/', { sinks: [sink], ...fakes }));

  assert.equal(crawl.report.state, 'finished');
  assert.deepEqual(
    sink.items.map(({ data }) => data),
    [{ title: 'Start' }, { title: 'Crabs' }],
  );
  assertKeepsGap(crawl, 'example.org', 3_600_000);
  assertRobotsFirst(crawl, 'example.org');
  assertNotRequested(crawl, /private/);
});
