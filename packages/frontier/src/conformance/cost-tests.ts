// Costs stay flat: the same work takes about as long with twenty-five times as much in the store (A4, L8, X4). Times
// are the best of several rounds, and the limit is wide: it finds a full scan, not a cache miss.

import { setTimeout as sleep } from 'node:timers/promises';
import type { NewEntry } from '../store.js';
import { ALL, assert, idsOf, names, type RegisterTest, type StoreTest } from './store-test.js';

const SMALL = 200;
const LARGE = 5_000;
/** A verb that visits everything would be twenty-five times slower. */
const MAX_RATIO = 8;
/** Faster work counts as this long. */
const MIN_COST_MS = 0.2;
const ROUNDS = 5;
/** Rounds before the first measurement, so that both measure compiled code; fewer if the store takes this long. */
const WARM_UP_ROUNDS = 20;
const WARM_UP_MS = 200;
/** Measurements of the larger store before it counts as slow, and the pause between them, milliseconds. */
const MAX_ATTEMPTS = 8;
const PAUSE_MS = 150;
const CALLS = 8;

export function costTests(it: RegisterTest): void {
  it('A4, X4', 'adding costs the same with many URLs known and queued', async (test) => {
    let round = 0;
    // Mostly known names, so that measuring hardly makes the store larger.
    const work = async () => {
      round += 1;
      for (let call = 0; call < CALLS; call += 1) await test.add(`h${call}`, [`r${round}`, ...names(`c${call}n`, 9)]);
    };
    await compare(test, work, (from, to) => fill(test, from, to), 'adding');
  });

  it('X4', 'leasing and committing cost the same with many hosts and URLs', async (test) => {
    const work = async () => {
      for (let call = 0; call < CALLS; call += 1) {
        const [lease] = await test.leaseAll(100, { maxHosts: 1, entriesPerHost: 1 });
        assert(lease !== undefined, 'nothing was due');
        await test.release(lease, 0);
        await test.store.nextDueInMs();
        await test.store.stats();
        await test.store.scan(null, 5);
      }
    };
    const what = 'a turn of lease, commit, next due, counts and scan';
    await compare(test, work, (from, to) => fill(test, from, to), what);
  });

  it('L8, X4', 'a long blocked lane costs nothing to pass', async (test) => {
    await test.add('h', names('open', ALL / 10), { lane: 'open', priority: 7 });
    const units = 1_000_000;
    const lease = await test.leaseOnly(units, 1);
    const grow = async (from: number, to: number) => {
      const blocked = names(`blocked${from}n`, to - from);
      const entries = blocked.map((name) => test.entry('h', name, { lane: 'blocked', priority: 0 }));
      await addInBatches(test, entries);
      await test.keep(lease, 0, { blockLanes: [{ lane: 'blocked', ms: units * test.unit }] }, units);
    };
    const keep = (want: number) => ({ then: { keep: { ttlMs: units * test.unit, want } } });
    const work = async () => {
      for (let call = 0; call < CALLS; call += 1) {
        const taken = await test.commit(lease, keep(1));
        assert(taken !== 'lost' && taken.length === 1, 'no entry came from the other lane');
        await test.commit(lease, { ...keep(0), done: idsOf(taken) });
      }
    };
    await compare(test, work, grow, 'passing a blocked lane');
  });
}

/** Adds entries, on a quarter as many hosts. */
async function fill(test: StoreTest, from: number, to: number): Promise<void> {
  const entries = Array.from({ length: to - from }, (_, at) =>
    test.entry(`f${(from + at) % (to / 4)}`, `fill ${from + at}`),
  );
  await addInBatches(test, entries);
}

async function addInBatches(test: StoreTest, entries: readonly NewEntry[]): Promise<void> {
  const size = Math.min(test.capabilities.maxBatch, 1_000);
  for (let at = 0; at < entries.length; at += size) await test.store.add(entries.slice(at, at + size));
}

/** Measures the work on a small store and on a large one. Measurements that a busy machine slowed down are repeated. */
async function compare(
  test: StoreTest,
  work: () => Promise<void>,
  grow: (from: number, to: number) => Promise<void>,
  what: string,
): Promise<void> {
  await grow(0, SMALL);
  const warmMs = performance.now() + WARM_UP_MS;
  for (let round = 0; round < WARM_UP_ROUNDS && performance.now() < warmMs; round += 1) await work();
  const smallMs = await bestOf(test, work);
  await grow(SMALL, LARGE);
  const maxMs = Math.max(smallMs, MIN_COST_MS) * MAX_RATIO;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let attempts = 0; attempts < MAX_ATTEMPTS && largeMs > maxMs; attempts += 1) {
    if (attempts > 0) await sleep(PAUSE_MS);
    largeMs = await bestOf(test, work);
  }
  const times = `${smallMs.toFixed(2)} ms, and ${largeMs.toFixed(2)} ms with twenty-five times as much`;
  assert(largeMs <= maxMs, `${what} took ${times}`);
}

async function bestOf({ made }: StoreTest, work: () => Promise<void>): Promise<number> {
  const nowMs = made.costNowMs ?? (() => performance.now());
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = nowMs();
    await work();
    best = Math.min(best, nowMs() - start);
  }
  return best;
}
