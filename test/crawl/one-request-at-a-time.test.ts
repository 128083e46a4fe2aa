// One host, one request at a time, even with many URLs due, slow answers and a concurrency of 64. Other hosts do not
// wait for it.

import { expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type Routes } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('never overlaps two requests to one host, and does overlap hosts', async () => {
  const hrefs = Array.from({ length: 8 }, (_, index) => `/p${index}`);
  const slow = (body: string) => ({ body, headers: { 'content-type': 'text/html' }, delayMs: 100 });
  const site: Routes = {
    '/robots.txt': { status: 404, delayMs: 100 },
    '/': slow(page('start', hrefs)),
    '*': slow(page('leaf', hrefs)),
  };
  const names = ['a.test', 'b.test', 'c.test'];
  const web = await webForTest({ hosts: Object.fromEntries(names.map((name) => [name, site])) });
  const { report } = await crawl({ seeds: names.map((name) => web.url(name)) });
  expect(web.log).toHaveLength(names.length * 10);
  expect(judge(web.log, { contact: CONTACT })).toEqual(POLITE);
  expect(report.politeness.map((host) => host.highestConcurrency)).toEqual([1, 1, 1]);
  // The judge finds overlaps if there are any: here the same log, as if it came from one host.
  const asOne = web.log.map((exchange) => ({ ...exchange, host: 'one.test' }));
  expect(judge(asOne, { contact: CONTACT }).overlapping.length).toBeGreaterThan(10);
});
