// Exactly the pages that a site lists in its sitemaps, and no link besides. A sitemap opens nothing: what it lists
// passes scope, bounds and robots.txt like any link. What it says of a page comes along as the page's user data.
//
//   npx -y pnpm@10 example sitemaps-first

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 500, minutes: 60 },
  // Those that robots.txt names; `sitemapUrls` takes others by address.
  discover: { sitemaps: true },
  network,
});

crawler.on('html', async (page) => {
  if (page.via !== 'sitemap') return;
  const { lastmod } = page.userData as { lastmod?: string };
  console.log(`${lastmod ?? '(no date)'}  ${page.title}  ${page.url}`);
  // No page.follow(): the list is the crawl.
});

crawler.events.on('decision', ({ url, reason, detail }) => {
  if (reason === 'sitemap') console.log(`${url}: ${detail}`);
});

const report = await crawler.run();
console.log(`${report.state}: ${report.pages} pages, the seed among them.`);
