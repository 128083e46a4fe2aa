// The entries of host queues: which comes next, which wait, which are in flight.
//
//   waiting (by time) ──due───▶ lines, one per lane and rank ──take──▶ in flight ──done──▶ gone
//                                    ▲          │ requeue, give back            │
//                                    └──────────┴───────────────────────────────┘
//
// An entry in flight keeps its row, and the host's record names it. Those of a line stand in front of all others of
// that line, so the next entry is behind the last of them.

import type { Entry, EntryId, Requeue } from '../../store.js';
import { type Environment, firstKeyOf, type Row, rowsOf, type Table } from './environment.js';
import type { Host } from './host.js';
import { HostLines } from './host-lines.js';
import {
  decodeEntry,
  type EntryValue,
  encodeEntry,
  KIND,
  kindEnd,
  kindStart,
  kindUpTo,
  lineEnd,
  lineKey,
  type OpenLine,
  readLine,
  waitingId,
  waitingKey,
} from './rows.js';

/** Waiting entries put in line by one verb, or twice the number that is wanted. */
const QUEUED_AT_ONCE = 1_024;
/** Entries of a host's only line that its record does not count: a client that loads the host reads them. */
const UNRECORDED_MOST = 64;

/** Entries of all hosts. Changes the host in memory; marking it as changed is the caller's part. */
export class HostEntries {
  readonly #rows: Table;
  readonly #lines: HostLines;

  constructor(tables: Environment) {
    this.#rows = tables.entries;
    this.#lines = new HostLines(tables);
  }

  /** Adds an entry. `readyAt` in the past: at once. @returns Whether the host's record has to be written. */
  add(host: Host, lane: string | null, priority: number, body: Uint8Array, readyAt: number, now: number): boolean {
    const only = host.onlyLine;
    const id = host.nextSequence++;
    host.queued += 1;
    const entry = { id, lane: this.#lines.laneNumber(host, lane), priority, body, attempt: 0 };
    if (readyAt <= now) this.#putInLine(host, entry, 1 + priority, id);
    else this.#putWaiting(host, entry, readyAt);
    // Most new URLs are one more of their host's only line: a reader can count those, and a transaction copies one page
    // for each instead of two.
    const isCountable = readyAt <= now && only !== null && host.onlyLine === only;
    return !isCountable || host.nextSequence - host.recordedSequence > UNRECORDED_MOST;
  }

  /** The earliest time of an entry, 0 when one can be handed out now; `null` when none is queued. Never too late. */
  readyAt(host: Host, now: number): number | null {
    if (host.queued === 0) return null;
    this.#lines.endBlocks(host, now);
    this.#queueWaiting(host, now, QUEUED_AT_ONCE);
    return this.#lines.hasOpen(host) ? 0 : Math.min(host.waitsUntil, host.unblocksAt);
  }

  take(host: Host, count: number, now: number): Entry[] {
    const taken: Entry[] = [];
    if (count === 0 || host.queued === 0) return taken;
    this.#lines.endBlocks(host, now);
    this.#queueWaiting(host, now, Math.max(QUEUED_AT_ONCE, 2 * count));
    while (taken.length < count) {
      const [first, second] = this.#lines.firstOpen(host, 2);
      if (first === undefined) break;
      const { lane, rank, order } = first;
      const left = count - taken.length;
      const start = lineKey(host.number, lane, rank, Math.max(order, behindInFlight(host, lane, rank)));
      const rows = rowsOf(this.#rows, start, lineEnd(host.number, lane, rank), left + 1);
      const limit = second === undefined || second.rank > rank ? Number.POSITIVE_INFINITY : second.order;
      // The order of the first entry that stays; `null`: none does.
      let next: number | null = null;
      for (const row of rows) {
        const place = readLine(row.key);
        if (place.order > limit || taken.length === count) {
          next = place.order;
          break;
        }
        taken.push(handOut(host, row, place));
      }
      if (next === null) this.#lines.close(host, first);
      else if (second !== undefined) this.#lines.move(host, first, next);
    }
    return taken;
  }

  finish(host: Host, id: EntryId): boolean {
    const entry = host.inFlight.get(id);
    if (entry === undefined) return false;
    this.#rows.removeSync(lineKey(host.number, entry.lane, entry.rank, entry.order));
    return host.inFlight.delete(id);
  }

  /** Puts an entry in flight back into its priority. Any other id is ignored. */
  requeue(host: Host, change: Requeue, now: number): void {
    const kept = this.#leaveFlight(host, change.id);
    if (kept === null) return;
    host.queued += 1;
    const entry = { ...kept, priority: change.priority ?? kept.priority, body: change.body ?? kept.body };
    const waitMs = change.notBeforeMs ?? 0;
    if (waitMs > 0) this.#putWaiting(host, entry, now + waitMs);
    else this.#putInLine(host, entry, 1 + entry.priority, host.nextSequence++);
  }

  /** Everything in flight goes back in front of the lines, in the order it was handed out. */
  giveBack(host: Host): void {
    for (const id of [...host.inFlight.keys()]) {
      const entry = this.#leaveFlight(host, id);
      if (entry === null) continue;
      host.queued += 1;
      this.#putInLine(host, entry, 0, host.nextSequence++);
    }
  }

  block(host: Host, lane: string, until: number, now: number): void {
    this.#lines.block(host, lane, until, now);
  }

  #queueWaiting(host: Host, now: number, most: number): void {
    if (host.waitsUntil > now) return;
    const start = kindStart(host.number, KIND.waiting);
    for (const { key, value } of rowsOf(this.#rows, start, kindUpTo(host.number, KIND.waiting, now), most)) {
      this.#rows.removeSync(key);
      const entry = { ...decodeEntry(value), id: waitingId(key)! };
      this.#putInLine(host, entry, 1 + entry.priority, host.nextSequence++);
    }
    const first = firstKeyOf(this.#rows, start, kindEnd(host.number, KIND.waiting));
    host.waitsUntil = first === undefined ? Number.POSITIVE_INFINITY : first.readDoubleBE(5);
  }

  /** Removes an entry in flight and its row; `null` for any other id. */
  #leaveFlight(host: Host, id: EntryId): EntryValue | null {
    const entry = host.inFlight.get(id);
    if (entry === undefined) return null;
    const key = lineKey(host.number, entry.lane, entry.rank, entry.order);
    const row = this.#rows.getBinary(key);
    if (row === undefined) throw new Error(`the store has no row of the entry ${id} in flight of ${host.key}`);
    this.#rows.removeSync(key);
    host.inFlight.delete(id);
    return { ...decodeEntry(row), id: Number(id), lane: entry.lane, attempt: entry.attempt };
  }

  #putInLine(host: Host, entry: EntryValue, rank: number, order: number): void {
    const { id, lane } = entry;
    const row = encodeEntry({ ...entry, id: id === order ? 0 : id, lane: 0 });
    this.#rows.putSync(lineKey(host.number, lane, rank, order), row);
    this.#lines.entryAdded(host, { lane, rank, order });
  }

  #putWaiting(host: Host, entry: EntryValue, readyAt: number): void {
    this.#rows.putSync(waitingKey(host.number, readyAt, entry.id), encodeEntry({ ...entry, id: 0 }));
    host.waitsUntil = Math.min(host.waitsUntil, readyAt);
  }
}

/** The entry of a row of the entries table, as a scan lists it. */
export function listedEntry(host: Host, { key, value }: Row): Entry {
  const { id: keptId, priority, attempt, body } = decodeEntry(value);
  const id = String(waitingId(key) ?? (keptId > 0 ? keptId : readLine(key).order));
  return { id, priority, body, attempt: host.inFlight.get(id)?.attempt ?? attempt };
}

/** The entry is in flight from now on. Its row stays. */
function handOut(host: Host, { value }: Row, place: OpenLine): Entry {
  const { priority, id: keptId, attempt, body } = decodeEntry(value);
  const { lane, rank, order } = place;
  const id = String(keptId > 0 ? keptId : order);
  host.inFlight.set(id, { lane, rank, order, attempt: attempt + 1 });
  host.queued -= 1;
  return { id, priority, body, attempt };
}

/** The order behind the entries of a line that are in flight. */
function behindInFlight({ inFlight }: Host, lane: number, rank: number): number {
  let behind = 0;
  for (const entry of inFlight.values()) {
    if (entry.lane === lane && entry.rank === rank) behind = Math.max(behind, entry.order + 1);
  }
  return behind;
}
