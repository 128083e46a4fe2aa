// An archive that shows pages as they were: with their style sheets, scripts, images and fonts, each requested as
// politely as a page. The WACZ opens at replayweb.page, or in any other reader of web archives.
//
//   npx -y pnpm@10 example archive-as-pages-look

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const OUT = 'as-pages-look';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  // `hosts: 'any'` also fetches files of other sites. Each file costs its site a request.
  archive: { wacz: true, requisites: { perPage: 30, total: 500 } },
  network,
});
crawler.on('html', async (page) => page.follow());

const files: string[] = [];
crawler.events.on('request', ({ purpose, url }) => {
  if (purpose === 'requisite') files.push(new URL(url).pathname);
});
const left: string[] = [];
crawler.events.on('decision', ({ detail, url, reason }) => {
  if (detail === 'needed by an archived page') left.push(`${new URL(url).pathname} (${reason})`);
});

const report = await crawler.run({ out: OUT });
console.log(`${report.pages} pages and what they need are in ${OUT}/archive.wacz:`);
console.log(`  fetched: ${files.sort().join(', ')}`);
console.log(`  left alone: ${left.sort().join(', ')}`);
