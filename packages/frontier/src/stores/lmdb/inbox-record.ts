// A new entry in the log (`inbox.ts`): what `add` was told, and what it has done to the host.
//
//   host 4 · flags 1 · body length 4 · [ready 8] · [due 8] · [key length 4 · key] · [lane length 4 · lane] · body
//
// A lane that ends with the host's key is written without it.

import type { HostKey } from '../../store.js';

const BAND = 7;
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
  readonly band: number;
  /** 0: at once. */
  readonly readyAt: number;
  /** Where it has put its host in the time index; `null`: it has not. */
  readonly dueAt: number | null;
  readonly body: Uint8Array;
}

/** Octets of a record at most. */
export function recordMostBytes({ key, lane, body }: Arrival): number {
  return HEAD_MOST_BYTES + 3 * ((key?.length ?? 0) + (lane?.length ?? 0)) + body.length;
}

/** Writes a record. `hostKey`: of its host. @returns where the record ends. */
export function writeRecord(octets: Buffer, from: number, arrival: Arrival, hostKey: HostKey): number {
  const { host, key, lane, band, readyAt, dueAt, body } = arrival;
  let flags = band;
  let at = from + HEAD_BYTES;
  if (readyAt > 0) {
    flags |= WITH_READY;
    at = octets.writeDoubleBE(readyAt, at);
  }
  if (dueAt !== null) {
    flags |= WITH_DUE;
    at = octets.writeDoubleBE(dueAt, at);
  }
  if (key !== null) {
    flags |= WITH_KEY;
    at = writeText(octets, key, at);
  }
  if (lane !== null) {
    flags |= WITH_LANE;
    const endsWithKey = lane.endsWith(hostKey);
    if (endsWithKey) flags |= LANE_OF_KEY;
    at = writeText(octets, endsWithKey ? lane.slice(0, lane.length - hostKey.length) : lane, at);
  }
  octets.writeUInt32BE(host, from);
  octets[from + 4] = flags;
  octets.writeUInt32BE(body.length, from + 5);
  octets.set(body, at);
  return at + body.length;
}

/** What a record says of its entry. */
export interface LoggedEntry {
  readonly lane: string | null;
  readonly band: number;
  readonly readyAt: number;
  /** A part of the octets it was read from. */
  readonly body: Uint8Array;
}

/** Reads entries. One per client: most lanes begin as the last one did, and most are the last one. */
export class EntryReader {
  #start = '';
  #startOctets = Buffer.alloc(0);
  #hostKey: HostKey = '';
  #lane = '';

  /** @param hostKey - Of the record's host. */
  read(octets: Buffer, from: number, hostKey: HostKey): LoggedEntry {
    const flags = octets[from + 4]!;
    let at = from + HEAD_BYTES;
    const readyAt = (flags & WITH_READY) === 0 ? 0 : octets.readDoubleBE(at);
    if ((flags & WITH_READY) !== 0) at += 8;
    if ((flags & WITH_DUE) !== 0) at += 8;
    if ((flags & WITH_KEY) !== 0) at += 4 + wordAt(octets, at);
    let lane: string | null = null;
    if ((flags & WITH_LANE) !== 0) {
      const start = at + 4;
      at = start + wordAt(octets, at);
      lane =
        (flags & LANE_OF_KEY) === 0 ? octets.toString('utf8', start, at) : this.#laneOf(octets, start, at, hostKey);
    }
    const body = new Uint8Array(octets.buffer, octets.byteOffset + at, wordAt(octets, from + 5));
    return { lane, band: flags & BAND, readyAt, body };
  }

  #laneOf(octets: Buffer, from: number, to: number, hostKey: HostKey): string {
    const isStart = isAt(this.#startOctets, octets, from, to);
    if (isStart && this.#hostKey === hostKey) return this.#lane;
    if (!isStart) {
      this.#startOctets = Buffer.from(octets.subarray(from, to));
      this.#start = this.#startOctets.toString();
    }
    this.#hostKey = hostKey;
    this.#lane = this.#start + hostKey;
    return this.#lane;
  }
}

function isAt(wanted: Buffer, octets: Buffer, from: number, to: number): boolean {
  if (to - from !== wanted.length) return false;
  for (let at = 0; at < wanted.length; at += 1) if (octets[from + at] !== wanted[at]) return false;
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
export function readHead(octets: Buffer, from: number, into: RecordHead): void {
  const flags = octets[from + 4]!;
  let at = from + HEAD_BYTES;
  if ((flags & WITH_READY) !== 0) at += 8;
  into.dueAt = null;
  if ((flags & WITH_DUE) !== 0) {
    into.dueAt = octets.readDoubleBE(at);
    at += 8;
  }
  into.key = null;
  if ((flags & WITH_KEY) !== 0) {
    const start = at + 4;
    at = start + wordAt(octets, at);
    into.key = octets.toString('utf8', start, at);
  }
  if ((flags & WITH_LANE) !== 0) at += 4 + wordAt(octets, at);
  into.host = wordAt(octets, from);
  into.end = at + wordAt(octets, from + 5);
}

function wordAt(octets: Buffer, at: number): number {
  return ((octets[at]! << 24) | (octets[at + 1]! << 16) | (octets[at + 2]! << 8) | octets[at + 3]!) >>> 0;
}

function writeText(octets: Buffer, text: string, at: number): number {
  const bytes = octets.write(text, at + 4);
  octets.writeUInt32BE(bytes, at);
  return at + 4 + bytes;
}
