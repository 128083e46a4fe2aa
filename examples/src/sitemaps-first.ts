// Exactly the pages that a site lists in its sitemaps, and no links. A sitemap permits nothing: its URLs are checked by
// scope, bounds and robots.txt like any link. A page's user data has what the sitemap says about it.
//
//   npx -y pnpm@10 example sitemaps-first

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 500, minutes: 60 },
  // Sitemaps that robots.txt names; `sitemapUrls` adds others by URL.
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
