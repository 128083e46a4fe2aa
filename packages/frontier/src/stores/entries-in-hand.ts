// The entries of one host that a holder has: as an array in no order, in which each knows its place. Most hosts have few or none.

import { NOT_IN_HAND, type StoredEntry } from './entry-line.js';

/** A hand. `order` and `place` of an entry are its own while it is in it. */
export class EntriesInHand {
  /** Made when it is needed: a host with one entry should be small. */
  #entries: StoredEntry[] | null = null;

  get size(): number {
    return this.#entries === null ? 0 : this.#entries.length;
  }

  /** Takes an entry in. `order` grows with each. O(1). */
  add(entry: StoredEntry, order: number): void {
    entry.order = order;
    if (this.#entries === null) {
      // The first push to an empty array would make room for seventeen.
      this.#entries = [entry];
      entry.place = 0;
    } else entry.place = this.#entries.push(entry) - 1;
  }

  /** Lets an entry go that is in it. O(1). */
  remove(entry: StoredEntry): void {
    const last = this.#entries?.pop();
    if (last !== undefined && last !== entry) {
      this.#entries![entry.place] = last;
      last.place = entry.place;
    }
    entry.place = NOT_IN_HAND;
  }

  /** In the order in which they were handed out. */
  inOrder(): StoredEntry[] {
    return this.#entries?.toSorted((a, b) => a.order - b.order) ?? [];
  }

  /** Lets all go. @returns As `inOrder`. */
  empty(): StoredEntry[] {
    const entries = this.inOrder();
    this.#entries = null;
    for (const entry of entries) entry.place = NOT_IN_HAND;
    return entries;
  }
}
