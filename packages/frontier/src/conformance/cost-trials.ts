// Costs stay flat: the same work with fifty times as much in the store takes about as long (A4, L8, X4).
// Times are the best of several rounds, and the bound is wide: it catches a sweep, not a cache miss.

import { must } from './must.js';
import type { StoreTrial } from './store-trial.js';
import { ALL, names, type Trial } from './trial.js';

const SMALL = 400;
const LARGE = 20_000;
/** A verb that walks over everything would be fifty times slower. */
const SLOWER_AT_MOST = 8;
const ROUNDS = 7;
/** Rounds before the first measurement, so that both are of compiled code. */
const WARM_UP_ROUNDS = 12;
/** Measurements of the larger store before it counts as slow, and the pause before each of the later ones, milliseconds. */
const TRIES = 8;
const PAUSE_MS = 150;
const CALLS = 20;

/** The trials of costs. */
export function costTrials(): StoreTrial[] {
  return [
    { invariants: ['A4', 'X4'], title: 'adding costs the same with many URLs known and queued', run: addCost },
    { invariants: ['X4'], title: 'leasing and committing cost the same with many hosts and URLs', run: turnCost },
    { invariants: ['L8', 'X4'], title: 'a long held lane costs nothing to pass', run: heldLaneCost },
  ];
}

async function addCost(trial: Trial): Promise<void> {
  let round = 0;
  // Mostly known names, so that the measuring itself hardly makes the store larger.
  const work = async () => {
    round += 1;
    for (let call = 0; call < CALLS; call += 1) await trial.add(`h${call}`, [`r${round}`, ...names(`c${call}n`, 9)]);
  };
  await compare(trial, work, 'A4, X4', 'adding');
}

async function turnCost(trial: Trial): Promise<void> {
  const work = async () => {
    for (let call = 0; call < CALLS; call += 1) {
      const [lease] = await trial.leaseAll(100, { maxHosts: 1, entriesPerHost: 1 });
      must(lease !== undefined, 'X4', 'nothing was due');
      await trial.release(lease, 0);
      await trial.store.nextDueInMs();
      await trial.store.stats();
      await trial.store.scan(null, 5);
    }
  };
  await compare(trial, work, 'X4', 'a turn of lease, commit, next due, counts and scan');
}

async function heldLaneCost(trial: Trial): Promise<void> {
  await trial.add('h', names('open', ALL / 10), { lane: 'open', priority: 7 });
  const { host, fencingToken } = await trial.leaseOnly('L8', 1_000_000, 1);
  const ttlMs = 1_000_000 * trial.unit;
  let count = 0;
  const grow = async (size: number) => {
    const entries = names(`held${count++}n`, size).map((name) => trial.entry('h', name, { lane: 'held', priority: 0 }));
    await inBatches(trial, entries);
    await trial.commit({
      host,
      fencingToken,
      blockLanes: [{ lane: 'held', ms: ttlMs }],
      then: { keep: { ttlMs, want: 0 } },
    });
  };
  const work = async () => {
    for (let call = 0; call < CALLS; call += 1) {
      const got = await trial.commit({ host, fencingToken, then: { keep: { ttlMs, want: 1 } } });
      must(got !== 'lost' && got.length === 1, 'L8', 'no entry came from beside the held lane');
      await trial.commit({ host, fencingToken, done: got.map(({ id }) => id), then: { keep: { ttlMs, want: 0 } } });
    }
  };
  await grow(SMALL);
  await warmUp(work);
  const small = await bestOf(trial, work);
  await grow(LARGE);
  await judge(trial, small, work, 'L8', 'passing a held lane');
}

async function compare(trial: Trial, work: () => Promise<void>, invariant: string, what: string): Promise<void> {
  const fill = (from: number, to: number) =>
    inBatches(
      trial,
      names('n', to - from).map((_, at) => trial.entry(`f${(from + at) % (to / 4)}`, `fill ${from + at}`)),
    );
  await fill(0, SMALL);
  await warmUp(work);
  const small = await bestOf(trial, work);
  await fill(SMALL, LARGE);
  await judge(trial, small, work, invariant, what);
}

async function inBatches(
  trial: Trial,
  entries: readonly Parameters<typeof trial.store.add>[0][number][],
): Promise<void> {
  const size = Math.min(trial.capabilities.maxBatch, 1_000);
  for (let at = 0; at < entries.length; at += size) await trial.store.add(entries.slice(at, at + size));
}

/** The fastest of the rounds: what is slower was somebody else's. */
async function bestOf({ made }: Trial, work: () => Promise<void>): Promise<number> {
  const nowMs = made.costNowMs ?? (() => performance.now());
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = nowMs();
    await work();
    best = Math.min(best, nowMs() - start);
  }
  return best;
}

async function warmUp(work: () => Promise<void>): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await work();
}

/** Judges the work on the larger store; what a busy machine made slow is measured again. */
async function judge(
  trial: Trial,
  smallMs: number,
  work: () => Promise<void>,
  invariant: string,
  what: string,
): Promise<void> {
  const floorMs = 0.5;
  const atMostMs = Math.max(smallMs, floorMs) * SLOWER_AT_MOST;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && largeMs > atMostMs; tries += 1) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    largeMs = await bestOf(trial, work);
  }
  must(
    largeMs <= atMostMs,
    invariant,
    `${what} took ${smallMs.toFixed(2)} ms, and ${largeMs.toFixed(2)} ms with fifty times as much`,
  );
}
