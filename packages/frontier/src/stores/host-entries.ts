// The entries of one host queue: which comes next, which wait, which are in hand.
//
//   waiting (by time) ──ripe──▶ lines, one per lane and rank ──take──▶ in hand ──done──▶ gone
//                                    ▲          │ requeue, give back            │
//                                    └──────────┴───────────────────────────────┘
//
// `open` holds the first of each line whose lane is not held, so a take is O(log lines). Lines of a held lane leave
// `open` when they come up and return when the hold ends: a held lane costs nothing while it is held (L8).

import type { Entry, Requeue } from '../store.js';
import { EntriesInHand } from './entries-in-hand.js';
import { EntryLine, Lane, NOT_IN_HAND, StoredEntry } from './entry-line.js';
import { EntryList } from './entry-list.js';
import { MinHeap } from './min-heap.js';

interface Hold {
  readonly lane: Lane;
  readonly until: number;
}

/** A host's entries as plain values. */
export interface SavedEntries {
  readonly nextId: number;
  /** In the order in which they would be handed out. */
  readonly entries: readonly {
    readonly id: number;
    readonly lane: string | null;
    readonly priority: number;
    readonly body: Uint8Array;
    readonly attempt: number;
    readonly isInFront: boolean;
    readonly readyAt: number;
  }[];
  readonly holds: readonly { readonly lane: string; readonly until: number }[];
}

/** All times are the store's own clock. */
export class HostEntries {
  /** What most hosts never have is made when it is needed: a host with one entry should be small. */
  #lanes: Map<string | null, Lane> | null = null;
  #open: MinHeap<EntryLine> | null = null;
  #waiting: MinHeap<StoredEntry> | null = null;
  #holds: MinHeap<Hold> | null = null;
  readonly #all = new EntryList();
  readonly #hand = new EntriesInHand();
  #lastLane: Lane | null = null;
  #nextId: number;
  #nextOrder = 1;

  /** None yet. @param nextId - Of the first that comes. */
  constructor(nextId = 1) {
    this.#nextId = nextId;
  }

  /** The id of the entry that comes next. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Entries that are not finished. */
  get size(): number {
    return this.#all.size;
  }

  get inFlight(): number {
    return this.#hand.size;
  }

  /** Entries neither finished nor in hand. */
  get queued(): number {
    return this.size - this.inFlight;
  }

  /** Whether a lane is held, or was and nobody has looked since. */
  get hasHolds(): boolean {
    return this.#holds?.peek() !== undefined;
  }

  /** Whether no entry waits for a time and no lane is held: entries are handed out by priority, and as they came. */
  get isPlain(): boolean {
    return this.#waiting?.peek() === undefined && !this.hasHolds;
  }

  /** Adds an entry. `readyAt` in the past: at once. */
  add(laneName: string | null, priority: number, body: Uint8Array, readyAt: number, now: number): void {
    const entry = new StoredEntry(this.#nextId++, this.#laneOf(laneName), priority, body, 0, readyAt);
    this.#all.push(entry);
    this.#place(entry, now);
  }

  /** The time of the earliest entry that can be handed out, 0 when there is one; `null` when none is queued. Never too late. */
  readyAt(now: number): number | null {
    if (this.queued === 0) return null;
    if (this.#firstLine(now) !== undefined) return 0;
    const ripensAt = this.#waiting?.peek()?.readyAt ?? Number.POSITIVE_INFINITY;
    const opensAt = this.#holds?.peek()?.until ?? Number.POSITIVE_INFINITY;
    return Math.min(ripensAt, opensAt);
  }

  /** Up to `count` entries into hand. */
  take(count: number, now: number): Entry[] {
    const taken: Entry[] = [];
    while (taken.length < count) {
      const line = this.#firstLine(now);
      const entry = line?.shift();
      if (line === undefined || entry === undefined) break;
      if (line.size > 0) this.#open?.sinkTop();
      else {
        this.#open?.pop();
        line.isOpen = false;
      }
      taken.push(this.#handOut(entry));
    }
    return taken;
  }

  /** Adds an entry straight into hand: only where none is queued and no lane is held. */
  takeNew(laneName: string | null, priority: number, body: Uint8Array): Entry {
    const entry = new StoredEntry(this.#nextId++, this.#laneOf(laneName), priority, body, 0, 0);
    this.#all.push(entry);
    return this.#handOut(entry);
  }

  /** Finishes an entry in hand; any other id is ignored. */
  finish(id: string): void {
    const entry = this.#inHandById(id);
    if (entry === null) return;
    this.#hand.remove(entry);
    this.#all.finish(entry);
  }

  /** Puts an entry in hand back into its priority; any other id is ignored. */
  requeue(change: Requeue, now: number): void {
    const entry = this.#inHandById(change.id);
    if (entry === null) return;
    this.#hand.remove(entry);
    entry.priority = change.priority ?? entry.priority;
    entry.body = change.body ?? entry.body;
    entry.readyAt = now + (change.notBeforeMs ?? 0);
    entry.rank = 1 + entry.priority;
    this.#place(entry, now);
  }

  /** Everything in hand goes back in front of the lines, in the order it was handed out. */
  giveBack(): void {
    if (this.inFlight === 0) return;
    for (const entry of this.#hand.empty()) this.#enqueue(entry, 0);
  }

  /** Holds a lane up to a time; one that has passed opens it. */
  hold(laneName: string, until: number, now: number): void {
    const lane = this.#laneOf(laneName);
    const isListed = lane.heldUntil > now && lane.heldUntil <= until;
    lane.heldUntil = until;
    if (isListed) return; // The listed hold ends earlier; `#endHolds` then lists the rest.
    this.#holds ??= new MinHeap((a, b) => a.until < b.until);
    this.#holds.push({ lane, until });
  }

  /** Unfinished entries with ids past `after`, at most `limit`, from at most `steps` places; and the cursor of the next page. */
  scan(after: number, limit: number, steps: number): { items: Entry[]; after: number | null; steps: number } {
    const page = this.#all.scan(after, limit, steps);
    return { items: page.entries.map(asEntry), after: page.after, steps: page.steps };
  }

  /** Everything a later process needs to go on as if the holder had vanished now. */
  save(now: number): SavedEntries {
    const waitingOrLined = this.#all.live().filter((entry) => entry.place === NOT_IN_HAND);
    if (waitingOrLined.length > 1) waitingOrLined.sort((a, b) => a.rank - b.rank || a.order - b.order);
    const inOrder = this.inFlight === 0 ? waitingOrLined : [...this.#hand.inOrder(), ...waitingOrLined];
    const entries = inOrder.map((entry) => ({
      id: entry.id,
      lane: entry.lane.name,
      priority: entry.priority,
      body: entry.body,
      attempt: entry.attempt,
      isInFront: entry.place !== NOT_IN_HAND || entry.rank === 0,
      readyAt: entry.readyAt,
    }));
    const lanes = this.#lanes?.values() ?? (this.#lastLane === null ? [] : [this.#lastLane]);
    const held = [...lanes].filter((lane) => lane.name !== null && lane.heldUntil > now);
    return {
      nextId: this.#nextId,
      entries,
      holds: held.map((lane) => ({ lane: lane.name ?? '', until: lane.heldUntil })),
    };
  }

  /** The queue that `save` described. */
  static restore(saved: SavedEntries, now: number): HostEntries {
    const restored = new HostEntries(saved.nextId);
    for (const { lane, until } of saved.holds) restored.hold(lane, until, now);
    const inOrder = saved.entries.map(
      (kept) =>
        new StoredEntry(kept.id, restored.#laneOf(kept.lane), kept.priority, kept.body, kept.attempt, kept.readyAt),
    );
    const byId = inOrder.length > 1 ? inOrder.toSorted((a, b) => a.id - b.id) : inOrder;
    for (const entry of byId) restored.#all.push(entry);
    for (const [at, entry] of inOrder.entries()) {
      if (saved.entries[at]!.isInFront) restored.#enqueue(entry, 0);
      else restored.#place(entry, now);
    }
    return restored;
  }

  #firstLine(now: number): EntryLine | undefined {
    this.#endHolds(now);
    this.#ripen(now);
    for (;;) {
      const line = this.#open?.peek();
      if (line === undefined || line.lane.heldUntil <= now) return line;
      this.#open?.pop();
      line.isOpen = false;
    }
  }

  #endHolds(now: number): void {
    for (let hold = this.#holds?.peek(); hold !== undefined && hold.until <= now; hold = this.#holds?.peek()) {
      this.#holds?.pop();
      const { lane } = hold;
      if (lane.heldUntil > now) {
        // Held again meanwhile. A hold that was shortened has its own entry in the list already.
        if (lane.heldUntil > hold.until) this.#holds?.push({ lane, until: lane.heldUntil });
        continue;
      }
      for (const line of lane.lines ?? []) if (line !== undefined) this.#openLine(line);
    }
  }

  #ripen(now: number): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    for (let entry = waiting.peek(); entry !== undefined && entry.readyAt <= now; entry = waiting.peek()) {
      waiting.pop();
      this.#enqueue(entry, 1 + entry.priority);
    }
  }

  #place(entry: StoredEntry, now: number): void {
    if (entry.readyAt <= now) {
      this.#enqueue(entry, 1 + entry.priority);
      return;
    }
    this.#waiting ??= new MinHeap((a, b) => a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.id < b.id));
    this.#waiting.push(entry);
  }

  #enqueue(entry: StoredEntry, rank: number): void {
    entry.order = this.#nextOrder++;
    entry.rank = rank;
    entry.lane.lines ??= [];
    const { lines } = entry.lane;
    lines[rank] ??= new EntryLine(entry.lane, rank);
    const line = lines[rank];
    line.push(entry);
    // A held lane's line may come up once and is put aside then.
    if (line.size === 1) this.#openLine(line);
  }

  #openLine(line: EntryLine): void {
    if (line.isOpen || line.size === 0) return;
    line.isOpen = true;
    this.#open ??= new MinHeap(comesBefore);
    this.#open.push(line);
  }

  #handOut(entry: StoredEntry): Entry {
    const handedOut = asEntry(entry);
    entry.attempt += 1;
    this.#hand.add(entry, this.#nextOrder++);
    return handedOut;
  }

  #laneOf(name: string | null): Lane {
    const last = this.#lastLane;
    if (last !== null && last.name === name) return last;
    if (last !== null && this.#lanes === null) this.#lanes = new Map([[last.name, last]]);
    let lane = this.#lanes?.get(name);
    if (lane === undefined) {
      lane = new Lane(name);
      this.#lanes?.set(name, lane);
    }
    this.#lastLane = lane;
    return lane;
  }

  #inHandById(id: string): StoredEntry | null {
    const entry = this.inFlight === 0 ? undefined : this.#all.find(Number(id));
    return entry === undefined || entry.place === NOT_IN_HAND ? null : entry;
  }
}

function comesBefore(a: EntryLine, b: EntryLine): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.firstOrder < b.firstOrder);
}

function asEntry({ id, priority, body, attempt }: StoredEntry): Entry {
  return { id: String(id), priority, body, attempt };
}
