// One store on trial: short words for what every test does, and the closing of what it opened.

import type { AddOutcome, Entry, FrontierStore, HostCommit, Lease, NewEntry, StoreCapabilities } from '../store.js';
import { must } from './must.js';
import type { StoreUnderTest } from './suite-options.js';

/** The crawl every trial opens. */
export const TRIAL_CRAWL = 'conformance';
/** More entries or hosts than any trial queues. */
export const ALL = 10_000;

/** What an entry of the suite may say beside its host and name. */
export type EntryExtras = Partial<Pick<NewEntry, 'lane' | 'priority' | 'notBeforeMs' | 'dedupe'>>;

/** A store, its clock and its clients. */
export class Trial {
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
    this.store = made.store;
  }

  async open(): Promise<void> {
    this.#clients.push(this.store);
    await this.store.open({ crawl: TRIAL_CRAWL, owner: 'first', create: true });
  }

  /** Closes the client in use and goes on with another on the same data. */
  async reopen(): Promise<void> {
    await this.store.close();
    must(this.made.reopen !== undefined, 'suite', 'a durable store needs `reopen`');
    this.store = await this.made.reopen();
    await this.open();
  }

  /** Clients at work at the same time: connections where there can be several, else the one. */
  async clients(count: number): Promise<FrontierStore[]> {
    const clients = [this.store];
    while (clients.length < count) {
      const client = await this.made.connect?.();
      if (client !== undefined) {
        this.#clients.push(client);
        await client.open({ crawl: TRIAL_CRAWL, owner: `client ${clients.length}`, create: false });
      }
      clients.push(client ?? this.store);
    }
    return clients;
  }

  async end(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.made.dispose();
  }

  /** Lets so many units pass. */
  pass(units: number): Promise<void> {
    return this.made.advance(units * this.unit);
  }

  /** An entry whose body and fingerprint are made from its name. */
  entry(host: string, name: string, more: EntryExtras = {}): NewEntry {
    return {
      host,
      fingerprint: fingerprintOf(`${host} ${name}`, this.capabilities.fingerprintBytes),
      priority: 4,
      body: new TextEncoder().encode(name),
      ...more,
    };
  }

  /** Queues entries of one host, in this order. */
  add(host: string, names: readonly string[], more: EntryExtras = {}): Promise<AddOutcome[]> {
    return this.store.add(names.map((name) => this.entry(host, name, more)));
  }

  /** All that is due, under leases of `units`. */
  leaseAll(units = 100, more: { readonly maxHosts?: number; readonly entriesPerHost?: number } = {}): Promise<Lease[]> {
    const { maxHosts = ALL, entriesPerHost = ALL } = more;
    return this.store.lease({ maxHosts, entriesPerHost, ttlMs: units * this.unit });
  }

  /** The lease of the only host that is due. */
  async leaseOnly(invariant: string, units = 100, entriesPerHost = ALL): Promise<Lease> {
    const leases = await this.leaseAll(units, { entriesPerHost });
    const [lease] = leases;
    must(lease !== undefined && leases.length === 1, invariant, `expected one host to be due, ${leases.length} were`);
    return lease;
  }

  /** Hosts that are due now; leases them. */
  async dueHosts(): Promise<string[]> {
    return (await this.leaseAll()).map(({ host }) => host);
  }

  /** Commits one host; what came into hand, or `lost`. */
  async commit(part: HostCommit, links: readonly NewEntry[] = []): Promise<Entry[] | 'lost'> {
    const [answer] = (await this.store.commit([part], links)).hosts;
    return answer?.ok === true ? answer.entries : 'lost';
  }

  /** Ends a lease, everything done but what is named. */
  async release(lease: Lease, dueUnits: number | null = 0, unfinished: readonly string[] = []): Promise<void> {
    const done = lease.entries.filter((entry) => !unfinished.includes(nameOf(entry))).map(({ id }) => id);
    const dueInMs = dueUnits === null ? null : dueUnits * this.unit;
    const answer = await this.commit({
      host: lease.host,
      fencingToken: lease.fencingToken,
      done,
      then: { release: { dueInMs } },
    });
    must(answer !== 'lost', 'C1', 'the holder of a live lease was told it is lost');
  }
}

/** The name an entry was made from. */
export function nameOf(entry: Entry): string {
  return new TextDecoder().decode(entry.body);
}

/** The names of a lease's entries, in their order. */
export function namesOf(entries: readonly Entry[]): string[] {
  return entries.map(nameOf);
}

/** `count` names that start with a word. */
export function names(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${word}${at}`);
}

/** Bytes that depend on every character of the text; evenly spread, not secret. */
export function fingerprintOf(text: string, bytes: number): Uint8Array {
  const fingerprint = new Uint8Array(bytes);
  const view = new DataView(fingerprint.buffer);
  for (let at = 0; at < bytes; at += 4) {
    let word = Math.imul(at + 1, 0x9e3779b1);
    for (let index = 0; index < text.length; index += 1) word = Math.imul(word ^ text.charCodeAt(index), 0x01000193);
    word = Math.imul(word ^ (word >>> 15), 0x85ebca6b);
    view.setUint32(at, (word ^ (word >>> 13)) >>> 0);
  }
  return fingerprint;
}
