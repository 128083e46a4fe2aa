// The host queues of the file: where the state machine finds hosts, fingerprints and the time index (time, host →
// holder). A changed host is written once per transaction; the index is updated before it is read. In the index a
// leased host is at its lease end + delay or earlier, any other host at the time from which it can be leased. The hosts
// in memory are valid until another process writes; then they are cleared.

import { unreadable } from '../../errors.js';
import type { HostKey, ListedHost, Listing } from '../../store.js';
import { type HostQueue, HostQueues } from '../host-queues.js';
import { type Environment, firstKeyOf, rowsOf } from './environment.js';
import { Fingerprints } from './fingerprints.js';
import { decodeHost, encodeHost, Host, NO_HOLDER } from './host.js';
import { HostEntries } from './host-entries.js';
import type { Counts } from './meta.js';
import { lineEnd, lineKey, readLine, textKey, timeAt, wholeAt } from './rows.js';

/** The most hosts in memory between transactions. If there are more, all are dropped from memory. */
const MAX_CACHED_HOSTS = 49_152;
const BY_KEY = 1;
const BY_NUMBER = 2;
const ANY_HOST = 0xffff_ffff;
const DUE_START = Buffer.alloc(12);
const DUE_END = Buffer.alloc(12, 0xff);

/** A host with its entries in the file. */
type StoredHost = Host & HostQueue;

/** The verbs inside a transaction. */
export class LmdbHosts extends HostQueues<StoredHost> {
  /** As of the running or the last transaction. */
  counts: Counts;
  readonly fingerprints: Fingerprints;
  /** This client's holder number. */
  holder = NO_HOLDER;
  /** Milliseconds. Set in the first transaction. */
  clock: () => number = () => 0;
  readonly #tables: Environment;
  readonly #byKey = new Map<HostKey, StoredHost>();
  readonly #byNumber = new Map<number, StoredHost>();
  readonly #dirty: Host[] = [];
  /** Whether the transaction has changed anything besides the records of hosts, which `flush` writes. */
  isChanged = false;

  constructor(
    tables: Environment,
    counts: Counts,
    { maxQueued, seenBudget }: { readonly maxQueued: number; readonly seenBudget: number },
  ) {
    super(maxQueued);
    this.#tables = tables;
    this.counts = counts;
    this.fingerprints = new Fingerprints(tables, seenBudget, () => this.counts);
  }

  /** The store's clock, milliseconds. If the underlying clock is set back, it stands still until that has caught up. */
  now(): number {
    return Math.max(this.counts.latestMs, this.clock());
  }

  find(key: HostKey): StoredHost | undefined {
    const cached = this.#byKey.get(key);
    if (cached !== undefined) return cached;
    const row = this.#tables.hosts.getBinary(textKey(BY_KEY, key));
    if (row === undefined) return undefined;
    const host = this.byNumber(wholeAt(row, 0, 4));
    // Two queues of one host would have two clocks.
    if (host.key !== key) throw unreadable(`the number of the host ${key}`);
    return host;
  }

  /** The host with a number that a row contains. */
  byNumber(number: number): StoredHost {
    const cached = this.#byNumber.get(number);
    if (cached !== undefined) return cached;
    const bytes = this.#tables.hosts.getBinary(numberKey(number));
    if (bytes === undefined) throw unreadable(`the record of host ${number}`);
    const host = decodeHost(number, bytes);
    const row = this.#tables.hosts.getBinary(textKey(BY_KEY, host.key));
    if (row === undefined || wholeAt(row, 0, 4) !== number) throw unreadable(`the number of the host ${host.key}`);
    this.#countUnrecorded(host);
    return this.#remember(host);
  }

  /** A page of all hosts, which are numbered from 1. The cursor is the next number. */
  list(from: number, limit: number, last: number): Listing<ListedHost> {
    const to = Math.min(last, from + limit - 1);
    const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    const items = numbers.map((number) => this.toListedHost(this.byNumber(number)));
    return { cursor: to < last ? String(to + 1) : null, items };
  }

  /** The earliest time in the index; `Infinity`: the index is empty. */
  earliest(): number {
    const key = firstKeyOf(this.#tables.due, DUE_START, DUE_END);
    return key === undefined ? Number.POSITIVE_INFINITY : timeAt(key, 0);
  }

  /** For how long hosts have been due, milliseconds, as of the last `flush`. */
  overdueMs(limit: number): number[] {
    const now = this.now();
    return this.#dueHosts(now, limit).map(({ dueAt }) => now - (dueAt ?? now));
  }

  /** Ends the leases of holders that are proven dead: number → for how long, milliseconds. */
  endLeasesOf(deadForMs: ReadonlyMap<number, number>): void {
    const rows = this.#tables.due.getRange({ start: DUE_START, end: DUE_END });
    const leased = [...rows.filter(({ value }) => deadForMs.has(wholeAt(value, 0, 4)))];
    for (const { key, value } of leased) {
      const host = this.#indexed(key);
      // The clock is read after the proof. Counted back from an earlier reading, the end would be before the proof.
      const endsAt = this.now() - deadForMs.get(wholeAt(value, 0, 4))!;
      host.leaseEndsAt = Math.min(host.leaseEndsAt ?? endsAt, endsAt);
      this.#setDueOf(host, host.leaseEndsAt + host.delayMs, NO_HOLDER);
    }
    this.#syncIndex();
  }

  /** Writes the changed hosts. @returns Whether the transaction has changed anything. */
  flush(): boolean {
    this.#syncIndex();
    const isAnyChanged = this.#dirty.length > 0 || this.isChanged;
    this.isChanged = false;
    for (const host of this.#dirty) {
      this.#tables.hosts.putSync(numberKey(host.number), encodeHost(host));
      host.isDirty = false;
      host.recordedSequence = host.nextSequence;
    }
    this.#dirty.length = 0;
    if (this.#byKey.size > MAX_CACHED_HOSTS) this.clear();
    return isAnyChanged;
  }

  clear(): void {
    this.#byKey.clear();
    this.#byNumber.clear();
  }

  protected hostOf(key: HostKey): StoredHost {
    const existing = this.find(key);
    if (existing !== undefined) return existing;
    this.counts.hosts += 1;
    this.#tables.hosts.putSync(textKey(BY_KEY, key), numberValue(this.counts.hosts));
    const host = this.#remember(new Host(this.counts.hosts, key));
    this.#changed(host);
    return host;
  }

  protected due(now: number, limit: number): StoredHost[] {
    this.#syncIndex();
    return this.#dueHosts(now, limit);
  }

  protected setDue(host: StoredHost, at: number | null): void {
    this.#setDueOf(host, at, host.leaseEndsAt === null ? NO_HOLDER : this.holder);
  }

  /** An entry of the index that is too early is corrected when its time comes, so most renewals move nothing. */
  protected override renew(host: StoredHost, at: number): void {
    this.setDue(host, host.dueAt === null ? at : Math.min(host.dueAt, at));
  }

  #setDueOf(host: Host, at: number | null, holder: number): void {
    host.dueAt = at;
    host.holder = holder;
    this.#changed(host);
  }

  #changed(host: Host): void {
    if (host.isDirty) return;
    host.isDirty = true;
    this.#dirty.push(host);
  }

  /** The hosts that are due by a time, earliest first, as of the last `syncIndex`. */
  #dueHosts(upTo: number, limit: number): StoredHost[] {
    const rows = rowsOf(this.#tables.due, DUE_START, dueKey(upTo, ANY_HOST), limit);
    return rows.map(({ key }) => this.#indexed(key));
  }

  /** The host that a row of the time index names. A row that is not its host's would never leave the index. */
  #indexed(key: Buffer): StoredHost {
    const host = this.byNumber(wholeAt(key, 8, 4));
    if (key.length !== 12 || timeAt(key, 0) !== host.indexedAt) throw unreadable(`the time of the host ${host.key}`);
    return host;
  }

  #syncIndex(): void {
    const { due } = this.#tables;
    for (const host of this.#dirty) {
      const { number, holder, dueAt, indexedAt, indexedHolder } = host;
      if (dueAt === indexedAt && (holder === indexedHolder || dueAt === null)) continue;
      if (indexedAt !== null && indexedAt !== dueAt) due.removeSync(dueKey(indexedAt, number));
      if (dueAt !== null) due.putSync(dueKey(dueAt, number), numberValue(holder));
      host.indexedAt = dueAt;
      host.indexedHolder = holder;
    }
  }

  /** Counts the entries that were added to the host's only line after its record was written. */
  #countUnrecorded(host: Host): void {
    const { number, onlyLine, nextSequence } = host;
    if (onlyLine === null) return;
    const { lane, rank } = onlyLine;
    const [start, end] = [lineKey(number, lane, rank, nextSequence), lineEnd(number, lane, rank)];
    for (const key of this.#tables.entries.getKeys({ start, end })) {
      host.queued += 1;
      host.nextSequence = readLine(key).order + 1;
    }
  }

  #remember(host: Host): StoredHost {
    const onAdded = (mustWrite: boolean) => {
      this.isChanged = true;
      if (mustWrite) this.#changed(host);
    };
    const stored = Object.assign(host, { entries: new HostEntries(this.#tables, host, onAdded) });
    this.#byKey.set(host.key, stored);
    this.#byNumber.set(host.number, stored);
    return stored;
  }
}

function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = BY_NUMBER;
  key.writeUInt32BE(number, 1);
  return key;
}

function numberValue(number: number): Buffer {
  const value = Buffer.allocUnsafe(4);
  value.writeUInt32BE(number);
  return value;
}

function dueKey(at: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(12);
  key.writeUInt32BE(number, key.writeDoubleBE(at));
  return key;
}
