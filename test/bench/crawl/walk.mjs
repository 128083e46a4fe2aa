// The walk of one page: which of our own files and functions run between two handlers, by V8's precise coverage. One
// host, a store in memory (or lmdb with `--lmdb`), a crawl that is warmed up. Usage: node walk.mjs [--lmdb] [--list]

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCrawler } from 'mannerly';
import { createWeb } from './web.mjs';

const PAGES = 40;
/** Pages that are handled before the first one that counts. */
const WARM = 10;
const OWN = /\/packages\/(robots|frontier|core)\/dist\/(.*)$/;

const server = fork(fileURLToPath(new URL('server.mjs', import.meta.url)), ['1', String(PAGES), 'http']);
const [{ port }] = await once(server, 'message');
const web = createWeb({ hosts: 1, pages: PAGES, port });
const out = process.argv.includes('--lmdb') ? mkdtempSync(join(tmpdir(), 'mannerly-walk-')) : null;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Functions and calls by file, for each page. */
const walks = [];
let handled = 0;
const crawler = createCrawler({
  identity: { name: 'mannerly-bench', contact: 'https://example.org/mannerly-bench' },
  scope: { seeds: web.seeds, within: 'host' },
  bounds: { pages: 1_000 },
  politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
  network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
});
crawler.on('html', async (page) => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  handled += 1;
  if (handled > WARM) walks.push(result.flatMap(walkOf));
  page.emit({ title: page.title });
  await page.follow();
});
await crawler.run(out === null ? {} : { out });
if (out !== null) rmSync(out, { recursive: true, force: true });
server.send('end');

function walkOf({ url, functions }) {
  const [, pack, file] = OWN.exec(url) ?? [];
  const called = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0);
  if (file === undefined || called.length === 0) return [];
  const calls = called.reduce((sum, { ranges }) => sum + ranges[0].count, 0);
  return [{ file: `${pack}/${file}`, functions: called.length, calls }];
}

const sum = (walk, key) => walk.reduce((total, each) => total + each[key], 0);
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const middle = {
  files: median(walks.map((walk) => walk.length)),
  functions: median(walks.map((walk) => sum(walk, 'functions'))),
  calls: median(walks.map((walk) => sum(walk, 'calls'))),
};
console.log(`of ${walks.length} pages, median: ${JSON.stringify(middle)}`);
if (process.argv.includes('--list')) {
  const walk = walks.find(({ length }) => length === middle.files);
  for (const { file, functions, calls } of walk) console.log(`${file} ${functions} ${calls}`);
}
