// New entries on their way into the rows of their hosts. A transaction copies every page it changes, and the hosts of a
// page's links lie on as many pages: so what `add` brings is first written one behind the other, on a page or two, and goes
// to the rows of its host later, thousands at a time in the order of hosts ("folding"), or when something else happens to
// the host. What a new URL costs is thus the same on a hundred hosts and on a hundred thousand.
//
//   chunk    some two kilobytes of records, under growing numbers
//   record   an entry and its host: `inbox-record.ts`
//   place    chunk × 65,536 + where the record begins: grows with every record
//
// A record counts as long as its place is not before its host's `foldedTo`; chunks that nobody needs are removed when a
// folding is done. Every process on the file reads all records at open, and what others have added at the start of each
// transaction. Memory has the places by host; bodies stay in the file.

import type { HostKey } from '../../store.js';
import type { Counts } from './counts.js';
import type { Environment, Table } from './environment.js';
import {
  type Arrival,
  EntryReader,
  type LoggedEntry,
  type RecordHead,
  readHead,
  recordMostBytes,
  writeRecord,
} from './inbox-record.js';
import { PendingHosts } from './pending-hosts.js';
import { NONE } from './place-chains.js';

/** Bytes of a chunk: two of them fill a page. A longer record is a chunk of its own. */
const CHUNK_BYTES = 1_984;
const PLACES_PER_CHUNK = 65_536;
/** Records at which a folding starts: the more, the more of them lie on each page it changes. */
const FOLDED_RECORDS = 262_144;
/** Hosts at which it starts. */
const FOLDED_HOSTS = 65_536;
/** Chunks that are removed together when all they hold was asked for, and no folding was needed. */
const REMOVED_CHUNKS = 256;
const NOTHING_UNFOLDED = new Uint32Array(0);
/** Bytes of chunks kept in memory while they are folded: a folding comes back to each as often as it has hosts. */
const CHUNKS_HELD_BYTES = 25_165_824;

/** The log. `counts` is always the transaction's. */
export class Inbox {
  readonly #table: Table;
  readonly #hosts = new PendingHosts();
  readonly #reader = new EntryReader();
  /** Chunks that are being folded, from the first one that is there, and their bytes. */
  #held: (Buffer | undefined)[] = [];
  #heldBytes = 0;
  /** Records by which hosts are known here; some may be folded by another process. */
  #size = 0;
  /** The next chunk to be read, and the first that is there, as far as is known. */
  #nextChunk = 0;
  #firstChunk = 0;
  /** Records of this transaction that stand in no chunk yet. */
  #open = Buffer.alloc(CHUNK_BYTES);
  #openBytes = 0;
  /** Hosts of a folding, the next one of them, and the chunk up to which it goes. */
  #unfolded: Uint32Array = NOTHING_UNFOLDED;
  #nextUnfolded = 0;
  #foldsTo = 0;
  readonly #key = Buffer.alloc(6);

  constructor({ inbox }: Environment) {
    this.#table = inbox;
  }

  /** Reads what others have added, and forgets what they have folded for good. */
  catchUp(counts: Counts): void {
    if (counts.inboxFrom > this.#firstChunk) this.#forgetBefore(counts.inboxFrom);
    this.#nextChunk = Math.max(this.#nextChunk, counts.inboxFrom);
    const head: RecordHead = { host: 0, key: null, dueAt: null, end: 0 };
    for (; this.#nextChunk < counts.inboxEnd; this.#nextChunk += 1) {
      const bytes = this.#table.getBinaryFast(this.#keyOf(this.#nextChunk));
      const length = bytes?.length ?? 0;
      for (let at = 0; at < length; at = head.end) {
        readHead(bytes!, at, head);
        this.#note(this.#hosts.rowFor(head.host), head, this.#nextChunk * PLACES_PER_CHUNK + at);
      }
    }
  }

  /** Records of a host that are in the log and not in its rows. */
  countOf(host: number, foldedTo: number): number {
    return this.#hosts.countOf(this.#rowOf(host, foldedTo));
  }

  /** Where they are, in the order of arrival. */
  placesOf(host: number, foldedTo: number): readonly number[] {
    return this.#hosts.placesOf(this.#rowOf(host, foldedTo));
  }

  /** Where they have put the host in the time index; `null`: they have not. */
  dueAtOf(host: number, foldedTo: number): number | null {
    return this.#hosts.dueAt(this.#rowOf(host, foldedTo));
  }

  /** The host as the log names it, where it has no row. */
  keyOf(host: number): HostKey | null {
    return this.#hosts.keyOf(this.#hosts.rowOf(host));
  }

  /** The number of a host that the log names, or has named lately. */
  numberOf(name: HostKey): number | undefined {
    const row = this.#hosts.rowNamed(name);
    return row === NONE ? undefined : this.#hosts.numberOf(row);
  }

  /** Appends an entry that is ready at once of a host to which nothing else than such has happened; `false`: something may have. */
  addSettled(name: HostKey, lane: string | null, priority: number, body: Uint8Array, counts: Counts): boolean {
    const row = this.#hosts.rowNamed(name);
    if (row === NONE || !this.#hosts.isSettled(row)) return false;
    const host = this.#hosts.numberOf(row);
    this.#append(row, { host, key: null, lane, priority, readyAt: 0, dueAt: null, body }, name, counts);
    return true;
  }

  /** To be called after an entry that is ready at once was added to a host: until something else happens it is due as early as it can be. */
  settle(host: number, name: HostKey): void {
    this.#hosts.settle(this.#hosts.rowOf(host), name);
  }

  /** To be called when something else happens to a host. */
  unsettle(host: number): void {
    this.#hosts.unsettle(this.#hosts.rowOf(host));
  }

  /** To be called when another process has written: it may have done anything to any host. */
  unsettleAll(): void {
    this.#hosts.unsettleAll();
  }

  /** Appends an entry. `hostKey`: of its host. */
  add(arrival: Arrival, hostKey: HostKey, counts: Counts): void {
    this.#append(this.#hosts.rowFor(arrival.host), arrival, hostKey, counts);
  }

  /** The entry at a place; its body is good until something is appended or removed. `hostKey`: of its host. */
  read(place: number, hostKey: HostKey): LoggedEntry {
    const chunk = Math.floor(place / PLACES_PER_CHUNK);
    const at = place % PLACES_PER_CHUNK;
    const bytes = chunk === this.#nextChunk ? this.#open : this.#heldChunk(chunk);
    if (bytes !== undefined) return this.#reader.read(bytes, at, hostKey);
    const passing = this.#table.getBinaryFast(this.#keyOf(chunk));
    if (passing === undefined) throw new Error(`the log of new entries has no chunk ${chunk}`);
    const entry = this.#reader.read(passing, at, hostKey);
    // The next row that anybody reads is put where this one is.
    return { ...entry, body: entry.body.slice() };
  }

  /** In front of the first record. */
  get begin(): number {
    return this.#firstChunk * PLACES_PER_CHUNK;
  }

  /** Behind the last record. */
  end(counts: Counts): number {
    return counts.inboxEnd * PLACES_PER_CHUNK + this.#openBytes;
  }

  /** To be called when a host's records stand in its rows. */
  folded(host: number): void {
    this.#size -= this.#hosts.dropAll(this.#hosts.rowOf(host));
  }

  /** The next host to be folded, and its number of records; `null` when there is nothing to do. */
  nextToFold(counts: Counts): { readonly host: number; readonly records: number } | null {
    if (this.#unfolded.length === 0) this.#startFolding(counts);
    while (this.#nextUnfolded < this.#unfolded.length) {
      const host = this.#unfolded[this.#nextUnfolded++]!;
      const records = this.#hosts.countOf(this.#hosts.rowOf(host));
      if (records > 0) return { host, records };
    }
    this.#unfolded = NOTHING_UNFOLDED;
    this.#removeChunks(counts);
    return null;
  }

  /** Writes the records that stand in no chunk; to be called at the end of the transaction. */
  flush(counts: Counts): void {
    if (this.#openBytes === 0) return;
    const chunk = this.#open.subarray(0, this.#openBytes);
    const isLast: unknown = this.#table.putSync(this.#keyOf(counts.inboxEnd), chunk, { append: true });
    if (isLast === false) throw new Error(`the log of new entries has a chunk past ${counts.inboxEnd}`);
    counts.inboxEnd += 1;
    this.#nextChunk = counts.inboxEnd;
    this.#openBytes = 0;
    if (this.#open.length > CHUNK_BYTES) this.#open = Buffer.alloc(CHUNK_BYTES);
  }

  /** Removes what nobody needs any more where that is all of it; to be called after `flush`. */
  removeIfFolded(counts: Counts): void {
    if (this.#size > 0 || counts.inboxEnd - counts.inboxFrom < REMOVED_CHUNKS) return;
    this.#foldsTo = counts.inboxEnd;
    this.#unfolded = NOTHING_UNFOLDED;
    this.#removeChunks(counts);
  }

  /** Entries from a place on, as far as they are in chunks; none of a host before its `foldedTo`. At most `count` are looked at. */
  *walk(
    from: number,
    count: number,
  ): Generator<{ readonly place: number; readonly host: number; readonly bytes: Buffer }> {
    const head: RecordHead = { host: 0, key: null, dueAt: null, end: 0 };
    let left = count;
    for (let chunk = Math.floor(from / PLACES_PER_CHUNK); chunk < this.#nextChunk && left > 0; chunk += 1) {
      const bytes = this.#table.getBinary(this.#keyOf(chunk));
      const skipped = chunk * PLACES_PER_CHUNK < from ? from % PLACES_PER_CHUNK : 0;
      for (let at = skipped; bytes !== undefined && at < bytes.length && left > 0; left -= 1) {
        yield { place: chunk * PLACES_PER_CHUNK + at, host: bytes.readUInt32BE(at), bytes };
        readHead(bytes, at, head);
        at = head.end;
      }
    }
  }

  #append(row: number, arrival: Arrival, hostKey: HostKey, counts: Counts): void {
    const most = recordMostBytes(arrival);
    if (this.#openBytes + most > this.#open.length && this.#openBytes > 0) this.flush(counts);
    if (most > this.#open.length) this.#open = Buffer.alloc(most);
    this.#note(row, arrival, counts.inboxEnd * PLACES_PER_CHUNK + this.#openBytes);
    this.#openBytes = writeRecord(this.#open, this.#openBytes, arrival, hostKey);
    if (this.#openBytes > CHUNK_BYTES) this.flush(counts);
  }

  #note(row: number, { key, dueAt }: Pick<RecordHead, 'key' | 'dueAt'>, place: number): void {
    this.#size += 1;
    this.#hosts.append(row, place, key, dueAt);
  }

  /** The row of a host without what stands in its own rows. */
  #rowOf(host: number, foldedTo: number): number {
    const row = this.#hosts.rowOf(host);
    if (row !== NONE) this.#size -= this.#hosts.dropBefore(row, foldedTo);
    return row;
  }

  /** A chunk that is being folded, as long as there is room for it. */
  #heldChunk(chunk: number): Buffer | undefined {
    const at = chunk - this.#firstChunk;
    const held = this.#held[at];
    if (held !== undefined || at >= this.#held.length || this.#heldBytes > CHUNKS_HELD_BYTES) return held;
    const bytes = this.#table.getBinary(this.#keyOf(chunk));
    if (bytes === undefined) return undefined;
    this.#held[at] = bytes;
    this.#heldBytes += bytes.length;
    return bytes;
  }

  #releaseBody(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }

  #startFolding(counts: Counts): void {
    if (this.#size < FOLDED_RECORDS && this.#hosts.withRecords < FOLDED_HOSTS) return;
    this.#foldsTo = counts.inboxEnd;
    this.#held = new Array<Buffer | undefined>(this.#foldsTo - this.#firstChunk).fill(undefined);
    this.#unfolded = this.#hosts.numbers();
    this.#nextUnfolded = 0;
  }

  /** The folding is done: nothing before its end is needed any more. */
  #removeChunks(counts: Counts): void {
    for (let chunk = counts.inboxFrom; chunk < this.#foldsTo; chunk += 1) this.#table.removeSync(this.#keyOf(chunk));
    counts.inboxFrom = Math.max(counts.inboxFrom, this.#foldsTo);
    this.#firstChunk = counts.inboxFrom;
    this.#releaseBody();
  }

  /** Another process has folded everything before a chunk. */
  #forgetBefore(chunk: number): void {
    this.#firstChunk = chunk;
    for (const host of this.#hosts.numbers()) this.#rowOf(host, chunk * PLACES_PER_CHUNK);
    this.#releaseBody();
    if (this.#foldsTo <= chunk) this.#unfolded = NOTHING_UNFOLDED;
  }

  #keyOf(chunk: number): Buffer {
    this.#key.writeUIntBE(chunk, 0, 6);
    return this.#key;
  }
}

/** The first of these places that is not before another. */
export function firstPlaceFrom(places: readonly number[], place: number): number {
  let [from, to] = [0, places.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (places[middle]! < place) from = middle + 1;
    else to = middle;
  }
  return from;
}
