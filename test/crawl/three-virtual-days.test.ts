// A crawl of 50 hosts over three virtual days, in as much real time as its work takes. Each host has a delay between a
// minute and fourteen hours, and gets it every time; bottleneck checks the same delays at egress.

import { createCrawler } from 'mannerly';
import {
  assertKeepsGap,
  assertKeepsPace,
  assertOneAtATime,
  assertRobotsFirst,
  crawlInVirtualTime,
  createFakeWeb,
  fakePage,
} from 'mannerly/testing';
import { expect, it } from 'vitest';

const HOSTS = 50;
/** The links of each start page: six requests per host, plus the robots.txt requests of three days. */
const PAGES = 4;
const MINUTE_S = 60;
const HOURS_14_S = 14 * 3_600;
const DAY_MS = 86_400_000;

/** Delays from a minute to fourteen hours, evenly spaced on a logarithmic scale; every fourth is a Request-rate. */
const HOST_RULES = Array.from({ length: HOSTS }, (_, at) => {
  const seconds = Math.round(MINUTE_S * (HOURS_14_S / MINUTE_S) ** (at / (HOSTS - 1)));
  const isRate = at % 4 === 3;
  const robots = `User-agent: *\n${isRate ? `Request-rate: 1/${seconds}` : `Crawl-delay: ${seconds}`}\n`;
  return {
    host: `h${at}.test`,
    delayMs: seconds * 1_000,
    robots,
    assertSpaced: isRate ? assertKeepsPace : assertKeepsGap,
  };
});

it('keeps every delay of 50 hosts over three days', async () => {
  const links = Array.from({ length: PAGES }, (_, at) => `/p${at}`);
  const web = createFakeWeb({
    delayMs: 80,
    hosts: Object.fromEntries(
      HOST_RULES.map(({ host, robots }) => [
        host,
        { robots, pages: { '/': fakePage('start', links), '*': fakePage('leaf') } },
      ]),
    ),
  });
  const began = process.hrtime.bigint();
  const cpuBefore = process.cpuUsage();
  const crawl = await crawlInVirtualTime(web, (fakes) => {
    const crawler = createCrawler({
      identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
      scope: { seeds: HOST_RULES.map(({ host }) => `https://${host}/`), within: 'host' },
      bounds: { minutes: 3 * 1_440 },
      maxIdleMs: DAY_MS,
      ...fakes,
    });
    return crawler.on('html', async (page) => page.follow());
  });
  const realMs = Number(process.hrtime.bigint() - began) / 1e6;
  const { user, system } = process.cpuUsage(cpuBefore);
  const summary = [`${crawl.exchanges.length} requests`, `${(crawl.tookMs / DAY_MS).toFixed(2)} virtual days`];
  console.log(`${summary.join(' over ')}: ${(realMs / 1e3).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} CPU-s`);
  expect(crawl.report.state).toBe('bounded');
  expect(crawl.tookMs).toBeGreaterThanOrEqual(3 * DAY_MS);
  expect(crawl.exchanges.length).toBeGreaterThanOrEqual(6 * HOSTS);
  for (const { host, delayMs, assertSpaced } of HOST_RULES) {
    assertSpaced(crawl, host, delayMs);
    assertOneAtATime(crawl, host);
    assertRobotsFirst(crawl, host);
  }
});
