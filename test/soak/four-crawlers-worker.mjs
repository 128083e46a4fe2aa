// One of several crawlers of one crawl, for the test to kill and stop. Arguments: the plan as JSON. It ends with 0 when
// nothing is left. Its User-Agent contains its name, so the web's log shows who sent a request.

import { postgresStore } from '@mannerly/frontier/postgres';
import { redisStore } from '@mannerly/frontier/redis';
import { createCrawler } from 'mannerly';

const { seeds, out, life, store, concurrency } = JSON.parse(process.argv[2] ?? '{}');
const { make, close } = await openStore(store);
const crawler = createCrawler({
  identity: { name: 'crew', contact: 'https://example.org/our-crawler', version: life },
  scope: { seeds },
  bounds: { pages: 1_000_000, depth: 100 },
  network: { allowAddresses: ['127.0.0.0/8'], concurrency },
  ...(make === null ? {} : { store: make }),
});
let handled = 0;
crawler.on('html', async (page) => {
  handled += 1;
  // A handler that blocks the event loop: meanwhile no lease is renewed, and nothing may start.
  if (handled % 200 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  await page.emit({ url: page.url });
  await page.follow();
});
crawler.events.on('store', ({ kind, message }) => console.log(`store ${kind}: ${message}`));
process.once('SIGTERM', () => void crawler.stop());
const report = await crawler.run({ out, shared: true });
await close();
console.log(`ended ${report.state} with ${report.requests} requests`);
process.exitCode = report.state === 'finished' ? 0 : 3;

/** Makes the client, because an adapter never makes its own. */
async function openStore({ kind, url }) {
  if (kind === 'redis') {
    const { Cluster, Redis } = await import('ioredis');
    // The same as the command's.
    const timeouts = { commandTimeout: 10_000, socketTimeout: 10_000, maxRetriesPerRequest: 1 };
    const redisOptions = { ...timeouts, retryStrategy: () => 50 };
    const client = Array.isArray(url) ? new Cluster(url, { redisOptions }) : new Redis(url, redisOptions);
    client.on('error', () => undefined);
    return {
      make: (tell) => redisStore({ client, identity: 'crew', onNotice: tell }),
      close: () => client.disconnect(),
    };
  }
  if (kind === 'postgres') {
    const { default: pg } = await import('pg');
    // Earlier versions, on which this runs too, do not have it.
    const { shardedStore } = await import('@mannerly/frontier');
    const poolOf = (connectionString) =>
      new pg.Pool({ connectionString, max: 5, query_timeout: 10_000, keepAlive: true }).on('error', () => undefined);
    const pools = [url].flat().map(poolOf);
    const settings = { identity: 'crew', allowUnsafe: ['fsync-off'] };
    return {
      make: (tell) => {
        const stores = pools.map((pool) => postgresStore({ pool, ...settings, onNotice: tell }));
        return stores.length === 1 ? stores[0] : shardedStore(stores);
      },
      close: () => Promise.all(pools.map((pool) => pool.end())),
    };
  }
  return { make: null, close: () => undefined };
}
