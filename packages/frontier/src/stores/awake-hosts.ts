// The hosts of the memory store that are objects, and which of them was not used for long: a clock. Its hand goes round over
// them, and finds those that nothing has happened to since it came by last. Order costs nothing as long as nobody asks.

import type { HostQueueState } from './host-queue-state.js';

/** Hosts there is room for at first. */
const FIRST_HOSTS = 1_024;

/** Hosts by number. All costs O(1). */
export class AwakeHosts {
  readonly #hosts: HostQueueState[] = [];
  /** By number: place among the hosts + 1; 0: it is not awake. */
  #places = new Uint32Array(FIRST_HOSTS);
  #hand = 0;

  get size(): number {
    return this.#hosts.length;
  }

  /** 0: the host of a number is not awake. */
  placeOf(number: number): number {
    return number < this.#places.length ? this.#places[number]! : 0;
  }

  /** The host of a number, where it is awake. */
  get(number: number): HostQueueState | undefined {
    const place = this.placeOf(number);
    return place === 0 ? undefined : this.#hosts[place - 1];
  }

  /** Puts in a host that is not there. */
  add(host: HostQueueState): void {
    if (host.number >= this.#places.length) {
      const places = new Uint32Array(Math.max(2 * this.#places.length, host.number + 1));
      places.set(this.#places);
      this.#places = places;
    }
    this.#places[host.number] = this.#hosts.push(host);
  }

  /** Takes out a host that is there; the last takes its place. */
  remove(host: HostQueueState): void {
    const place = this.#places[host.number]!;
    const last = this.#hosts.pop()!;
    if (last !== host) {
      this.#hosts[place - 1] = last;
      this.#places[last.number] = place;
    }
    this.#places[host.number] = 0;
  }

  /** The next host under the hand, where it was not used since the hand was there last; `null` for one that was. */
  nextUnused(): HostQueueState | null {
    if (this.#hand >= this.#hosts.length) this.#hand = 0;
    const host = this.#hosts[this.#hand];
    if (host === undefined) return null;
    this.#hand += 1;
    const { wasUsed } = host;
    host.wasUsed = false;
    return wasUsed ? null : host;
  }
}
