// One crawl, as many processes as you start of this file, on as many machines: the frontier is on a Redis server, which
// hands each host to one process at a time. Politeness holds over all of them, and each page is fetched once.
//
//   REDIS_URL=redis://127.0.0.1:6379 npx -y pnpm@10 example two-processes-on-redis      (in two terminals)

import { redisStore } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';
import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

// The client is yours: the store neither makes nor closes it. With a timeout a server that is gone counts as away.
const client = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { commandTimeout: 10_000 });

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  // Every process has to be told the same.
  scope: { seeds: [seed], within: 'domain' },
  bounds: { pages: 50, minutes: 30 },
  // One prefix is one crawl; the next crawl takes another one.
  store: (tell, stopped) => redisStore({ client, prefix: 'tidepools', onNotice: tell, signal: stopped }),
  network,
});

crawler.on('html', async (page) => {
  await page.emit({ url: page.url, title: page.title });
  await page.follow();
});
crawler.events.on('store', ({ message }) => console.error(message));

try {
  // Logs and items of each process stand side by side in the directory; `mannerly export shared` prints all items.
  const report = await crawler.run({ out: 'shared', shared: true });
  console.log(
    `${report.state}: ${report.pages} pages in all, ${report.items} items by this process (part ${report.part}).`,
  );
} finally {
  client.disconnect();
}
