// The crawler of the crawl benchmark: crawls the seeds of SEEDS_FILE within SCOPE_FILE, and writes result.json to
// OUT_DIR. Usage: node run.mjs SEEDS_FILE SCOPE_FILE OUT_DIR. Uses the built packages, as a user's program would; see
// README.md.

import 'mannerly/v8-flags';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCrawler } from 'mannerly';

const [seedsFile, scopeFile, outDir] = process.argv.slice(2);
if (outDir === undefined) {
  console.error('usage: node run.mjs SEEDS_FILE SCOPE_FILE OUT_DIR');
  process.exit(2);
}
const lines = (path) => readFileSync(path, 'utf8').split('\n').filter(Boolean);
const isPolite = process.env.BENCH_POLITE === '1';
// BENCH_DOM=1: the handler makes a document of every page (`page.$`) and reads it.
const isDom = process.env.BENCH_DOM === '1';
const concurrency = Number(process.env.BENCH_CONCURRENCY || 64);

const stat = { pages: 0, hrefs: 0, titleChars: 0 };
const crawler = createCrawler({
  identity: { name: 'mannerly-bench', contact: 'https://example.org/mannerly-bench' },
  scope: { seeds: lines(seedsFile), within: 'list', hosts: lines(scopeFile) },
  bounds: { pages: 10_000_000, depth: 1_000 },
  // The synthetic web is ours, so there is no interval, unless the run is about politeness.
  politeness: { profile: isPolite ? 'polite' : { factor: 0, minMs: 0, maxMs: 0 } },
  // The benchmark counts a page with another tracking parameter as fetched twice.
  urls: { trackingParameters: 'drop' },
  network: { allowAddresses: ['127.0.0.0/8'], concurrency },
});
crawler.on('html', async (page) => {
  stat.pages += 1;
  if (isDom) {
    const { $ } = page;
    $('a[href]').each((_, element) => {
      stat.hrefs += element.attribs.href === undefined ? 0 : 1;
    });
    stat.titleChars += $('title').first().text().length;
  } else {
    stat.titleChars += page.title?.length ?? 0;
    stat.hrefs += page.html?.links.length ?? 0;
  }
  await page.follow();
});

const report = await crawler.run(process.env.BENCH_OUT === '0' ? {} : { out: join(outDir, 'crawl') });
const own = {
  state: report.state,
  requests: report.requests,
  outcomes: report.outcomes,
  maxRssKb: process.resourceUsage().maxRSS,
};
writeFileSync(join(outDir, 'result.json'), `${JSON.stringify({ ...stat, ...own })}\n`);
