// The cost of a page in a whole crawl by 1, 2 and 4 processes on one store, compared with as many processes in the same
// run that share nothing: each crawls its part of the hosts alone, on an lmdb store of its own, which is what the
// machine can do. The CPU time of all processes counts; that of a store's server and of the web are separate rows.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuOfTree } from '../frontier/process-tree.mjs';
import { startServer } from './server.mjs';

const LONGEST_MS = 300_000;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * @param kind the store: `lmdb` (the default), `redis`, `postgres`
 * @param options `{ hosts, pages, runs }`
 * @returns rows of the table of all benchmarks
 */
export async function rows(kind = 'lmdb', { hosts = 40, pages = 150, runs = 3 } = {}) {
  const web = fork(here('../crawl/server.mjs'), [String(hosts), String(pages)]);
  const [{ port }] = await once(web, 'message');
  const server = await startServer(kind);
  const measured = new Map([1, 2, 4].map((count) => [count, { shared: [], apart: [] }]));
  try {
    for (let run = 0; run < runs; run += 1) {
      for (const [count, { shared, apart }] of measured) {
        apart.push(await crawl({ port, hosts, pages, store: { kind: 'lmdb' } }, count, true, { web: web.pid }));
        const store = { kind, url: server.url, crawl: `b${randomUUID().slice(0, 8)}` };
        const others = { web: web.pid, server: server.pid };
        shared.push(await crawl({ port, hosts, pages, store }, count, false, others));
      }
    }
  } finally {
    web.send('end');
    await server.end();
  }
  return [...measured].flatMap(([count, { shared, apart }]) => {
    const { cpuS, perS, serverUs, webUs } = medianOf(shared);
    const alone = medianOf(apart);
    const what = `scale, ${kind}, ${count} process${count === 1 ? '' : 'es'}, ${hosts * pages} pages`;
    const common = { reference: count === 1 ? 'on lmdb' : `${count} crawls apart, lmdb`, goal: '' };
    const ofOthers = (name, value) => ({ row: `${what}: µs of the ${name} per page`, value, ...common, digits: 0 });
    return [
      { row: `${what}: CPU-s per 1,000 pages`, value: cpuS, referenceValue: alone.cpuS, digits: 2, ...common },
      { row: `${what}: pages per second`, value: perS, referenceValue: alone.perS, digits: 0, ...common },
      { ...ofOthers('web', webUs), referenceValue: alone.webUs },
      ...(server.pid === undefined ? [] : [{ ...ofOthers('server', serverUs), referenceValue: null }]),
    ];
  });
}

/**
 * One crawl by so many processes, or with `isApart` one crawl by each of its share of the hosts. All start together.
 */
async function crawl(about, count, isApart, others) {
  const out = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
  const workers = Array.from({ length: count }, (_, at) => {
    const own = isApart ? { hosts: about.hosts / count, out: join(out, String(at)) } : { out };
    const words = [JSON.stringify({ ...about, ...own })];
    return fork(here('worker.mjs'), words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  });
  const timer = setTimeout(() => {
    for (const worker of workers) worker.kill('SIGKILL');
  }, LONGEST_MS);
  const heard = (worker) =>
    Promise.race([once(worker, 'message'), once(worker, 'exit').then(([code]) => [{ failed: code }])]);
  try {
    await Promise.all(workers.map(heard));
    const cpuOf = (pid) => (pid === undefined ? 0 : cpuOfTree(pid));
    const [webBefore, serverBefore] = [cpuOf(others.web), cpuOf(others.server)];
    const begunMs = performance.now();
    const answers = workers.map(heard);
    for (const worker of workers) worker.send('go');
    const ends = (await Promise.all(answers)).map(([end]) => end);
    const seconds = (performance.now() - begunMs) / 1_000;
    const requests = ends.reduce((sum, end) => sum + (end.requests ?? 0), 0);
    const total = about.hosts * about.pages;
    // One robots.txt per host, and every page once.
    if (ends.some(({ failed }) => failed !== undefined) || requests !== total + about.hosts) {
      throw new Error(`${count} processes did not crawl the web as it is: ${JSON.stringify({ ends, total })}`);
    }
    const cpuUs = ends.reduce((sum, end) => sum + end.cpuUs, 0);
    const serverUs = (1e6 * (cpuOf(others.server) - serverBefore)) / total;
    const webUs = (1e6 * (cpuOf(others.web) - webBefore)) / total;
    return { cpuS: cpuUs / 1e6 / (total / 1_000), perS: total / seconds, serverUs, webUs };
  } finally {
    clearTimeout(timer);
    rmSync(out, { recursive: true, force: true, maxRetries: 5 });
  }
}

function medianOf(figures) {
  const median = (key) => figures.map((figure) => figure[key]).sort((a, b) => a - b)[Math.floor(figures.length / 2)];
  return { cpuS: median('cpuS'), perS: median('perS'), serverUs: median('serverUs'), webUs: median('webUs') };
}
