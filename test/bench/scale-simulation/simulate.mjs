// A crawl by several processes on one store, in virtual time: the project's own frontier in each of them, with models
// of everything around it. Two webs: the small one of `pnpm bench scale`, for comparison with measurements, and a wide
// one, for the load of a store.

import { createCrawlProcess } from './crawl-process.mjs';
import { withDigestAtHand } from './digest.mjs';
import { createEventClock } from './event-clock.mjs';
import { createMachine, poolOf } from './machine.mjs';
import { createSmallWeb } from './small-web.mjs';
import { createStoreOnServers } from './store-on-servers.mjs';
import { createWideWeb } from './wide-web.mjs';

/** URLs per `add` before a simulation starts. */
const SEED_BATCH = 1_000;
/** Processes of a PostgreSQL per core: its connections. */
const PROCESSES_PER_CORE = 4;

/**
 * The crawl of `pnpm bench scale`: interval 0, one request at a time per host; crawlers, the store's server and the web
 * on one machine.
 *
 * @param options `processes`, `hosts`, `pages` (per host), `costs`, `pageUs`, `answerUs`, `cores`, `others` (competing
 *   processes), `mainShare` of a page's work that the main thread does, `seed`
 * @returns `{ pages, pagesOf (each process), seconds, cpuUsPerPage, storeUsPerPage, serverUsPerPage, perPage }`; CPU
 *   time is that of the crawlers
 */
export async function simulateSmallWeb(options) {
  const { processes, hosts, pages, costs, pageUs, answerUs = 60, cores = 2, others = 0 } = options;
  const { mainShare = 1, seed = 1 } = options;
  return withDigestAtHand(async () => {
    const clock = createEventClock();
    const machine = createMachine(clock, { cores, others });
    const server = machine.process('store');
    const web = createSmallWeb({ hosts, pages, server: machine.process('web'), answerUs });
    const store = createStoreOnServers({ clock, servers: [server], costs, roundTripMs: 0 });
    let done = 0;
    const crawl = crewOf({
      count: processes,
      clock,
      machineOf: () => machine,
      store,
      web,
      mainShare,
      pageUs: typeof pageUs === 'number' ? () => pageUs : pageUs,
      seed,
      concurrency: 64,
      maxHosts: 1_024,
      politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
      bounds: { pages: 10_000_000 },
      onPage: () => {
        done += 1;
      },
    });
    const beganMs = clock.timeMs();
    const isOver = () => done >= web.pages;
    const all = Promise.all(
      crawl.map(async (one) => {
        await one.open();
        await one.add(web.seeds);
        await one.crawl(isOver);
      }),
    );
    await finished(clock, all);
    const usedUs = crawl.reduce((sum, one) => sum + one.usedUs(), 0);
    return {
      pages: done,
      pagesOf: crawl.map((one) => one.pages()),
      seconds: (clock.timeMs() - beganMs) / 1_000,
      cpuUsPerPage: usedUs / done,
      storeUsPerPage: store.meter.clientUs / done,
      serverUsPerPage: store.meter.serverUs / done,
      perPage: perPage(store.meter, done),
    };
  });
}

/**
 * A broad crawl at full pace: each process on a core of its own, the store's shards spread over its servers, hosts
 * spaced politely.
 *
 * @param options `processes`, `hosts`, `queued`, `knownShare`, `seconds` (virtual), `warmUpSeconds`, `costs`,
 *   `servers`, `shards` (default: as many as servers), `serverCores`, `pageUs`, `roundTripMs`, `requestTimeoutMs`,
 *   `concurrency`, `maxHosts`, `bounds`, `seed`
 * @returns the load of the store per page and second, how busy each part was, and `early`: requests that came too soon
 */
export async function simulateWideWeb(options) {
  const {
    processes,
    hosts,
    queued = 100,
    knownShare = 0.98,
    seconds = 20,
    warmUpSeconds = 10,
    costs,
    servers: serverCount = 1,
    shards = serverCount,
  } = options;
  const { serverCores = 1, bounds = { pages: 1_000_000_000 } } = options;
  const { roundTripMs = 0.5, requestTimeoutMs = 250, concurrency = 512, maxHosts = 1_024, seed = 1 } = options;
  return withDigestAtHand(async () => {
    const clock = createEventClock();
    const random = seeded(seed);
    const servers = Array.from({ length: serverCount }, () => serverOf(clock, costs, serverCores));
    const serversOfShards = Array.from({ length: shards }, (_, shard) => servers[shard % serverCount]);
    const store = createStoreOnServers({ clock, servers: serversOfShards, costs, roundTripMs });
    const web = createWideWeb({ clock, random, hosts, queued, knownShare, requestTimeoutMs });
    let done = 0;
    let isOver = false;
    const machineOf = () => createMachine(clock, { cores: 1 });
    const politeness = null;
    const onPage = () => {
      done += 1;
    };
    const shared = {
      clock,
      mainShare: 1,
      machineOf,
      store,
      web,
      pageUs: () => options.pageUs,
      seed,
      concurrency,
      maxHosts,
      politeness,
      bounds,
      onPage,
    };
    const crawl = crewOf({ count: processes, ...shared });
    store.setFree(true);
    await finished(clock, seedAll(crawl, web.seeds()));
    store.setFree(false);
    const all = Promise.all(crawl.map((one) => one.crawl(() => isOver)));
    all.catch(() => undefined);
    await pass(clock, warmUpSeconds);
    const before = { done, requests: web.requests(), usedUs: usedOf(crawl), servedUs: usedOf(servers) };
    const asked = structuredClone(store.meter);
    await pass(clock, seconds);
    const pages = done - before.done;
    const meter = since(store.meter, asked);
    const busy = (now, then) => now.map((us, at) => (us - then[at]) / 1e6 / seconds);
    const end = { usedUs: usedOf(crawl), servedUs: usedOf(servers) };
    isOver = true;
    await finished(clock, all);
    return {
      pages,
      pagesPerS: pages / seconds,
      requestsPerS: (web.requests() - before.requests) / seconds,
      early: web.early(),
      processBusy: mean(busy(end.usedUs, before.usedUs)),
      serverBusy: mean(busy(end.servedUs, before.servedUs)) / serverCores,
      serverUsPerPage: meter.serverUs / Math.max(1, pages),
      clientUsPerPage: meter.clientUs / Math.max(1, pages),
      callsPerS: Object.fromEntries(Object.entries(meter.calls).map(([verb, calls]) => [verb, calls / seconds])),
      perPage: perPage(meter, pages),
    };
  });
}

/** A server of the store: one process, or several that share its cores. */
function serverOf(clock, { isParallel }, cores) {
  const machine = createMachine(clock, { cores });
  return isParallel ? poolOf(machine, PROCESSES_PER_CORE * cores, 'store') : machine.process('store');
}

/** Processes, each with its own client of the store. */
function crewOf({ count, machineOf, store, seed, ...parts }) {
  return Array.from({ length: count }, (_, at) => {
    const machine = machineOf();
    const process = machine.process(`crawler ${at}`);
    const helper = machine.process(`threads of crawler ${at}`);
    let pages = 0;
    const onPage = () => {
      pages += 1;
      parts.onPage();
    };
    const name = `p${at}`;
    const random = seeded(seed * 1_000 + at);
    const crawler = createCrawlProcess({
      ...parts,
      name,
      process,
      helper,
      onPage,
      store: store.client(process),
      random,
    });
    return { ...crawler, pages: () => pages, usedUs: () => process.usedUs() + helper.usedUs() };
  });
}

async function seedAll(crawl, urls) {
  for (const one of crawl) await one.open();
  let batch = [];
  for (const url of urls) {
    batch.push(url);
    if (batch.length < SEED_BATCH) continue;
    await crawl[0].add(batch);
    batch = [];
  }
  if (batch.length > 0) await crawl[0].add(batch);
}

const usedOf = (processes) => processes.map((one) => one.usedUs());
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function perPage(meter, pages) {
  const one = (count) => Number((count / Math.max(1, pages)).toFixed(3));
  const calls = Object.fromEntries(Object.entries(meter.calls).map(([verb, count]) => [verb, one(count)]));
  return {
    calls,
    links: one(meter.links),
    hosts: one(meter.hosts),
    leases: one(meter.leases),
    entries: one(meter.entries),
  };
}

function since(now, then) {
  const difference = {};
  for (const [key, value] of Object.entries(now)) {
    difference[key] = typeof value === 'number' ? value - then[key] : since(value, then[key]);
  }
  return difference;
}

/** Runs the clock until a promise settles, and settles like it. */
async function finished(clock, promise) {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  promise.then(settled, settled);
  await clock.run(() => isSettled);
  return promise;
}

function pass(clock, seconds) {
  return finished(clock, clock.wait(seconds * 1_000));
}

/** Uniform numbers in [0, 1), the same for the same seed (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
