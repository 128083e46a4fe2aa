// One host more slowly than the others, with fewer pages and in its own language. `hosts` can only make a host slower
// and its bounds narrower than the crawl's. `explain` says which entries apply.
//
//   npx -y pnpm@10 example single-hosts

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const host = new URL(seed).hostname;

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed] },
  bounds: { pages: 50, pagesPerHost: 20 },
  hosts: [
    // A small machine: at least two seconds between requests, and two pages are enough.
    { match: [host, `*.${host}`], spacing: { minMs: 2_000 }, bounds: { pages: 2 } },
    // Both apply to the host: the strictest of each value counts.
    { match: host, exclude: ['/brook'], headers: ['Accept-Language: de'] },
  ],
  network,
});

crawler.on('html', async (page) => {
  const { hosts = [] } = await crawler.explain(page.url);
  console.log(`${page.url}  ${page.title ?? ''}, as ${hosts.length} entries say`);
  await page.follow();
});

const report = await crawler.run();
const [row] = report.politeness;
console.log(`${report.state}: ${report.pages} pages, never less than ${row?.smallestGapMs} ms between two requests.`);
console.log(report.outcomes['dropped']);
