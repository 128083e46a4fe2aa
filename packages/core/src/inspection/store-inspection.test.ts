// At stake: an operator of several processes must see the numbers of the crawl, not sums of overlapping counts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { expect, it, onTestFinished } from 'vitest';
import { createCrawler } from '../crawler.js';
import { explanationText } from '../report/explain-text.js';
import { crawlInVirtualTime, createFakeWeb } from '../testing/index.js';
import { inspectStore } from './store-inspection.js';

it('held URLs count once, however many processes have ended, and a page that has ended is known', async () => {
  const base = mkdtempSync(join(tmpdir(), 'mannerly-inspection-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const makeStore = () => lmdbStore({ path: join(base, 'queue') });
  const web = createFakeWeb({
    hosts: { 'a.test': { pages: { '/': '<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>', '*': 'leaf' } } },
  });
  for (const [process, pages] of [1, 2, 2].entries()) {
    await crawlInVirtualTime(
      web,
      (fakes) => {
        const crawler = createCrawler({
          identity: { name: 'test-bot', contact: 'https://example.org/bot' },
          scope: { seeds: ['https://a.test/'] },
          bounds: { pages },
          log: false,
          ...fakes,
          store: makeStore(),
        });
        return crawler.on('html', (page) => page.follow());
      },
      // They end a day apart: the one that ends last knows what is left.
      { run: { out: join(base, String(process)), shared: true }, clock: { startMs: Date.UTC(2026, 0, 1 + process) } },
    );
  }
  const inspection = await inspectStore(makeStore);
  onTestFinished(() => inspection.close());
  const { queued, outcomes, processes } = await inspection.report();
  expect([processes.length, queued]).toEqual([3, 2]);
  expect(outcomes).toEqual({ fetched: { fetched: 2 }, held: { 'bound-pages': 2 } });
  // The server keeps no log, but knows what was added.
  const headlineOf = async (url: string) => explanationText(await inspection.explain(url)).split('\n')[1];
  expect(await headlineOf('https://a.test/')).toMatch(/Known: it was added and has ended/);
  expect(await headlineOf('https://a.test/3')).toMatch(/Queued/);
  expect(await headlineOf('https://a.test/4')).toMatch(/Unknown/);
});
