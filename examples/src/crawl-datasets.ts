// The datasets that a site offers in its data.txt: listed when they are found, and fetched because this crawl says so.
// robots.txt and the pace of their host apply to them like to everything else.

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 10, depth: 1, minutes: 5 },
  discover: { dataTxt: true },
  datasets: { enqueue: true },
  network,
});

const names = new Map<string, string>();
crawler.events.on('dataset', ({ dataset }) => {
  if (dataset.url !== undefined) names.set(dataset.url, dataset.name ?? '(unnamed)');
});
crawler.on('label:dataset', async (page) => {
  const bytes = await page.bytes();
  console.log(`${names.get(page.url) ?? '(unnamed)'}: ${page.url}, ${bytes.length} bytes`);
});

await crawler.run();
console.log(`${names.size} datasets were offered.`);
