// After each recrawl, the expected share of unchanged pages is printed. When every page has been visited, that is all
// of them. What a run learns about pages meanwhile must not count as expected.

import { memoryStore } from '@mannerly/frontier';
import { createCrawler } from 'mannerly';
import { createFakeWeb, createVirtualClock, fakePage, runCrawl } from 'mannerly/testing';
import { expect, it, onTestFinished } from 'vitest';

const PAGES = Array.from({ length: 30 }, (_, at) => `/p${at}`);
const DAY_MS = 86_400_000;

it('the share is all of them when every page has been visited', async () => {
  let visit = 0;
  const answers = PAGES.map((path, at) => [path, () => fakePage(at % 3 === 0 ? `${path} ${visit}` : path)] as const);
  const pages = { '/': fakePage('Start', PAGES), ...Object.fromEntries(answers) };
  const web = createFakeWeb({ hosts: { 'a.test': { pages } } });
  const clock = createVirtualClock();
  onTestFinished(() => clock.end());
  const kept = memoryStore({ nowMs: () => clock.nowMs() });
  let isOpen = false;
  // One crawl in memory: it is opened once, and its runs do not close it.
  const store = {
    ...kept,
    open: async (request: Parameters<typeof kept.open>[0]) => {
      if (!isOpen) await kept.open(request);
      isOpen = true;
    },
    close: async () => undefined,
  };
  const crawler = createCrawler({
    identity: { name: 'tester', contact: 'https://example.org/us' },
    scope: { seeds: ['https://a.test/'] },
    bounds: { pages: 100 },
    recrawl: true,
    store,
    ...web.fakes(clock),
  });
  crawler.on('html', (page) => page.follow());
  const shares: unknown[] = [];
  for (; visit < 4; visit += 1) {
    const { recrawl } = await runCrawl(crawler, clock, { again: visit > 0 });
    if (recrawl !== undefined) shares.push([recrawl.visits, recrawl.known, recrawl.freshAfter?.toFixed(9)]);
    await clock.advance(8 * DAY_MS);
  }
  expect(shares).toEqual(Array.from({ length: 3 }, () => [31, 31, '1.000000000']));
});
