// The entries of host queues: which comes next, which wait, which are in flight.
//
//   waiting (by time) ──due───▶ lines, one per lane and rank ──take──▶ in flight ──done──▶ gone
//                                    ▲          │ requeue, give back            │
//                                    └──────────┴───────────────────────────────┘
//
// An entry in flight keeps its row, and the host's record names it. In each line the entries in flight come before all
// others, so the next entry is the one after the last entry in flight.
//
// A line is the entries of one lane with one rank: rank 0 for released entries, then one rank per priority. A line with
// entries is open, unless its lane is blocked: then it is not among the open lines until the block ends, and costs
// nothing (L8). Most hosts have one lane and one line. In that case both are in the host's record; they get their own
// rows when there is a second line or a block.

import { unreadable } from '../../errors.js';
import type { Entry, EntryId, Requeue } from '../../store.js';
import type { QueueEntries } from '../host-queues.js';
import { type Environment, firstKeyOf, type Row, rowsOf, type Table } from './environment.js';
import type { Host } from './host.js';
import {
  blockEndKey,
  blockKey,
  decodeEntry,
  type EntryValue,
  encodeEntry,
  KIND,
  kindEnd,
  kindStart,
  kindUpTo,
  LAST_RANK,
  laneNumber,
  lineEnd,
  lineKey,
  type OpenLine,
  openLineKey,
  readLine,
  readOpenLine,
  readWaiting,
  timeAt,
  timeValue,
  waitingKey,
  wholeAt,
} from './rows.js';

/** The most waiting entries that one verb puts in line, unless twice the requested number is more. */
const MAX_QUEUED_AT_ONCE = 1_024;
/** The most entries of a host's only line that its record does not count. A client that loads the host reads them. */
const MAX_UNRECORDED_ENTRIES = 64;
const NO_VALUE = Buffer.alloc(0);
/** The most blocks that one verb ends. The next verb ends more. */
const MAX_BLOCKS_ENDED_AT_ONCE = 256;

/** Entries of one host. It changes the host in memory; except for new entries, the caller marks the host as changed. */
export class HostEntries implements QueueEntries {
  readonly #rows: Table;
  readonly #lines: Table;
  readonly #host: Host;
  readonly #onAdded: (mustWrite: boolean) => void;

  /** @param onAdded - Called for each new entry; `mustWrite`: the host's record must be written. */
  constructor({ entries, lines }: Environment, host: Host, onAdded: (mustWrite: boolean) => void) {
    this.#rows = entries;
    this.#lines = lines;
    this.#host = host;
    this.#onAdded = onAdded;
  }

  get queued(): number {
    return this.#host.queued;
  }
  get inFlight(): number {
    return this.#host.inFlight.size;
  }

  add(lane: string | null, priority: number, body: Uint8Array, readyAt: number, now: number): void {
    const host = this.#host;
    const only = host.onlyLine;
    const id = host.nextSequence++;
    host.queued += 1;
    const entry = { id, lane: laneNumber(lane), priority, body, attempt: 0 };
    if (readyAt <= now) this.#putInLine(entry, 1 + priority, id);
    else this.#putWaiting(entry, readyAt);
    // Most new URLs extend their host's only line. A reader can count those, so a transaction copies one page for each
    // instead of two.
    const isCountable = readyAt <= now && only !== null && host.onlyLine === only;
    this.#onAdded(!isCountable || host.nextSequence - host.recordedSequence > MAX_UNRECORDED_ENTRIES);
  }

  readyAt(now: number): number | null {
    const host = this.#host;
    if (host.queued === 0) return null;
    this.#endBlocks(now);
    this.#queueWaiting(now, MAX_QUEUED_AT_ONCE);
    const isAnyOpen = host.blockCount === 0 ? host.lineCount > 0 : this.#firstOpen(1).length > 0;
    return isAnyOpen ? 0 : Math.min(host.waitsUntil, host.unblocksAt);
  }

  take(count: number, now: number): Entry[] {
    const host = this.#host;
    const taken: Entry[] = [];
    if (count === 0 || host.queued === 0) return taken;
    this.#endBlocks(now);
    this.#queueWaiting(now, Math.max(MAX_QUEUED_AT_ONCE, 2 * count));
    while (taken.length < count) {
      const [first, second] = this.#firstOpen(2);
      if (first === undefined) break;
      const { lane, rank, order } = first;
      const remaining = count - taken.length;
      const start = lineKey(host.number, lane, rank, order);
      const rows = rowsOf(this.#rows, start, lineEnd(host.number, lane, rank), remaining + 1);
      const limit = second === undefined || second.rank > rank ? Number.POSITIVE_INFINITY : second.order;
      // The order of the first entry that stays; `null`: no entry stays.
      let next: number | null = null;
      for (const row of rows) {
        const position = readLine(row.key);
        if (position.order > limit || taken.length === count) {
          next = position.order;
          break;
        }
        taken.push(handOut(host, row, position));
      }
      this.#moveLine(first, next);
    }
    return taken;
  }

  finish(id: EntryId): boolean {
    const entry = this.#host.inFlight.get(id);
    if (entry === undefined) return false;
    this.#rows.removeSync(lineKey(this.#host.number, entry.lane, entry.rank, entry.order));
    return this.#host.inFlight.delete(id);
  }

  requeue(change: Requeue, now: number): void {
    const previous = this.#leaveFlight(change.id);
    if (previous === null) return;
    this.#host.queued += 1;
    const entry = { ...previous, priority: change.priority ?? previous.priority, body: change.body ?? previous.body };
    const waitMs = change.notBeforeMs ?? 0;
    if (waitMs > 0) this.#putWaiting(entry, now + waitMs);
    else this.#putInLine(entry, 1 + entry.priority, this.#host.nextSequence++);
  }

  requeueInFlight(): void {
    for (const id of [...this.#host.inFlight.keys()]) {
      const entry = this.#leaveFlight(id);
      if (entry === null) continue;
      this.#host.queued += 1;
      this.#putInLine(entry, 0, this.#host.nextSequence++);
    }
  }

  block(name: string, until: number, now: number): void {
    const { number } = this.#host;
    const lane = laneNumber(name);
    this.#writeOnlyLine();
    const before = this.#blockedUntil(lane);
    if (before > 0) this.#unblock(lane, before);
    if (until > now) {
      this.#lines.putSync(blockKey(number, lane), timeValue(until));
      this.#lines.putSync(blockEndKey(number, until, lane), NO_VALUE);
      this.#host.blockCount += 1;
      for (const line of this.#linesOf(lane)) this.#lines.removeSync(openLineKey(number, line));
    }
    this.#host.unblocksAt = this.#firstTime(this.#lines, KIND.blockEnd);
  }

  #queueWaiting(now: number, limit: number): void {
    const host = this.#host;
    if (host.waitsUntil > now) return;
    for (const { key, value } of this.#rowsUpTo(this.#rows, KIND.waiting, now, limit)) {
      this.#rows.removeSync(key);
      const entry = { ...decodeEntry(value), id: readWaiting(key)!.id };
      this.#putInLine(entry, 1 + entry.priority, host.nextSequence++);
    }
    host.waitsUntil = this.#firstTime(this.#rows, KIND.waiting);
  }

  /** Removes an entry in flight and its row; `null`: no entry with that id is in flight. */
  #leaveFlight(id: EntryId): EntryValue | null {
    const entry = this.#host.inFlight.get(id);
    if (entry === undefined) return null;
    const key = lineKey(this.#host.number, entry.lane, entry.rank, entry.order);
    const row = this.#rows.getBinary(key);
    if (row === undefined) throw unreadable(`the entry ${id} in flight of ${this.#host.key}`);
    this.#rows.removeSync(key);
    this.#host.inFlight.delete(id);
    return { ...decodeEntry(row), id: Number(id), lane: entry.lane, attempt: entry.attempt };
  }

  #putInLine(entry: EntryValue, rank: number, order: number): void {
    const { id, lane } = entry;
    const isNewLine = this.#firstOrder(lane, rank) === null;
    const row = encodeEntry({ ...entry, id: id === order ? 0 : id, lane: 0 });
    this.#rows.putSync(lineKey(this.#host.number, lane, rank, order), row);
    if (isNewLine) this.#openLine({ lane, rank, order });
  }

  #putWaiting(entry: EntryValue, readyAt: number): void {
    this.#rows.putSync(waitingKey(this.#host.number, readyAt, entry.id), encodeEntry({ ...entry, id: 0 }));
    this.#host.waitsUntil = Math.min(this.#host.waitsUntil, readyAt);
  }

  // ── Lines and lanes ────────────────────────────────────────────────────────────────────────────────────────────────

  /** The first open lines, by rank and by the order of their first entries. */
  #firstOpen(count: number): OpenLine[] {
    const { number, onlyLine } = this.#host;
    if (onlyLine !== null) return [onlyLine];
    const [start, end] = [kindStart(number, KIND.openLine), kindEnd(number, KIND.openLine)];
    return rowsOf(this.#lines, start, end, count).map(({ key }) => readOpenLine(key));
  }

  /** Opens a line that got its first entry. */
  #openLine(line: OpenLine): void {
    const host = this.#host;
    host.lineCount += 1;
    if (host.lineCount === 1 && host.blockCount === 0) {
      host.onlyLine = line;
      return;
    }
    this.#writeOnlyLine();
    if (this.#blockedUntil(line.lane) === 0) this.#lines.putSync(openLineKey(host.number, line), NO_VALUE);
  }

  /** Moves an open line whose first entry has changed. `order`: of its first entry; `null`: it has none left. */
  #moveLine(line: OpenLine, order: number | null): void {
    const host = this.#host;
    const moved = order === null ? null : { ...line, order };
    if (moved === null) host.lineCount -= 1;
    if (host.onlyLine !== null) {
      host.onlyLine = moved;
      return;
    }
    this.#lines.removeSync(openLineKey(host.number, line));
    if (moved !== null) this.#lines.putSync(openLineKey(host.number, moved), NO_VALUE);
  }

  #endBlocks(now: number): void {
    if (this.#host.unblocksAt > now) return;
    for (const { key } of this.#rowsUpTo(this.#lines, KIND.blockEnd, now, MAX_BLOCKS_ENDED_AT_ONCE))
      this.#unblock(wholeAt(key, 13, 4), timeAt(key, 5));
    this.#host.unblocksAt = this.#firstTime(this.#lines, KIND.blockEnd);
  }

  /** 0: the lane is not blocked. */
  #blockedUntil(lane: number): number {
    if (this.#host.blockCount === 0 || lane === 0) return 0;
    const until = this.#lines.getBinary(blockKey(this.#host.number, lane));
    return until === undefined ? 0 : timeAt(until, 0);
  }

  #unblock(lane: number, until: number): void {
    const { number } = this.#host;
    this.#lines.removeSync(blockEndKey(number, until, lane));
    this.#lines.removeSync(blockKey(number, lane));
    this.#host.blockCount -= 1;
    for (const line of this.#linesOf(lane)) this.#lines.putSync(openLineKey(number, line), NO_VALUE);
  }

  #linesOf(lane: number): OpenLine[] {
    return Array.from({ length: LAST_RANK + 1 }, (_, rank) => ({
      lane,
      rank,
      order: this.#firstOrder(lane, rank),
    })).filter((line): line is OpenLine => line.order !== null);
  }

  /** The first rows of a kind that is sorted by time, up to a time. */
  #rowsUpTo(table: Table, kind: number, time: number, limit: number): Row[] {
    const { number } = this.#host;
    return rowsOf(table, kindStart(number, kind), kindUpTo(number, kind, time), limit);
  }

  /** The first time in the rows of such a kind; `Infinity`: there are none. */
  #firstTime(table: Table, kind: number): number {
    const { number } = this.#host;
    const key = firstKeyOf(table, kindStart(number, kind), kindEnd(number, kind));
    return key === undefined ? Number.POSITIVE_INFINITY : timeAt(key, 5);
  }

  /** Writes the rows of a line that was only in the host's record. */
  #writeOnlyLine(): void {
    const only = this.#host.onlyLine;
    if (only === null) return;
    this.#host.onlyLine = null;
    this.#lines.putSync(openLineKey(this.#host.number, only), NO_VALUE);
  }

  /** The order of a line's first entry that is not in flight; `null`: there is none. */
  #firstOrder(lane: number, rank: number): number | null {
    const { number, lineCount, onlyLine, inFlight } = this.#host;
    if (lineCount === 0) return null;
    if (onlyLine !== null) return onlyLine.lane === lane && onlyLine.rank === rank ? onlyLine.order : null;
    let nextOrder = 0;
    for (const entry of inFlight.values()) {
      if (entry.lane === lane && entry.rank === rank) nextOrder = Math.max(nextOrder, entry.order + 1);
    }
    const key = firstKeyOf(this.#rows, lineKey(number, lane, rank, nextOrder), lineEnd(number, lane, rank));
    return key === undefined ? null : readLine(key).order;
  }
}

/** The entry in a row of the entries table, as a scan lists it. */
export function listedEntry(host: Host, { key, value }: Row): Entry {
  const { id: storedId, priority, attempt, body } = decodeEntry(value);
  const id = String(readWaiting(key)?.id ?? (storedId > 0 ? storedId : readLine(key).order));
  return { id, priority, body, attempt: host.inFlight.get(id)?.attempt ?? attempt };
}

/** Puts the entry in flight. Its row stays. */
function handOut(host: Host, { value }: Row, position: OpenLine): Entry {
  const { priority, id: storedId, attempt, body } = decodeEntry(value);
  const { lane, rank, order } = position;
  const id = String(storedId > 0 ? storedId : order);
  host.inFlight.set(id, { lane, rank, order, attempt: attempt + 1 });
  host.queued -= 1;
  return { id, priority, body, attempt };
}
