// The entries of one host queue in memory: which comes next, which wait, which are in flight.
//
//   waiting (timers) ──due──▶ lines, one per lane and rank ──take──▶ in flight ──done──▶ gone
//                                ▲                                      │
//                                └─────────── requeue, release ─────────┘
//
// `open` holds the lines with something to hand out, by their first entry: a take costs O(log lines). A line of a
// blocked lane leaves `open` when it comes up and returns when the block ends, so a blocked lane costs nothing
// meanwhile (L8).

import type { Entry, Requeue } from '../store.js';

/** Rank of entries that a holder gave back. Others have 1 + their priority. */
const FRONT = 0;
/** The front and eight priorities. */
const RANKS = 9;
/** Removed entries at the front of an array before it is shortened. */
const SHORTEN_AFTER = 1_024;

interface StoredEntry {
  /** Grows with each entry of the host. */
  readonly id: number;
  readonly lane: Lane;
  priority: number;
  body: Uint8Array;
  attempt: number;
  /** Not handed out before this time. */
  readyAt: number;
  rank: number;
  /** Position among the entries of its rank. */
  order: number;
}

interface Lane {
  readonly name: string | null;
  blockedUntil: number;
  /** Time of the lane's timer; infinite when it has none. */
  timerAt: number;
  /** By rank. */
  readonly lines: (Line | undefined)[];
}

/** The entries of one lane and rank, first in, first out. */
interface Line {
  readonly lane: Lane;
  readonly rank: number;
  entries: StoredEntry[];
  head: number;
  isOpen: boolean;
}

/** Wakes an entry or a blocked lane. */
interface Timer {
  readonly at: number;
  readonly entry: StoredEntry | null;
  readonly lane: Lane;
}

/** An entry as a plain value. Entries in flight are saved as if their lease had ended. */
export interface SavedEntry extends Omit<StoredEntry, 'lane'> {
  readonly lane: string | null;
}

/** The entries of a host as plain values. */
export interface SavedEntries {
  readonly nextId: number;
  /** By id. */
  readonly entries: readonly SavedEntry[];
  readonly blocks: readonly { readonly lane: string | null; readonly until: number }[];
}

const firstEntry = (line: Line) => line.entries[line.head]!;
const isLineBefore = (a: Line, b: Line) =>
  a.rank < b.rank || (a.rank === b.rank && firstEntry(a).order < firstEntry(b).order);
const isTimerBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && (a.entry?.id ?? 0) < (b.entry?.id ?? 0));

/** Times are the store's clock, milliseconds. What a host with one entry and no lease does not need is `null`. */
export class HostEntries {
  /** Unfinished entries by their ids, from `#firstId` on. Finished ones leave gaps, `#gaps` of them at the front. */
  #all: (StoredEntry | undefined)[] = [];
  #firstId = 1;
  #gaps = 0;
  #size = 0;
  /** In the order they were handed out. */
  #inFlight: Set<StoredEntry> | null = null;
  /** Where there are several. */
  #lanes: Map<string | null, Lane> | null = null;
  #lastLane: Lane | null = null;
  readonly #open = new MinHeap(isLineBefore);
  readonly #timers = new MinHeap(isTimerBefore);
  #nextOrder = 1;

  get size(): number {
    return this.#size;
  }

  get inFlight(): number {
    return this.#inFlight?.size ?? 0;
  }

  /** Entries that are neither finished nor in flight. */
  get queued(): number {
    return this.#size - this.inFlight;
  }

  add(lane: string | null, priority: number, body: Uint8Array, readyAt: number, now: number): void {
    const entry = {
      id: this.#nextId,
      lane: this.#laneOf(lane),
      priority,
      body,
      attempt: 0,
      // A time that has passed is 0: other numbers with a fraction are objects of their own.
      readyAt: readyAt > now ? readyAt : 0,
      rank: 1 + priority,
      order: 0,
    };
    // The first push to an empty array would allocate seventeen slots, and most hosts have one entry.
    if (this.#all.length === 0) this.#all = [entry];
    else this.#all.push(entry);
    this.#size += 1;
    this.#place(entry, now);
  }

  /** When an entry can be handed out, 0 for now; `null` when none is queued. Never too late. */
  readyAt(now: number): number | null {
    if (this.queued === 0) return null;
    return this.#firstLine(now) === undefined ? (this.#timers.peek()?.at ?? null) : 0;
  }

  take(count: number, now: number): Entry[] {
    const taken: Entry[] = [];
    while (taken.length < count) {
      const line = this.#firstLine(now);
      if (line === undefined) break;
      const entry = firstEntry(line);
      this.#removeFirst(line);
      taken.push(toEntry(entry));
      entry.attempt += 1;
      entry.rank = FRONT;
      entry.order = this.#nextOrder++;
      this.#inFlight ??= new Set();
      this.#inFlight.add(entry);
    }
    return taken;
  }

  /** Finishes an entry in flight. Any other id is ignored. */
  finish(id: string): void {
    const entry = this.#land(id);
    if (entry !== null) this.#remove(entry.id);
  }

  /** Puts an entry in flight back into its priority. Any other id is ignored. */
  requeue({ id, priority, body, notBeforeMs = 0 }: Requeue, now: number): void {
    const entry = this.#land(id);
    if (entry === null) return;
    entry.priority = priority ?? entry.priority;
    entry.body = body ?? entry.body;
    entry.readyAt = now + notBeforeMs;
    entry.rank = 1 + entry.priority;
    this.#place(entry, now);
  }

  /** Puts everything in flight back in front of the queue, in the order it was handed out. */
  release(): void {
    for (const entry of this.#inFlight ?? []) this.#enqueue(entry);
    this.#inFlight = null;
  }

  block(name: string | null, until: number): void {
    const lane = this.#laneOf(name);
    lane.blockedUntil = until;
    this.#setLaneTimer(lane);
  }

  /** At most `limit` entries from at most `steps` ids after `after`; the next page's `after`, `null` at the end. */
  scan(after: number, limit: number, steps: number): { items: Entry[]; after: number | null; steps: number } {
    const items: Entry[] = [];
    const from = Math.max(after + 1, this.#firstId + this.#gaps);
    let id = from;
    for (; id < this.#nextId && items.length < limit && id - from < steps; id += 1) {
      const entry = this.#all[id - this.#firstId];
      if (entry !== undefined) items.push(toEntry(entry));
    }
    return { items, after: id < this.#nextId ? id - 1 : null, steps: id - from };
  }

  save(now: number): SavedEntries {
    return {
      nextId: this.#nextId,
      entries: this.#live().map((entry) => ({ ...entry, lane: entry.lane.name })),
      blocks: [...(this.#lanes?.values() ?? (this.#lastLane === null ? [] : [this.#lastLane]))]
        .filter(({ blockedUntil }) => blockedUntil > now)
        .map(({ name, blockedUntil }) => ({ lane: name, until: blockedUntil })),
    };
  }

  static restore({ nextId, entries, blocks }: SavedEntries, now: number): HostEntries {
    const restored = new HostEntries();
    restored.#firstId = entries[0]?.id ?? nextId;
    restored.#all = new Array(nextId - restored.#firstId).fill(undefined);
    restored.#size = entries.length;
    for (const { lane, until } of blocks) restored.block(lane, until);
    for (const saved of entries) {
      restored.#all[saved.id - restored.#firstId] = { ...saved, lane: restored.#laneOf(saved.lane) };
    }
    const inOrder = restored.#live().sort((a, b) => a.order - b.order);
    for (const entry of inOrder) restored.#place(entry, now);
    return restored;
  }

  get #nextId(): number {
    return this.#firstId + this.#all.length;
  }

  #live(): StoredEntry[] {
    return this.#all.filter((entry) => entry !== undefined);
  }

  #remove(id: number): void {
    this.#all[id - this.#firstId] = undefined;
    this.#size -= 1;
    while (this.#gaps < this.#all.length && this.#all[this.#gaps] === undefined) this.#gaps += 1;
    if (this.#gaps < this.#all.length && (this.#gaps < SHORTEN_AFTER || 2 * this.#gaps < this.#all.length)) return;
    this.#firstId += this.#gaps;
    this.#all = this.#all.slice(this.#gaps);
    this.#gaps = 0;
  }

  #firstLine(now: number): Line | undefined {
    for (let timer = this.#timers.peek(); timer !== undefined && timer.at <= now; timer = this.#timers.peek()) {
      this.#timers.pop();
      if (timer.entry !== null) this.#enqueue(timer.entry);
      else if (timer.at === timer.lane.timerAt) this.#endBlock(timer.lane, now);
    }
    for (;;) {
      const line = this.#open.peek();
      if (line === undefined || line.lane.blockedUntil <= now) return line;
      this.#open.pop();
      line.isOpen = false;
    }
  }

  #endBlock(lane: Lane, now: number): void {
    lane.timerAt = Number.POSITIVE_INFINITY;
    if (lane.blockedUntil > now) this.#setLaneTimer(lane);
    else for (const line of lane.lines) if (line !== undefined) this.#openLine(line);
  }

  /** A timer that is too early sets the next one; one that is too late is replaced. */
  #setLaneTimer(lane: Lane): void {
    if (lane.timerAt <= lane.blockedUntil) return;
    lane.timerAt = lane.blockedUntil;
    this.#timers.push({ at: lane.timerAt, entry: null, lane });
  }

  #place(entry: StoredEntry, now: number): void {
    if (entry.readyAt > now) this.#timers.push({ at: entry.readyAt, entry, lane: entry.lane });
    else this.#enqueue(entry);
  }

  #enqueue(entry: StoredEntry): void {
    const { lane, rank } = entry;
    entry.order = this.#nextOrder++;
    lane.lines[rank] ??= { lane, rank, entries: [], head: 0, isOpen: false };
    const line = lane.lines[rank];
    if (line.entries.length === 0) line.entries = [entry];
    else line.entries.push(entry);
    this.#openLine(line);
  }

  #openLine(line: Line): void {
    if (line.isOpen || line.head === line.entries.length) return;
    line.isOpen = true;
    this.#open.push(line);
  }

  #removeFirst(line: Line): void {
    line.head += 1;
    if (line.head < line.entries.length) {
      if (line.head >= SHORTEN_AFTER && 2 * line.head >= line.entries.length) {
        line.entries = line.entries.slice(line.head);
        line.head = 0;
      }
      this.#open.sinkTop();
      return;
    }
    this.#open.pop();
    line.isOpen = false;
    line.entries = [];
    line.head = 0;
  }

  /** Most hosts have one lane. */
  #laneOf(name: string | null): Lane {
    if (this.#lastLane !== null && this.#lastLane.name === name) return this.#lastLane;
    if (this.#lastLane !== null) this.#lanes ??= new Map([[this.#lastLane.name, this.#lastLane]]);
    let lane = this.#lanes?.get(name);
    if (lane === undefined) {
      lane = { name, blockedUntil: 0, timerAt: Number.POSITIVE_INFINITY, lines: new Array(RANKS) };
      this.#lanes?.set(name, lane);
    }
    this.#lastLane = lane;
    return lane;
  }

  /** The entry of this id, no longer in flight; `null` when it was not. */
  #land(id: string): StoredEntry | null {
    const entry = this.#all[Number(id) - this.#firstId];
    return entry !== undefined && this.#inFlight?.delete(entry) ? entry : null;
  }
}

function toEntry({ id, priority, body, attempt }: StoredEntry): Entry {
  return { id: String(id), priority, body, attempt };
}

export class MinHeap<T> {
  #members: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  peek(): T | undefined {
    return this.#members[0];
  }

  push(member: T): void {
    const members = this.#members;
    // The first push to an empty array would allocate seventeen slots, and most heaps have one member.
    if (members.length === 0) {
      this.#members = [member];
      return;
    }
    let at = members.push(member) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(member, members[above]!)) break;
      members[at] = members[above]!;
      at = above;
    }
    members[at] = member;
  }

  pop(): T | undefined {
    const members = this.#members;
    const last = members.pop();
    if (last === undefined || members.length === 0) return last;
    const top = members[0];
    members[0] = last;
    this.sinkTop();
    return top;
  }

  /** Restores the order after the first member has become greater. */
  sinkTop(): void {
    const members = this.#members;
    const member = members[0];
    if (member === undefined) return;
    let at = 0;
    for (let child = 1; child < members.length; child = 2 * at + 1) {
      if (child + 1 < members.length && this.#isBefore(members[child + 1]!, members[child]!)) child += 1;
      if (!this.#isBefore(members[child]!, member)) break;
      members[at] = members[child]!;
      at = child;
    }
    members[at] = member;
  }
}
