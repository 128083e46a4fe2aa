// A host queue in memory, and its record in the file. The record is written at every turn of the host, so it is short:
// whole numbers are seven bits to the byte, and times are there only where they differ from those of a new host.
//
//   flags  whole numbers  key  first lane  only line  entries in flight  times  state

import type { EntryId, HostKey } from '../../store.js';
import type { OpenLine } from './rows.js';

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
  /** The host's next allowed time. */
  nextAt = 0;
  /** Added after the lease end if the holder dies. */
  delayMs = 0;
  /** `null` without a lease. */
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
  /** Its place in the time index; `null`: none. */
  dueAt: number | null = null;
  dueHolder = 0;
  /** Its place in the time index as the file has it. */
  indexedAt: number | null = null;
  indexedHolder = 0;
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

const NUMBERS = ['fencingToken', 'nextSequence', 'nextLane', 'queued', 'lineCount', 'blockCount', 'dueHolder'] as const;
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
  host.indexedHolder = host.dueHolder;
  return host;
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
