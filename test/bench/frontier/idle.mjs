// The cost of the frontier while a crawl waits: ten thousand hosts whose robots.txt was just read all wait for an hour.
// CPU time as a share of one core, and memory, over half a minute in which nothing is due. Usage: node [--expose-gc]
// idle.mjs [--store memory|lmdb] [--hosts N] [--urls N] [--held N] [--interval S] [--seconds N]; see README.md.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFrontier, memoryStore } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { cpuUs, memoryMb } from './own-use.mjs';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'lmdb' },
    hosts: { type: 'string', default: '10000' },
    urls: { type: 'string', default: '20' },
    held: { type: 'string', default: '1024' },
    interval: { type: 'string', default: '3600' },
    seconds: { type: 'string', default: '30' },
  },
});
const [hosts, urls, held, seconds] = [values.hosts, values.urls, values.held, values.seconds].map(Number);
const intervalMs = 1_000 * Number(values.interval);
const AT_A_TIME = 256;
const BATCH = 100;

const folder = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
const store = values.store === 'memory' ? memoryStore() : lmdbStore({ path: folder });
const frontier = createFrontier({
  store,
  robots: { tokens: ['benchbot'] },
  politeness: { profile: { factor: 0, minMs: intervalMs, maxMs: intervalMs } },
  maxHosts: held,
});
await frontier.open();
for (let at = 0; at < hosts; at += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, hosts - at) }, (_, index) => at + index);
  await frontier.add(batch.flatMap((host) => pagesOf(host)));
}

function pagesOf(host) {
  return Array.from({ length: urls }, (_, at) => {
    return { url: `https://host-${host}.example.org/page-${at}`, depth: 1, via: 'link' };
  });
}

/** Requests every host's robots.txt; from then on all of them wait. */
let asked = 0;
while (asked < hosts) {
  const works = await frontier.take(AT_A_TIME);
  if (works.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all(works.map(answer));
  asked += works.length;
}

async function answer(work) {
  if (frontier.mayStart(work).kind !== 'go') throw new Error(`not now: ${work.url}`);
  const atMs = Date.now();
  const exchange = { startedAtMs: atMs, endedAtMs: atMs, status: 404, retryAfter: null, failure: null, bytes: 0 };
  frontier.exchanged(work, exchange);
  const { url } = work;
  const found = { status: 404, headers: {}, body: new Uint8Array(), robotsUrl: url, finalUrl: url };
  await frontier.settle(work, { kind: 'robots', answer: { kind: 'response', ...found } });
}

/** Waits as the crawl loop does: until the frontier's next time. */
let rounds = 0;
let isOver = false;
let wake = () => undefined;
async function wait() {
  while (!isOver) {
    rounds += 1;
    const works = await frontier.take(AT_A_TIME);
    await Promise.all(works.map(answer));
    const nextAtMs = await frontier.nextAt();
    const waitMs = Math.max(1, (nextAtMs ?? Date.now() + 60_000) - Date.now());
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(waitMs, 2 ** 31 - 1));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
const waiting = wait();
await new Promise((resolve) => setTimeout(resolve, 1_000));
globalThis.gc?.();
const [startUs, startMs, startRounds] = [cpuUs(), performance.now(), rounds];
await new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
const share = (cpuUs() - startUs) / (1_000 * (performance.now() - startMs));
const { leased } = await store.stats();
const row = {
  store: values.store,
  hosts,
  held: leased,
  queued: frontier.counts().queued,
  rounds: rounds - startRounds,
};
console.log(JSON.stringify({ ...row, percentOfACore: Number((100 * share).toFixed(2)), memory: memoryMb() }));
isOver = true;
wake();
await waiting;
await frontier.close();
rmSync(folder, { recursive: true, force: true });
