// A running crawl that other programs use over HTTP: they add URLs, read its status, ask why a page was not fetched,
// and end the run. The client below uses `fetch`; any language works, see docs/http-api.md. `mannerly serve` opens the
// same API.
//
//   npx -y pnpm@10 example http-api

import { createCrawler } from 'mannerly';
import { createDashboard } from 'mannerly/dashboard';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed] },
  bounds: { pages: 1_000 },
  network,
});
crawler.on('html', (page) => console.log(`crawled  ${new URL(page.url).pathname}  ${page.title}`));

const out = 'served';
const server = await createDashboard(crawler, { api: { out } });
const running = crawler.run({ out, keepOpen: true });

/** A request of another program, which knows the port and the token. */
async function call(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

const urls = ['/guides/tides', '/staff/rota', '/guides/crabs'].map((path) => new URL(path, seed).href);
const added = (await call('POST', 'urls', { urls })) as {
  urls: { url: string; kind: string; reason: string | null }[];
};
for (const { url, kind, reason } of added.urls) {
  console.log(`added    ${new URL(url).pathname}  ${kind}${reason === null ? '' : `: ${reason}`}`);
}

type Status = { progress: { pages: number; queued: number; requests: number } };
let status: Status;
do {
  await new Promise((resolve) => setTimeout(resolve, 200));
  status = (await call('GET', 'status')) as Status;
} while (status.progress.pages < 3);

const refused = new URL('/staff/rota', seed).href;
const why = (await call('GET', `explain?of=${encodeURIComponent(refused)}`)) as { reason: string; line: number };
console.log(`refused  ${refused}  ${why.reason}, line ${why.line} of robots.txt`);
await call('POST', 'stop');
await running;
await server.close();
console.log(`stopped  ${status.progress.pages} pages, ${status.progress.requests} requests`);
