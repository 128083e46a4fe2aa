// One crawl by as many processes as you start, on as many machines as you like: the frontier is on a Redis server,
// which leases each host to one process at a time. Politeness holds for all together, and each page is fetched once.
//
//   REDIS_URL=redis://127.0.0.1:6379 npx -y pnpm@10 example two-processes-on-redis      (in two terminals)

import { redisStore } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';
import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

// You own the client: the store neither makes nor closes it. With a timeout, a dead server counts as unavailable.
const client = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { commandTimeout: 10_000 });

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  // Every process needs the same options.
  scope: { seeds: [seed], within: 'domain' },
  bounds: { pages: 50, minutes: 30 },
  // One prefix is one crawl; the next crawl needs another one.
  store: (tell, stopped) => redisStore({ client, prefix: 'tidepools', onNotice: tell, signal: stopped }),
  network,
});

crawler.on('html', async (page) => {
  await page.emit({ url: page.url, title: page.title });
  await page.follow();
});
crawler.events.on('store', ({ message }) => console.error(message));

try {
  // Each process has its own logs and items in the directory; `mannerly export shared` prints all items.
  const report = await crawler.run({ out: 'shared', shared: true });
  console.log(
    `${report.state}: ${report.pages} pages in all, ${report.items} items by this process (part ${report.part}).`,
  );
} finally {
  client.disconnect();
}
