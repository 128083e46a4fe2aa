// A plan compared with the crawl, on the demo town with real sockets and in real time: its duration must be within a
// fifth of the crawl's, because people decide by it. On a busy machine it may try again, and the delays of the machine
// are subtracted.

import { startTown } from '@mannerly/examples/demo/town';
import { type CrawlerOptions, createCrawler, planCrawl } from 'mannerly';
import { expect, it } from 'vitest';
import { DOCUMENTATION_SITES, serveFolder } from '../support/documentation-sites.js';

/** How far apart the two durations may be, as a share of the crawl's, and how often a busy machine may try. */
const WITHIN = 0.2;
const MAX_RUNS = 4;
/** Milliseconds between two checks of the event loop's delay. */
const POLL_MS = 10;
/** How many pages of a documentation site are requested, and the pause between two, milliseconds. */
const SITE_PAGES = 120;
const SITE_INTERVAL_MS = 100;

it('the plan of the town is within a fifth of its crawl’s duration', { timeout: 900_000 }, async () => {
  let off = Number.POSITIVE_INFINITY;
  for (let runs = 0; runs < MAX_RUNS && off > WITHIN; runs += 1) off = Math.min(off, await offBy());
  expect(off).toBeLessThanOrEqual(WITHIN);
});

for (const { name, root } of DOCUMENTATION_SITES) {
  it.skipIf(root === null)(
    `${name}, which has no sitemap, is planned by its bounds`,
    { timeout: 900_000 },
    async () => {
      const port = await serveFolder(root ?? '');
      let share = Number.POSITIVE_INFINITY;
      for (let runs = 0; runs < MAX_RUNS && share >= 1 + WITHIN; runs += 1)
        share = Math.min(share, await plannedShare(name, port));
      // A busy machine only makes pages slower, so there is only an upper limit.
      expect(share).toBeLessThan(1 + WITHIN);
    },
  );
}

/** The planned duration of a site, as a share of the duration of its crawl. */
async function plannedShare(name: string, port: number): Promise<number> {
  const options: CrawlerOptions = {
    identity: { name: 'mannerly-soak', contact: 'https://example.org/mannerly-demo' },
    scope: { seeds: [`http://127.0.0.1:${port}/`] },
    bounds: { pages: SITE_PAGES },
    politeness: { profile: { factor: 0, minMs: SITE_INTERVAL_MS, maxMs: SITE_INTERVAL_MS } },
    network: { allowAddresses: ['127.0.0.0/8'] },
  };
  const plan = await planCrawl(options);
  const crawler = createCrawler(options);
  crawler.on('html', (page) => page.follow());
  const report = await crawler.run();
  const tookMs = report.endedAtMs - report.startedAtMs;
  const { durationMs, pages, isAtMost } = plan.estimate;
  console.info(`${name}: planned ${durationMs} ms for ${pages} pages, took ${tookMs} ms for ${report.pages}`);
  expect(isAtMost).toBe(true);
  expect(plan.firstBound).toMatchObject({ bound: 'pages' });
  expect(pages).toBe(report.pages);
  return durationMs / tookMs;
}

/**
 * The difference between the two, as a share of the crawl's duration, without the time in which the machine was late.
 */
async function offBy(): Promise<number> {
  const town = await startTown();
  const late = watchLateness();
  try {
    const options: CrawlerOptions = {
      identity: { name: 'mannerly-demo', contact: 'https://example.org/mannerly-demo' },
      scope: { seeds: town.seeds, within: 'host' },
      bounds: { pages: 100, depth: 4, pagesPerHost: 8, minutes: 1 },
      network: { resolve: town.resolve, allowAddresses: ['127.0.0.0/8'] },
      maxIdleMs: 3_000,
    };
    const plan = await planCrawl(options);
    expect(town.log.filter(({ path }) => path !== '/robots.txt' && path !== '/sitemap.xml')).toEqual([]);
    const crawler = createCrawler(options);
    crawler.on('html', (page) => page.follow());
    const beforeMs = late.ms();
    const report = await crawler.run();
    const lateMs = late.ms() - beforeMs;
    const tookMs = report.endedAtMs - report.startedAtMs;
    const { durationMs } = plan.estimate;
    console.info(
      `planned ${durationMs} ms (in ${plan.planningMs} ms), took ${tookMs} ms, late by ${Math.round(lateMs)} ms`,
    );
    return Math.max(0, Math.abs(durationMs - tookMs) - lateMs) / tookMs;
  } finally {
    late.end();
    await town.close();
  }
}

/** Adds up the delays of this process's timers. */
function watchLateness(): { readonly ms: () => number; readonly end: () => void } {
  let [lateMs, lastMs] = [0, performance.now()];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    // A timer may be a millisecond late on any machine.
    lateMs += Math.max(0, nowMs - lastMs - POLL_MS - 1);
    lastMs = nowMs;
  }, POLL_MS);
  return { ms: () => lateMs, end: () => clearInterval(timer) };
}
