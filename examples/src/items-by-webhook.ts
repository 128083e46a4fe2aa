// Items to a program in any language, as JSON in POST requests; and such a receiver, in a few lines of Node.js. It is
// busy at first: the items are sent again, and nothing is lost. Like every receiver, it must store each id once.
//
//   npx -y pnpm@10 example items-by-webhook

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createCrawler } from 'mannerly';
import { webhookSink } from 'mannerly/sinks';
import { network, seed } from './target.js';

const TOKEN = 'Bearer of-your-own';
const rows = new Map<string, { readonly title: string }>();
let requests = 0;

const receiver = createServer(async (request, response) => {
  const { items } = (await json(request)) as { items: { id: string; title: string }[] };
  requests += 1;
  if (request.headers.authorization !== TOKEN) return void response.writeHead(401).end();
  if (requests === 1) return void response.writeHead(503, { 'retry-after': '1' }).end();
  for (const { id, title } of items) if (!rows.has(id)) rows.set(id, { title });
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
await new Promise((resolve) => receiver.once('listening', resolve));
const { port } = receiver.address() as AddressInfo;

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  sinks: [webhookSink({ url: `http://127.0.0.1:${port}/items`, headers: { authorization: TOKEN } })],
  network,
});
crawler.on('html', async (page) => {
  await page.emit({ title: page.title });
  await page.follow();
});
const report = await crawler.run();
receiver.close();
console.log(`${report.items} items were sent, ${rows.size} rows were kept; the first request was refused.`);
for (const { title } of rows.values()) console.log(`  ${title}`);
