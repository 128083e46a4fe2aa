// One process of the crawl of `pnpm bench scale` by itself, on smaller webs: the cost of its first pages, while the
// code is not yet compiled, which several processes pay several times.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../scale/server.mjs';

const LONGEST_MS = 120_000;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * @param options `hosts`, `pages` (per host), `runs`; `others`: how many such crawls run at once, independently
 * @returns `{ pages, cpuUs }` of one crawler, the median of the runs
 */
export async function measureAlone(kind, { hosts, pages, runs = 3, others = 1 }) {
  const web = fork(here('../crawl/server.mjs'), [String(hosts), String(pages)]);
  const [{ port }] = await once(web, 'message');
  const server = await startServer(kind);
  const figures = [];
  try {
    for (let run = 0; run < runs; run += 1) {
      const all = Array.from({ length: others }, () => {
        const store = { kind, url: server.url, crawl: `a${randomUUID().slice(0, 8)}` };
        return crawl({ port, hosts, pages, store });
      });
      figures.push((await Promise.all(all)).reduce((sum, cpuUs) => sum + cpuUs) / others);
    }
  } finally {
    web.send('end');
    await server.end();
  }
  return { pages: hosts * pages, cpuUs: figures.sort((a, b) => a - b)[Math.floor(runs / 2)] };
}

async function crawl(about) {
  const out = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
  const words = [JSON.stringify({ ...about, out })];
  const worker = fork(here('../scale/worker.mjs'), words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const timer = setTimeout(() => worker.kill('SIGKILL'), LONGEST_MS);
  const heard = () => Promise.race([once(worker, 'message'), once(worker, 'exit').then(() => [{}])]);
  try {
    await heard();
    worker.send('go');
    const [{ cpuUs }] = await heard();
    if (cpuUs === undefined) throw new Error('the crawler did not come to its end');
    return cpuUs;
  } finally {
    clearTimeout(timer);
    rmSync(out, { recursive: true, force: true, maxRetries: 5 });
  }
}
