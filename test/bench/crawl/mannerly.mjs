// Our side of the project's own crawl benchmark: everything on (identity, guard, robots, durable store, JSONL, request
// and decision log, report), interval 0, one request at a time per host. Usage: node mannerly.mjs PORT HOSTS PAGES [dom
// | https | signed] (as a child process). `dom`: its handler makes a document of every page. `https`: its URLs are
// https, but go to the server without TLS, which would be most of their cost. `signed`: the same with signatures.

import 'mannerly/v8-flags';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrawler, createUndiciFetcher } from 'mannerly';
import { createWeb } from './web.mjs';

const [port, hosts, pages] = process.argv.slice(2, 5).map(Number);
const kind = process.argv[5];
const isDom = kind === 'dom';
const isHttps = kind === 'https' || kind === 'signed';
const web = createWeb({ hosts, pages, port, scheme: isHttps ? 'https' : 'http' });
const inner = createUndiciFetcher();
const plainly = {
  ...inner,
  async fetch(request) {
    const outcome = await inner.fetch({ ...request, url: request.url.replace('https:', 'http:') });
    return outcome === null ? null : { ...outcome, url: request.url };
  },
};
if (kind === 'signed') {
  process.env.BENCH_KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
}
const signature = { key: 'env:BENCH_KEY', agent: 'https://example.org/keys' };
const out = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
let hrefs = 0;
const crawler = createCrawler({
  identity: {
    name: 'mannerly-bench',
    contact: 'https://example.org/mannerly-bench',
    ...(kind === 'signed' ? { signature } : {}),
  },
  ...(isHttps ? { fetcher: plainly } : {}),
  scope: { seeds: web.seeds, within: 'host' },
  bounds: { pages: 10_000_000, depth: 1_000 },
  politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
  network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
});
crawler.on('html', async (page) => {
  hrefs += isDom ? page.$('a[href]').length : (page.html?.links.length ?? 0);
  page.emit({ title: isDom ? page.$('title').first().text() : page.title });
  await page.follow();
});
const report = await crawler.run({ out });
rmSync(out, { recursive: true, force: true });
const { user, system } = process.cpuUsage();
process.send({ pages: report.pages, hrefs, cpuUs: user + system, maxRssKb: process.resourceUsage().maxRSS });
process.disconnect();
