// A handler that does not yield stops everything else: the run reports for how long.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('the longest stop of the run is reported', async () => {
  const web = await webForTest({ hosts: { 'a.test': { '/': page('a', ['/b']), '/b': page('b') } } });
  const { report } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) =>
      void crawler.on('html', async (one) => {
        await one.follow();
        if (one.depth > 0) return;
        for (const end = performance.now() + 700; performance.now() < end; );
      }),
  });
  expect(report.pages).toBe(2);
  expect(report.longestStallMs).toBeGreaterThanOrEqual(600);
});
