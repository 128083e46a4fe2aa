// Crawl-delay 1 on 200 hosts of ten pages each: no request is early, and the crawl still keeps its pace, because hosts
// do not wait for each other. The pace is printed, not asserted, because it depends on the machine.

import { expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const HOSTS = 200;
const PAGES = 10;
const DELAY_MS = 1_000;

it('makes no early request, and misses nothing', { timeout: 600_000 }, async () => {
  const hrefs = Array.from({ length: PAGES - 1 }, (_, index) => `/p${index}`);
  const site: Routes = {
    '/robots.txt': text('User-agent: *\nCrawl-delay: 1\nDisallow: /closed\n'),
    '/': page('start', [...hrefs, '/closed/x']),
    ...Object.fromEntries(hrefs.map((href) => [href, page(href, ['/', '/closed/y', ...hrefs])])),
  };
  const names = Array.from({ length: HOSTS }, (_, index) => `h${index}.test`);
  const web = await webForTest({ hosts: Object.fromEntries(names.map((name) => [name, site])) });
  const { report } = await crawl({
    seeds: names.map((name) => web.url(name)),
    politeness: { profile: 'polite' },
    bounds: { pages: 100_000, minutes: 60 },
    // A host waits for twice the duration of its answer: on a busy machine, longer than usual in tests.
    maxIdleMs: 120_000,
    network: { concurrency: 256 },
  });
  const rules = Object.fromEntries(names.map((name) => [name, { gapMs: DELAY_MS, closed: ['/closed'] }]));
  expect(judge(web.log, { contact: CONTACT, rules })).toEqual(POLITE);
  expect(web.log).toHaveLength(HOSTS * (PAGES + 1));
  expect(report.pages).toBe(HOSTS * PAGES);
  const starts = web.log.filter((exchange) => exchange.path !== '/robots.txt').map((exchange) => exchange.startMs);
  const tookMs = Math.max(...starts) - Math.min(...starts);
  const idealMs = (PAGES - 1) * DELAY_MS;
  console.info(
    `${HOSTS} hosts × ${PAGES} pages, Crawl-delay 1: ${Math.round(tookMs)} ms, ${((100 * idealMs) / tookMs).toFixed(1)} % of the ideal pace`,
  );
});
