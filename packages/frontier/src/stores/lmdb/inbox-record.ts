// A new entry in the log (`inbox.ts`): what `add` was told, and what it has done to the host.
//
//   host 4 · flags 1 · body length 4 · [ready 8] · [due 8] · [key length 4 · key] · [lane length 4 · lane] · body
//
// A lane that ends with the host's key is written without it.

import type { HostKey } from '../../store.js';

const PRIORITY = 7;
const WITH_READY = 8;
const WITH_DUE = 16;
const WITH_KEY = 32;
const WITH_LANE = 64;
const LANE_OF_KEY = 128;
const HEAD_BYTES = 9;
/** Everything that has a fixed length. */
const HEAD_MOST_BYTES = HEAD_BYTES + 24;

/** An entry of the log. */
export interface Arrival {
  readonly host: number;
  /** Where the host has no row and none before it named the host. */
  readonly key: HostKey | null;
  readonly lane: string | null;
  readonly priority: number;
  /** 0: at once. */
  readonly readyAt: number;
  /** Where it has put its host in the time index; `null`: it has not. */
  readonly dueAt: number | null;
  readonly body: Uint8Array;
}

/** Bytes of a record at most. */
export function recordMostBytes({ key, lane, body }: Arrival): number {
  return HEAD_MOST_BYTES + 3 * ((key?.length ?? 0) + (lane?.length ?? 0)) + body.length;
}

/** Writes a record. `hostKey`: of its host. @returns where the record ends. */
export function writeRecord(bytes: Buffer, from: number, arrival: Arrival, hostKey: HostKey): number {
  const { host, key, lane, priority, readyAt, dueAt, body } = arrival;
  let flags = priority;
  let at = from + HEAD_BYTES;
  if (readyAt > 0) {
    flags |= WITH_READY;
    at = bytes.writeDoubleBE(readyAt, at);
  }
  if (dueAt !== null) {
    flags |= WITH_DUE;
    at = bytes.writeDoubleBE(dueAt, at);
  }
  if (key !== null) {
    flags |= WITH_KEY;
    at = writeText(bytes, key, at);
  }
  if (lane !== null) {
    flags |= WITH_LANE;
    const endsWithKey = lane.endsWith(hostKey);
    if (endsWithKey) flags |= LANE_OF_KEY;
    at = writeText(bytes, endsWithKey ? lane.slice(0, lane.length - hostKey.length) : lane, at);
  }
  bytes.writeUInt32BE(host, from);
  bytes[from + 4] = flags;
  bytes.writeUInt32BE(body.length, from + 5);
  bytes.set(body, at);
  return at + body.length;
}

/** What a record says of its entry. */
export interface LoggedEntry {
  readonly lane: string | null;
  readonly priority: number;
  readonly readyAt: number;
  /** A part of the bytes it was read from. */
  readonly body: Uint8Array;
}

/** Reads entries. One per client: most lanes begin as the last one did, and most are the last one. */
export class EntryReader {
  #start = '';
  #startBytes = Buffer.alloc(0);
  #hostKey: HostKey = '';
  #lane = '';

  /** @param hostKey - Of the record's host. */
  read(bytes: Buffer, from: number, hostKey: HostKey): LoggedEntry {
    const flags = bytes[from + 4]!;
    let at = from + HEAD_BYTES;
    const readyAt = (flags & WITH_READY) === 0 ? 0 : bytes.readDoubleBE(at);
    if ((flags & WITH_READY) !== 0) at += 8;
    if ((flags & WITH_DUE) !== 0) at += 8;
    if ((flags & WITH_KEY) !== 0) at += 4 + wordAt(bytes, at);
    let lane: string | null = null;
    if ((flags & WITH_LANE) !== 0) {
      const start = at + 4;
      at = start + wordAt(bytes, at);
      lane = (flags & LANE_OF_KEY) === 0 ? bytes.toString('utf8', start, at) : this.#laneOf(bytes, start, at, hostKey);
    }
    const body = new Uint8Array(bytes.buffer, bytes.byteOffset + at, wordAt(bytes, from + 5));
    return { lane, priority: flags & PRIORITY, readyAt, body };
  }

  #laneOf(bytes: Buffer, from: number, to: number, hostKey: HostKey): string {
    const isStart = isAt(this.#startBytes, bytes, from, to);
    if (isStart && this.#hostKey === hostKey) return this.#lane;
    if (!isStart) {
      this.#startBytes = Buffer.from(bytes.subarray(from, to));
      this.#start = this.#startBytes.toString();
    }
    this.#hostKey = hostKey;
    this.#lane = this.#start + hostKey;
    return this.#lane;
  }
}

function isAt(wanted: Buffer, bytes: Buffer, from: number, to: number): boolean {
  if (to - from !== wanted.length) return false;
  for (let at = 0; at < wanted.length; at += 1) if (bytes[from + at] !== wanted[at]) return false;
  return true;
}

/** What a record says of its host, and where it ends. */
export interface RecordHead {
  host: number;
  key: HostKey | null;
  dueAt: number | null;
  end: number;
}

/** Reads that alone, into an object that can be used again: a store that is opened reads some hundred thousand. */
export function readHead(bytes: Buffer, from: number, into: RecordHead): void {
  const flags = bytes[from + 4]!;
  let at = from + HEAD_BYTES;
  if ((flags & WITH_READY) !== 0) at += 8;
  into.dueAt = null;
  if ((flags & WITH_DUE) !== 0) {
    into.dueAt = bytes.readDoubleBE(at);
    at += 8;
  }
  into.key = null;
  if ((flags & WITH_KEY) !== 0) {
    const start = at + 4;
    at = start + wordAt(bytes, at);
    into.key = bytes.toString('utf8', start, at);
  }
  if ((flags & WITH_LANE) !== 0) at += 4 + wordAt(bytes, at);
  into.host = wordAt(bytes, from);
  into.end = at + wordAt(bytes, from + 5);
}

function wordAt(bytes: Buffer, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function writeText(bytes: Buffer, text: string, at: number): number {
  const length = bytes.write(text, at + 4);
  bytes.writeUInt32BE(length, at);
  return at + 4 + length;
}
