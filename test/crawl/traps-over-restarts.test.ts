// A trap that was known before a stop must not cost its pages again; and `traps: false` fetches everything.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlReport } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, type Routes } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** Twenty new links a page, without end, and a list of real pages that is read late. */
const ROUTES: Routes = {
  '/robots.txt': { status: 404 },
  '/': page('home', ['/n/1', '/n/2']),
  '*': ({ path }) =>
    page(
      'Nothing here',
      Array.from({ length: 20 }, (_, way) => `/n/${(Number(path.slice(3)) * 20 + way) % 1e12}`),
    ),
};

it('is dropped from the queue, before and after a restart', { timeout: 300_000 }, async () => {
  const web = await webForTest({ hosts: { 'site.test': ROUTES } });
  const out = mkdtempSync(join(tmpdir(), 'mannerly-traps-'));
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  const found: CrawlReport['traps'][number][] = [];
  const options = {
    seeds: [web.url('site.test')],
    traps: { action: 'drop' as const },
    out,
    handlers: (crawler: Parameters<NonNullable<Parameters<typeof crawl>[0]['handlers']>>[0]) => {
      crawler.events.on('trap', (trap) => found.push(trap));
      crawler.on('html', async (fetched) => {
        await fetched.follow();
        // Stops when the trap is known and two thousand of its URLs are queued.
        if (found.length > 0) crawler.stop();
      });
    },
  };
  const first = await crawl({ ...options, bounds: { pages: 5_000 } });
  expect(first.report.state).toBe('stopped');
  expect(found).toEqual([{ rule: 'alike-pages', pattern: 'site.test/n/*' }]);
  const requestsBefore = web.log.length;
  expect(requestsBefore).toBeLessThan(200);
  const second = await crawl({ ...options, bounds: { pages: 5_000 }, handlers: () => undefined });
  expect(second.report).toMatchObject({ state: 'bounded', bound: null, bounds: [{ bound: 'traps' }] });
  expect(web.log.length - requestsBefore).toBeLessThan(20);
  expect(second.report.traps).toEqual(found);
  expect(second.decisions.filter(({ reason }) => reason === 'trap').length).toBeGreaterThan(1_000);
});

it('`traps: false` continues to the bound', { timeout: 300_000 }, async () => {
  const web = await webForTest({ hosts: { 'site.test': ROUTES } });
  const { report } = await crawl({ seeds: [web.url('site.test')], bounds: { pages: 400 }, traps: false });
  expect([report.pages, report.state, report.bound]).toEqual([400, 'bounded', 'pages']);
  expect(report.traps).toEqual([]);
});
