// A random walk of all verbs, on the store and on the memory store in parallel: every answer must agree. Order among
// entries that waited is not part of the contract, so hosts with such entries are compared as sets.

import type { FrontierStore, HostCommit, Lease } from '../store.js';
import { memoryStore } from '../stores/memory.js';
import {
  ALL,
  assert,
  assertEqual,
  type Choices,
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
  it('A1, C2, L2, L5, L7, N1', 'a random walk agrees with the memory store', async (test) => {
    await new Walk(test, seed).run(modelSteps);
  });
}

/** A lease of the store and the model's lease of the same host. */
interface LeasePair {
  readonly real: Lease;
  readonly model: Lease;
  readonly untilMs: number;
}

class Walk {
  readonly #test: StoreTest;
  readonly #seed: number;
  readonly #choices: Choices;
  readonly #model: FrontierStore;
  readonly #leases = new Map<string, LeasePair>();
  #modelNowMs = 0;

  constructor(test: StoreTest, seed: number) {
    this.#test = test;
    this.#seed = seed;
    this.#choices = createChoices(seed);
    this.#model = memoryStore({ nowMs: () => this.#modelNowMs });
  }

  async run(steps: number): Promise<void> {
    await this.#model.open({ crawl: TEST_CRAWL, create: true });
    const moves = [
      ...[this.#add, this.#add, this.#lease, this.#lease, this.#finish, this.#finish, this.#finish],
      ...[this.#keep, this.#pass, this.#pass, this.#wake, this.#vanish, this.#compareCounts],
    ];
    for (let step = 0; step < steps; step += 1) {
      try {
        await this.#choices.of(moves).call(this);
      } catch (error) {
        if (!(error instanceof InvariantError)) throw error;
        const where = `(step ${step} of the walk with seed ${this.#seed})`;
        throw new InvariantError(`${error.message} ${where}`, error.invariant);
      }
    }
    await this.#model.close();
  }

  async #add(): Promise<void> {
    const { below, of } = this.#choices;
    const entries = Array.from({ length: 1 + below(6) }, () => {
      const isTimed = below(2) === 0;
      const host = of(isTimed ? TIMED : PLAIN);
      const waits = isTimed && below(3) === 0 ? { notBeforeMs: (1 + below(6)) * this.#test.unit } : {};
      const lane = isTimed ? { lane: of(LANES) } : {};
      return this.#test.entry(host, `n${below(3_000)}`, { priority: below(8), ...lane, ...waits });
    });
    assertEqual(await this.#test.store.add(entries), await this.#model.add(entries), 'outcomes of an add', 'A1');
  }

  async #lease(): Promise<void> {
    const { store, unit } = this.#test;
    const dueInMs = await store.nextDueInMs();
    const request = { maxHosts: ALL, entriesPerHost: ALL, ttlMs: (3 + this.#choices.below(8)) * unit };
    const [real, model] = [await store.lease(request), await this.#model.lease(request)];
    assert(real.length === 0 || dueInMs === 0, `answered ${dueInMs} ms although ${real.length} hosts were due`, 'N1');
    assertEqual(hostsOf(real), hostsOf(model), 'hosts that are due', 'L2');
    for (const lease of real) {
      const expected = model.find(({ host }) => host === lease.host);
      if (expected === undefined) continue;
      compareEntries(lease, expected);
      assertEqual([...(lease.state ?? [])], [...(expected.state ?? [])], `state of ${lease.host}`, 'C1');
      this.#leases.set(lease.host, { real: lease, model: expected, untilMs: this.#modelNowMs + request.ttlMs });
    }
  }

  /** Some entries are done, some queued again, the rest not mentioned. Then the host is released or parked. */
  async #finish(): Promise<void> {
    const host = this.#pickLeased();
    if (host === null) return;
    const { below } = this.#choices;
    const dueInMs = below(8) === 0 ? null : below(6) * this.#test.unit;
    await this.#commitBoth(host, { release: { dueInMs } });
    this.#leases.delete(host);
  }

  async #keep(): Promise<void> {
    const host = this.#pickLeased();
    const lease = host === null ? undefined : this.#leases.get(host);
    if (host === null || lease === undefined) return;
    const want = PLAIN.includes(host) ? this.#choices.below(4) : ALL;
    const ttlMs = 6 * this.#test.unit;
    const [entries, modelEntries] = await this.#commitBoth(host, { keep: { ttlMs, want } });
    const real = { ...lease.real, entries };
    const model = { ...lease.model, entries: modelEntries };
    compareEntries(real, model);
    this.#leases.set(host, { real, model, untilMs: this.#modelNowMs + ttlMs });
  }

  async #commitBoth(host: string, then: HostCommit['then']) {
    const lease = this.#leases.get(host);
    assert(lease !== undefined, 'a leased host is known', 'suite');
    const { below, of } = this.#choices;
    const { unit, store } = this.#test;
    const isTimed = TIMED.includes(host);
    const fates = lease.real.entries.map(() => below(4));
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
    const [real] = (await store.commit([part(lease.real)])).hosts;
    const [model] = (await this.#model.commit([part(lease.model)])).hosts;
    assertEqual(real?.ok, model?.ok, `whether the lease of ${host} is live`, 'C1');
    return [real?.ok === true ? real.entries : [], model?.ok === true ? model.entries : []] as const;
  }

  async #pass(): Promise<void> {
    const units = 1 + this.#choices.below(3);
    await this.#test.pass(units);
    this.#modelNowMs += units * this.#test.unit;
  }

  async #wake(): Promise<void> {
    const host = this.#choices.of([...PLAIN, ...TIMED]);
    await this.#test.store.wake(host);
    await this.#model.wake(host);
  }

  async #vanish(): Promise<void> {
    const host = this.#pickLeased();
    if (host !== null) this.#leases.delete(host);
  }

  async #compareCounts(): Promise<void> {
    const { store } = this.#test;
    // A store may count more.
    const { queued, inFlight, known, hosts } = await store.stats();
    assertEqual({ queued, inFlight, known, hosts }, await this.#model.stats(), 'counts', 'C2');
    const [real, model] = [await store.nextDueInMs(), await this.#model.nextDueInMs()];
    const isInTime = (real ?? Number.POSITIVE_INFINITY) <= (model ?? Number.POSITIVE_INFINITY);
    assert(isInTime, `answered ${real} ms, the truth is ${model} ms`, 'N1');
  }

  /** A host under a lease that has not ended. Other tests cover commits after the end. */
  #pickLeased(): string | null {
    for (const [host, { untilMs }] of this.#leases) if (untilMs <= this.#modelNowMs) this.#leases.delete(host);
    return this.#leases.size === 0 ? null : this.#choices.of([...this.#leases.keys()]);
  }
}

function compareEntries(real: Lease, model: Lease): void {
  const isOrdered = PLAIN.includes(real.host);
  const namesToCompare = ({ entries }: Lease) => (isOrdered ? namesOf(entries) : namesOf(entries).toSorted());
  const invariant = isOrdered ? 'L5' : 'L7';
  assertEqual(namesToCompare(real), namesToCompare(model), `entries of ${real.host}`, invariant);
}

function hostsOf(leases: readonly Lease[]): string[] {
  return leases.map(({ host }) => host).toSorted();
}
