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
import { type Arrival, type RecordHead, readHead, readRecord, recordMostBytes, writeRecord } from './inbox-record.js';
import { NONE, PlaceChains } from './place-chains.js';

/** Octets of a chunk: two of them fill a page. A longer record is a chunk of its own. */
const CHUNK_BYTES = 1_984;
const PLACES_PER_CHUNK = 65_536;
/** Records at which a folding starts: the more, the more of them lie on each page it changes. */
const FOLDED_RECORDS = 262_144;
/** Hosts at which it starts: some 300 octets of memory each. */
const FOLDED_HOSTS = 65_536;
/** Chunks that are removed together when all they hold was asked for, and no folding was needed. */
const REMOVED_CHUNKS = 256;
/** Octets of chunks kept in memory while they are folded: a folding comes back to each as often as it has hosts. */
const CHUNKS_HELD_BYTES = 16_777_216;

/** What one host has in the log. */
export interface Pending {
  readonly host: number;
  /** Where it is known. */
  name: HostKey | null;
  /** The same, of a host that has no row yet. */
  key: HostKey | null;
  /** Slots of its places, in the order of arrival, and how many they are. */
  first: number;
  last: number;
  count: number;
  /** Until when an entry that is ready at once changes nothing else about the host: a turn (`settle`); -1: it may. */
  settledIn: number;
  /** Where the last record that said so has put the host in the time index; `null`: none did. */
  dueAt: number | null;
  duePlace: number;
}

/** The log. `counts` is always the transaction's. */
export class Inbox {
  readonly #table: Table;
  readonly #hosts = new Map<number, Pending>();
  readonly #places = new PlaceChains();
  readonly #byName = new Map<HostKey, Pending>();
  /** Chunks that are being folded, and their octets. */
  readonly #held = new Map<number, Buffer>();
  #heldBytes = 0;
  /** Begins anew when another process has written: it may have done anything to a host. */
  #turn = 0;
  /** Records by which hosts are known here; some may be folded by another process. */
  #size = 0;
  /** The next chunk to be read, and the first that is there, as far as is known. */
  #nextChunk = 0;
  #firstChunk = 0;
  /** Records of this transaction that stand in no chunk yet. */
  #open = Buffer.alloc(CHUNK_BYTES);
  #openBytes = 0;
  /** Hosts that are left of a folding, the last one first, and the chunk up to which it goes. */
  #unfolded: number[] = [];
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
      const octets = this.#table.getBinaryFast(this.#keyOf(this.#nextChunk));
      const length = octets?.length ?? 0;
      for (let at = 0; at < length; at = head.end) {
        readHead(octets!, at, head);
        this.#note(head, this.#nextChunk * PLACES_PER_CHUNK + at);
      }
    }
  }

  /** What a host has in the log and not in its rows. */
  of(host: number, foldedTo: number): Pending | undefined {
    const pending = this.#hosts.get(host);
    if (pending === undefined || this.#places.at(pending.first) >= foldedTo) return pending;
    if (pending.duePlace < foldedTo) pending.dueAt = null;
    if (this.#places.at(pending.last) >= foldedTo) {
      while (this.#places.at(pending.first) < foldedTo) {
        const folded = pending.first;
        pending.first = this.#places.next(folded);
        pending.count -= 1;
        this.#size -= 1;
        this.#places.free(folded, folded);
      }
      return pending;
    }
    this.#forget(pending);
    return undefined;
  }

  /** Where a host's records are, in the order of arrival. */
  placesOf(pending: Pending | undefined): readonly number[] {
    return pending === undefined ? [] : this.#places.from(pending.first);
  }

  /** The host as the log names it, where it has no row. */
  keyOf(host: number): HostKey | null {
    return this.#hosts.get(host)?.key ?? null;
  }

  /** The number of a host that the log names. */
  numberOf(name: HostKey): number | undefined {
    return this.#byName.get(name)?.host;
  }

  /** Appends an entry that is ready at once of a host to which nothing else than such has happened; `false`: something may have. */
  addSettled(name: HostKey, lane: string | null, band: number, body: Uint8Array, counts: Counts): boolean {
    const pending = this.#byName.get(name);
    if (pending === undefined || pending.settledIn !== this.#turn) return false;
    this.add({ host: pending.host, key: null, lane, band, readyAt: 0, dueAt: null, body }, name, counts);
    return true;
  }

  /** To be called after an entry that is ready at once was added to a host: until something else happens it is due as early as it can be. */
  settle(host: number, name: HostKey): void {
    const pending = this.#hosts.get(host);
    if (pending === undefined) return;
    pending.settledIn = this.#turn;
    if (pending.name === null) {
      pending.name = name;
      this.#byName.set(name, pending);
    }
  }

  /** To be called when another process has written. */
  unsettle(): void {
    this.#turn += 1;
  }

  /** Appends an entry. `hostKey`: of its host. */
  add(arrival: Arrival, hostKey: HostKey, counts: Counts): void {
    const most = recordMostBytes(arrival);
    if (this.#openBytes + most > this.#open.length && this.#openBytes > 0) this.flush(counts);
    if (most > this.#open.length) this.#open = Buffer.alloc(most);
    this.#note(arrival, counts.inboxEnd * PLACES_PER_CHUNK + this.#openBytes);
    this.#openBytes = writeRecord(this.#open, this.#openBytes, arrival, hostKey);
    if (this.#openBytes > CHUNK_BYTES) this.flush(counts);
  }

  /** The entry at a place; its own copy. `hostKey`: of its host. */
  read(place: number, hostKey: HostKey): Arrival {
    const chunk = Math.floor(place / PLACES_PER_CHUNK);
    const octets = chunk === this.#nextChunk ? this.#open : this.#chunk(chunk);
    if (octets === undefined) throw new Error(`the log of new entries has no chunk ${chunk}`);
    return readRecord(octets, place % PLACES_PER_CHUNK, hostKey).arrival;
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
    const pending = this.#hosts.get(host);
    if (pending !== undefined) this.#forget(pending);
  }

  /** The next host to be folded, and its number of records; `null` when there is nothing to do. */
  nextToFold(counts: Counts): { readonly host: number; readonly records: number } | null {
    if (this.#unfolded.length === 0) this.#startFolding(counts);
    for (let host = this.#unfolded.pop(); host !== undefined; host = this.#unfolded.pop()) {
      const pending = this.#hosts.get(host);
      if (pending !== undefined) return { host, records: pending.count };
    }
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
    this.#unfolded = [];
    this.#removeChunks(counts);
  }

  /** Entries from a place on, as far as they are in chunks; none of a host before its `foldedTo`. At most `count` are looked at. */
  *walk(
    from: number,
    count: number,
  ): Generator<{ readonly place: number; readonly host: number; readonly octets: Buffer }> {
    const head: RecordHead = { host: 0, key: null, dueAt: null, end: 0 };
    let left = count;
    for (let chunk = Math.floor(from / PLACES_PER_CHUNK); chunk < this.#nextChunk && left > 0; chunk += 1) {
      const octets = this.#table.getBinary(this.#keyOf(chunk));
      const skipped = chunk * PLACES_PER_CHUNK < from ? from % PLACES_PER_CHUNK : 0;
      for (let at = skipped; octets !== undefined && at < octets.length && left > 0; left -= 1) {
        yield { place: chunk * PLACES_PER_CHUNK + at, host: octets.readUInt32BE(at), octets };
        readHead(octets, at, head);
        at = head.end;
      }
    }
  }

  #note({ host, key, dueAt }: Pick<RecordHead, 'host' | 'key' | 'dueAt'>, place: number): void {
    this.#size += 1;
    let pending = this.#hosts.get(host);
    if (pending === undefined) {
      const first = this.#places.add(NONE, place);
      pending = { host, name: null, key: null, first, last: first, count: 1, settledIn: -1, dueAt: null, duePlace: 0 };
      this.#hosts.set(host, pending);
    } else {
      pending.last = this.#places.add(pending.last, place);
      pending.count += 1;
    }
    if (dueAt !== null) {
      pending.dueAt = dueAt;
      pending.duePlace = place;
    }
    if (key === null) return;
    pending.key = key;
    pending.name = key;
    this.#byName.set(key, pending);
  }

  #forget(pending: Pending): void {
    this.#size -= pending.count;
    this.#places.free(pending.first, pending.last);
    this.#hosts.delete(pending.host);
    if (pending.name !== null) this.#byName.delete(pending.name);
  }

  /** A chunk, to be read at once. */
  #chunk(chunk: number): Buffer | undefined {
    if (chunk >= this.#foldsTo) return this.#table.getBinaryFast(this.#keyOf(chunk));
    const held = this.#held.get(chunk);
    if (held !== undefined) return held;
    if (this.#heldBytes > CHUNKS_HELD_BYTES) return this.#table.getBinaryFast(this.#keyOf(chunk));
    const octets = this.#table.getBinary(this.#keyOf(chunk));
    if (octets === undefined) return undefined;
    this.#held.set(chunk, octets);
    this.#heldBytes += octets.length;
    return octets;
  }

  #letGo(): void {
    this.#held.clear();
    this.#heldBytes = 0;
  }

  #startFolding(counts: Counts): void {
    if (this.#size < FOLDED_RECORDS && this.#hosts.size < FOLDED_HOSTS) return;
    this.#foldsTo = counts.inboxEnd;
    this.#unfolded = [...this.#hosts.keys()].sort((a, b) => b - a);
  }

  /** The folding is done: nothing before its end is needed any more. */
  #removeChunks(counts: Counts): void {
    for (let chunk = counts.inboxFrom; chunk < this.#foldsTo; chunk += 1) this.#table.removeSync(this.#keyOf(chunk));
    counts.inboxFrom = Math.max(counts.inboxFrom, this.#foldsTo);
    this.#firstChunk = counts.inboxFrom;
    this.#letGo();
  }

  /** Another process has folded everything before a chunk. */
  #forgetBefore(chunk: number): void {
    this.#firstChunk = chunk;
    for (const host of [...this.#hosts.keys()]) this.of(host, chunk * PLACES_PER_CHUNK);
    if (this.#foldsTo > chunk) return;
    this.#unfolded = [];
    this.#letGo();
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
