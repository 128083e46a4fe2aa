// The cost of one store's verbs with so many URLs and hosts: CPU time of this process, without making the load.
// Usage: node [--expose-gc] run.mjs [--store memory|lmdb] [--urls N] [--hosts N] [--body BYTES] [--queued N] [--path
// FOLDER]; see README.md.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { memoryStore } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { createLoad } from './load.mjs';
import { cpuUs, memoryMb } from './own-use.mjs';
import { costOfRecords, costOfVerbs } from './verbs.mjs';

const HELP = `usage: node run.mjs [options]      prints one line of JSON; README.md says what the fields are

  --store NAME          memory or lmdb; redis and postgres have server.mjs [lmdb]
  --urls N              URLs known when it is measured [1000000]
  --hosts N             hosts they are on, by Zipf's law [10000]
  --body BYTES          of a queued URL [48]
  --queued N            URLs queued at most; more are completed as they come [as many as are known]
  --path FOLDER         of the lmdb store [a temporary one, removed]`;

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'lmdb' },
    urls: { type: 'string', default: '1000000' },
    hosts: { type: 'string', default: '10000' },
    body: { type: 'string', default: '48' },
    queued: { type: 'string' },
    path: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (values.store !== 'memory' && values.store !== 'lmdb') {
  console.error(`run.mjs measures this process; for a store on a server: server.mjs --store ${values.store}`);
  process.exit(2);
}
const [urls, hosts, maxBodyBytes] = [Number(values.urls), Number(values.hosts), Number(values.body)];
const maxQueued = Number(values.queued ?? urls);
const folder = values.path ?? mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
let load = createLoad({ hosts, maxBodyBytes });
let store = storeIn(folder);
const TTL_MS = 600_000;
const BATCH = 8_000;
/** New URLs that are added by pages and measured; those before are added in large batches and not measured. */
const MEASURED_NEW = 300_000;
/**
 * URLs and hosts of the stores that are filled and drained first, so that the engine compiles the code: many new hosts,
 * and fewer hosts with many URLs.
 */
const WARM = {
  urls: values.store === 'memory' ? 250_000 : 25_000,
  hosts: values.store === 'memory' ? [20_000, 2_000] : [2_000],
};
/** URLs claimed one by one; on disk each group waits for its transaction. */
const MAX_CLAIMED = values.store === 'memory' ? 100_000 : 50_000;
const DRAIN_ROUNDS = 5;
/** Above this many URLs, a run is not drained by half. */
const MAX_DRAINED = 1_000_000;

function storeIn(path) {
  return values.store === 'memory'
    ? memoryStore({ maxQueued: 100_000_000 })
    : lmdbStore({ path, maxQueued: 100_000_000 });
}

/**
 * Fills and drains a small store of the same kind first. Compiling takes as long as 100,000 claims, and would otherwise
 * depend on the size that is measured.
 */
async function warmUp(hosts) {
  const [measuredLoad, measuredStore] = [load, store];
  const path = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
  load = createLoad({ hosts, maxBodyBytes });
  store = storeIn(path);
  await store.open({ crawl: 'warm', create: true });
  await prefill(WARM.urls / 2);
  await fill(WARM.urls);
  // On disk that would be a minute of waiting for transactions.
  if (values.store === 'memory') {
    await costOfVerbs({ store, load, hosts });
    await costOfRecords(store);
  }
  for (const entriesPerHost of [1, 16, 1, 1]) await drain(WARM.urls / 5, entriesPerHost);
  await store.close();
  rmSync(path, { recursive: true, force: true });
  [load, store] = [measuredLoad, measuredStore];
}

/** Adds new URLs in batches until so many are known. */
async function prefill(until) {
  while (load.made < until) {
    await store.add(load.fresh(Math.min(BATCH, until - load.made)));
    while ((await store.stats()).queued > maxQueued) await drain(BATCH, 64);
  }
}

/** Adds pages of links, 32 at a time, until so many URLs are known. Returns links per CPU-second. */
async function fill(until) {
  let [links, us] = [0, 0];
  while (load.made < until) {
    const pages = Array.from({ length: 32 }, () => load.page());
    const before = cpuUs();
    await Promise.all(pages.map((page) => store.commit([], page)));
    us += cpuUs() - before;
    links += 60 * pages.length;
  }
  return Math.round((links / us) * 1e6);
}

/** Claims and completes so many URLs. Returns URLs per CPU-second, and microseconds and URLs per lease. */
async function drain(count, entriesPerHost) {
  let [done, leased, us] = [0, 0, 0];
  while (done < count) {
    const before = cpuUs();
    const leases = await store.lease({ maxHosts: 64, entriesPerHost, ttlMs: TTL_MS });
    if (leases.length === 0) break;
    leased += leases.length;
    for (const { entries } of leases) done += entries.length;
    await Promise.all(
      leases.map(({ host, fencingToken, entries }) =>
        store.commit([{ host, fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } }]),
      ),
    );
    us += cpuUs() - before;
  }
  return { perCpuS: Math.round((done / us) * 1e6), usPerLease: us / leased, urlsPerLease: done / leased };
}

/** The median of some rounds: the engine may compile something in one of them. */
async function medianDrain(count, entriesPerHost) {
  const rounds = [];
  for (let round = 0; round < DRAIN_ROUNDS; round += 1) rounds.push(await drain(count / DRAIN_ROUNDS, entriesPerHost));
  return rounds.toSorted((a, b) => a.perCpuS - b.perCpuS)[Math.floor(DRAIN_ROUNDS / 2)];
}

for (const hosts of WARM.hosts) await warmUp(hosts);
await store.open({ crawl: 'bench', create: true });
const measured = Math.min(MEASURED_NEW, urls / 2);
await prefill(urls - measured);
// Garbage from making the load is not the store's.
globalThis.gc?.();
const linksPerCpuS = await fill(urls);
const full = memoryMb();
const costUs = await costOfVerbs({ store, load, hosts });
const leaseOf16 = await medianDrain(Math.min(urls / 4, 150_000), 16);
const { perCpuS: claimsOneByOnePerCpuS } = await medianDrain(Math.min(urls / 8, MAX_CLAIMED), 1);
if (urls <= MAX_DRAINED) await drain(Math.max(0, (await store.stats()).queued - load.made / 2), 16);
// The file never shrinks, so a larger run has the size that it would have when drained by half.
const diskBytesPerUrl =
  values.store === 'memory' ? null : Math.round((statSync(join(folder, 'data.mdb')).blocks * 512) / load.made);
Object.assign(costUs, await costOfRecords(store));
const { perCpuS: claimsPerCpuS, usPerLease, urlsPerLease } = leaseOf16;
const rates = { linksPerCpuS, claimsPerCpuS, usPerLease, urlsPerLease, claimsOneByOnePerCpuS };
console.log(
  JSON.stringify({ store: values.store, urls, hosts, maxBodyBytes, ...rates, diskBytesPerUrl, full, costUs }),
);
await store.close();
if (values.path === undefined) rmSync(folder, { recursive: true, force: true });
