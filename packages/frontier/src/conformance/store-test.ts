// One store under test: short names for what every test does, and closing of what it opened; assertions that name the
// broken invariant, whatever test runner is in use; a seeded source of choices, so that a failed random walk can be
// repeated.

import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { FINGERPRINT_BYTES } from '../limits.js';
import { aroundStoreVerbs, checkedAnswer } from '../records/store-guard.js';
import type { AddOutcome, Entry, FrontierStore, HostCommit, Lease, NewEntry, StoreCapabilities } from '../store.js';
import type { StoreUnderTest } from './suite-options.js';

export const TEST_CRAWL = 'conformance';
/** More entries or hosts than any test queues. */
export const ALL = 10_000;
/** The end of a commit that releases its host, due at once. */
export const RELEASE = { then: { release: { dueInMs: 0 } } };

/** `invariants`: `A1` … `X4`, separated by commas. The first one fails unless an assertion names another. */
export type RegisterTest = (
  invariants: string,
  title: string,
  run: (test: StoreTest) => Promise<void>,
  maxQueued?: number,
) => void;

/** What an entry of the suite may have besides its host and name. */
export type EntryExtras = Partial<Pick<NewEntry, 'lane' | 'priority' | 'notBeforeMs' | 'dedupe'>>;

type LeasedHost = Pick<Lease, 'host' | 'fencingToken'>;

export class StoreTest {
  /** The step of durations, milliseconds. */
  readonly unit: number;
  readonly capabilities: StoreCapabilities;
  readonly made: StoreUnderTest;
  /** The client in use. */
  store: FrontierStore;
  readonly #clients: FrontierStore[] = [];

  constructor(made: StoreUnderTest, unit: number, capabilities: StoreCapabilities) {
    this.made = made;
    this.unit = unit;
    this.capabilities = capabilities;
    this.store = client(made.store);
  }

  async open(): Promise<void> {
    this.#clients.push(this.store);
    await this.store.open({ crawl: TEST_CRAWL, create: true });
  }

  /** Closes the client in use and continues with another one on the same data. */
  async reopen(): Promise<void> {
    await this.store.close();
    assert(this.made.reopen !== undefined, 'a durable store needs `reopen`', 'suite');
    this.store = client(await this.made.reopen());
    await this.open();
  }

  async reopenIfDurable(): Promise<void> {
    if (this.capabilities.durable !== 'none') await this.reopen();
  }

  /** Clients that work at the same time: several if the store is shared, otherwise the same one several times. */
  async clients(count: number): Promise<FrontierStore[]> {
    const clients = [this.store];
    while (clients.length < count) {
      const connected = await this.made.connect?.();
      const other = connected === undefined ? this.store : client(connected);
      if (connected !== undefined) {
        this.#clients.push(other);
        await other.open({ crawl: TEST_CRAWL, create: false });
      }
      clients.push(other);
    }
    return clients;
  }

  async end(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.made.dispose();
  }

  pass(units: number): Promise<void> {
    return this.made.advance(units * this.unit);
  }

  entry(host: string, name: string, more: EntryExtras = {}): NewEntry {
    return { ...testEntry(host, name), ...more };
  }

  /** Queues entries of one host, in this order. */
  add(host: string, names: readonly string[], more: EntryExtras = {}): Promise<AddOutcome[]> {
    return this.store.add(names.map((name) => this.entry(host, name, more)));
  }

  /** Leases all due hosts for `units`. */
  leaseAll(units = 100, more: { readonly maxHosts?: number; readonly entriesPerHost?: number } = {}): Promise<Lease[]> {
    const { maxHosts = ALL, entriesPerHost = ALL } = more;
    return this.store.lease({ maxHosts, entriesPerHost, ttlMs: units * this.unit });
  }

  async leaseOnly(units = 100, entriesPerHost = ALL): Promise<Lease> {
    const leases = await this.leaseAll(units, { entriesPerHost });
    const [lease] = leases;
    assert(lease !== undefined && leases.length === 1, `expected one host to be due, ${leases.length} were`);
    return lease;
  }

  /** Queues entries of the host `h` and leases it, the only one that is due. */
  async leased(names: readonly string[], units = 100, entriesPerHost = ALL): Promise<Lease> {
    await this.add('h', names);
    return this.leaseOnly(units, entriesPerHost);
  }

  /** Leases the only due host. Returns the names of its entries. */
  async leaseNames(): Promise<string[]> {
    return namesOf((await this.leaseOnly()).entries);
  }

  async allNames(): Promise<string[]> {
    return (await this.leaseAll()).flatMap(({ entries }) => namesOf(entries));
  }

  /** Asserts which hosts are due now, longest due first, and leases them. */
  async assertDue(hosts: readonly string[], what: string, invariant?: string): Promise<void> {
    const due = (await this.leaseAll()).map(({ host }) => host);
    assertEqual(due, hosts, what, invariant);
  }

  async assertDueAfter(units: number, hosts: readonly string[], what: string, invariant?: string): Promise<void> {
    await this.pass(units);
    await this.assertDue(hosts, what, invariant);
  }

  /** Asserts that something is due later than now, within `units`. */
  async assertDueWithin(units: number, invariant?: string): Promise<void> {
    const dueInMs = await this.store.nextDueInMs();
    const isWithin = dueInMs !== null && dueInMs > 0 && dueInMs <= units * this.unit;
    assert(isWithin, `due in ${dueInMs} ms, expected at most ${units} units`, invariant);
  }

  /** Commits one host. Returns the entries it was given, or `lost`. */
  async commit(
    { host, fencingToken }: LeasedHost,
    part: Omit<HostCommit, keyof LeasedHost>,
    links: readonly NewEntry[] = [],
  ): Promise<Entry[] | 'lost'> {
    const [answer] = (await this.store.commit([{ host, fencingToken, ...part }], links)).hosts;
    return answer?.ok === true ? answer.entries : 'lost';
  }

  /** Keeps a lease for `units`. Returns the names of the entries it was given, or `lost`. */
  async keep(
    lease: LeasedHost,
    want: number,
    more: Omit<HostCommit, keyof LeasedHost | 'then'> = {},
    units = 100,
  ): Promise<string[] | 'lost'> {
    const taken = await this.commit(lease, { ...more, then: { keep: { ttlMs: units * this.unit, want } } });
    return taken === 'lost' ? taken : namesOf(taken);
  }

  /** Ends a lease with everything done except the names in `unfinished`. */
  async release(lease: Lease, dueUnits: number | null = 0, unfinished: readonly string[] = []): Promise<void> {
    const done = idsOf(lease.entries.filter((entry) => !unfinished.includes(nameOf(entry))));
    const dueInMs = dueUnits === null ? null : dueUnits * this.unit;
    const answer = await this.commit(lease, { done, then: { release: { dueInMs } } });
    assert(answer !== 'lost', 'the holder of a live lease was answered `lost`', 'C1');
  }
}

/** A client whose answers are checked: a wrong one fails the test, and is named. */
export function client(store: FrontierStore): FrontierStore {
  const toError = (message: string) => new InvariantError(message, null);
  return aroundStoreVerbs(store, (call, verb, args) => checkedAnswer(call, verb, args, toError));
}

export function nameOf(entry: Pick<Entry, 'body'>): string {
  return new TextDecoder().decode(entry.body);
}

export function namesOf(entries: readonly Entry[]): string[] {
  return entries.map(nameOf);
}

export function idsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ id }) => id);
}

/** `count` names that start with a word. */
export function names(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${word}${at}`);
}

/** An entry whose body and fingerprint are made from its host and name. */
export function testEntry(host: string, name: string): NewEntry {
  const digest = createHash('sha256').update(`${host} ${name}`).digest();
  const fingerprint = new Uint8Array(digest.subarray(0, FINGERPRINT_BYTES));
  return { host, fingerprint, priority: 4, body: new TextEncoder().encode(name) };
}

export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  /** `null`: the first invariant that the test names. */
  readonly invariant: string | null;

  constructor(message: string, invariant: string | null) {
    super(message);
    this.invariant = invariant;
  }
}

/** @param invariant - If it is not the first one that the test names. */
export function assert(condition: boolean, message: string, invariant?: string): asserts condition {
  if (!condition) throw new InvariantError(message, invariant ?? null);
}

/** Like `assert`, for values that must be equal. The message shows where they differ. */
export function assertEqual(actual: unknown, expected: unknown, what: string, invariant?: string): void {
  try {
    deepStrictEqual(actual, expected);
  } catch (difference) {
    throw new InvariantError(`${what}: ${(difference as Error).message}`, invariant ?? null);
  }
}

/** The code of the error with which an action fails; `null`: it succeeds. */
export async function codeOf(action: Promise<unknown>): Promise<string | null> {
  try {
    await action;
    return null;
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code';
  }
}

export interface Choices {
  /** A whole number from 0 to less than `below`. */
  readonly below: (below: number) => number;
  readonly of: <T>(options: readonly T[]) => T;
}

/** The same seed gives the same choices. Never throws. */
export function createChoices(seed: number): Choices {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x9e3779b9) >>> 0;
    let hash = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
    return ((hash ^ (hash >>> 15)) >>> 0) % limit;
  };
  return { below, of: (options) => options[below(options.length)]! };
}
