// The hosts of the memory store by number and by name. One that rests with an entry or none is kept packed, in a few dozen
// bytes; it becomes an object when something happens to it, and is packed again when it rests: at once where it has no entry but
// what has arrived for it, so that of most hosts nothing outlives a lease that the engine would have to collect. A new entry is not something
// that happens where it changes nothing else: it stands behind the host's others (memory-arrivals.ts) until they are looked at.

import type { Entry, HostKey } from '../store.js';
import { AwakeHosts } from './awake-hosts.js';
import { HostNumbers, type KeysByNumber } from './host-numbers.js';
import { HostQueueState } from './host-queue-state.js';
import { BLOCK, countOf, FILL, headOf, MIXED, RUN, SETTLED, STATE, usedOf, WORDS } from './host-row.js';
import { type Arrival, MemoryArrivals } from './memory-arrivals.js';
import {
  canPack,
  freeRun,
  hasPackedKey,
  isPackedParked,
  packedKey,
  packHost,
  packNewHost,
  repackHost,
  unpackHost,
} from './packed-host.js';
import { Slabs } from './slabs.js';

/** Hosts that are awake before one that rests with an entry is packed: most crawls never pack one. That takes five times as long as a claim. */
const RESTING_AWAKE = 131_072;
/** The least that is left of it where there are so many hosts that most will rest for long, and memory counts. */
const RESTING_AWAKE_LEAST = 2_048;
/** Where in its run the end of a key usually is. */
const KEY_NEAR_BYTES = 24;
/** Hosts there is room for at first, and of those that are looked for together. */
const FIRST_HOSTS = 1_024;
const FIRST_FOUND = 256;

/** Numbered in the order they came. */
export class MemoryHosts implements KeysByNumber {
  readonly #numbers = new HostNumbers(this);
  readonly #awake = new AwakeHosts();
  readonly #slabs = new Slabs();
  readonly #arrivals = new MemoryArrivals(this.#slabs);
  readonly #restingAwake: number | null;
  /** What nobody reads would not be fetched. */
  readonly #reached = new Int32Array(1);
  /** Hashes of keys at first, then numbers. */
  #found = new Int32Array(FIRST_FOUND);
  #rows = new Uint32Array(WORDS * FIRST_HOSTS);

  get size(): number {
    return this.#numbers.size;
  }

  /** @param restingAwake - Hosts that rest with an entry and are not packed; `null`: by the number of hosts. */
  constructor(restingAwake: number | null = null) {
    this.#restingAwake = restingAwake;
  }

  /** The key of a number. */
  keyOf(number: number): HostKey {
    const run = this.#rows[WORDS * number + RUN]!;
    return run === 0 ? this.#awake.get(number)!.key : packedKey(this.#slabs, run);
  }

  /** Whether a number is of that key. */
  hasKey(number: number, key: HostKey): boolean {
    const run = this.#rows[WORDS * number + RUN]!;
    return run === 0 ? this.#awake.get(number)?.key === key : hasPackedKey(this.#slabs, run, key);
  }

  /** The number of a host, -1 where there is none. */
  numberOf(key: HostKey): number {
    return this.#numbers.find(key);
  }

  /**
   * The numbers of the hosts of entries, -1 where there is none, looked for together: so the processor fetches what is known of many
   * hosts, and what an entry is written to, at a time, where it would wait for it host by host. Each round needs nothing but what
   * the one before it has brought.
   *
   * @returns One for each entry, and more behind them; it holds until the next call.
   */
  numbersOf(entries: readonly { readonly host: HostKey }[]): Int32Array {
    const count = entries.length;
    if (count > this.#found.length) this.#found = new Int32Array(2 * count);
    const [found, rows] = [this.#found, this.#rows];
    let reached = 0;
    for (let at = 0; at < count; at += 1) found[at] = this.#numbers.hashOf(entries[at]!.host);
    for (let at = 0; at < count; at += 1) reached ^= this.#numbers.firstOf(found[at]!);
    for (let at = 0; at < count; at += 1)
      reached ^= rows[WORDS * Math.max(0, this.#numbers.firstOf(found[at]!)) + RUN]!;
    for (let at = 0; at < count; at += 1) {
      const row = WORDS * Math.max(0, this.#numbers.firstOf(found[at]!));
      const run = rows[row + RUN]!;
      reached ^= this.#slabs.byteAt(run, 0) ^ this.#slabs.byteAt(run, KEY_NEAR_BYTES);
      reached ^= this.#slabs.byteAt(rows[row + BLOCK]!, usedOf(rows[row + FILL]!));
    }
    for (let at = 0; at < count; at += 1) found[at] = this.#numbers.findHashed(entries[at]!.host, found[at]!);
    this.#reached[0] = reached;
    return found;
  }

  /** The host of that key, to be changed. `wanted` as of `wakeUp`. */
  find(key: HostKey, now: number, wanted = Number.POSITIVE_INFINITY): HostQueueState | undefined {
    const number = this.#numbers.find(key);
    return number < 0 ? undefined : this.wakeUp(number, now, wanted);
  }

  /** Makes a host that was not found, awake. */
  create(key: HostKey): HostQueueState {
    return this.keep(new HostQueueState(key, this.#numbers.size));
  }

  /** Makes a host that was not found, with an entry that is ready at once; its number, or -1 where either is too long. */
  createWith(key: HostKey, entry: Arrival): number {
    const run = packNewHost(this.#slabs, key);
    if (run === 0) return -1;
    const number = this.#number(key, run);
    // Where there are many hosts most have one entry: its room counts.
    const hasArrived = this.#arrivals.addFirst(this.#rows, WORDS * number, key, entry);
    if (!hasArrived) this.wakeUp(number, 0).entries.add(entry.lane, entry.priority, entry.body, 0, 0);
    return number;
  }

  /** Adds an entry that is ready at once to a host whose place in the time index it does not change; `false` where that is not known. */
  arrive(number: number, key: HostKey, entry: Arrival, now: number): boolean {
    const row = WORDS * number;
    if ((this.#rows[row + STATE]! & SETTLED) === 0 || this.#rows[row + RUN] === 0) return false;
    if (this.#arrivals.add(this.#rows, row, key, entry)) return true;
    const host = this.wakeUp(number, now);
    // An entry that is too long for a block, or one that finds the block full.
    if (!this.#arrivals.add(this.#rows, row, key, entry)) {
      host.entries.add(entry.lane, entry.priority, entry.body, 0, 0);
    }
    return true;
  }

  /** Whether an entry that is ready at once would change nothing of when the host is due. */
  settle(number: number, isSettled: boolean): void {
    const at = WORDS * number + STATE;
    const state = this.#rows[at]!;
    this.#rows[at] = isSettled ? state | SETTLED : state & ~SETTLED;
  }

  /** Puts in a host whose number is the next, awake. */
  keep(host: HostQueueState): HostQueueState {
    this.#number(host.key, packNewHost(this.#slabs, host.key));
    return this.#wake(host);
  }

  /** Nothing happens to the host for now: it is packed, or another one that has rested longer. */
  rest(host: HostQueueState, now: number): void {
    if (!canPack(host)) return;
    const at = WORDS * host.number + RUN;
    if (host.entries.size === 0 && this.#rows[at] !== 0) {
      // What waits for it, if anything, has arrived and is bytes already: it is not worth an object until its next turn.
      this.#rows[at] = repackHost(this.#slabs, this.#rows[at]!, host);
      this.#awake.remove(host);
      return;
    }
    // Three at a time, so that fewer are awake soon after hosts have become many.
    for (let tries = 0; tries < 3 && this.#awake.size > this.#awakeMost(); tries += 1) this.#packNext(now);
  }

  #packNext(now: number): void {
    const host = this.#awake.nextUnused();
    const run = host === null ? 0 : packHost(this.#slabs, host, now);
    if (host === null || run === 0) return;
    const row = WORDS * host.number;
    const before = this.#rows[row + RUN]!;
    if (before !== 0) freeRun(this.#slabs, before);
    this.#rows[row + RUN] = run;
    this.#awake.remove(host);
  }

  /** Whether the host of a number is parked. */
  isParked(number: number): boolean {
    const awake = this.#awake.get(number);
    return awake === undefined ? isPackedParked(this.#slabs, this.#rows[WORDS * number + RUN]!) : awake.isParked;
  }

  /** The host of a number, to be changed. `wanted`: entries that are asked of it at most; all, unless said. */
  wakeUp(number: number, now: number, wanted = Number.POSITIVE_INFINITY): HostQueueState {
    // The run of one that is awoken stays: its key is compared there.
    const host =
      this.#awake.get(number) ?? this.#wake(unpackHost(this.#slabs, this.#rows[WORDS * number + RUN]!, number, now));
    host.wasUsed = true;
    this.receive(host, wanted);
    return host;
  }

  /**
   * Reaches for what is known of hosts that are about to be woken up: so the processor fetches it for many of them at a time,
   * where it would wait for it host by host. Changes nothing.
   */
  reachFor(numbers: readonly number[]): void {
    const rows = this.#rows;
    let reached = 0;
    // Each round needs nothing but what the one before it has brought.
    for (const number of numbers) reached ^= rows[WORDS * number + RUN]! ^ this.#awake.placeOf(number);
    for (const number of numbers) {
      const row = WORDS * number;
      const head = headOf(rows[row + STATE]!);
      reached ^= this.#slabs.byteAt(rows[row + RUN]!, 0) ^ this.#slabs.byteAt(rows[row + RUN]!, 48);
      reached ^= this.#slabs.byteAt(rows[row + BLOCK]!, head) ^ this.#slabs.byteAt(rows[row + BLOCK]!, head + 56);
    }
    this.#reached[0] = reached;
  }

  /** The host of a number, to be looked at only. */
  view(number: number): HostQueueState {
    const awake = this.#awake.get(number);
    if (awake !== undefined) {
      this.receive(awake, Number.POSITIVE_INFINITY);
      return awake;
    }
    const host = unpackHost(this.#slabs, this.#rows[WORDS * number + RUN]!, number, Number.NEGATIVE_INFINITY);
    this.#receive(host, Number.POSITIVE_INFINITY, false);
    return host;
  }

  /** Entries of a host that it has not received. */
  arrived(number: number): number {
    return countOf(this.#rows[WORDS * number + FILL]!);
  }

  /**
   * What has arrived becomes entries of the host: as many as are asked of it, or all where a later one may have to come first.
   * The rest is behind all others of its priority, and ready.
   */
  receive(host: HostQueueState, wanted: number): void {
    const row = WORDS * host.number;
    if (this.#rows[row + BLOCK] === 0) return;
    const isInOrder = (this.#rows[row + STATE]! & MIXED) === 0 && host.entries.isPlain;
    this.#receive(host, isInOrder ? wanted : Number.POSITIVE_INFINITY, true);
  }

  /** As of the host's entries, with those that have arrived. */
  readyAt(host: HostQueueState, now: number): number | null {
    this.receive(host, 0);
    // What is left there is ready, and no lane is held.
    return this.arrived(host.number) > 0 ? 0 : host.entries.readyAt(now);
  }

  /** Up to `count` entries into hand. */
  take(host: HostQueueState, count: number, now: number): Entry[] {
    const { entries } = host;
    this.receive(host, entries.queued === 0 ? 0 : count);
    const row = WORDS * host.number;
    if (entries.queued > 0 || count <= 0 || this.#rows[row + BLOCK] === 0) return entries.take(count, now);
    // Nothing is to come before them: they need no place in a line.
    const taken: Entry[] = [];
    this.#arrivals.read(this.#rows, row, host.key, count, true, (lane, priority, body) => {
      taken.push(entries.takeNew(lane, priority, body));
    });
    return taken;
  }

  #receive(host: HostQueueState, count: number, forGood: boolean): void {
    const row = WORDS * host.number;
    if (count <= 0 || this.#rows[row + BLOCK] === 0) return;
    const { entries } = host;
    this.#arrivals.read(this.#rows, row, host.key, count, forGood, (lane, priority, body) => {
      entries.add(lane, priority, body, 0, 0);
    });
  }

  #awakeMost(): number {
    if (this.#restingAwake !== null) return this.#restingAwake;
    if (this.size <= RESTING_AWAKE) return RESTING_AWAKE;
    // Twice the hosts, an eighth as many awake.
    return Math.max(RESTING_AWAKE_LEAST, Math.floor((RESTING_AWAKE / this.size) ** 3 * RESTING_AWAKE));
  }

  #wake(host: HostQueueState): HostQueueState {
    this.#awake.add(host);
    return host;
  }

  /** Gives the host its number. */
  #number(key: HostKey, run: number): number {
    const number = this.#numbers.add(key);
    if (WORDS * number >= this.#rows.length) {
      const rows = new Uint32Array(2 * this.#rows.length);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    this.#rows[WORDS * number + RUN] = run;
    return number;
  }
}
