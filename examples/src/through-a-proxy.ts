// A crawl through one proxy. The proxy gets the address that the crawl has checked, and never a name. Sites still see
// who crawls. Uses the proxy in the environment, or starts a small one here.
//
//   npx -y pnpm@10 example through-a-proxy

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

/** A standard proxy: CONNECT to an address, and bytes in both directions. */
const small = createServer().on('connect', ({ url = '' }, client) => {
  console.log(`  the proxy connects to ${url.replace(/\d+$/, 'a port')}`);
  const { hostname, port } = new URL(`http://${url}`);
  const site = connect(Number(port), hostname, () => {
    client.write('HTTP/1.1 200 Connected\r\n\r\n');
    site.pipe(client).pipe(site);
  });
  for (const socket of [site, client]) socket.on('error', () => socket.destroy());
  client.on('close', () => site.destroy());
});
await new Promise<void>((resolve) => small.listen(0, '127.0.0.1', resolve));
const own = `http://127.0.0.1:${(small.address() as AddressInfo).port}`;

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  // For a URL with name and password, give its location: env:CRAWL_PROXY, file:proxy.txt.
  network: { ...network, proxy: process.env['CRAWL_PROXY'] === undefined ? own : 'env:CRAWL_PROXY' },
});
crawler.events.on('host-warning', ({ code, detail }) => {
  if (code === 'proxy-down') console.log(detail);
});
crawler.on('html', async (page) => {
  console.log(`${page.title}`);
  await page.follow();
});
const report = await crawler.run();
console.log(`${report.state}: ${report.pages} pages, ${report.requests} requests`);
small.close();
