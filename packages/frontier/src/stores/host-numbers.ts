// Host keys to numbers, without keeping the keys: an open table of numbers, four bytes a place, that asks its owner
// which key a number has. A map of a million strings would be a hundred megabytes.

import type { HostKey } from '../store.js';
import { createSeed, hashOf } from './host-hash.js';

const FIRST_PLACES = 1_024;
/** The table doubles when more than five eighths of it are taken. */
const FULL_EIGHTHS = 5;

/** What the owner of the numbers knows. Methods of a class, not functions of one owner: the engine's code for the table is for all. */
export interface KeysByNumber {
  keyOf(number: number): HostKey;
  hasKey(number: number, key: HostKey): boolean;
}

/** Numbers are given from 0 on and never taken away. All costs O(1) over time. */
export class HostNumbers {
  readonly #keys: KeysByNumber;
  readonly #seed = createSeed();
  /** Number + 1; 0: free. */
  #table = new Int32Array(FIRST_PLACES);
  #size = 0;

  constructor(keys: KeysByNumber) {
    this.#keys = keys;
  }

  /** Numbers given. */
  get size(): number {
    return this.#size;
  }

  /** The number of a key, -1 when it has none. */
  find(key: HostKey): number {
    return this.findHashed(key, this.hashOf(key));
  }

  /** As `find`. @param hash - Of `hashOf` */
  findHashed(key: HostKey, hash: number): number {
    return this.#table[this.#placeOf(key, hash)]! - 1;
  }

  hashOf(key: HostKey): number {
    return hashOf(key, this.#seed);
  }

  /** The number of the first key that one with this hash is compared with, mostly the only one; -1: there is none. */
  firstOf(hash: number): number {
    return this.#table[hash & (this.#table.length - 1)]! - 1;
  }

  /** Gives a key that has none the next number. Its owner must know the key by it at once. */
  add(key: HostKey): number {
    const number = this.#size;
    if (8 * (number + 1) > FULL_EIGHTHS * this.#table.length) this.#grow();
    this.#table[this.#placeOf(key, this.hashOf(key))] = number + 1;
    this.#size += 1;
    return number;
  }

  #placeOf(key: HostKey, hash: number): number {
    const mask = this.#table.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const taken = this.#table[at]!;
      if (taken === 0 || this.#keys.hasKey(taken - 1, key)) return at;
    }
  }

  #grow(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    const mask = this.#table.length - 1;
    for (let number = 0; number < this.#size; number += 1) {
      let at = hashOf(this.#keys.keyOf(number), this.#seed) & mask;
      while (this.#table[at] !== 0) at = (at + 1) & mask;
      this.#table[at] = number + 1;
    }
  }
}
