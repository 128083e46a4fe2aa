// Keys and values of rows. All rows of one host start with the host's number, so that they are next to each other.
//
//   entries   host 1 time id             waiting for their time
//             host 2 lane rank order     in line; entries in flight keep this row until they are finished
//   lines     host 0 rank order lane     open lines, by their first entry
//             host 1 until lane          blocked lanes, by the end of the block
//             host 2 lane                blocked lanes → the end of the block
//
// Each queued URL has a row in line, so its key is short: the order takes as few bytes as possible.

import { createHash } from 'node:crypto';
import { unreadable } from '../../errors.js';
import { isTime } from '../../stored-value.js';
import { shardOf } from '../sharded/placement.js';

/** Kinds of rows: the fifth byte of their keys. */
export const KIND = Object.freeze({ waiting: 1, inLine: 2, openLine: 0, blockEnd: 1, block: 2 });
/** Bytes of an order or an entry's id. */
const SEQUENCE_BYTES = 5;
const PREFIX_BYTES = 5;
const LANE_BYTES = 4;
/** After lane and rank. */
const ORDER_AT = PREFIX_BYTES + LANE_BYTES + 1;
/** Bytes of a row that a message shows. */
const MAX_NAMED_BYTES = 32;
/** The longest name that is used as a key itself, bytes: lmdb bounds the length of keys. */
const MAX_NAME_BYTES = 1_024;

/** Ids and orders are below this. */
export const MAX_SEQUENCE = 2 ** (8 * SEQUENCE_BYTES);
/** The last rank of a line. */
export const LAST_RANK = 8;

/** A whole number in a row. @throws FrontierError `record-unreadable`: another program wrote it, or it is damaged. */
export function wholeAt(row: Buffer, at: number, length: number): number {
  if (length < 1 || length > SEQUENCE_BYTES || at + length > row.length) throw unreadable(nameOf(row));
  return row.readUIntBE(at, length);
}

/** A time or a duration in a row. @throws FrontierError `record-unreadable` */
export function timeAt(row: Buffer, at: number): number {
  const ms = at + 8 > row.length ? Number.NaN : row.readDoubleBE(at);
  if (!isTime(ms)) throw unreadable(nameOf(row));
  return ms;
}

const nameOf = (row: Buffer): string => `the row ${row.toString('hex', 0, MAX_NAMED_BYTES)}`;

/** The number of a lane, from its hash: only the lanes of one host must differ. 0: the host's own lane. */
export function laneNumber(name: string | null): number {
  return name === null ? 0 : shardOf(name, 2 ** (8 * LANE_BYTES)) || 1;
}

/** A line and its place among the open lines. */
export interface OpenLine {
  readonly lane: number;
  readonly rank: number;
  readonly order: number;
}

export function waitingKey(host: number, readyAt: number, id: number): Buffer {
  const key = keyOf(host, KIND.waiting, 8 + SEQUENCE_BYTES);
  key.writeUIntBE(id, key.writeDoubleBE(readyAt, PREFIX_BYTES), SEQUENCE_BYTES);
  return key;
}

export function lineKey(host: number, lane: number, rank: number, order: number): Buffer {
  const orderBytes = bytesOf(order);
  const key = keyOf(host, KIND.inLine, LANE_BYTES + 2 + orderBytes);
  key[key.writeUInt32BE(lane, PREFIX_BYTES)] = rank;
  // After its number of bytes, so that larger numbers sort later.
  key[ORDER_AT] = orderBytes;
  key.writeUIntBE(order, ORDER_AT + 1, orderBytes);
  return key;
}

/** After every entry of the line. */
export function lineEnd(host: number, lane: number, rank: number): Buffer {
  const key = keyOf(host, KIND.inLine, LANE_BYTES + 1);
  key[key.writeUInt32BE(lane, PREFIX_BYTES)] = rank + 1;
  return key;
}

export function openLineKey(host: number, { lane, rank, order }: OpenLine): Buffer {
  const key = keyOf(host, KIND.openLine, 1 + SEQUENCE_BYTES + 4);
  key[PREFIX_BYTES] = rank;
  key.writeUInt32BE(lane, key.writeUIntBE(order, PREFIX_BYTES + 1, SEQUENCE_BYTES));
  return key;
}

export function blockEndKey(host: number, until: number, lane: number): Buffer {
  const key = keyOf(host, KIND.blockEnd, 12);
  key.writeUInt32BE(lane, key.writeDoubleBE(until, PREFIX_BYTES));
  return key;
}

export function blockKey(host: number, lane: number): Buffer {
  const key = keyOf(host, KIND.block, 4);
  key.writeUInt32BE(lane, PREFIX_BYTES);
  return key;
}

export function kindStart(host: number, kind: number): Buffer {
  return keyOf(host, kind, 0);
}

export function kindEnd(host: number, kind: number): Buffer {
  return keyOf(host, kind + 1, 0);
}

/** After the rows of a kind that is sorted by time, up to a time. */
export function kindUpTo(host: number, kind: number, time: number): Buffer {
  const key = keyOf(host, kind, 8 + SEQUENCE_BYTES + 1).fill(0xff, PREFIX_BYTES);
  key.writeDoubleBE(time, PREFIX_BYTES);
  return key;
}

/** The key of a name in one of the name spaces of a table. */
export function textKey(space: number, name: string): Buffer {
  const bytes = Buffer.from(name);
  if (bytes.length <= MAX_NAME_BYTES) return Buffer.concat([Buffer.of(space, 1), bytes]);
  return Buffer.concat([Buffer.of(space, 2), createHash('sha256').update(bytes).digest()]);
}

/** A time or a duration as the value of a row; `timeAt` reads it. */
export function timeValue(ms: number): Buffer {
  const value = Buffer.allocUnsafe(8);
  value.writeDoubleBE(ms);
  return value;
}

/** The name in a key of `textKey`, if it is short enough to be in the key. */
export function readTextKey(key: Buffer): string {
  return key.toString('utf8', 2);
}

/** When a waiting entry may be handed out, and its id, from its key; `null`: the entry is in line. */
export function readWaiting(key: Buffer): { readonly readyAt: number; readonly id: number } | null {
  if (key[4] !== KIND.waiting) return null;
  return { readyAt: timeAt(key, PREFIX_BYTES), id: wholeAt(key, PREFIX_BYTES + 8, SEQUENCE_BYTES) };
}

/** The place of an entry in line, from its key. */
export function readLine(key: Buffer): OpenLine {
  const order = wholeAt(key, ORDER_AT + 1, key[ORDER_AT] ?? 0);
  return { lane: wholeAt(key, PREFIX_BYTES, LANE_BYTES), rank: wholeAt(key, ORDER_AT - 1, 1), order };
}

export function readOpenLine(key: Buffer): OpenLine {
  return { rank: wholeAt(key, 5, 1), order: wholeAt(key, 6, SEQUENCE_BYTES), lane: wholeAt(key, 11, LANE_BYTES) };
}

const PRIORITY = 7;
const WITH_ID = 8;
const WITH_ATTEMPT = 16;
const WITH_LANE = 32;
const MAX_VALUE_HEAD_BYTES = 1 + SEQUENCE_BYTES + 4 + 4;

/** The parts of an entry that are not in its key. 0 stands for what is not stored. */
export interface EntryValue {
  readonly priority: number;
  readonly id: number;
  /** How many times it was handed out; for an entry in flight, before this time. */
  readonly attempt: number;
  readonly lane: number;
  readonly body: Uint8Array;
}

/** The value of a row: one byte of flags for most entries, and the body. */
export function encodeEntry({ priority, id, attempt, lane, body }: EntryValue): Buffer {
  const bytes = Buffer.allocUnsafe(MAX_VALUE_HEAD_BYTES + body.length);
  bytes[0] = priority | (id > 0 ? WITH_ID : 0) | (attempt > 0 ? WITH_ATTEMPT : 0) | (lane > 0 ? WITH_LANE : 0);
  let at = 1;
  if (id > 0) at = bytes.writeUIntBE(id, at, SEQUENCE_BYTES);
  if (attempt > 0) at = bytes.writeUInt32BE(attempt, at);
  if (lane > 0) at = bytes.writeUInt32BE(lane, at);
  bytes.set(body, at);
  return bytes.subarray(0, at + body.length);
}

/** Reads a value. The body is copied. */
export function decodeEntry(bytes: Buffer): EntryValue {
  const flags = wholeAt(bytes, 0, 1);
  let at = 1;
  const next = (flag: number, length: number) => {
    if ((flags & flag) === 0) return 0;
    at += length;
    return wholeAt(bytes, at - length, length);
  };
  const id = next(WITH_ID, SEQUENCE_BYTES);
  const attempt = next(WITH_ATTEMPT, 4);
  const lane = next(WITH_LANE, 4);
  return { priority: flags & PRIORITY, id, attempt, lane, body: new Uint8Array(bytes.subarray(at)) };
}

function keyOf(host: number, kind: number, more: number): Buffer {
  const key = Buffer.allocUnsafe(PREFIX_BYTES + more);
  key.writeUInt32BE(host, 0);
  key[4] = kind;
  return key;
}

/** How many bytes a whole number up to 2^40 takes. */
function bytesOf(value: number): number {
  let bytes = 1;
  for (let above = 256; above <= value; above *= 256) bytes += 1;
  return bytes;
}
