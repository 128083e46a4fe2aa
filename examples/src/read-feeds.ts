// New pages of a site from its feeds: RSS and Atom feeds that pages name. A feed is requested in its host's turn, and
// its entries are checked by scope, bounds and robots.txt like any link.
//
//   npx -y pnpm@10 example read-feeds

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 50, minutes: 10 },
  discover: { feeds: true },
  network,
});

// No page.follow(): the seed names the feed, and the feed names the pages.
crawler.on('html', async (page) => {
  if (page.via !== 'feed') return;
  const { lastmod, title } = page.userData as { lastmod?: string; title?: string };
  await page.emit({ url: page.url, title: title ?? page.title, published: lastmod ?? '(no date)' });
});

crawler.events.on('item', ({ data }) => {
  const { url, title, published } = data as Record<string, string>;
  console.log(`${published}  ${title}  ${url}`);
});

crawler.events.on('decision', ({ url, status, reason }) => {
  if (status === 'excluded') console.log(`left alone: ${url} (${reason})`);
});

const report = await crawler.run();
console.log(`${report.state}: ${report.items} entries of feeds, ${report.requests} requests.`);
