// What one call of each verb costs: CPU microseconds, in groups of 16 calls at a time, the best of some rounds.

import { cpuUs } from './own-use.mjs';

const TTL_MS = 600_000;
const AT_ONCE = 16;
const ROUNDS = 8;

/** Of a store that is full. */
export async function costOfVerbs({ store, load, hosts }) {
  const cost = {};
  cost.addPageOf60 = await costOf(800, () => {
    const page = load.page();
    return () => store.add(page);
  });
  cost.leaseAndRelease = await costOf(800, () => () => leaseAndRelease(store));
  cost.keepDoneWantOne = await keptLease(store);
  cost.nextDueInMs = await costOf(800, () => () => store.nextDueInMs());
  cost.stats = await costOf(800, () => () => store.stats());
  cost.scanOf100 = await costOf(160, () => () => store.scan(null, 100));
  cost.wake = await costOf(800, (at) => () => store.wake(`host-${at % hosts}.example.org`));
  return cost;
}

/** Of what stands beside the queues. */
export async function costOfRecords(store) {
  const cost = {};
  const record = new Uint8Array(4_096);
  cost.writeRecord4k = await costOf(800, (at) => () => store.writeRecord(`r${at}`, record));
  cost.readRecord4k = await costOf(800, (at) => () => store.readRecord(`r${at}`));
  cost.reserve = await costOf(800, (at) => () => store.reserve([{ key: `address-${at % 100}`, delayMs: 1 }]));
  return cost;
}

/** The best of some rounds, each of so many calls. */
async function costOf(calls, prepare) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    let us = 0;
    for (let call = 0; call < calls; call += AT_ONCE) {
      const group = Array.from({ length: AT_ONCE }, (_, at) => prepare(call + at));
      const before = cpuUs();
      await Promise.all(group.map((run) => run()));
      us += cpuUs() - before;
    }
    best = Math.min(best, us / calls);
  }
  return Number(best.toFixed(1));
}

async function leaseAndRelease(store) {
  const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: TTL_MS });
  if (lease === undefined) return;
  const { host, epoch, entries } = lease;
  await store.commit([{ host, epoch, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } }]);
}

/** Settling one page of a lease that is kept, and taking the next. */
async function keptLease(store) {
  const [{ host, epoch, entries }] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: TTL_MS });
  const inHand = [...entries];
  const cost = await costOf(800, () => async () => {
    const done = inHand.splice(0).map(({ id }) => id);
    const answer = await store.commit([{ host, epoch, done, then: { keep: { ttlMs: TTL_MS, want: 1 } } }]);
    inHand.push(...answer.hosts[0].entries);
  });
  await store.commit([{ host, epoch, then: { release: { dueInMs: 0 } } }]);
  return cost;
}
