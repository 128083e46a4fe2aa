// The pictures of a page, equal ones once: requested like everything else, one after the other, and saved under their
// SHA-256. Each picture that is not saved has a reason: a line of robots.txt, another host, an answer that is not a
// picture.
//
//   npx -y pnpm@10 example save-pictures

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [new URL('/gallery', seed).href], within: 'host' },
  bounds: { pages: 1 },
  // Each picture waits for its host's turn: a second for each picture, and some more.
  handlerTimeoutMs: 120_000,
  network,
});
crawler.on('html', async (page) => {
  const pictures = await page.saveAll('figure img', { maxFiles: 20, maxBytes: 50_000_000 });
  for (const picture of pictures) {
    const name = new URL(picture.url).pathname;
    if (picture.kind === 'saved') {
      console.log(`${name}  ${picture.isCopy ? 'there already' : 'saved'}: ${picture.sha256.slice(0, 8)}…`);
    } else {
      console.log(`${name}  ${picture.kind}: ${picture.reason}`);
    }
  }
  await page.emit({ title: page.title, pictures });
});
const report = await crawler.run({ out: 'pictures' });
console.log(`${report.requests} requests, of which ${report.pages} for pages; the files are in pictures/files/media.`);
