// Hosts in memory and in the file. A host is written once per transaction, however many verbs it took part in; the time
// index follows before it is read and when the transaction ends. What is in memory is right as long as no other process
// has written: whoever finds that one has forgets it all.
//
// The time index: holder time host. Holder 0 stands for hosts that are free, 1 for leases whose holder is dead, the
// others for the clients that have the file open. A lease stands at its end + delay or earlier: a renewal does not move it.

import type { HostKey } from '../../store.js';
import type { Environment, Table } from './environment.js';
import { rowsOf } from './environment.js';
import { decodeHost, RecordWriter } from './host-record.js';
import { type HostState, newHostState } from './host-state.js';
import type { Inbox } from './inbox.js';
import { textKey } from './text-key.js';

/** Hosts kept in memory, two generations of this many. */
const HOSTS_CACHED = 16_384;
/** What is remembered of one host's lanes and lines is forgotten above this many. */
const LINES_CACHED = 4_096;
const BY_KEY = 1;
const BY_NUMBER = 2;
const NO_VALUE = Buffer.alloc(0);

/** Holder of hosts that nobody holds. */
export const FREE = 0;
/** Holder of leases whose holder is dead. */
export const DEAD = 1;
/** The first number of a client. */
export const FIRST_HOLDER = 2;

/** A row of the time index. */
export interface DueRow {
  readonly at: number;
  readonly number: number;
}

interface Generation {
  readonly byKey: Map<HostKey, HostState>;
  readonly byNumber: Map<number, HostState>;
}

/** All hosts. */
export class HostTable {
  readonly #hosts: Table;
  readonly #due: Table;
  #young: Generation = newGeneration();
  #old: Generation = newGeneration();
  /** Those to which nothing happens but an entry that is added: they are known while the transaction runs. */
  readonly #brief: Generation = newGeneration();
  readonly #inbox: Inbox;
  readonly #dirty: HostState[] = [];
  /** Hosts whose place in the time index has changed and nothing else. */
  readonly #moved: HostState[] = [];
  readonly #writer = new RecordWriter();
  readonly #numberKey = Buffer.alloc(5);
  readonly #dueKey = Buffer.alloc(16);
  readonly #from = Buffer.alloc(16);
  readonly #to = Buffer.alloc(16);

  constructor(tables: Environment, inbox: Inbox) {
    this.#hosts = tables.hosts;
    this.#due = tables.due;
    this.#inbox = inbox;
  }

  /** The host of that key, if there is one. */
  find(key: HostKey): HostState | undefined {
    const known = this.#young.byKey.get(key) ?? this.#keep(this.#old.byKey.get(key) ?? this.#brief.byKey.get(key));
    return known ?? this.#keep(this.#read(key));
  }

  /** The same for an entry that is added to it: it is forgotten when the transaction ends, unless something else asks for it. */
  findBriefly(key: HostKey): HostState | undefined {
    const { byKey } = this.#brief;
    const known = this.#young.byKey.get(key) ?? this.#keep(this.#old.byKey.get(key)) ?? byKey.get(key);
    if (known !== undefined) return known;
    const host = this.#read(key);
    return host === undefined ? undefined : rememberIn(this.#brief, host);
  }

  /** Makes a host that was not found, in memory: `keep` makes its rows. `number` was never used. */
  create(key: HostKey, number: number, isBrief: boolean): HostState {
    return rememberIn(isBrief ? this.#brief : this.#young, newHostState(number, key));
  }

  /** Makes the rows of a host that has none. */
  keep(host: HostState): void {
    if (host.isKept) return;
    host.isKept = true;
    const value = Buffer.allocUnsafe(4);
    value.writeUInt32BE(host.number);
    this.#hosts.putSync(textKey(BY_KEY, host.key), value);
    this.changed(host);
  }

  /** The host of a number that a row names. */
  byNumber(number: number): HostState {
    const { byNumber } = this.#brief;
    const known =
      this.#young.byNumber.get(number) ?? this.#keep(this.#old.byNumber.get(number) ?? byNumber.get(number));
    if (known !== undefined) return known;
    return this.#remember(this.#loadNamed(number));
  }

  /** The same, but a host that is not in memory does not stay there: only for the end of a transaction, and once for each host. */
  passing(number: number): HostState {
    const known = this.#young.byNumber.get(number) ?? this.#old.byNumber.get(number);
    return known ?? this.#brief.byNumber.get(number) ?? this.#loadNamed(number);
  }

  /** To be called after a host has changed. */
  changed(host: HostState): void {
    if (host.isDirty) return;
    host.isDirty = true;
    this.#dirty.push(host);
  }

  /** Puts a host into the time index, or takes it out. */
  setDue(host: HostState, holder: number, at: number | null): void {
    host.dueAt = at;
    host.dueHolder = holder;
    this.changed(host);
  }

  /** Puts a host that nobody has into the time index; the log of new entries says so, its record need not. */
  setDueByLog(host: HostState, at: number): void {
    host.dueAt = at;
    host.dueHolder = FREE;
    this.#moved.push(host);
  }

  /** The earliest rows of a holder, up to a time; of hosts as they were at the last `syncIndex`. */
  due(holder: number, upTo: number, limit: number): DueRow[] {
    const start = writeDueKey(this.#from, holder, 0, 0);
    const isBounded = Number.isFinite(upTo);
    const end = isBounded ? writeDueKey(this.#to, holder, upTo, 0xffff_ffff) : writeDueKey(this.#to, holder + 1, 0, 0);
    return rowsOf(this.#due, start, end, limit).map(({ key }) => ({
      at: key.readDoubleBE(4),
      number: key.readUInt32BE(12),
    }));
  }

  /** Brings the time index up to date. */
  syncIndex(): void {
    this.#index(this.#dirty);
    this.#index(this.#moved);
    this.#moved.length = 0;
  }

  #index(hosts: readonly HostState[]): void {
    for (const host of hosts) {
      const { number, dueAt, dueHolder, indexedAt, indexedHolder } = host;
      if (dueAt === indexedAt && (dueHolder === indexedHolder || dueAt === null)) continue;
      if (indexedAt !== null) this.#due.removeSync(writeDueKey(this.#dueKey, indexedHolder, indexedAt, number));
      if (dueAt !== null) this.#due.putSync(writeDueKey(this.#dueKey, dueHolder, dueAt, number), NO_VALUE);
      host.indexedAt = dueAt;
      host.indexedHolder = dueHolder;
    }
  }

  /** Writes what has changed. Answers whether anything had. */
  flush(): boolean {
    this.syncIndex();
    const isAnyDirty = this.#dirty.length > 0;
    for (const host of this.#dirty) {
      this.#hosts.putSync(this.#key(host.number), this.#writer.encode(host));
      host.isDirty = false;
      if (host.known !== null && host.known.lines.size + host.known.lanes.size > LINES_CACHED) host.known = null;
    }
    this.#dirty.length = 0;
    this.#forgetBrief();
    if (this.#young.byKey.size > HOSTS_CACHED) {
      this.#old = this.#young;
      this.#young = newGeneration();
    }
    return isAnyDirty;
  }

  /** Forgets everything in memory. */
  clear(): void {
    this.#young = newGeneration();
    this.#old = newGeneration();
    this.#forgetBrief();
  }

  #forgetBrief(): void {
    this.#brief.byKey.clear();
    this.#brief.byNumber.clear();
  }

  #read(key: HostKey): HostState | undefined {
    const number = this.#inbox.numberOf(key) ?? this.#hosts.getBinaryFast(textKey(BY_KEY, key))?.readUInt32BE(0);
    return number === undefined ? undefined : this.#load(number);
  }

  #load(number: number): HostState | undefined {
    const bytes = this.#hosts.getBinary(this.#key(number));
    const key = bytes === undefined ? this.#inbox.keyOf(number) : null;
    if (bytes === undefined && key === null) return undefined;
    const host = bytes === undefined ? newHostState(number, key!) : decodeHost(number, bytes);
    const dueAt = this.#inbox.dueAtOf(number, host.foldedTo);
    if (dueAt !== null) {
      host.dueAt = dueAt;
      host.indexedAt = dueAt;
      host.dueHolder = FREE;
      host.indexedHolder = FREE;
    }
    return host;
  }

  #loadNamed(number: number): HostState {
    const host = this.#load(number);
    if (host === undefined) throw new Error(`the store names a host ${number} that it does not hold`);
    return host;
  }

  #keep(host: HostState | undefined): HostState | undefined {
    return host === undefined ? undefined : this.#remember(host);
  }

  #remember(host: HostState): HostState {
    return rememberIn(this.#young, host);
  }

  #key(number: number): Buffer {
    this.#numberKey[0] = BY_NUMBER;
    this.#numberKey.writeUInt32BE(number, 1);
    return this.#numberKey;
  }
}

function rememberIn({ byKey, byNumber }: Generation, host: HostState): HostState {
  byKey.set(host.key, host);
  byNumber.set(host.number, host);
  return host;
}

function newGeneration(): Generation {
  return { byKey: new Map(), byNumber: new Map() };
}

function writeDueKey(key: Buffer, holder: number, at: number, number: number): Buffer {
  key.writeUInt32BE(holder, 0);
  key.writeDoubleBE(at, 4);
  key.writeUInt32BE(number, 12);
  return key;
}
