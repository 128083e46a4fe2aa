// The handlers with a fake web: no request leaves this machine, and days of waiting take milliseconds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCrawler, memorySink } from 'mannerly';
import { assertKeepsGap, assertNotRequested, crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';
import { handlers } from './handlers.js';

test('every open page becomes an item, at the pace of the site', async () => {
  const web = createFakeWeb({
    hosts: {
      'site.example': {
        robots: 'User-agent: *\nCrawl-delay: 30\nDisallow: /private/\n',
        pages: {
          '/': fakePage('Start', ['/a', '/private/b']),
          '/a': '<title>A</title><h1>All about A</h1>',
        },
      },
    },
  });
  const sink = memorySink();

  const crawl = await crawlInVirtualTime(web, (fakes) => {
    const crawler = createCrawler({
      identity: { name: 'handlers-test', contact: 'https://example.org/' },
      scope: { seeds: ['https://site.example/'] },
      bounds: { pages: 10 },
      sinks: [sink],
      ...fakes,
    });
    handlers(crawler);
    return crawler;
  });

  assert.equal(crawl.report.state, 'finished');
  assert.deepEqual(
    sink.items.map(({ data }) => data),
    [
      { url: 'https://site.example/', title: 'Start', heading: '' },
      { url: 'https://site.example/a', title: 'A', heading: 'All about A' },
    ],
  );
  assertKeepsGap(crawl, 'site.example', 30_000);
  assertNotRequested(crawl, /private/);
});
