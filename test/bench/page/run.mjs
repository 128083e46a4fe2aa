// The page benchmark: microseconds per page of each stage between a body and the links for the frontier, compared with
// complete parsers that do the same work. Usage: node run.mjs FOLDER [--limit N] [--rounds N]; see README.md.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { OTHERS, OURS, perPage, preparedPage } from './stages.mjs';

const { values, positionals } = parseArgs({
  options: { limit: { type: 'string', default: '300' }, rounds: { type: 'string', default: '20' } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('usage: node run.mjs FOLDER [--limit N] [--rounds N]');
  process.exit(2);
}
const pages = readPages(folder, Number(values.limit));
const rounds = Number(values.rounds);
const mean = (count) => Math.round(pages.reduce((sum, page) => sum + count(page), 0) / pages.length);
console.log(
  `${pages.length} pages, mean ${mean(({ bytes }) => bytes.length)} bytes, ${mean(({ facts }) => facts.links.length)} links, ` +
    `${mean(({ links }) => links.length)} of them to the frontier; CPU microseconds per page, the best of ${rounds} rounds`,
);
for (const [name, stage] of Object.entries({ ...OURS, ...OTHERS }))
  console.log(`${perPage(stage, pages, rounds).toFixed(1).padStart(8)}  ${name}`);

function readPages(root, limit) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.html(\.gz)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  // Spread over the folder, so that a small selection has pages of several kinds.
  const step = Math.max(1, files.length / limit);
  return Array.from({ length: Math.min(limit, files.length) }, (_, index) => {
    const path = files[Math.floor(index * step)];
    const file = readFileSync(path);
    const url = new URL(relative(root, path).replace(/\.gz$/, ''), 'https://pages.example/').href;
    return preparedPage(url, path.endsWith('.gz') ? gunzipSync(file) : file);
  });
}
