// One section of a site and nothing else: only URLs under the seed's folder are in scope, and on each page only the
// links of its list are followed. Other URLs are dropped before any request.
//
//   npx -y pnpm@10 example follow-a-section

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const section = new URL('/guides/', seed);

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: {
    seeds: [section.href],
    prefixes: [section.pathname],
    // Patterns as in robots.txt. They override everything that admits a URL.
    exclude: ['/*.zip$', '/*?print='],
  },
  bounds: { pages: 50, depth: 3 },
  network,
});

crawler.on('html', async (page) => {
  console.log(`${'  '.repeat(page.depth)}${page.title ?? page.url}`);
  await page.follow('ul a');
});

const report = await crawler.run();
console.log(
  `${report.pages} pages of the section; ${report.outcomes['dropped']?.['out-of-scope'] ?? 0} links led out of it.`,
);
