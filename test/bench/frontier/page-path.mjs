// The cost of one page of a crawl in the frontier, from `take` to the commit of its settlement, in CPU microseconds:
// hosts without an interval, robots.txt known, 60 links per page of which 70 % are known, some of them spelled
// differently. Usage: node page-path.mjs [--store memory|lmdb] [--pages N] [--hosts N] [--links N] [--rounds N]; see
// README.md.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { createFrontier, memoryStore } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { cpuUs } from './own-use.mjs';
import { createPages, ROBOTS } from './page-links.mjs';

const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    pages: { type: 'string', default: '6000' },
    hosts: { type: 'string', default: '50' },
    links: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
  },
});
/** Pages before the measurement: robots.txt is read, and the code is compiled. */
const WARM_UP = 1_500;
/** Pages that are fetched at a time, and pages that are fetched or handled. */
const [FETCHES, IN_FLIGHT] = [64, 128];

if (values.store === undefined) {
  for (const store of ['memory', 'lmdb']) {
    const runs = [];
    for (let round = 0; round < Number(values.rounds); round += 1) runs.push(await measured(store));
    const sorted = runs.map(({ usPerPage }) => usPerPage).toSorted((a, b) => a - b);
    const usPerPage = sorted[Math.floor(sorted.length / 2)];
    console.log(JSON.stringify({ ...runs[0], usPerPage, least: sorted[0], most: sorted.at(-1) }));
  }
} else {
  console.log(JSON.stringify(await measure(values.store)));
}

async function measured(store) {
  const { pages, hosts, links } = values;
  const words = ['--store', store, '--pages', pages, '--hosts', hosts, '--links', links];
  const path = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...words]);
  return JSON.parse(stdout);
}

async function measure(storeName) {
  const [pages, hosts, links] = [Number(values.pages), Number(values.hosts), Number(values.links)];
  const load = createPages({ pages: pages + WARM_UP + IN_FLIGHT, hosts, links });
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
  const store = storeName === 'memory' ? memoryStore() : lmdbStore({ path: folder });
  let queued = 0;
  const frontier = createFrontier({
    store,
    robots: { tokens: ['benchbot'] },
    politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
    onQueued: () => {
      queued += 1;
    },
  });
  await frontier.open();
  await frontier.add(load.seeds);
  const crawl = createCrawl(frontier, load);
  await crawl(WARM_UP);
  const startUs = cpuUs();
  const startMs = performance.now();
  await crawl(WARM_UP + pages);
  const [us, ms] = [cpuUs() - startUs, performance.now() - startMs];
  await frontier.close();
  rmSync(folder, { recursive: true, force: true });
  const perPage = (total) => Number((total / pages).toFixed(1));
  return { store: storeName, pages, links, hosts, queued, usPerPage: perPage(us), wallUsPerPage: perPage(1_000 * ms) };
}

/**
 * A crawl whose exchanges take one turn of the event loop each. @returns A function that continues until so many pages
 * are settled.
 */
function createCrawl(frontier, load) {
  let settled = 0;
  let started = 0;
  let fetching = 0;
  let inFlight = 0;
  let broken = null;
  let isWoken = false;
  let wakeUp = null;
  const wake = () => {
    isWoken = true;
    wakeUp?.();
  };
  const fetched = async (work) => {
    const startedAtMs = Date.now();
    const answer = frontier.mayStart(work);
    if (answer.kind !== 'go') return false;
    await new Promise((resolve) => setImmediate(resolve));
    const status = 200;
    const exchange = { startedAtMs, endedAtMs: Date.now(), status, retryAfter: null, failure: null, bytes: 30_000 };
    frontier.exchanged(work, exchange);
    return true;
  };
  const perform = async (work) => {
    const isAnswered = await fetched(work);
    fetching -= 1;
    wake();
    if (!isAnswered) return frontier.settle(work, { kind: 'returned', untilMs: null });
    if (work.kind === 'robots') {
      const { url } = work;
      const answer = { kind: 'response', status: 200, headers: {}, body: ROBOTS, robotsUrl: url, finalUrl: url };
      return frontier.settle(work, { kind: 'robots', answer });
    }
    const links = load.linksOf(started++);
    await frontier.settle(work, { kind: 'done', countsAsPage: true, links });
    settled += 1;
  };
  const start = (work) => {
    fetching += 1;
    inFlight += 1;
    perform(work)
      .catch((error) => {
        broken = error;
      })
      .finally(() => {
        inFlight -= 1;
        wake();
      });
  };
  const sleep = async (untilMs) => {
    if (!isWoken) {
      const waitMs = untilMs === null ? 1_000 : Math.max(untilMs - Date.now(), 1);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wakeUp = null;
    }
    isWoken = false;
  };
  return async (until) => {
    while (settled < until) {
      if (broken !== null) throw broken;
      const free = Math.min(FETCHES - fetching, IN_FLIGHT - inFlight);
      const works = free > 0 ? await frontier.take(free) : [];
      for (const work of works) start(work);
      if (works.length > 0) continue;
      await sleep(free > 0 ? await frontier.nextAt() : null);
    }
  };
}
