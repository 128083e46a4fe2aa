// A host queue that rests (no lease, no lane held, one entry or none) as a run of octets: most hosts of a large crawl rest
// most of the time, and as objects they would cost some two kilobytes each.
//
//   length 2 · flags 1 · key length 1 · key
//   [nextAt 8 · delayMs 8 · epoch 6 · nextId 6 · state length 2 · state]        unless nobody has asked it yet
//   [id 6 · attempt 4 · band 1 · [readyAt 8] · lane length 2 · lane · place 2 · body]
//
// A lane that ends with the host's key is written without it. Where the body has the lane in it, as the body of a URL
// has, it is left out there and its place noted.

import type { HostKey } from '../store.js';
import { HostEntries, type SavedEntries } from './host-entries.js';
import { type HostQueueState, newHostQueue } from './host-queue-state.js';
import { LONGEST_RUN, offsetOf, type Slabs } from './slabs.js';

/** Entries a packed host may hold. */
const ENTRIES_PACKED = 1;
const KEY_MOST_BYTES = 255;
const NO_PLACE = 0xffff;
/** Octets of everything that has a fixed length, and some to spare. */
const HEAD_MOST_BYTES = 64;

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
type Numbers = Pick<HostQueueState, 'nextAt' | 'delayMs' | 'epoch' | 'isParked' | 'state'> & {
  readonly nextId: number;
};

const FRESH_NUMBERS: Numbers = { nextAt: 0, delayMs: 0, epoch: 0, isParked: false, state: null, nextId: 1 };

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
  const { nextAt, delayMs, epoch, isParked, state } = host;
  return pack(slabs, host.key, { nextAt, delayMs, epoch, isParked, state, nextId }, entries[0], 0, now);
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

/** The host of a run. What is handed out is its own: the run may be given back. */
export function unpackHost(slabs: Slabs, address: number, number: number, now: number): HostQueueState {
  const slab = slabs.slabOf(address);
  const start = offsetOf(address);
  const end = start + slab.readUInt16BE(start);
  const flags = slab[start + 2]!;
  const key = packedKey(slabs, address);
  if ((flags & FRESH) !== 0) return newHostQueue(key, number);
  let at = start + 4 + slab[start + 3]!;
  const step = (bytes: number) => {
    at += bytes;
    return at - bytes;
  };
  const whole = (bytes: number) => slab.readUIntBE(step(bytes), bytes);
  const double = () => slab.readDoubleBE(step(8));
  const octets = (bytes: number) => new Uint8Array(slab.subarray(step(bytes), at));
  const text = (bytes: number) => slab.toString('utf8', step(bytes), at);
  const numbers: Numbers = {
    nextAt: double(),
    delayMs: double(),
    epoch: whole(6),
    isParked: (flags & PARKED) !== 0,
    nextId: whole(6),
    state: (flags & WITH_STATE) === 0 ? null : octets(whole(2)),
  };
  const entries: SavedEntry[] = [];
  if ((flags & WITH_ENTRY) !== 0) {
    const id = whole(6);
    const attempt = whole(4);
    const band = whole(1);
    const readyAt = (flags & WAITING) === 0 ? 0 : double();
    const written = text(whole(2));
    const lane = (flags & WITH_LANE) === 0 ? null : written + ((flags & LANE_OF_KEY) === 0 ? '' : key);
    const place = whole(2);
    const isInFront = (flags & IN_FRONT) !== 0;
    const body = bodyWith(slab.subarray(at, end), place, lane ?? '');
    entries.push({ id, attempt, band, readyAt, lane, body, isInFront });
  }
  const { nextId, nextAt, delayMs, epoch, isParked, state } = numbers;
  const host = newHostQueue(key, number, HostEntries.restore({ nextId, entries, holds: [] }, now));
  host.nextAt = nextAt;
  host.delayMs = delayMs;
  host.epoch = epoch;
  host.isParked = isParked;
  host.state = state;
  return host;
}

function pack(
  slabs: Slabs,
  key: HostKey,
  { nextAt, delayMs, epoch, isParked, state, nextId }: Numbers,
  entry: SavedEntry | undefined,
  fresh: number,
  now: number,
): number {
  const { draft } = slabs;
  const lane = entry?.lane ?? '';
  const most = 3 * (key.length + lane.length) + (state?.length ?? 0) + (entry?.body.length ?? 0) + HEAD_MOST_BYTES;
  if (most > LONGEST_RUN || Buffer.byteLength(key) > KEY_MOST_BYTES) return 0;
  let at = 4 + draft.write(key, 4);
  draft[3] = at - 4;
  let flags = fresh;
  if (fresh === 0) {
    at = draft.writeDoubleBE(nextAt, at);
    at = draft.writeDoubleBE(delayMs, at);
    at = draft.writeUIntBE(epoch, at, 6);
    at = draft.writeUIntBE(nextId, at, 6);
    if (isParked) flags |= PARKED;
    if (state !== null) {
      flags |= WITH_STATE;
      at = draft.writeUInt16BE(state.length, at);
      draft.set(state, at);
      at += state.length;
    }
  }
  if (entry !== undefined) {
    flags |= WITH_ENTRY;
    if (entry.isInFront) flags |= IN_FRONT;
    at = draft.writeUIntBE(entry.id, at, 6);
    at = draft.writeUInt32BE(entry.attempt, at);
    at = draft.writeUInt8(entry.band, at);
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
  draft.writeUInt16BE(at, 0);
  draft[2] = flags;
  const address = slabs.take(at);
  draft.copy(slabs.slabOf(address), offsetOf(address), 0, at);
  return address;
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

/** The body whose lane was left out. */
export function bodyWith(written: Uint8Array, place: number, lane: string): Uint8Array {
  if (place === NO_PLACE) return new Uint8Array(written);
  const between = Buffer.from(lane);
  const body = new Uint8Array(written.length + between.length);
  body.set(written.subarray(0, place));
  body.set(between, place);
  body.set(written.subarray(place), place + between.length);
  return body;
}
