// A real documentation site with everything on, by the real command: seconds, CPU seconds, peak memory, and the bytes
// that each step writes. Nothing asserts; test/soak/real-site does. Usage: node run.mjs [FOLDER] [PAGES] [OUT], after
// `pnpm build`.

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [
  root = '/usr/share/doc/rust-doc/html',
  pages = '6000',
  out = mkdtempSync(join(tmpdir(), 'mannerly-real-site-')),
] = process.argv.slice(2);
const COMMAND = here('../../../packages/core/dist/cli/main.js');

mkdirSync(out, { recursive: true });
const server = fork(here('server.mjs'), [root, '/src/'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
const [{ origin, listed }] = await once(server, 'message');
const crawl = join(out, 'crawl');
const told = [
  '--name',
  'tidepool-study',
  '--contact',
  'https://example.org/our-crawler',
  '--allow-address',
  '127.0.0.0/8',
];
const how = [...told, '--interval', '0', '--pages', pages, '--depth', '50', '--minutes', '60', '--no-config'];
const steps = [
  ['plan', `${origin}/`, ...how],
  ['crawl', `${origin}/`, ...how, '--warc', '--wacz', '--csv', join(out, 'items.csv'), '--out', crawl, '--json'],
  ['report', crawl],
  ['audit', crawl],
  ['replay', crawl],
  ['wacz', crawl, '--to', join(out, 'again.wacz')],
  ['export', crawl, '--to', join(out, 'items.parquet')],
];
console.log(`${root}: ${listed} pages in its sitemap, ${pages} asked for; left in ${out}`);
console.log('step      exit   seconds     CPU-s  peak MiB');
for (const step of steps) {
  const measured = join(out, 'measured.json');
  const child = spawn(process.execPath, ['--import', here('measured.mjs'), COMMAND, ...step], {
    env: { ...process.env, MEASURED: measured },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const [code] = await once(child, 'close');
  const { seconds, cpuSeconds, peakMib } = JSON.parse(readFileSync(measured, 'utf8'));
  const figures = [seconds, cpuSeconds, peakMib].map((figure) => figure.toFixed(1).padStart(10)).join('');
  console.log(`${step[0].padEnd(8)}${String(code).padStart(6)}${figures}`);
}
server.disconnect();
for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile()) console.log(`${statSync(path).size.toLocaleString('en').padStart(14)}  ${relative(out, path)}`);
}
