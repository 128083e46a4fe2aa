// The entries of one host queue in memory: which comes next, which wait, which are in flight.
//
//   waiting (a heap per lane) ──due──▶ lines, one per lane and rank ──take──▶ in flight ──done──▶ gone
//                                         ▲                                      │
//                                         └─────────── requeue, give back ───────┘
//
// A host has a few lanes, one per authority. The next entry is the first of all lines in lanes that are not blocked. A
// blocked lane is skipped, however long it is (L8).

import { type HeapMember, ReadyHeap } from '../ready-heap.js';
import type { Entry, Requeue } from '../store.js';
import type { QueueEntries } from './host-queues.js';

/** Rank of entries that a holder released. Others have 1 + their priority. */
const FRONT = 0;
/** Removed entries at the front of an array before the array is shortened. */
const MIN_GAPS_TO_SHORTEN = 1_024;

interface StoredEntry {
  /** Increases with each entry of the host. */
  readonly id: number;
  readonly lane: Lane;
  priority: number;
  body: Uint8Array;
  attempt: number;
  /** Increases along a line. Compared if there are several lines. */
  order: number;
}

interface WaitingEntry extends HeapMember {
  readonly entry: StoredEntry;
}

interface Lane {
  readonly name: string | null;
  blockedUntil: number;
  waiting: ReadyHeap<WaitingEntry> | null;
  /** By rank. */
  readonly lines: (Line | undefined)[];
}

/**
 * Times are on the store's clock, milliseconds. Fields that a host with one entry and no lease does not need are
 * `null`.
 */
export class HostEntries implements QueueEntries {
  /** Unfinished entries by id, starting at `#firstId`. Finished ones leave gaps, `#gaps` of them at the front. */
  #all: (StoredEntry | undefined)[] = [];
  #firstId = 1;
  #gaps = 0;
  #size = 0;
  /** In the order in which they were handed out. */
  #inFlight: Set<StoredEntry> | null = null;
  readonly #lanes = new Map<string | null, Lane>();
  #lastLane: Lane | null = null;
  #nextOrder = 1;

  get inFlight(): number {
    return this.#inFlight?.size ?? 0;
  }

  /** Entries that are neither finished nor in flight. */
  get queued(): number {
    return this.#size - this.inFlight;
  }

  add(lane: string | null, priority: number, body: Uint8Array, readyAt: number, now: number): void {
    const entry = { id: this.#nextId, lane: this.#laneOf(lane), priority, body, attempt: 0, order: 0 };
    // The first push to an empty array would allocate seventeen slots, and most hosts have one entry.
    if (this.#all.length === 0) this.#all = [entry];
    else this.#all.push(entry);
    this.#size += 1;
    this.#insert(entry, readyAt, now);
  }

  /** When an entry can be handed out; 0: now, `null`: none is queued. */
  readyAt(now: number): number | null {
    if (this.queued === 0) return null;
    if (this.#nextLine(now) !== null) return 0;
    let earliest = Number.POSITIVE_INFINITY;
    for (const { blockedUntil, waiting, lines } of this.#lanes.values()) {
      const isFilled = lines.some((line) => line?.first() !== undefined);
      const first = isFilled ? 0 : (waiting?.earliest() ?? Number.POSITIVE_INFINITY);
      earliest = Math.min(earliest, Math.max(first, blockedUntil));
    }
    return earliest;
  }

  take(count: number, now: number): Entry[] {
    const taken: Entry[] = [];
    while (taken.length < count) {
      const entry = this.#nextLine(now)?.shift();
      if (entry === undefined) break;
      taken.push(toEntry(entry));
      entry.attempt += 1;
      this.#inFlight ??= new Set();
      this.#inFlight.add(entry);
    }
    return taken;
  }

  /** Finishes an entry in flight. @returns Whether it was in flight. */
  finish(id: string): boolean {
    const entry = this.#leaveFlight(id);
    if (entry !== null) this.#remove(entry.id);
    return entry !== null;
  }

  /** Puts an entry in flight back at its priority. Ignores any other id. */
  requeue({ id, priority, body, notBeforeMs = 0 }: Requeue, now: number): void {
    const entry = this.#leaveFlight(id);
    if (entry === null) return;
    entry.priority = priority ?? entry.priority;
    entry.body = body ?? entry.body;
    this.#insert(entry, now + notBeforeMs, now);
  }

  /** Puts all entries in flight back in front of the queue, in the order in which they were handed out. */
  requeueInFlight(): void {
    for (const entry of this.#inFlight ?? []) this.#enqueue(entry, FRONT);
    this.#inFlight = null;
  }

  block(name: string | null, until: number): void {
    this.#laneOf(name).blockedUntil = until;
  }

  /**
   * Lists at most `limit` entries from at most `steps` ids after `after`, with the next page's `after`; `null`: the
   * end.
   */
  scan(after: number, limit: number, steps: number) {
    const items: (Entry & { readonly readyAt: number })[] = [];
    const times = this.#times();
    const from = Math.max(after + 1, this.#firstId + this.#gaps);
    let id = from;
    for (; id < this.#nextId && items.length < limit && id - from < steps; id += 1) {
      const entry = this.#all[id - this.#firstId];
      if (entry !== undefined) items.push({ ...toEntry(entry), readyAt: times.get(entry) ?? 0 });
    }
    return { items, after: id < this.#nextId ? id - 1 : null, steps: id - from };
  }

  /** When waiting entries may be handed out. */
  #times(): Map<StoredEntry, number | null> {
    const lanes = [...this.#lanes.values()];
    return new Map(lanes.flatMap(({ waiting }) => waiting?.members.map((it) => [it.entry, waiting.dueOf(it)]) ?? []));
  }

  get #nextId(): number {
    return this.#firstId + this.#all.length;
  }

  #remove(id: number): void {
    this.#all[id - this.#firstId] = undefined;
    this.#size -= 1;
    while (this.#gaps < this.#all.length && this.#all[this.#gaps] === undefined) this.#gaps += 1;
    if (this.#gaps < this.#all.length && (this.#gaps < MIN_GAPS_TO_SHORTEN || 2 * this.#gaps < this.#all.length))
      return;
    this.#firstId += this.#gaps;
    this.#all = this.#all.slice(this.#gaps);
    this.#gaps = 0;
  }

  /**
   * Moves due entries into line, then returns the line whose first entry is next; `null`: nothing can be handed out.
   */
  #nextLine(now: number): Line | null {
    // Most hosts have one lane.
    if (this.#lanes.size === 1) return this.#firstOf(this.#lastLane!, now);
    let best: Line | null = null;
    for (const lane of this.#lanes.values()) {
      const line = this.#firstOf(lane, now);
      if (line !== null && (best === null || isBefore(line, best))) best = line;
    }
    return best;
  }

  /** The same for one lane; `null` also if it is blocked. */
  #firstOf(lane: Lane, now: number): Line | null {
    const { waiting, blockedUntil, lines } = lane;
    for (let due = waiting?.popDue(now); due !== undefined; due = waiting?.popDue(now)) {
      this.#enqueue(due.entry, 1 + due.entry.priority);
    }
    if (blockedUntil > now) return null;
    for (let rank = FRONT; rank < lines.length; rank += 1) {
      const line = lines[rank];
      if (line?.first() !== undefined) return line;
    }
    return null;
  }

  #insert(entry: StoredEntry, readyAt: number, now: number): void {
    if (readyAt > now) {
      entry.lane.waiting ??= new ReadyHeap();
      entry.lane.waiting.set({ heapIndex: -1, entry }, readyAt);
    } else this.#enqueue(entry, 1 + entry.priority);
  }

  #enqueue(entry: StoredEntry, rank: number): void {
    const { lines } = entry.lane;
    entry.order = this.#nextOrder++;
    const line = lines[rank];
    if (line === undefined) lines[rank] = new Line(rank, entry);
    else line.push(entry);
  }

  #laneOf(name: string | null): Lane {
    if (this.#lastLane?.name === name) return this.#lastLane;
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { name, blockedUntil: 0, waiting: null, lines: [] };
      this.#lanes.set(name, lane);
    }
    this.#lastLane = lane;
    return lane;
  }

  /** Takes the entry with this id out of flight; `null`: it was not in flight. */
  #leaveFlight(id: string): StoredEntry | null {
    const entry = this.#all[Number(id) - this.#firstId];
    return entry !== undefined && this.#inFlight?.delete(entry) ? entry : null;
  }
}

function toEntry({ id, priority, body, attempt }: StoredEntry): Entry {
  return { id: String(id), priority, body, attempt };
}

/** Whether the first entry of one line goes before that of the other. */
function isBefore(one: Line, other: Line): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.first()!.order < other.first()!.order);
}

/** Entries of one lane and rank, first in, first out. */
class Line {
  readonly rank: number;
  #entries: StoredEntry[];
  #head = 0;

  constructor(rank: number, first: StoredEntry) {
    this.rank = rank;
    this.#entries = [first];
  }

  first(): StoredEntry | undefined {
    return this.#entries[this.#head];
  }

  push(entry: StoredEntry): void {
    this.#entries.push(entry);
  }

  shift(): StoredEntry | undefined {
    const entry = this.#entries[this.#head];
    this.#head += 1;
    if (
      this.#head >= this.#entries.length ||
      (this.#head >= MIN_GAPS_TO_SHORTEN && 2 * this.#head >= this.#entries.length)
    ) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
}
