// One crawl of one seed in a process of its own, as a user would write it. Prints its memory use. argv: the seed. Every
// name resolves to loopback.

import { subscribe } from 'node:diagnostics_channel';
import { createCrawler } from 'mannerly';

// Bytes are counted at the process's own sockets: some of what a server wrote may still be in a buffer of the system.
const sockets = [];
subscribe('net.client.socket', ({ socket }) => sockets.push(socket));

const [seed] = process.argv.slice(2);
const baseBytes = process.resourceUsage().maxRSS * 1024;
const pages = [];
const requests = [];
const crawler = createCrawler({
  identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed] },
  bounds: { pages: 10, minutes: 1 },
  maxIdleMs: 0,
  politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
  discover: { sitemaps: true },
  network: {
    allowAddresses: ['127.0.0.0/8'],
    resolve: async () => ['127.0.0.1'],
    headersTimeoutMs: 15_000,
    requestTimeoutMs: 20_000,
  },
});
crawler.on('any', async (page) => {
  pages.push({ truncated: page.truncated, maxBodyBytes: (await page.bytes()).length });
  await page.emit({ url: page.url, title: page.title });
  await page.follow();
});
crawler.events.on('request', ({ url, status, failure }) => {
  if (url === seed) requests.push(failure ?? status);
});
const report = await crawler.run();
const peakBytes = process.resourceUsage().maxRSS * 1024;
const readBytes = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
process.stdout.write(JSON.stringify({ readBytes, peakBytes, baseBytes, pages, requests, state: report.state }));
