// Host queues in memory and in the file. A changed host is written once per transaction; the time index (time, host →
// holder) follows before it is read. The hosts in memory are right until another process writes, then they are cleared.
//
// A host's record is written at every turn of the host, so it is short: whole numbers are seven bits to the byte, and
// times are there only where they differ from those of a new host.
//
//   flags  whole numbers  key  first lane  only line  entries in flight  times  state

import type { EntryId, HostKey } from '../../store.js';
import type { HostQueue, QueueEntries } from '../host-queues.js';
import { type Environment, firstKeyOf, rowsOf, type Table } from './environment.js';
import { lineEnd, lineKey, type OpenLine, readLine, textKey } from './rows.js';

/** Most hosts in memory between transactions. With more than that all are forgotten. */
const HOSTS_CACHED = 49_152;
const BY_KEY = 1;
const BY_NUMBER = 2;
const ANY_HOST = 0xffff_ffff;
const FIRST_DUE = Buffer.alloc(12);
const BEHIND_DUE = Buffer.alloc(12, 0xff);

/** Holder number of hosts without a lease. */
export const FREE = 0;

/** An entry in flight. Its row stays in line until it is finished or put elsewhere. */
export interface InFlightEntry {
  readonly lane: number;
  readonly rank: number;
  readonly order: number;
  /** Times handed out, this one included. */
  readonly attempt: number;
}

/** A host in memory, at first without entries, leases or history. Times are on the store's clock; `Infinity`: never. */
export class Host {
  readonly number: number;
  readonly key: HostKey;
  fencingToken = 0;
  nextAt = 0;
  delayMs = 0;
  leaseEndsAt: number | null = null;
  isParked = false;
  state: Uint8Array | null = null;
  /** Ids and orders of entries come from one counter. */
  nextSequence = 1;
  /** The counter as of the record in the file; see `HostEntries.add`. */
  recordedSequence = 1;
  /** Lanes are numbered from 1; 0 is the host's own. */
  nextLane = 1;
  /** Entries that are neither finished nor in flight. */
  queued = 0;
  /** Entries in flight, in the order in which they were handed out. */
  readonly inFlight = new Map<EntryId, InFlightEntry>();
  /** Lines that have entries. */
  lineCount = 0;
  /** Earliest time of a waiting entry. */
  waitsUntil = Number.POSITIVE_INFINITY;
  /** Blocked lanes, and the earliest end of a block. */
  blockCount = 0;
  unblocksAt = Number.POSITIVE_INFINITY;
  /** Who has the lease. */
  holder = FREE;
  /** Its place in the time index; `null`: none. */
  dueAt: number | null = null;
  /** Both as the time index of the file has them. */
  indexedAt: number | null = null;
  indexedHolder = FREE;
  isDirty = false;
  /** Name of lane 1, where it is short: it has no row then. Most hosts have no other lane. */
  firstLane: string | null = null;
  /** The host's only line, where it is open and has no rows. */
  onlyLine: OpenLine | null = null;

  constructor(number: number, key: HostKey) {
    this.number = number;
    this.key = key;
  }
}

const NUMBERS = ['fencingToken', 'nextSequence', 'nextLane', 'queued', 'lineCount', 'blockCount', 'holder'] as const;
/** The flag of a time is its place in this list. */
const TIMES = ['nextAt', 'delayMs', 'leaseEndsAt', 'waitsUntil', 'unblocksAt', 'dueAt'] as const;
const PARKED = 64;
const WITH_STATE = 128;
/** Forms of the first lane: a lane that ends with the host's key is written without it. */
const NO_LANE = 0;
const LANE = 1;
const LANE_ENDS_WITH_KEY = 2;
const NUMBER_BYTES = 8;
const TIME_BYTES = 8;
/** Whole numbers besides those of the entries in flight, and of each of those. */
const NUMBERS_MOST = NUMBERS.length + 8;
const NUMBERS_IN_FLIGHT = 5;
const NEW_HOST = new Host(0, '');

/** The record of a host. */
export function encodeHost(host: Host): Buffer {
  const { key, firstLane, onlyLine, inFlight, state } = host;
  const numbersMost = NUMBERS_MOST + NUMBERS_IN_FLIGHT * inFlight.size;
  const textMost = 3 * (key.length + (firstLane?.length ?? 0));
  const most = 1 + NUMBER_BYTES * numbersMost + TIME_BYTES * TIMES.length + textMost + (state?.length ?? 0);
  const record = new Writer(most);
  let flags = (host.isParked ? PARKED : 0) | (state === null ? 0 : WITH_STATE);
  for (const [at, name] of TIMES.entries()) if (host[name] !== NEW_HOST[name]) flags |= 1 << at;
  record.number(flags);
  for (const name of NUMBERS) record.number(host[name]);
  record.text(key);
  const endsWithKey = firstLane?.endsWith(key) === true;
  record.number(firstLane === null ? NO_LANE : endsWithKey ? LANE_ENDS_WITH_KEY : LANE);
  if (firstLane !== null) record.text(endsWithKey ? firstLane.slice(0, firstLane.length - key.length) : firstLane);
  record.number(onlyLine === null ? 0 : 1);
  if (onlyLine !== null) record.numbers(onlyLine.lane, onlyLine.rank, onlyLine.order);
  record.number(inFlight.size);
  for (const [id, { order, lane, rank, attempt }] of inFlight) {
    // Most entries have their order as id.
    record.numbers(order, Number(id) === order ? 0 : Number(id), lane, rank, attempt);
  }
  for (const name of TIMES) if (host[name] !== NEW_HOST[name]) record.time(host[name]!);
  if (state !== null) record.bytes.set(state, record.at);
  return record.bytes.subarray(0, record.at + (state?.length ?? 0));
}

/** Reads a record. The host does not refer to the bytes. */
export function decodeHost(number: number, bytes: Buffer): Host {
  const record = new Reader(bytes);
  const flags = record.number();
  const numbers = NUMBERS.map(() => record.number());
  const host = new Host(number, record.text());
  for (const [at, name] of NUMBERS.entries()) host[name] = numbers[at]!;
  const laneForm = record.number();
  if (laneForm !== NO_LANE) host.firstLane = record.text() + (laneForm === LANE_ENDS_WITH_KEY ? host.key : '');
  if (record.number() > 0) host.onlyLine = { lane: record.number(), rank: record.number(), order: record.number() };
  for (let left = record.number(); left > 0; left -= 1) {
    const [order, id] = [record.number(), record.number()];
    const entry = { order, lane: record.number(), rank: record.number(), attempt: record.number() };
    host.inFlight.set(String(id === 0 ? order : id), entry);
  }
  for (const [at, name] of TIMES.entries()) if ((flags & (1 << at)) !== 0) host[name] = record.time();
  host.isParked = (flags & PARKED) !== 0;
  host.state = (flags & WITH_STATE) === 0 ? null : new Uint8Array(bytes.subarray(record.at));
  host.recordedSequence = host.nextSequence;
  host.indexedAt = host.dueAt;
  host.indexedHolder = host.holder;
  return host;
}

/** A host with the entries that the file has of it. */
export type StoredHost = Host & HostQueue;

/** Gives a host its entries. `onAdded`: called for each new one; `mustWrite`: the host's record is to be written. */
type EntriesOf = (host: Host, onAdded: (mustWrite: boolean) => void) => QueueEntries;

/** The hosts of one client. */
export class HostTable {
  readonly #hosts: Table;
  readonly #entries: Table;
  readonly #due: Table;
  readonly #entriesOf: EntriesOf;
  readonly #byKey = new Map<HostKey, StoredHost>();
  readonly #byNumber = new Map<number, StoredHost>();
  readonly #dirty: Host[] = [];
  #hasNewEntries = false;

  constructor({ hosts, entries, due }: Environment, entriesOf: EntriesOf) {
    this.#entriesOf = entriesOf;
    this.#hosts = hosts;
    this.#entries = entries;
    this.#due = due;
  }

  find(key: HostKey): StoredHost | undefined {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const number = this.#hosts.getBinary(textKey(BY_KEY, key))?.readUInt32BE(0);
    return number === undefined ? undefined : this.byNumber(number);
  }

  /** Makes a host that was not found. `number` is new. */
  create(key: HostKey, number: number): StoredHost {
    this.#hosts.putSync(textKey(BY_KEY, key), numberValue(number));
    const host = this.#remember(new Host(number, key));
    this.changed(host);
    return host;
  }

  /** The host of a number that a row names. */
  byNumber(number: number): StoredHost {
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    const bytes = this.#hosts.getBinary(numberKey(number));
    if (bytes === undefined) throw new Error(`the store names a host ${number} that it does not contain`);
    return this.#remember(this.#withUnrecorded(decodeHost(number, bytes)));
  }

  /** To be called after a host has changed. */
  changed(host: Host): void {
    if (host.isDirty) return;
    host.isDirty = true;
    this.#dirty.push(host);
  }

  setDue(host: Host, at: number | null): void {
    host.dueAt = at;
    this.changed(host);
  }

  /** The numbers of hosts up to a time, the earliest first, as of the last `syncIndex`. */
  due(upTo: number, limit: number): number[] {
    return rowsOf(this.#due, FIRST_DUE, dueKey(upTo, ANY_HOST), limit).map(({ key }) => key.readUInt32BE(8));
  }

  /** The earliest time in the index; `Infinity`: none. */
  earliest(): number {
    return firstKeyOf(this.#due, FIRST_DUE, BEHIND_DUE)?.readDoubleBE(0) ?? Number.POSITIVE_INFINITY;
  }

  /** The numbers of hosts that are leased by one of these. Reads the whole time index, as of the last `syncIndex`. */
  leasedBy(holders: ReadonlySet<number>): number[] {
    const rows = this.#due.getRange({ start: FIRST_DUE, end: BEHIND_DUE });
    return [...rows.filter(({ value }) => holders.has(value.readUInt32BE(0))).map(({ key }) => key.readUInt32BE(8))];
  }

  syncIndex(): void {
    for (const host of this.#dirty) {
      const { number, holder, dueAt, indexedAt, indexedHolder } = host;
      if (dueAt === indexedAt && (holder === indexedHolder || dueAt === null)) continue;
      if (indexedAt !== null && indexedAt !== dueAt) this.#due.removeSync(dueKey(indexedAt, number));
      if (dueAt !== null) this.#due.putSync(dueKey(dueAt, number), numberValue(holder));
      host.indexedAt = dueAt;
      host.indexedHolder = holder;
    }
  }

  /** Writes the changed hosts. @returns Whether anything changed, entries included. */
  flush(): boolean {
    this.syncIndex();
    const isAnyDirty = this.#dirty.length > 0 || this.#hasNewEntries;
    this.#hasNewEntries = false;
    for (const host of this.#dirty) {
      this.#hosts.putSync(numberKey(host.number), encodeHost(host));
      host.isDirty = false;
      host.recordedSequence = host.nextSequence;
    }
    this.#dirty.length = 0;
    if (this.#byKey.size > HOSTS_CACHED) this.clear();
    return isAnyDirty;
  }

  clear(): void {
    this.#byKey.clear();
    this.#byNumber.clear();
  }

  /** Counts the entries that were added to the host's only line after its record was written. */
  #withUnrecorded(host: Host): Host {
    const { number, onlyLine, nextSequence } = host;
    if (onlyLine === null) return host;
    const { lane, rank } = onlyLine;
    const [start, end] = [lineKey(number, lane, rank, nextSequence), lineEnd(number, lane, rank)];
    for (const key of this.#entries.getKeys({ start, end })) {
      host.queued += 1;
      host.nextSequence = readLine(key).order + 1;
    }
    return host;
  }

  #remember(host: Host): StoredHost {
    const onAdded = (mustWrite: boolean) => {
      this.#hasNewEntries = true;
      if (mustWrite) this.changed(host);
    };
    const stored = Object.assign(host, { entries: this.#entriesOf(host, onAdded) });
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

class Writer {
  readonly bytes: Buffer;
  at = 0;

  constructor(most: number) {
    this.bytes = Buffer.allocUnsafe(most);
  }

  number(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }

  numbers(...values: readonly number[]): void {
    for (const value of values) this.number(value);
  }

  time(value: number): void {
    this.at = this.bytes.writeDoubleBE(value, this.at);
  }

  text(text: string): void {
    this.number(Buffer.byteLength(text));
    this.at += this.bytes.write(text, this.at);
  }
}

class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#bytes[this.at++]!;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  }

  time(): number {
    this.at += TIME_BYTES;
    return this.#bytes.readDoubleBE(this.at - TIME_BYTES);
  }

  text(): string {
    const end = this.number() + this.at;
    const text = this.#bytes.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }
}
