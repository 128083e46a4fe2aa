// Why was a page not fetched? Crawls a little, then explains every URL that was excluded: the reason, the line of
// robots.txt, and which copy of the file decided.

import { createCrawler, explanationText } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 20, minutes: 5 },
  network,
});

const leftAlone: string[] = [];
crawler.events.on('decision', ({ url, status }) => {
  if (status === 'excluded') leftAlone.push(url);
});
crawler.on('html', async (page) => page.follow());
await crawler.run();

for (const url of leftAlone) console.log(`${explanationText(await crawler.explain(url))}\n`);
console.log(`${leftAlone.length} URLs were left alone.`);
