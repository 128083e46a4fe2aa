// The hosts of the memory store by number and by name. One that rests with an entry or none is kept packed, in a few dozen
// octets; it becomes an object when something happens to it, and is packed again when it rests.

import type { HostKey } from '../store.js';
import type { SavedEntries } from './host-entries.js';
import { HostNumbers } from './host-numbers.js';
import { type HostQueueState, newHostQueue } from './host-queue-state.js';
import { canPack, freeRun, hasPackedKey, packedKey, packHost, packNewHost, unpackHost } from './packed-host.js';
import { Slabs } from './slabs.js';

/** Hosts that rest and are not packed yet: most crawls never pack one. Measured: a claim costs a fifth where none is packed. */
const RESTING_AWAKE = 131_072;
/** Hosts that rest, above which a new one is packed at once: it is as it is until it is asked. */
const RESTING_FRESH = 12_288;
/** The least that is left of it where there are so many hosts that most will rest for long, and memory counts. */
const RESTING_AWAKE_LEAST = 2_048;
/** Hosts there is room for at first. */
const FIRST_HOSTS = 1_024;

/** Numbered in the order they came. */
export class MemoryHosts {
  readonly #numbers = new HostNumbers({
    keyOf: (number) => this.#awake.get(number)?.key ?? packedKey(this.#slabs, this.#packed[number]!),
    hasKey: (number, key) => this.#hasKey(number, key),
  });
  readonly #awake = new Map<number, HostQueueState>();
  /** The same by key: found by the hash that the engine keeps with a string. */
  readonly #awakeByKey = new Map<HostKey, HostQueueState>();
  /** Those awake that rest, by number, the one resting longest first. */
  readonly #resting = new Set<number>();
  readonly #slabs = new Slabs();
  readonly #restingAwake: number | null;
  /** By number: where a packed host is, 0 for one that is awake. */
  #packed = new Uint32Array(FIRST_HOSTS);

  get size(): number {
    return this.#numbers.size;
  }

  /** @param restingAwake - Hosts that rest and are not packed; `null`: by the number of hosts. */
  constructor(restingAwake: number | null = null) {
    this.#restingAwake = restingAwake;
  }

  /** The number of a host, -1 where there is none. */
  numberOf(key: HostKey): number {
    return this.#awakeByKey.get(key)?.number ?? this.#numbers.find(key);
  }

  /** The host of that key, to be changed. */
  find(key: HostKey, now: number): HostQueueState | undefined {
    const awake = this.#awakeByKey.get(key);
    if (awake !== undefined) return this.#used(awake);
    const number = this.#numbers.find(key);
    return number < 0 ? undefined : this.wakeUp(number, now);
  }

  /** Makes a host that was not found, awake. */
  create(key: HostKey): HostQueueState {
    return this.keep(newHostQueue(key, this.#numbers.size));
  }

  /** Makes a host that was not found, packed, with its one entry; its number, or -1 when it cannot or need not be packed. */
  createPacked(
    key: HostKey,
    entry: Pick<SavedEntries['entries'][number], 'lane' | 'band' | 'body' | 'readyAt'>,
    now: number,
  ): number {
    if (this.#resting.size < Math.min(RESTING_FRESH, this.#awakeMost())) return -1;
    this.#packSome(now);
    const address = packNewHost(this.#slabs, key, entry, now);
    return address > 0 ? this.#number(key, address) : -1;
  }

  /** Puts in a host whose number is the next, awake. */
  keep(host: HostQueueState): HostQueueState {
    this.#number(host.key, 0);
    return this.#wake(host);
  }

  /** Nothing happens to the host for now: it is packed, or another one that has rested longer. */
  rest(host: HostQueueState, now: number): void {
    if (!canPack(host)) return;
    this.#resting.add(host.number);
    this.#packSome(now);
  }

  /** Packs those that have rested longest: three at a time, so that fewer are awake soon after hosts have become many. */
  #packSome(now: number): void {
    for (let tries = 0; tries < 3 && this.#resting.size > this.#awakeMost(); tries += 1) {
      const [longest] = this.#resting;
      if (longest === undefined) return;
      this.#resting.delete(longest);
      const host = this.#awake.get(longest)!;
      const address = packHost(this.#slabs, host, now);
      if (address === 0) continue;
      this.#packed[longest] = address;
      this.#awake.delete(longest);
      this.#awakeByKey.delete(host.key);
    }
  }

  /** The host of a number, to be changed. */
  wakeUp(number: number, now: number): HostQueueState {
    const awake = this.#awake.get(number);
    if (awake !== undefined) return this.#used(awake);
    const address = this.#packed[number]!;
    const host = unpackHost(this.#slabs, address, number, now);
    freeRun(this.#slabs, address);
    this.#packed[number] = 0;
    return this.#wake(host);
  }

  /** The host of a number, to be looked at only. */
  view(number: number): HostQueueState {
    return this.#awake.get(number) ?? unpackHost(this.#slabs, this.#packed[number]!, number, Number.NEGATIVE_INFINITY);
  }

  #awakeMost(): number {
    if (this.#restingAwake !== null) return this.#restingAwake;
    if (this.size <= RESTING_AWAKE) return RESTING_AWAKE;
    // Twice the hosts, an eighth as many awake.
    return Math.max(RESTING_AWAKE_LEAST, Math.floor((RESTING_AWAKE / this.size) ** 3 * RESTING_AWAKE));
  }

  /** Something happens to it: it does not rest. */
  #used(host: HostQueueState): HostQueueState {
    if (this.#resting.size > 0) this.#resting.delete(host.number);
    return host;
  }

  #wake(host: HostQueueState): HostQueueState {
    this.#awake.set(host.number, host);
    this.#awakeByKey.set(host.key, host);
    return host;
  }

  #hasKey(number: number, key: HostKey): boolean {
    const address = this.#packed[number]!;
    return address === 0 ? this.#awake.get(number)?.key === key : hasPackedKey(this.#slabs, address, key);
  }

  /** Gives the host its number. */
  #number(key: HostKey, address: number): number {
    const number = this.#numbers.add(key);
    if (number >= this.#packed.length) {
      const packed = new Uint32Array(2 * this.#packed.length);
      packed.set(this.#packed);
      this.#packed = packed;
    }
    this.#packed[number] = address;
    return number;
  }
}
