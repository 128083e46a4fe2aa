// The cost of one call of each verb: CPU microseconds, 16 calls at a time, the best of some rounds; for `scan` the mean
// of a walk.

import { cpuUs } from './own-use.mjs';

const TTL_MS = 600_000;
const AT_ONCE = 16;
/** Rounds of each verb; on disk a group waits for its transaction. */
const ROUNDS = { memory: 8, disk: 3 };
/** Calls per round: for a verb that moves URLs, and for one that takes less than a microsecond in memory. */
const CALLS = 800;
const QUICK_CALLS = 8_000;
/** Pages of a hundred URLs, one after the other. */
const WALKED_PAGES = 2_000;

/** Costs in a full store. */
export async function costOfVerbs({ store, load, hosts }) {
  const cost = {};
  const costOf = timerOf(store);
  cost.addPageOf60 = await costOf(CALLS, () => {
    const page = load.page();
    return () => store.add(page);
  });
  cost.leaseAndRelease = await costOf(CALLS, () => () => leaseAndRelease(store));
  cost.keepDoneWantOne = await keptLease(store, costOf);
  cost.nextDueInMs = await costOf(QUICK_CALLS, () => () => store.nextDueInMs());
  cost.stats = await costOf(QUICK_CALLS, () => () => store.stats());
  cost.scanOf100 = await walkOfScans(store);
  cost.wake = await costOf(QUICK_CALLS, (at) => () => store.wake(`host-${at % hosts}.example.org`));
  return cost;
}

/** Costs of the data besides the queues. */
export async function costOfRecords(store) {
  const cost = {};
  const costOf = timerOf(store);
  const record = new Uint8Array(4_096);
  cost.writeRecord4k = await costOf(CALLS, (at) => () => store.writeRecord(`r${at % CALLS}`, record));
  cost.readRecord4k = await costOf(QUICK_CALLS, (at) => () => store.readRecord(`r${at % CALLS}`));
  cost.reserve = await costOf(CALLS, (at) => () => store.reserve([{ key: `address-${at % 100}`, delayMs: 1 }]));
  return cost;
}

/** Measures the best of some rounds of so many calls. */
function timerOf(store) {
  const rounds = store.capabilities.durable === 'none' ? ROUNDS.memory : ROUNDS.disk;
  return async (calls, prepare) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round += 1) {
      let us = 0;
      for (let call = 0; call < calls; call += AT_ONCE) {
        const group = Array.from({ length: AT_ONCE }, (_, at) => prepare(call + at));
        const before = cpuUs();
        await Promise.all(group.map((run) => run()));
        us += cpuUs() - before;
      }
      best = Math.min(best, us / calls);
    }
    return Number(best.toFixed(3));
  };
}

async function leaseAndRelease(store) {
  const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: TTL_MS });
  if (lease === undefined) return;
  const { host, fencingToken, entries } = lease;
  await store.commit([{ host, fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } }]);
}

/** The next page of a walk over everything that is queued, which starts again at its end. */
async function walkOfScans(store) {
  let cursor = null;
  let [us, pages] = [0, 0];
  for (; pages < WALKED_PAGES; pages += 1) {
    const before = cpuUs();
    const page = await store.scan(cursor, 100);
    us += cpuUs() - before;
    cursor = page.cursor;
  }
  return Number((us / pages).toFixed(3));
}

/** Settles one page of a kept lease, and takes the next. */
async function keptLease(store, costOf) {
  const [{ host, fencingToken, entries }] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: TTL_MS });
  const inFlight = [...entries];
  const cost = await costOf(CALLS, () => async () => {
    const done = inFlight.splice(0).map(({ id }) => id);
    const answer = await store.commit([{ host, fencingToken, done, then: { keep: { ttlMs: TTL_MS, want: 1 } } }]);
    inFlight.push(...answer.hosts[0].entries);
  });
  await store.commit([{ host, fencingToken, then: { release: { dueInMs: 0 } } }]);
  return cost;
}
