// The smallest useful crawl: who crawls, where, how much, and what to do with a page. It is polite by default.

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 20, depth: 4, minutes: 5 },
  network,
});

crawler.on('html', async (page) => {
  console.log(`${page.url}  ${page.title ?? '(no title)'}`);
  await page.follow();
});

const report = await crawler.run();
console.log(`${report.state}: ${report.pages} pages, ${report.requests} requests`);
for (const { host, smallestGapMs, early } of report.politeness) {
  console.log(`${host}: never less than ${smallestGapMs} ms between two requests, ${early} of them early`);
}
