// One process of a measured crawl: everything on, interval 0, one request at a time per host.
// Usage: node worker.mjs '{ port, hosts, pages, out, store }' (as a child process)

import { createCrawler } from 'mannerly';
import { createWeb } from '../crawl/web.mjs';

const { port, hosts, pages, out, store } = JSON.parse(process.argv[2]);
const web = createWeb({ hosts, pages, port });
const { make, close } = await openStore();
const crawler = createCrawler({
  identity: { name: 'mannerly-bench', contact: 'https://example.org/mannerly-bench' },
  scope: { seeds: web.seeds, within: 'host' },
  bounds: { pages: 10_000_000, depth: 1_000 },
  politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
  network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
  ...(make === null ? {} : { store: make }),
});
crawler.on('html', async (page) => {
  page.emit({ title: page.title });
  await page.follow();
});
process.send({ ready: true });
await new Promise((go) => process.once('message', go));
const before = process.cpuUsage();
const report = await crawler.run({ out, shared: true });
await close();
const { user, system } = process.cpuUsage(before);
process.send({ requests: report.requests, cpuUs: user + system });
process.disconnect();

async function openStore() {
  if (store.kind === 'redis') {
    const { redisStore } = await import('@mannerly/frontier/redis');
    const { Redis } = await import('ioredis');
    const client = new Redis(store.url);
    const tell = () => undefined;
    const make = () => redisStore({ client, prefix: store.crawl, onNotice: tell });
    return { make, close: () => client.disconnect() };
  }
  if (store.kind === 'postgres') {
    const { postgresStore } = await import('@mannerly/frontier/postgres');
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: store.url, max: 5 });
    const make = () =>
      postgresStore({ pool, schema: store.crawl, allowUnsafe: ['fsync-off'], onNotice: () => undefined });
    return { make, close: () => pool.end() };
  }
  return { make: null, close: () => undefined };
}
