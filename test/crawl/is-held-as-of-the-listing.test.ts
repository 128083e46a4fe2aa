// At the end of a run each URL that is still queued is held. While they are listed, another process of the crawl may
// finish one of them. Its decision must count as the later one: otherwise the report and `explain` call a page held
// that was fetched.

import { type FrontierStore, memoryStore } from '@mannerly/frontier';
import { createCrawler } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';
import { expect, it } from 'vitest';

it('a URL is held as of the time at which the queue was listed', async () => {
  const web = createFakeWeb({ hosts: { 'a.test': { pages: { '/': fakePage('Start', ['/1', '/2']), '*': 'more' } } } });
  const listedAtMs: number[] = [];
  const heldAtMs: number[] = [];
  await crawlInVirtualTime(web, (fakes) => {
    const kept = memoryStore({ nowMs: () => fakes.clock.nowMs() });
    const slow: FrontierStore = {
      ...kept,
      scan: async (...request) => {
        listedAtMs.push(fakes.clock.nowMs());
        const listing = await kept.scan(...request);
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        return listing;
      },
    };
    const crawler = createCrawler({
      identity: { name: 'tester', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 1 },
      store: slow,
      ...fakes,
    });
    crawler.on('html', (page) => page.follow());
    crawler.events.on('decision', ({ status, atMs }) => (status === 'held' ? heldAtMs.push(atMs) : undefined));
    return crawler;
  });
  expect(heldAtMs).toHaveLength(2);
  expect(Math.max(...heldAtMs)).toBeLessThanOrEqual(listedAtMs[0]!);
});
