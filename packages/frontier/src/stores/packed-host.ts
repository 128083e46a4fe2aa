// A host queue that rests (no lease, no lane held, one entry or none) as a run of bytes: most hosts of a large crawl rest
// most of the time, and as objects they would cost some two kilobytes each.
//
//   length 2 · flags 1 · key length 1 · key
//   [nextAt 8 · delayMs 8 · fencingToken 6 · nextId 6 · state length 2 · state]        unless nobody has asked it yet
//   [id 6 · attempt 4 · priority 1 · [readyAt 8] · lane length 2 · lane · place 2 · body]
//
// A lane that ends with the host's key is written without it. Where the body has the lane in it, as the body of a URL
// has, it is left out there and its place noted.

import type { HostKey } from '../store.js';
import { HostEntries, type SavedEntries } from './host-entries.js';
import { HostQueueState } from './host-queue-state.js';
import { LONGEST_RUN, offsetOf, type Slabs, unitsOf } from './slabs.js';

/** Entries a packed host may hold. */
const ENTRIES_PACKED = 1;
const KEY_MOST_BYTES = 255;
const NO_PLACE = 0xffff;
/** Bytes of everything that has a fixed length, and some to spare. */
const HEAD_MOST_BYTES = 64;
/** Of a host that was asked, with nothing else. */
const NUMBERS_BYTES = 28;

const PARKED = 1;
const WITH_STATE = 2;
const WITH_ENTRY = 4;
const WITH_LANE = 8;
const IN_FRONT = 16;
const LANE_OF_KEY = 32;
const WAITING = 64;
/** The host is new: it has its key and nothing else. */
const FRESH = 128;

type SavedEntry = SavedEntries['entries'][number];
type Numbers = Pick<HostQueueState, 'nextAt' | 'delayMs' | 'fencingToken' | 'isParked' | 'state'> & {
  readonly nextId: number;
};

const FRESH_NUMBERS: Numbers = { nextAt: 0, delayMs: 0, fencingToken: 0, isParked: false, state: null, nextId: 1 };

/** Whether a host rests: what is long may still not fit. Never throws. */
export function canPack(host: HostQueueState): boolean {
  return host.leaseEndsAt === null && host.entries.size <= ENTRIES_PACKED && !host.entries.hasHolds;
}

/**
 * Packs a host that rests.
 *
 * @returns The address of its run; 0 when it cannot be packed: it is leased, holds too much, or a lane of it is held.
 */
export function packHost(slabs: Slabs, host: HostQueueState, now: number): number {
  if (!canPack(host)) return 0;
  const { nextId, entries } = host.entries.save(now);
  const { nextAt, delayMs, fencingToken, isParked, state } = host;
  return pack(slabs, host.key, { nextAt, delayMs, fencingToken, isParked, state, nextId }, entries[0], 0, now);
}

/**
 * Writes a host that rests with no entry over the run it came from, or, where that is too short or too long for it, into another.
 * This is what most hosts of a large crawl are between two turns: it is quick.
 *
 * @param address - Of its run; that is given back where it is not the answer.
 */
export function repackHost(slabs: Slabs, address: number, host: HostQueueState): number {
  const { state } = host;
  let slab = slabs.slabOf(address);
  let start = offsetOf(address);
  let run = address;
  const keyEnd = 4 + slab[start + 3]!;
  const before = readLength(slab, start);
  const length = keyEnd + NUMBERS_BYTES + (state === null ? 0 : 2 + state.length);
  if (unitsOf(length) !== unitsOf(before)) {
    run = slabs.take(length);
    const [to, at] = [slabs.slabOf(run), offsetOf(run)];
    for (let byte = 3; byte < keyEnd; byte += 1) to[at + byte] = slab[start + byte]!;
    slabs.give(address, before);
    slab = to;
    start = at;
  }
  writeNumbers(slab, start + keyEnd, host, host.entries.nextId);
  writeHead(slab, start, length, (host.isParked ? PARKED : 0) | (state === null ? 0 : WITH_STATE));
  return run;
}

/** Packs a host that nobody has asked yet and that has nothing. @returns 0 when it does not fit. */
export function packNewHost(slabs: Slabs, key: HostKey): number {
  return pack(slabs, key, FRESH_NUMBERS, undefined, FRESH, 0);
}

/** Gives the run of a host back that is packed no more. */
export function freeRun(slabs: Slabs, address: number): void {
  slabs.give(address, slabs.slabOf(address).readUInt16BE(offsetOf(address)));
}

/** The key of a packed host. */
export function packedKey(slabs: Slabs, address: number): HostKey {
  const slab = slabs.slabOf(address);
  const at = offsetOf(address);
  return slab.toString('utf8', at + 4, at + 4 + slab[at + 3]!);
}

/** Whether a packed host has that key. */
export function hasPackedKey(slabs: Slabs, address: number, key: HostKey): boolean {
  const slab = slabs.slabOf(address);
  const at = offsetOf(address);
  const length = slab[at + 3]!;
  if (length < key.length) return false;
  for (let char = 0; char < key.length; char += 1) {
    const code = key.charCodeAt(char);
    if (code > 0x7f) return packedKey(slabs, address) === key;
    if (slab[at + 4 + char] !== code) return false;
  }
  return length === key.length;
}

/** Whether a packed host is parked. */
export function isPackedParked(slabs: Slabs, address: number): boolean {
  return (slabs.slabOf(address)[offsetOf(address) + 2]! & PARKED) !== 0;
}

/** The host of a run. What is handed out is its own: the run may be given back. */
export function unpackHost(slabs: Slabs, address: number, number: number, now: number): HostQueueState {
  const slab = slabs.slabOf(address);
  const plain = slabs.plainOf(address);
  const start = offsetOf(address);
  const flags = slab[start + 2]!;
  const key = packedKey(slabs, address);
  if ((flags & FRESH) !== 0) return new HostQueueState(key, number);
  let at = start + 4 + slab[start + 3]!;
  const numbersAt = at;
  const nextId = readWhole(slab, at + 22);
  at += NUMBERS_BYTES;
  let state: Uint8Array | null = null;
  if ((flags & WITH_STATE) !== 0) {
    const end = at + 2 + readLength(slab, at);
    state = plain.slice(at + 2, end);
    at = end;
  }
  let entries: HostEntries;
  if ((flags & WITH_ENTRY) === 0) entries = new HostEntries(nextId);
  else {
    const entry = unpackEntry(slab, plain, at, start + readLength(slab, start), flags, key);
    entries = HostEntries.restore({ nextId, entries: [entry], holds: [] }, now);
  }
  const host = new HostQueueState(key, number, entries);
  host.nextAt = slab.readDoubleBE(numbersAt);
  host.delayMs = slab.readDoubleBE(numbersAt + 8);
  host.fencingToken = readWhole(slab, numbersAt + 16);
  host.isParked = (flags & PARKED) !== 0;
  host.state = state;
  return host;
}

function unpackEntry(
  slab: Buffer,
  plain: Uint8Array,
  from: number,
  end: number,
  flags: number,
  key: HostKey,
): SavedEntry {
  const id = readWhole(slab, from);
  const attempt = slab.readUInt32BE(from + 6);
  const priority = slab[from + 10]!;
  const isWaiting = (flags & WAITING) !== 0;
  const readyAt = isWaiting ? slab.readDoubleBE(from + 11) : 0;
  const at = from + (isWaiting ? 19 : 11);
  const laneEnd = at + 2 + readLength(slab, at);
  const written = slab.toString('utf8', at + 2, laneEnd);
  const lane = (flags & WITH_LANE) === 0 ? null : written + ((flags & LANE_OF_KEY) === 0 ? '' : key);
  const body = readBody(plain, laneEnd, end, lane ?? '');
  return { id, attempt, priority, readyAt, lane, body, isInFront: (flags & IN_FRONT) !== 0 };
}

function pack(
  slabs: Slabs,
  key: HostKey,
  numbers: Numbers,
  entry: SavedEntry | undefined,
  fresh: number,
  now: number,
): number {
  const { draft } = slabs;
  const { state } = numbers;
  const lane = entry?.lane ?? '';
  const most = 3 * (key.length + lane.length) + (state?.length ?? 0) + (entry?.body.length ?? 0) + HEAD_MOST_BYTES;
  if (most > LONGEST_RUN || Buffer.byteLength(key) > KEY_MOST_BYTES) return 0;
  let at = 4 + draft.write(key, 4);
  draft[3] = at - 4;
  let flags = fresh;
  if (fresh === 0) {
    at = writeNumbers(draft, at, numbers, numbers.nextId);
    if (numbers.isParked) flags |= PARKED;
    if (state !== null) flags |= WITH_STATE;
  }
  if (entry !== undefined) {
    flags |= WITH_ENTRY;
    if (entry.isInFront) flags |= IN_FRONT;
    writeWhole(draft, entry.id, at);
    at = draft.writeUInt32BE(entry.attempt, at + 6);
    at = draft.writeUInt8(entry.priority, at);
    if (entry.readyAt > now) {
      flags |= WAITING;
      at = draft.writeDoubleBE(entry.readyAt, at);
    }
    const endsWithKey = lane.endsWith(key);
    if (entry.lane !== null) flags |= WITH_LANE;
    if (endsWithKey) flags |= LANE_OF_KEY;
    const length = draft.write(endsWithKey ? lane.slice(0, lane.length - key.length) : lane, at + 2);
    draft.writeUInt16BE(length, at);
    at += 2 + length;
    at = writeBody(draft, entry.body, lane, at);
  }
  writeHead(draft, 0, at, flags);
  const address = slabs.take(at);
  draft.copy(slabs.slabOf(address), offsetOf(address), 0, at);
  return address;
}

function writeHead(bytes: Buffer, at: number, length: number, flags: number): void {
  bytes[at] = length >>> 8;
  bytes[at + 1] = length;
  bytes[at + 2] = flags;
}

function readLength(bytes: Buffer, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

/** Writes a whole number of 48 bits. */
function writeWhole(bytes: Buffer, value: number, at: number): void {
  const high = Math.floor(value / 2 ** 32);
  bytes[at] = high >>> 8;
  bytes[at + 1] = high;
  bytes[at + 2] = value >>> 24;
  bytes[at + 3] = value >>> 16;
  bytes[at + 4] = value >>> 8;
  bytes[at + 5] = value;
}

/** Nearly all are small: as such the engine keeps them in place, and its code for objects that hold them. */
function readWhole(bytes: Buffer, at: number): number {
  const high = readLength(bytes, at);
  const low = (bytes[at + 2]! << 24) | (bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!;
  return high === 0 && low >= 0 ? low : high * 2 ** 32 + (low >>> 0);
}

/** Everything of a host but its key and its entry. @returns Where it ends. */
function writeNumbers(bytes: Buffer, from: number, host: Omit<Numbers, 'nextId'>, nextId: number): number {
  bytes.writeDoubleBE(host.nextAt, from);
  bytes.writeDoubleBE(host.delayMs, from + 8);
  writeWhole(bytes, host.fencingToken, from + 16);
  writeWhole(bytes, nextId, from + 22);
  const at = from + NUMBERS_BYTES;
  const { state } = host;
  if (state === null) return at;
  bytes.writeUInt16BE(state.length, at);
  bytes.set(state, at + 2);
  return at + 2 + state.length;
}

/** The body without the first lane in it. @returns Where it ends. */
export function writeBody(draft: Buffer, body: Uint8Array, lane: string, from: number): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const found = lane === '' ? -1 : bytes.indexOf(lane);
  const place = found < 0 || found >= NO_PLACE ? NO_PLACE : found;
  const at = draft.writeUInt16BE(place, from);
  if (place === NO_PLACE) return at + bytes.copy(draft, at);
  const after = at + bytes.copy(draft, at, 0, place);
  return after + bytes.copy(draft, after, place + Buffer.byteLength(lane));
}

/** The body that was so written, its lane in it again: its own bytes, where `bytes` is no `Buffer`. */
export function readBody(bytes: Uint8Array, from: number, end: number, lane: string): Uint8Array {
  const place = (bytes[from]! << 8) | bytes[from + 1]!;
  const start = from + 2;
  if (place === NO_PLACE) return bytes.slice(start, end);
  const between = Buffer.from(lane);
  const body = new Uint8Array(end - start + between.length);
  body.set(bytes.subarray(start, start + place));
  body.set(between, place);
  body.set(bytes.subarray(start + place, end), place + between.length);
  return body;
}
