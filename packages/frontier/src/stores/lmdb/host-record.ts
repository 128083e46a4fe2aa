// The record of a host in the file. It is written at every turn of the host, and pages are what a transaction pays for: so
// it is short. A first lane that ends with the key is written without it. One byte says which of the rare fields follow, whole numbers are written seven bits to the byte.
//
//   flags  fencingToken nextSequence nextLane queued lineCount foldedTo  key  first lane  only line  hand  the times that there are  state

import type { HandEntry, HostState } from './host-state.js';
import { addToHand, newHostState } from './host-state.js';

const PARKED = 1;
const WITH_STATE = 2;
const LEASED = 4;
const WAITING = 8;
const WITH_HOLDS = 16;
const DUE = 32;
const WITH_NEXT = 64;
const WITH_DELAY = 128;
/** How the first lane is written. */
const NO_LANE = 0;
const LANE = 1;
const LANE_OF_KEY = 2;
/** A whole number of the record takes this much at most. */
const NUMBER_BYTES = 8;
const INSTANT_BYTES = 8;
/** Numbers of the record beside those of its entries in hand, and numbers of each of those. */
const NUMBERS = 17;
const NUMBERS_IN_HAND = 5;
const INSTANTS = 6;

/** Writes records. One per client. */
export class RecordWriter {
  #bytes = Buffer.alloc(1_024);
  #at = 0;

  /** The record. Valid until the next call. */
  encode(host: HostState): Buffer {
    const { hand, state } = host;
    const most =
      1 +
      NUMBER_BYTES * (NUMBERS + NUMBERS_IN_HAND * hand.size) +
      INSTANT_BYTES * INSTANTS +
      3 * (host.key.length + (host.firstLane?.length ?? 0)) +
      (state?.length ?? 0);
    if (most > this.#bytes.length) this.#bytes = Buffer.alloc(2 * most);
    this.#bytes[0] = flagsOf(host);
    this.#at = 1;
    this.#number(host.fencingToken);
    this.#number(host.nextSequence);
    this.#number(host.nextLane);
    this.#number(host.queued);
    this.#number(host.lineCount);
    this.#number(host.foldedTo);
    this.#text(host.key);
    this.#firstLane(host);
    this.#onlyLine(host);
    this.#number(hand.size);
    for (const [id, entry] of hand) this.#inFlight(Number(id), entry);
    if (host.leaseEndsAt !== null) this.#time(host.leaseEndsAt);
    if (Number.isFinite(host.ripensAt)) this.#time(host.ripensAt);
    if (host.holdCount > 0) {
      this.#number(host.holdCount);
      this.#time(host.opensAt);
    }
    if (host.dueAt !== null) {
      this.#number(host.dueHolder);
      this.#time(host.dueAt);
    }
    if (host.nextAt > 0) this.#time(host.nextAt);
    if (host.delayMs > 0) this.#time(host.delayMs);
    if (state !== null) {
      this.#bytes.set(state, this.#at);
      this.#at += state.length;
    }
    return this.#bytes.subarray(0, this.#at);
  }

  #inFlight(id: number, { lane, rank, order, attempt }: HandEntry): void {
    this.#number(order);
    // Most entries are named after their place.
    this.#number(id === order ? 0 : id);
    this.#number(lane);
    this.#number(rank);
    this.#number(attempt);
  }

  #firstLane({ firstLane, key }: HostState): void {
    const endsWithKey = firstLane?.endsWith(key) === true;
    this.#number(firstLane === null ? NO_LANE : endsWithKey ? LANE_OF_KEY : LANE);
    if (firstLane !== null) this.#text(endsWithKey ? firstLane.slice(0, firstLane.length - key.length) : firstLane);
  }

  #onlyLine({ onlyLine }: HostState): void {
    this.#number(onlyLine === null ? 0 : 1);
    if (onlyLine === null) return;
    this.#number(onlyLine.lane);
    this.#number(onlyLine.rank);
    this.#number(onlyLine.order);
  }

  #text(text: string): void {
    this.#number(Buffer.byteLength(text));
    this.#at += this.#bytes.write(text, this.#at);
  }

  #time(value: number): void {
    this.#at = this.#bytes.writeDoubleBE(value, this.#at);
  }

  #number(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }
}

/** Reads a record; nothing of it refers to the bytes. */
export function decodeHost(number: number, bytes: Buffer): HostState {
  const flags = bytes[0] ?? 0;
  let at = 1;
  const whole = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  const time = (flag: number, absent: number) => {
    if ((flags & flag) === 0) return absent;
    at += INSTANT_BYTES;
    return bytes.readDoubleBE(at - INSTANT_BYTES);
  };
  const [fencingToken, nextSequence, nextLane] = [whole(), whole(), whole()];
  const [queued, lineCount, foldedTo] = [whole(), whole(), whole()];
  const text = () => {
    const end = whole() + at;
    const read = bytes.toString('utf8', at, end);
    at = end;
    return read;
  };
  const host = newHostState(number, text());
  const laneForm = whole();
  if (laneForm !== NO_LANE) host.firstLane = text() + (laneForm === LANE_OF_KEY ? host.key : '');
  if (whole() > 0) host.onlyLine = { lane: whole(), rank: whole(), order: whole() };
  for (let count = whole(); count > 0; count -= 1) {
    const [order, id] = [whole(), whole()];
    addToHand(host, String(id === 0 ? order : id), { order, lane: whole(), rank: whole(), attempt: whole() });
  }
  host.fencingToken = fencingToken;
  host.nextSequence = nextSequence;
  host.nextLane = nextLane;
  host.queued = queued;
  host.lineCount = lineCount;
  host.foldedTo = foldedTo;
  host.isKept = true;
  host.isParked = (flags & PARKED) !== 0;
  host.leaseEndsAt = (flags & LEASED) === 0 ? null : time(LEASED, 0);
  host.ripensAt = time(WAITING, Number.POSITIVE_INFINITY);
  host.holdCount = (flags & WITH_HOLDS) === 0 ? 0 : whole();
  host.opensAt = time(WITH_HOLDS, Number.POSITIVE_INFINITY);
  host.dueHolder = (flags & DUE) === 0 ? 0 : whole();
  host.dueAt = (flags & DUE) === 0 ? null : time(DUE, 0);
  host.indexedAt = host.dueAt;
  host.indexedHolder = host.dueHolder;
  host.nextAt = time(WITH_NEXT, 0);
  host.delayMs = time(WITH_DELAY, 0);
  host.state = (flags & WITH_STATE) === 0 ? null : new Uint8Array(bytes.subarray(at));
  return host;
}

function flagsOf(host: HostState): number {
  return (
    (host.isParked ? PARKED : 0) |
    (host.state === null ? 0 : WITH_STATE) |
    (host.leaseEndsAt === null ? 0 : LEASED) |
    (Number.isFinite(host.ripensAt) ? WAITING : 0) |
    (host.holdCount > 0 ? WITH_HOLDS : 0) |
    (host.dueAt === null ? 0 : DUE) |
    (host.nextAt > 0 ? WITH_NEXT : 0) |
    (host.delayMs > 0 ? WITH_DELAY : 0)
  );
}
