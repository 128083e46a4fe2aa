// A plan must predict the crawl: on the demo town, its duration is within a fifth of the crawl's, and it requested only
// robots.txt and sitemaps. Here in virtual time; the soak test does the same with the real town.

import { type CrawlerOptions, createCrawler, planCrawl } from 'mannerly';
import { assertKeepsGap, createFakeWeb, createVirtualClock, type FakeHost, runCrawl } from 'mannerly/testing';
import { expect, it } from 'vitest';
import { townPlan } from './plan.js';

const PORT = 8_080;

it('predicts how long the crawl of the town takes', async () => {
  const hosts = townPlan(PORT);
  const web = createFakeWeb({
    delayMs: 15,
    hosts: Object.fromEntries(
      hosts.map(({ name, answer }): [string, FakeHost] => [
        `${name}:${PORT}`,
        { robots: ({ path }) => answer(path), pages: ({ path }) => answer(path) },
      ]),
    ),
  });
  const clock = createVirtualClock();
  try {
    const { network, ...fakes } = web.fakes(clock);
    const options: CrawlerOptions = {
      identity: { name: 'mannerly-demo', contact: 'https://example.org/mannerly-demo' },
      scope: { seeds: hosts.map(({ name }) => `http://${name}:${PORT}/`) },
      bounds: { pages: 100, depth: 4, pagesPerHost: 8, minutes: 1 },
      maxIdleMs: 3_000,
      network,
      ...fakes,
    };
    const plan = await clock.finish(planCrawl(options));
    for (const { path } of web.exchanges) expect(path).toMatch(/^\/(robots\.txt|sitemap\.xml)$/);
    assertKeepsGap(web, 'mill.test', 2_000);
    const requestsBefore = web.exchanges.length;

    const crawler = createCrawler(options);
    crawler.on('html', (page) => page.follow());
    const report = await runCrawl(crawler, clock);
    // The crawl started at once, and still no host was requested early.
    expect(web.exchanges.length).toBeGreaterThan(requestsBefore);
    for (const name of ['meadow.test', 'mill.test']) assertKeepsGap(web, name, name === 'mill.test' ? 2_000 : 1_000);
    const tookMs = report.endedAtMs - report.startedAtMs;
    console.info(`planned ${plan.estimate.durationMs} ms, took ${tookMs} ms`);
    expect(plan.estimate.durationMs / tookMs).toBeGreaterThan(0.8);
    expect(plan.estimate.durationMs / tookMs).toBeLessThan(1.2);
    expect(plan.firstBound).toMatchObject({ bound: 'pagesPerHost' });

    const byName = new Map(plan.hosts.map((host) => [host.host, host]));
    expect(byName.get('mill.test')).toMatchObject({ allowed: 4, denied: 0, pages: 4, intervalFrom: 'crawl-delay' });
    expect(byName.get('ferry.test')).toMatchObject({ allowed: 4, pages: 4, intervalFrom: 'request-rate' });
    expect(byName.get('quarry.test')).toMatchObject({ allowed: 3, denied: 1, outOfScope: 1, pages: 3 });
    expect(byName.get('maze.test')).toMatchObject({ allowed: null, pages: 8, isCut: true });
    expect(byName.get('castle.test')).toMatchObject({ pages: 0, wait: { reason: 'robots-unreachable' } });
  } finally {
    clock.end();
  }
});
