// A host queue of the file while it is in memory, and its record. The record is written at every turn of the host, so
// it is short: an array of the fields that differ from a new host, with rarely used fields at the end.

import { createRequire } from 'node:module';
import { unreadable } from '../../errors.js';
import type { EntryId, HostKey } from '../../store.js';
import { isCount, isTime } from '../../stored-value.js';
import { LAST_RANK, MAX_SEQUENCE, type OpenLine } from './rows.js';

/** The CommonJS file that lmdb has loaded already. An import would load its modules as well. */
const { Packr } = createRequire(import.meta.url)('msgpackr') as typeof import('msgpackr');

/** Holder number of hosts without a lease. */
export const NO_HOLDER = 0;

/** An entry in flight. Its row stays in line until the entry is finished or put elsewhere. */
export interface InFlightEntry {
  readonly lane: number;
  readonly rank: number;
  readonly order: number;
  /** How many times it was handed out, this time included. */
  readonly attempt: number;
}

/** A host in memory. A new one has no entries, lease or history. Times are on the store's clock; `Infinity`: never. */
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
  /** The counter in the file's record; see `HostEntries.add`. */
  recordedSequence = 1;
  /** Entries that are neither finished nor in flight. */
  queued = 0;
  /** Entries in flight, in the order in which they were handed out. */
  readonly inFlight = new Map<EntryId, InFlightEntry>();
  /** The number of lines that have entries. */
  lineCount = 0;
  /** The earliest time of a waiting entry. */
  waitsUntil = Number.POSITIVE_INFINITY;
  /** The number of blocked lanes, and the earliest end of a block. */
  blockCount = 0;
  unblocksAt = Number.POSITIVE_INFINITY;
  /** The holder of the lease. */
  holder = NO_HOLDER;
  /** Its place in the time index; `null`: none. */
  dueAt: number | null = null;
  /** `dueAt` and `holder` as in the file's time index. */
  indexedAt: number | null = null;
  indexedHolder = NO_HOLDER;
  isDirty = false;
  /** The host's only line, if it is open and has no rows. */
  onlyLine: OpenLine | null = null;

  constructor(number: number, key: HostKey) {
    this.number = number;
    this.key = key;
  }
}

/** Fields that are stored unchanged, in the order of the record. */
const FIELDS = [
  ...(['fencingToken', 'nextSequence', 'queued', 'lineCount', 'nextAt', 'dueAt', 'delayMs'] as const),
  ...(['leaseEndsAt', 'holder', 'state', 'waitsUntil', 'blockCount', 'unblocksAt', 'isParked'] as const),
];
const DEFAULTS = FIELDS.map((name) => new Host(0, '')[name]);
const packr = new Packr({ useRecords: false });

/** The record of a host. */
export function encodeHost(host: Host): Buffer {
  const { key, onlyLine, inFlight } = host;
  const line = onlyLine === null ? null : [onlyLine.lane, onlyLine.rank, onlyLine.order];
  const entries: number[] = [];
  for (const [id, { order, lane, rank, attempt }] of inFlight) entries.push(Number(id), order, lane, rank, attempt);
  const record: unknown[] = [key, line, entries.length > 0 ? entries : null];
  for (let at = 0; at < FIELDS.length; at += 1) {
    const value = host[FIELDS[at]!];
    record.push(value === DEFAULTS[at] ? null : value);
  }
  while (record.at(-1) === null) record.pop();
  return packr.pack(record);
}

type HostRecord = readonly [
  key: string,
  line?: readonly [lane: number, rank: number, order: number] | null,
  entries?: readonly number[] | null,
  ...fields: unknown[],
];

const isBelow = (end: number, value: unknown) => isCount(value) && value < end;
const isLane = (value: unknown) => isBelow(2 ** 32, value);
const isRank = (value: unknown) => isBelow(LAST_RANK + 1, value);
const isSequence = (value: unknown) => isBelow(MAX_SEQUENCE, value);
const areWholes = (list: unknown, checks: readonly ((value: unknown) => boolean)[]) =>
  Array.isArray(list) && list.length % checks.length === 0 && list.every((one, at) => checks[at % checks.length]!(one));

const FIELD_CHECKS = FIELDS.map((name): ((value: unknown) => boolean) => {
  if (name === 'state') return (value) => value instanceof Uint8Array;
  if (name === 'isParked') return (value) => value === true;
  if (name === 'nextSequence') return isSequence;
  if (name === 'holder') return isLane;
  return /At$|Ms$|Until$/.test(name) ? isTime : isCount;
});

function readRecord(number: number, bytes: Buffer): HostRecord {
  let record: unknown;
  try {
    record = packr.unpack(bytes);
  } catch (cause) {
    throw unreadable(`the record of host ${number}`, cause);
  }
  const [key, line = null, entries = null, ...fields] = Array.isArray(record) ? record : [];
  const isValid =
    typeof key === 'string' &&
    (line === null || (areWholes(line, [isLane, isRank, isSequence]) && line.length === 3)) &&
    (entries === null || areWholes(entries, [isSequence, isSequence, isLane, isRank, isLane])) &&
    fields.length <= FIELDS.length &&
    fields.every((value, at) => value === null || FIELD_CHECKS[at]!(value));
  if (!isValid) throw unreadable(`the record of host ${number}`);
  return record as HostRecord;
}

/** Reads a record. The host does not keep a reference to the bytes. @throws FrontierError `record-unreadable` */
export function decodeHost(number: number, bytes: Buffer): Host {
  const [key, line = null, entries = null, ...fields] = readRecord(number, bytes);
  const host = new Host(number, key);
  if (line !== null) host.onlyLine = { lane: line[0], rank: line[1], order: line[2] };
  for (let at = 0; entries !== null && at < entries.length; at += 5) {
    const [order, lane, rank, attempt] = [entries[at + 1]!, entries[at + 2]!, entries[at + 3]!, entries[at + 4]!];
    host.inFlight.set(String(entries[at]), { order, lane, rank, attempt });
  }
  const writable = host as unknown as Record<string, unknown>;
  for (let at = 0; at < fields.length; at += 1) if (fields[at] !== null) writable[FIELDS[at]!] = fields[at];
  // The decoded state is a view of the bytes, so copy it.
  if (host.state !== null) host.state = new Uint8Array(host.state);
  host.recordedSequence = host.nextSequence;
  host.indexedAt = host.dueAt;
  host.indexedHolder = host.holder;
  return host;
}
