// Every exchange as WARC, packaged as one WACZ file that a browser can show. Then other handlers run over the archive,
// without a request.
//
//   npx -y pnpm@10 example archive-to-warc

import { createCrawler, memorySink, replay } from 'mannerly';
import { network, seed } from './target.js';

const OUT = 'archived';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  archive: { wacz: true },
  network,
});
crawler.on('html', async (page) => page.follow());
const report = await crawler.run({ out: OUT });
console.log(`${report.pages} pages are in ${OUT}/archive, and packaged in ${OUT}/archive.wacz.`);

// Pages that refuse to be archived are missing, and pages that refuse to be kept yield no items here either.
const sink = memorySink();
const again = await replay({
  from: OUT,
  handlers: (routes) => routes.on('html', async (page) => page.emit({ title: page.title, links: page.links.length })),
  sinks: [sink],
});
console.log(`${again.items} items from ${again.pages} archived pages, and no request:`);
for (const { url, data } of sink.items) console.log(`  ${url}  ${JSON.stringify(data)}`);
