// A random walk of all verbs, on the store and on the memory store in parallel: every answer must agree. Order among
// entries that waited is not part of the contract, so hosts with such entries are compared as sets.

import type { HostCommit, Lease } from '../store.js';
import { memoryStore } from '../stores/memory.js';
import {
  ALL,
  assert,
  assertEqual,
  createChoices,
  InvariantError,
  nameOf,
  namesOf,
  type RegisterTest,
  type StoreTest,
  TEST_CRAWL,
} from './store-test.js';
import type { SuiteOptions } from './suite-options.js';

/** Hosts whose entries never wait, so their order is compared. */
const PLAIN = ['p0', 'p1', 'p2'];
/** Hosts whose entries may wait, and whose lanes may be blocked. */
const TIMED = ['t0', 't1', 't2'];
const LANES = ['x', 'y'];

export function modelTests(it: RegisterTest, { seed = 1, modelSteps = 1_500 }: SuiteOptions): void {
  it('A1, C2, L2, L5, L7, N1', 'a random walk agrees with the memory store', (test) => walk(test, seed, modelSteps));
}

/** A lease of the store and the model's lease of the same host. */
interface LeasePair {
  readonly real: Lease;
  readonly model: Lease;
  readonly untilMs: number;
}

async function walk(test: StoreTest, seed: number, steps: number): Promise<void> {
  const { store, unit } = test;
  const { below, of } = createChoices(seed);
  let modelNowMs = 0;
  const model = memoryStore({ nowMs: () => modelNowMs });
  const leases = new Map<string, LeasePair>();

  async function addBoth(): Promise<void> {
    const entries = Array.from({ length: 1 + below(6) }, () => {
      const isTimed = below(2) === 0;
      const host = of(isTimed ? TIMED : PLAIN);
      const waits = isTimed && below(3) === 0 ? { notBeforeMs: (1 + below(6)) * unit } : {};
      const lane = isTimed ? { lane: of(LANES) } : {};
      return test.entry(host, `n${below(3_000)}`, { priority: below(8), ...lane, ...waits });
    });
    assertEqual(await store.add(entries), await model.add(entries), 'outcomes of an add', 'A1');
  }

  async function leaseBoth(): Promise<void> {
    const dueInMs = await store.nextDueInMs();
    const request = { maxHosts: ALL, entriesPerHost: ALL, ttlMs: (3 + below(8)) * unit };
    const [real, expected] = [await store.lease(request), await model.lease(request)];
    assert(real.length === 0 || dueInMs === 0, `answered ${dueInMs} ms although ${real.length} hosts were due`, 'N1');
    assertEqual(hostsOf(real), hostsOf(expected), 'hosts that are due', 'L2');
    for (const lease of real) {
      const pair = { real: lease, model: expected.find(({ host }) => host === lease.host)! };
      compareEntries(pair);
      assertEqual([...(lease.state ?? [])], [...(pair.model.state ?? [])], `state of ${lease.host}`, 'C1');
      leases.set(lease.host, { ...pair, untilMs: modelNowMs + request.ttlMs });
    }
  }

  /** Some entries are done, some queued again, the rest not mentioned. Then the host is released or parked. */
  async function finish(): Promise<void> {
    const pair = pickLeased();
    if (pair === null) return;
    const dueInMs = below(8) === 0 ? null : below(6) * unit;
    await commitBoth(pair, { release: { dueInMs } });
    leases.delete(pair.real.host);
  }

  async function keep(): Promise<void> {
    const pair = pickLeased();
    if (pair === null) return;
    const { host } = pair.real;
    const want = PLAIN.includes(host) ? below(4) : ALL;
    const ttlMs = 6 * unit;
    const [entries, modelEntries] = await commitBoth(pair, { keep: { ttlMs, want } });
    const renewed = { real: { ...pair.real, entries }, model: { ...pair.model, entries: modelEntries } };
    compareEntries(renewed);
    leases.set(host, { ...renewed, untilMs: modelNowMs + ttlMs });
  }

  async function commitBoth(pair: LeasePair, then: HostCommit['then']) {
    const { host } = pair.real;
    const isTimed = TIMED.includes(host);
    const fates = pair.real.entries.map(() => below(4));
    const delayMs = below(3) * unit;
    const isBlocking = below(4) === 0;
    const priority = below(8);
    const blockLanes = isTimed && isBlocking ? [{ lane: of(LANES), ms: below(7) * unit }] : [];
    const notBeforeMs = isTimed ? below(4) * unit : 0;
    const state = new Uint8Array([below(256)]);
    const part = ({ fencingToken, entries }: Lease): HostCommit => {
      // Both stores agree on the names in flight, but perhaps not on their order, so the choices go by name.
      const sorted = entries.map((entry) => ({ id: entry.id, name: nameOf(entry) }));
      sorted.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      const done = sorted.filter((_, at) => (fates[at] ?? 0) < 2).map(({ id }) => id);
      const requeue = sorted.filter((_, at) => fates[at] === 2).map(({ id }) => ({ id, priority, notBeforeMs }));
      return { host, fencingToken, done, requeue, state, delayMs, blockLanes, then };
    };
    const [real] = (await store.commit([part(pair.real)])).hosts;
    const [expected] = (await model.commit([part(pair.model)])).hosts;
    assertEqual(real?.ok, expected?.ok, `whether the lease of ${host} is live`, 'C1');
    return [real?.ok === true ? real.entries : [], expected?.ok === true ? expected.entries : []] as const;
  }

  async function pass(): Promise<void> {
    const units = 1 + below(3);
    await test.pass(units);
    modelNowMs += units * unit;
  }

  async function wake(): Promise<void> {
    const host = of([...PLAIN, ...TIMED]);
    await store.wake(host);
    await model.wake(host);
  }

  async function vanish(): Promise<void> {
    const pair = pickLeased();
    if (pair !== null) leases.delete(pair.real.host);
  }

  async function compareCounts(): Promise<void> {
    // A store may count more.
    const { queued, inFlight, known, hosts } = await store.stats();
    assertEqual({ queued, inFlight, known, hosts }, await model.stats(), 'counts', 'C2');
    const [real, truth] = [await store.nextDueInMs(), await model.nextDueInMs()];
    const isInTime = (real ?? Number.POSITIVE_INFINITY) <= (truth ?? Number.POSITIVE_INFINITY);
    assert(isInTime, `answered ${real} ms, the truth is ${truth} ms`, 'N1');
  }

  /** A host under a lease that has not ended. Other tests cover commits after the end. */
  function pickLeased(): LeasePair | null {
    for (const [host, { untilMs }] of leases) if (untilMs <= modelNowMs) leases.delete(host);
    return leases.size === 0 ? null : of([...leases.values()]);
  }

  await model.open({ crawl: TEST_CRAWL, create: true });
  const moves = [
    ...[addBoth, addBoth, leaseBoth, leaseBoth, finish, finish, finish],
    ...[keep, pass, pass, wake, vanish, compareCounts],
  ];
  for (let step = 0; step < steps; step += 1) {
    try {
      await of(moves)();
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      throw new InvariantError(`${error.message} (step ${step} of the walk with seed ${seed})`, error.invariant);
    }
  }
  await model.close();
}

function compareEntries({ real, model }: Pick<LeasePair, 'real' | 'model'>): void {
  const isOrdered = PLAIN.includes(real.host);
  const namesToCompare = ({ entries }: Lease) => (isOrdered ? namesOf(entries) : namesOf(entries).toSorted());
  const invariant = isOrdered ? 'L5' : 'L7';
  assertEqual(namesToCompare(real), namesToCompare(model), `entries of ${real.host}`, invariant);
}

function hostsOf(leases: readonly Lease[]): string[] {
  return leases.map(({ host }) => host).toSorted();
}
