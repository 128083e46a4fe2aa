// Some hosts before others, and not too many pages of one kind: weights divide the turns if the crawl cannot request
// everything that is due, and labels have a budget of pages. No host is requested too early.
//
//   npx -y pnpm@10 example order-between-hosts

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const host = new URL(seed).hostname;

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'any' },
  bounds: { pages: 50 },
  // The crawl is slower than its hosts, so their order matters.
  politeness: { requestsPerSecond: 2 },
  hosts: [{ match: host, weight: 3 }],
  labels: [{ label: 'detail', pages: 2 }],
  network,
});

crawler.on('html', async (page) => {
  console.log(`${page.url}  ${page.title ?? ''}`);
  await page.follow('a', { label: 'detail' });
});

crawler.on('label:detail', async (page) => {
  const { order } = (await crawler.explain(new URL(page.url).hostname)).host ?? {};
  console.log(`${page.url}  detail, of a host of weight ${order?.weight}`);
});

const report = await crawler.run();
console.log(`${report.state}: ${report.pages} pages.`);
console.log(report.outcomes['dropped']);
