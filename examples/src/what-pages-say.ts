// The declared language of pages, their JSON-LD, and their main text without navigation and footer. Install the
// libraries that read them:
//
//   npm install @marbec/web-auto-extractor @mozilla/readability linkedom

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  network,
});

crawler.on('html', async (page) => {
  const { jsonLd } = await page.structured();
  const about = jsonLd.map((item) => `${item['@type']}: ${item['headline'] ?? item['name']}`).join(', ');
  const lines = (await page.mainText())?.text.split('\n') ?? [];
  const excerpt = page.excerpt(lines.join(' '), 60);
  console.log(`${page.language}  ${about || 'says nothing'}  ${lines.length} lines: ${excerpt}`);
  await page.follow();
});

await crawler.run();
