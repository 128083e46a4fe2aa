// A crawl that can be stopped at any time: Ctrl-C ends it cleanly, and the same call continues where it was, also after
// a crash or a `kill -9`. The crawl directory holds all its data; bounds count over all runs.
//
//   npx -y pnpm@10 example resume 2       two pages, then its bound
//   npx -y pnpm@10 example resume 20      continues with a larger one

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: Number(process.argv[2] ?? 20), minutes: 30 },
  network,
});

crawler.on('html', async (page) => {
  await page.emit({ url: page.url, title: page.title });
  await page.follow();
});

// The first Ctrl-C waits for requests in flight, the second does not.
process.on('SIGINT', () => crawler.stop());

const report = await crawler.run({ out: 'resumable' });
if (report.alreadyFinished) console.log('Nothing was left to do, and no request was made.');
console.log(
  `${report.resumed ? 'Went on' : 'Began'}: ${report.state}, ${report.pages} pages and ${report.items} items so far.`,
);
console.log(report.queued === 0 ? 'Nothing is queued.' : `Queued: ${report.queued}. Run it again.`);
