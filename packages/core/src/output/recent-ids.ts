// The latest item ids, in bounded memory. A sink needs the latest only: what a crash makes it write again was in flight
// when the crash came.
//
// Ids go into the young set. When that holds `limit` ids it becomes the old set and an empty one replaces it. So the
// latest `limit` ids are known, and never more than twice as many. An id is kept as 64 bits of a hash: among a hundred
// million ids the odds that two share them are 1 in 3,700.

import { hash } from 'node:crypto';

/** Remembers ids. */
export class RecentIds {
  readonly #limit: number;
  #young = new Set<string>();
  #old = new Set<string>();

  /** @param limit - Ids that are always known, about 64 bytes each. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  has(id: string): boolean {
    const key = keyOf(id);
    return this.#young.has(key) || this.#old.has(key);
  }

  add(id: string): void {
    this.#young.add(keyOf(id));
    if (this.#young.size < this.#limit) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}

/** Eight characters of one byte each. */
function keyOf(id: string): string {
  return hash('sha1', id, 'buffer').toString('latin1', 0, 8);
}
