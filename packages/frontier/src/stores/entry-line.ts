// One line of waiting entries: those of one lane in one priority, first in, first out.

/** `place` of an entry that is not in hand. */
export const NOT_IN_HAND = -1;

/** An entry as the memory store keeps it. A class for the reason that `HostQueueState` is one. */
export class StoredEntry {
  /** Grows with each entry of the host. */
  readonly id: number;
  readonly lane: Lane;
  priority: number;
  body: Uint8Array;
  /** Times handed out. */
  attempt: number;
  /** Place among all lines of the host, given when it joins one; in hand, among those in hand. */
  order = 0;
  /** Of the line it is in or was in last: 0 in front, else 1 + priority. */
  rank: number;
  /** Instant before which it is not handed out. */
  readyAt: number;
  /** Place in its host's hand, in no order; `NOT_IN_HAND`. */
  place = NOT_IN_HAND;
  isDone = false;

  constructor(id: number, lane: Lane, priority: number, body: Uint8Array, attempt: number, readyAt: number) {
    this.id = id;
    this.lane = lane;
    this.priority = priority;
    this.body = body;
    this.attempt = attempt;
    this.rank = 1 + priority;
    this.readyAt = readyAt;
  }
}

/** The entries of one authority. */
export class Lane {
  readonly name: string | null;
  /** By rank: 0 for entries a holder gave back, then one per priority. Made when it is needed. */
  lines: (EntryLine | undefined)[] | null = null;
  /** Instant up to which the lane is held; 0 when it is not. */
  heldUntil = 0;

  constructor(name: string | null) {
    this.name = name;
  }
}

/** Empties its array from the front and drops the empty part now and then: O(1) per entry. */
export class EntryLine {
  readonly lane: Lane;
  readonly rank: number;
  /** Whether it stands among its host's open lines. Written by `HostEntries`. */
  isOpen = false;
  #items: (StoredEntry | undefined)[] = [];
  #head = 0;

  constructor(lane: Lane, rank: number) {
    this.lane = lane;
    this.rank = rank;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Place of the first entry; only of a line that is not empty. */
  get firstOrder(): number {
    return this.#items[this.#head]!.order;
  }

  push(entry: StoredEntry): void {
    // The first push to an empty array would make room for seventeen.
    if (this.#items.length === 0) this.#items = [entry];
    else this.#items.push(entry);
  }

  shift(): StoredEntry | undefined {
    const entry = this.#items[this.#head];
    if (entry === undefined) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    } else if (this.#head >= 1_024 && 2 * this.#head >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
}
