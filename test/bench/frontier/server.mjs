// The cost of a store for its server: CPU seconds of all its processes, and memory or disk. One line of JSON.
// Usage: node server.mjs --store redis|postgres [--urls N] [--hosts N] [--body BYTES] [--weigh no]; see README.md.

import { parseArgs } from 'node:util';
import { startPostgresEngine } from './engine-postgres.mjs';
import { startRedisEngine } from './engine-redis.mjs';
import { createLoad } from './load.mjs';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    urls: { type: 'string', default: '1000000' },
    hosts: { type: 'string', default: '10000' },
    body: { type: 'string', default: '48' },
    weigh: { type: 'string', default: 'yes' },
    queued: { type: 'string' },
  },
});
const [urls, hosts, maxBodyBytes] = [Number(values.urls), Number(values.hosts), Number(values.body)];
const TTL_MS = 600_000;
const BATCH = 1_000;
const AT_ONCE = 8;
/** New URLs that are added by pages and measured. */
const MEASURED_NEW = 300_000;
/** URLs, or hosts, whose space is measured. */
const WEIGHED = 200_000;
/** Calls of one verb whose cost is measured. */
const CALLS = 2_000;

const engine = values.store === 'postgres' ? await startPostgresEngine() : await startRedisEngine();

async function prefill(store, load, until) {
  while (load.made < until) {
    const batches = [];
    for (let count = 0; count < AT_ONCE && load.made < until; count += 1) {
      batches.push(load.fresh(Math.min(BATCH, until - load.made)));
    }
    await Promise.all(batches.map((batch) => store.add(batch)));
  }
}

/** Adds pages of links, 32 at a time, until so many URLs are known. Returns links per CPU-second of the server. */
async function fill(store, load, until) {
  const before = await engine.cpuS();
  let links = 0;
  while (load.made < until) {
    const pages = Array.from({ length: 32 }, () => load.page());
    await Promise.all(pages.map((page) => store.commit([], page)));
    links += 60 * pages.length;
  }
  return Math.round(links / ((await engine.cpuS()) - before));
}

/** Claims and completes so many URLs. Returns URLs per CPU-second of the server. */
async function drain(store, count, entriesPerHost) {
  const before = await engine.cpuS();
  let done = 0;
  while (done < count) {
    const leases = await store.lease({ maxHosts: 64, entriesPerHost, ttlMs: TTL_MS });
    if (leases.length === 0) break;
    for (const { entries } of leases) done += entries.length;
    const parts = leases.map(({ host, fencingToken, entries }) => ({
      host,
      fencingToken,
      done: entries.map(({ id }) => id),
      then: { release: { dueInMs: 0 } },
    }));
    await Promise.all(parts.map((part) => store.commit([part])));
  }
  return Math.round(done / ((await engine.cpuS()) - before));
}

/** Microseconds of the server for one call of each verb. */
async function costOfVerbs(store, load) {
  const costOf = async (calls, work) => {
    const before = await engine.cpuS();
    for (let call = 0; call < calls; call += 16) {
      await Promise.all(Array.from({ length: 16 }, (_, at) => work(call + at)));
    }
    return Number(((((await engine.cpuS()) - before) / calls) * 1e6).toFixed(0));
  };
  const record = new Uint8Array(4_096);
  const once = async () => {
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: TTL_MS });
    if (lease === undefined) return;
    const { host, fencingToken, entries } = lease;
    await store.commit([{ host, fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } }]);
  };
  const [kept] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: TTL_MS });
  const renew = async () => {
    const then = { keep: { ttlMs: TTL_MS, want: 0 } };
    await store.commit([{ host: kept.host, fencingToken: kept.fencingToken, then }]);
  };
  const cost = {
    addPageOf60: await costOf(CALLS, () => store.add(load.page())),
    leaseAndRelease: await costOf(CALLS, once),
    keep: await costOf(CALLS, renew),
    nextDueInMs: await costOf(CALLS, () => store.nextDueInMs()),
    stats: await costOf(CALLS, () => store.stats()),
    scanOf100: await costOf(CALLS / 4, () => store.scan(null, 100)),
    wake: await costOf(CALLS, (at) => store.wake(`host-${at % hosts}.example.org`)),
    writeRecord4k: await costOf(CALLS, (at) => store.writeRecord(`r${at}`, record)),
    readRecord4k: await costOf(CALLS, (at) => store.readRecord(`r${at}`)),
    reserve: await costOf(CALLS, (at) => store.reserve([{ key: `address-${at % 100}`, delayMs: 1 }])),
  };
  await store.commit([{ host: kept.host, fencingToken: kept.fencingToken, then: { release: { dueInMs: 0 } } }]);
  return cost;
}

/** Bytes of the server per URL or host. */
async function weigh(work, bytesOf = engine.bytes) {
  await engine.removeAll();
  const store = await engine.open();
  const before = await bytesOf();
  await work(store);
  return ((await bytesOf()) - before) / WEIGHED;
}

async function weighAll() {
  const few = () => createLoad({ hosts: 10, maxBodyBytes });
  // Tables keep the space of drained entries, so the fingerprints are measured alone.
  const seen = await weigh(async (store) => {
    await prefill(store, few(), WEIGHED);
    await drain(store, WEIGHED, 1_000);
  }, engine.bytesOfSeen);
  const queued = await weigh((store) => prefill(store, few(), WEIGHED));
  const hosted = await weigh(async (store) => {
    const load = createLoad({ hosts: 1, maxBodyBytes });
    for (let at = 0; at < WEIGHED; at += BATCH) {
      const entries = load.fresh(BATCH);
      await store.add(entries.map((entry, index) => ({ ...entry, ...ofHost(at + index) })));
    }
  });
  const one = (value) => Number(value.toFixed(1));
  return {
    perSeenUrl: one(seen),
    perQueuedUrlWithoutBody: one(queued - seen - maxBodyBytes),
    perHost: one(hosted - queued),
  };
}

function ofHost(number) {
  const host = `host-${number}.example.org`;
  return { host, lane: `https://${host}` };
}

try {
  const store = await engine.open();
  const load = createLoad({ hosts, maxBodyBytes });
  await prefill(store, load, urls - Math.min(MEASURED_NEW, urls / 2));
  const linksPerServerCpuS = await fill(store, load, urls);
  const bytesPerUrlFull = Math.round((await engine.bytes()) / urls);
  const costUs = await costOfVerbs(store, load);
  const claimsPerServerCpuS = await drain(store, Math.min(urls / 4, 100_000), 16);
  const claimsOneByOnePerServerCpuS = await drain(store, Math.min(urls / 8, 50_000), 1);
  const rates = { linksPerServerCpuS, claimsPerServerCpuS, claimsOneByOnePerServerCpuS };
  const weighed = values.weigh === 'yes' ? { held: engine.held, bytes: await weighAll() } : {};
  console.log(
    JSON.stringify({ store: values.store, urls, hosts, maxBodyBytes, ...rates, bytesPerUrlFull, costUs, ...weighed }),
  );
} finally {
  await engine.dispose();
}
