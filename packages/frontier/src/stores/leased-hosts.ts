// The hosts of the memory store that are leased, by name: an open table. Hosts come and go in it at every claim, and a map that
// members come and go in makes itself anew now and then. Each table it throws away holds the next: one that has grown old keeps
// all that came after it, and their hosts, until the next full collection.

import type { HostKey } from '../store.js';
import { createSeed, hashOf } from './host-hash.js';
import type { HostQueueState } from './host-queue-state.js';

const FIRST_PLACES = 256;

/** All costs O(1) over time. */
export class LeasedHosts {
  readonly #seed = createSeed();
  #hosts: (HostQueueState | null)[] = new Array(FIRST_PLACES).fill(null);
  /** Of the key of the host at each place. */
  #hashes = new Uint32Array(FIRST_PLACES);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(key: HostKey): HostQueueState | undefined {
    return this.#hosts[this.#placeOf(key, hashOf(key, this.#seed))] ?? undefined;
  }

  /** Puts in a host that is not there. */
  add(host: HostQueueState): void {
    if (2 * (this.#size + 1) > this.#hosts.length) this.#grow();
    const hash = hashOf(host.key, this.#seed);
    const at = this.#placeOf(host.key, hash);
    this.#hosts[at] = host;
    this.#hashes[at] = hash;
    this.#size += 1;
  }

  /** Takes out a host that is there; those behind it that it has pushed out of their places move up. */
  remove({ key }: HostQueueState): void {
    const mask = this.#hosts.length - 1;
    let gap = this.#placeOf(key, hashOf(key, this.#seed));
    for (let at = (gap + 1) & mask; this.#hosts[at] !== null; at = (at + 1) & mask) {
      const hash = this.#hashes[at]!;
      if (((at - hash) & mask) < ((at - gap) & mask)) continue;
      this.#hosts[gap] = this.#hosts[at]!;
      this.#hashes[gap] = hash;
      gap = at;
    }
    this.#hosts[gap] = null;
    this.#size -= 1;
  }

  /** Where the key is, or would be. */
  #placeOf(key: HostKey, hash: number): number {
    const mask = this.#hosts.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const host = this.#hosts[at]!;
      if (host === null || (this.#hashes[at] === hash && host.key === key)) return at;
    }
  }

  #grow(): void {
    const before = this.#hosts;
    this.#hosts = new Array(2 * before.length).fill(null);
    this.#hashes = new Uint32Array(2 * before.length);
    for (const host of before) {
      if (host === null) continue;
      const hash = hashOf(host.key, this.#seed);
      const at = this.#placeOf(host.key, hash);
      this.#hosts[at] = host;
      this.#hashes[at] = hash;
    }
  }
}
