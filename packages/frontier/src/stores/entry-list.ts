// The unfinished entries of one host by id, for scanning and to be found by it. Ids only grow, so the list is sorted as it is appended to;
// finished entries stay in it as gaps until they are half of it: O(1) per entry, O(log n) to find where a page begins.

import type { StoredEntry } from './entry-line.js';

const NO_BODY = new Uint8Array(0);
/** Nothing is ever put into it: most hosts have no entry at most times. */
const NO_ENTRIES: StoredEntry[] = [];
/** Gaps are swept only above this many. */
const SWEEP_ABOVE = 32;

/** A part of a scan. */
export interface ListPage {
  readonly entries: StoredEntry[];
  /** `after` of the next page, `null` at the end. */
  readonly after: number | null;
  /** Places looked at. */
  readonly steps: number;
}

/** Entries in the order of their ids. */
export class EntryList {
  #entries: StoredEntry[] = NO_ENTRIES;
  #gaps = 0;

  /** Unfinished entries. */
  get size(): number {
    return this.#entries.length - this.#gaps;
  }

  /** Appends an entry with a greater id than any before. */
  push(entry: StoredEntry): void {
    // The first push to an empty array would make room for seventeen.
    if (this.#entries === NO_ENTRIES) this.#entries = [entry];
    else this.#entries.push(entry);
  }

  /** The unfinished entry of an id. Where ids are without gaps, it is where it should be. */
  find(id: number): StoredEntry | undefined {
    const first = this.#entries[0];
    if (first === undefined) return undefined;
    const place = id - first.id;
    let entry = place >= 0 && place < this.#entries.length ? this.#entries[place] : undefined;
    if (entry?.id !== id) entry = this.#entries[this.#firstPast(id - 1)];
    return entry?.id === id && !entry.isDone ? entry : undefined;
  }

  /** Marks an entry of the list as finished and lets go of its body. */
  finish(entry: StoredEntry): void {
    entry.isDone = true;
    entry.body = NO_BODY;
    this.#gaps += 1;
    // At the end there are no gaps: a host that takes turns makes no new list for each of its entries.
    while (this.#gaps > 0 && this.#entries.at(-1)!.isDone) {
      this.#entries.pop();
      this.#gaps -= 1;
    }
    if (this.#gaps <= SWEEP_ABOVE || 2 * this.#gaps <= this.#entries.length) return;
    this.#entries = this.live();
    this.#gaps = 0;
  }

  /** All unfinished entries. */
  live(): StoredEntry[] {
    return this.#entries.filter((entry) => !entry.isDone);
  }

  /** Unfinished entries with ids past `after`, at most `limit`, from at most `steps` places. */
  scan(after: number, limit: number, steps: number): ListPage {
    const entries: StoredEntry[] = [];
    const from = this.#firstPast(after);
    let at = from;
    let last = after;
    for (; at < this.#entries.length && entries.length < limit && at - from < steps; at += 1) {
      const entry = this.#entries[at]!;
      if (!entry.isDone) entries.push(entry);
      last = entry.id;
    }
    return { entries, after: at < this.#entries.length ? last : null, steps: at - from };
  }

  /** Index of the first entry whose id is greater. */
  #firstPast(id: number): number {
    let from = 0;
    let to = this.#entries.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#entries[middle]!.id <= id) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
