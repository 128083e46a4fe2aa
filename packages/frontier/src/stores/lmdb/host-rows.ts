// The entries of host queues in the file: which comes next, which wait, which are in hand. The same machine as
// `host-entries.ts`, with tables for heaps.
//
//   waiting (by time) ──ripe──▶ lines, one per lane and rank ──take──▶ in hand ──done──▶ gone
//                                    ▲          │ requeue, give back            │
//                                    └──────────┴───────────────────────────────┘
//
// An entry in hand keeps its row; the host's record names it. Those of a line that are in hand stand in front of all others
// of that line, so the next one is behind the last of them.
//
// Lines stand among the open lines under the order of their first entry, or an earlier one: a line that is alone need
// not be moved at every take; when it meets another it is put right. Lines of a held lane are put aside when they come
// up and return when the hold ends, so a held lane costs nothing while it is held (L8).

import type { Entry, EntryId, Requeue } from '../../store.js';
import { decodeEntry, EntryWriter } from './entry-value.js';
import { type Environment, firstKeyOf, type Row, rowsOf } from './environment.js';
import { type EntryPlace, entryPlace, HostKeys, openLinePlace, ROWS } from './host-keys.js';
import { HostLanes } from './host-lanes.js';
import { addToHand, type HostState, type OpenLine } from './host-state.js';

/** Entries that ripen in one verb, beside twice the number that is asked for. */
const RIPEN_AT_ONCE = 1_024;

type InLine = Extract<EntryPlace, { kind: 'line' }>;

interface Placed {
  readonly id: number;
  readonly lane: number;
  readonly priority: number;
  readonly attempt: number;
  readonly body: Uint8Array;
}

/** Entries of all hosts. Changes the host's counts; marking it dirty is the caller's. */
export class HostRows {
  readonly #tables: Environment;
  readonly #keys = new HostKeys();
  readonly #writer = new EntryWriter();
  readonly #lanes: HostLanes;

  constructor(tables: Environment) {
    this.#tables = tables;
    this.#lanes = new HostLanes(tables, this.#keys);
  }

  /** Adds an entry. `readyAt` in the past: at once. */
  add(host: HostState, lane: string | null, priority: number, body: Uint8Array, readyAt: number, now: number): void {
    const id = host.nextSequence;
    host.nextSequence += 1;
    host.queued += 1;
    const entry = { id, lane: this.#lanes.number(host, lane), priority, body, attempt: 0 };
    if (readyAt <= now) this.#putInLine(host, entry, 1 + priority, id);
    else this.#putWaiting(host, entry, readyAt);
  }

  /** The time of the earliest entry that can be handed out, 0 when there is one; `null` when none is queued. Never too late. */
  readyAt(host: HostState, now: number): number | null {
    if (host.queued === 0) return null;
    this.#lanes.endHolds(host, now);
    this.#ripen(host, now, RIPEN_AT_ONCE);
    if (host.holdCount === 0 ? host.lineCount > 0 : this.#openLines(host, now, 1).length > 0) return 0;
    return Math.min(host.ripensAt, host.opensAt);
  }

  /** Up to `count` entries into hand. */
  take(host: HostState, count: number, now: number): Entry[] {
    const taken: Entry[] = [];
    if (count === 0 || host.queued === 0) return taken;
    this.#lanes.endHolds(host, now);
    this.#ripen(host, now, Math.max(RIPEN_AT_ONCE, 2 * count));
    while (taken.length < count && host.lineCount > 0) {
      const [first, second] = this.#openLines(host, now, 2);
      if (first === undefined) break;
      const { lane, rank, order } = first;
      const start = this.#keys.line(host.number, lane, rank, Math.max(order, behindHand(host, lane, rank)));
      const end = this.#keys.lineEnd(host.number, lane, rank);
      const rows = rowsOf(this.#tables.entries, start, end, count - taken.length + 1);
      const limit = second === undefined || second.rank > rank ? Number.POSITIVE_INFINITY : second.order;
      let next = rows.length <= count - taken.length ? null : first.order;
      for (const row of rows) {
        const place = entryPlace(row.key);
        if (place.kind !== 'line') continue;
        if (place.order > limit || taken.length === count) {
          next = place.order;
          break;
        }
        taken.push(intoHand(host, row, place));
      }
      if (next === null) this.#lanes.close(host, lane, rank, order);
      else if (second !== undefined) this.#lanes.move(host, lane, rank, order, next);
    }
    return taken;
  }

  /** Finishes an entry in hand; any other id is ignored. Answers whether it was. */
  finish(host: HostState, id: string): boolean {
    const held = host.hand.get(id);
    if (held === undefined) return false;
    this.#tables.entries.removeSync(this.#keys.line(host.number, held.lane, held.rank, held.order));
    return host.hand.delete(id);
  }

  /** Puts an entry in hand back into its priority; any other id is ignored. */
  requeue(host: HostState, change: Requeue, now: number): void {
    const kept = this.#leaveHand(host, change.id);
    if (kept === null) return;
    host.queued += 1;
    const entry = { ...kept, priority: change.priority ?? kept.priority, body: change.body ?? kept.body };
    const waitMs = change.notBeforeMs ?? 0;
    if (waitMs > 0) this.#putWaiting(host, entry, now + waitMs);
    else this.#putInLine(host, entry, 1 + entry.priority, host.nextSequence++);
  }

  /** Everything in hand goes back in front of the lines, in the order it was handed out. */
  giveBack(host: HostState): void {
    host.queued += host.hand.size;
    for (const id of [...host.hand.keys()]) {
      const entry = this.#leaveHand(host, id);
      if (entry !== null) this.#putInLine(host, entry, 0, host.nextSequence++);
    }
  }

  /** Holds a lane up to a time; one that has passed opens it. */
  hold(host: HostState, lane: string, until: number, now: number): void {
    this.#lanes.hold(host, lane, until, now);
  }

  /** The first open lines; held ones that come up are put aside. */
  #openLines(host: HostState, now: number, count: number): OpenLine[] {
    const only = host.holdCount === 0 ? this.#lanes.onlyLine(host) : null;
    if (only !== null) return [only];
    for (;;) {
      const start = this.#keys.from(host.number, ROWS.openLines);
      const rows = rowsOf(this.#tables.lines, start, this.#keys.to(host.number, ROWS.openLines), count);
      const lines = rows.map(({ key }) => openLinePlace(key));
      const [first] = lines;
      if (first === undefined || this.#lanes.heldUntil(host, first.lane) <= now) return lines;
      this.#lanes.putAside(host, first.lane, first.rank, first.order);
    }
  }

  #ripen(host: HostState, now: number, most: number): void {
    if (host.ripensAt > now) return;
    const { entries } = this.#tables;
    const start = this.#keys.from(host.number, ROWS.waiting);
    const rows = rowsOf(entries, start, this.#keys.to(host.number, ROWS.waiting, now), most);
    for (const { key, value } of rows) {
      entries.removeSync(key);
      const entry = { ...decodeEntry(value), id: key.readUIntBE(13, 5) };
      this.#putInLine(host, entry, 1 + entry.priority, host.nextSequence++);
    }
    const from = this.#keys.from(host.number, ROWS.waiting);
    const first = firstKeyOf(entries, from, this.#keys.to(host.number, ROWS.waiting));
    host.ripensAt = first === undefined ? Number.POSITIVE_INFINITY : first.readDoubleBE(5);
  }

  /** Takes an entry out of hand and its row away; `null` when it is not in hand. */
  #leaveHand(host: HostState, id: EntryId): Placed | null {
    const held = host.hand.get(id);
    if (held === undefined) return null;
    const key = this.#keys.line(host.number, held.lane, held.rank, held.order);
    const row = this.#tables.entries.getBinary(key);
    if (row === undefined) throw new Error(`the store has no row of the entry ${id} in hand of ${host.key}`);
    const { priority, body } = decodeEntry(row);
    this.#tables.entries.removeSync(key);
    host.hand.delete(id);
    return { id: Number(id), lane: held.lane, priority, attempt: held.attempt, body };
  }

  #putInLine(host: HostState, { id, lane, priority, attempt, body }: Placed, rank: number, order: number): void {
    const row = this.#writer.encode({ priority, id: id === order ? 0 : id, attempt, lane: 0, body });
    this.#tables.entries.putSync(this.#keys.line(host.number, lane, rank, order), row);
    this.#lanes.openIfClosed(host, lane, rank, order);
  }

  #putWaiting(host: HostState, { id, lane, priority, attempt, body }: Placed, readyAt: number): void {
    const row = this.#writer.encode({ priority, id: 0, attempt, lane, body });
    this.#tables.entries.putSync(this.#keys.waiting(host.number, readyAt, id), row);
    host.ripensAt = Math.min(host.ripensAt, readyAt);
  }
}

/** Into hand; the row stays. */
function intoHand(host: HostState, { value }: Row, { lane, rank, order }: InLine): Entry {
  const { priority, id: keptId, attempt, body } = decodeEntry(value);
  const id = String(keptId > 0 ? keptId : order);
  addToHand(host, id, { lane, rank, order, attempt: attempt + 1 });
  host.queued -= 1;
  return { id, priority, body, attempt };
}

/** Where those of the line begin that are not in hand; 0 when none of it is. */
function behindHand({ hand }: HostState, lane: number, rank: number): number {
  let behind = 0;
  for (const held of hand.values())
    if (held.lane === lane && held.rank === rank) behind = Math.max(behind, held.order + 1);
  return behind;
}
