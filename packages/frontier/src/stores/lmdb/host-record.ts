// The record of a host in the file. It is written at every turn of the host, and pages are what a transaction pays for: so
// it is short. A first lane that ends with the key is written without it. One octet says which of the rare fields follow, whole numbers are written seven bits to the octet.
//
//   flags  epoch nextSequence nextLane queued lineCount foldedTo  key  first lane  only line  hand  the instants that there are  state

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
  #octets = Buffer.alloc(1_024);
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
    if (most > this.#octets.length) this.#octets = Buffer.alloc(2 * most);
    this.#octets[0] = flagsOf(host);
    this.#at = 1;
    this.#number(host.epoch);
    this.#number(host.nextSequence);
    this.#number(host.nextLane);
    this.#number(host.queued);
    this.#number(host.lineCount);
    this.#number(host.foldedTo);
    this.#text(host.key);
    this.#firstLane(host);
    this.#onlyLine(host);
    this.#number(hand.size);
    for (const [id, entry] of hand) this.#inHand(Number(id), entry);
    if (host.leaseEndsAt !== null) this.#instant(host.leaseEndsAt);
    if (Number.isFinite(host.ripensAt)) this.#instant(host.ripensAt);
    if (host.holdCount > 0) {
      this.#number(host.holdCount);
      this.#instant(host.opensAt);
    }
    if (host.dueAt !== null) {
      this.#number(host.dueHolder);
      this.#instant(host.dueAt);
    }
    if (host.nextAt > 0) this.#instant(host.nextAt);
    if (host.delayMs > 0) this.#instant(host.delayMs);
    if (state !== null) {
      this.#octets.set(state, this.#at);
      this.#at += state.length;
    }
    return this.#octets.subarray(0, this.#at);
  }

  #inHand(id: number, { lane, rank, order, attempt }: HandEntry): void {
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
    this.#at += this.#octets.write(text, this.#at);
  }

  #instant(value: number): void {
    this.#at = this.#octets.writeDoubleBE(value, this.#at);
  }

  #number(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#octets[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#octets[this.#at++] = rest;
  }
}

/** Reads a record; nothing of it refers to the octets. */
export function decodeHost(number: number, octets: Buffer): HostState {
  const flags = octets[0] ?? 0;
  let at = 1;
  const whole = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const octet = octets[at++] ?? 0;
      value += (octet & 127) * unit;
      if (octet < 128) return value;
    }
  };
  const instant = (flag: number, absent: number) => {
    if ((flags & flag) === 0) return absent;
    at += INSTANT_BYTES;
    return octets.readDoubleBE(at - INSTANT_BYTES);
  };
  const [epoch, nextSequence, nextLane] = [whole(), whole(), whole()];
  const [queued, lineCount, foldedTo] = [whole(), whole(), whole()];
  const text = () => {
    const end = whole() + at;
    const read = octets.toString('utf8', at, end);
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
  host.epoch = epoch;
  host.nextSequence = nextSequence;
  host.nextLane = nextLane;
  host.queued = queued;
  host.lineCount = lineCount;
  host.foldedTo = foldedTo;
  host.isKept = true;
  host.isParked = (flags & PARKED) !== 0;
  host.leaseEndsAt = (flags & LEASED) === 0 ? null : instant(LEASED, 0);
  host.ripensAt = instant(WAITING, Number.POSITIVE_INFINITY);
  host.holdCount = (flags & WITH_HOLDS) === 0 ? 0 : whole();
  host.opensAt = instant(WITH_HOLDS, Number.POSITIVE_INFINITY);
  host.dueHolder = (flags & DUE) === 0 ? 0 : whole();
  host.dueAt = (flags & DUE) === 0 ? null : instant(DUE, 0);
  host.indexedAt = host.dueAt;
  host.indexedHolder = host.dueHolder;
  host.nextAt = instant(WITH_NEXT, 0);
  host.delayMs = instant(WITH_DELAY, 0);
  host.state = (flags & WITH_STATE) === 0 ? null : new Uint8Array(octets.subarray(at));
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
