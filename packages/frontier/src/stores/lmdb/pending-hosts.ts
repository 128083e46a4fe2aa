// Hosts of which the log of new entries knows something: where their records are, and whether something else than new
// entries may have happened to them. A page's links are looked up here, so nothing of it is an object: columns of numbers,
// found by the host's number and by its name through open tables, are nothing to the garbage collector, and a host that has
// nothing left in the log is remembered until its row is needed for another.

import type { HostKey } from '../../store.js';
import { NONE, PlaceChains } from './place-chains.js';

const FIRST_HOSTS = 1_024;
/** Room above which hosts with nothing in the log make way for others; more is made only where most have something. */
const REMEMBERED_HOSTS = 131_072;
/** Of a host of which something else may have happened. */
const NOT_SETTLED = -1;

/** What is known of so many hosts; a host is a row in all of it. */
interface Columns {
  readonly number: Uint32Array;
  /** Slots of the host's places in the log. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly count: Uint32Array;
  /** The turn for which it is settled. */
  readonly settledIn: Int32Array;
  /** Where the last record that said so has put the host in the time index; NaN: none did. */
  readonly dueAt: Float64Array;
  readonly duePlace: Float64Array;
  /** Whether a record in the log names the host. */
  readonly isNamed: Uint8Array;
  readonly hash: Int32Array;
  /** Where it is known. */
  readonly name: (HostKey | null)[];
  /** Open tables of rows + 1, 0: free; twice as many places as rows. */
  readonly byNumber: Int32Array;
  readonly byName: Int32Array;
}

/** All of them. A row of `NONE` is no host; rows are good until the next `append`. */
export class PendingHosts {
  readonly #places = new PlaceChains();
  /** So that nobody can choose host names that all meet in one place. */
  readonly #seed = crypto.getRandomValues(new Int32Array(1))[0]!;
  #columns = newColumns(FIRST_HOSTS);
  #rows = 0;
  #withRecords = 0;
  #turn = 0;

  /** Hosts that have something in the log. */
  get withRecords(): number {
    return this.#withRecords;
  }

  /** The row of a host. */
  rowOf(number: number): number {
    return this.#columns.byNumber[placeOfNumber(this.#columns, number)]! - 1;
  }

  /** The row of a host whose name is known. */
  rowNamed(name: HostKey): number {
    return this.#columns.byName[placeOfName(this.#columns, name, this.#hashOf(name))]! - 1;
  }

  numberOf(row: number): number {
    return this.#columns.number[row]!;
  }

  /** Records of the host. */
  countOf(row: number): number {
    return row === NONE ? 0 : this.#columns.count[row]!;
  }

  /** The name that a record in the log gives the host. */
  keyOf(row: number): HostKey | null {
    return row === NONE || this.#columns.isNamed[row] === 0 ? null : this.#columns.name[row]!;
  }

  /** Where records have put the host in the time index. */
  dueAt(row: number): number | null {
    const dueAt = row === NONE ? Number.NaN : this.#columns.dueAt[row]!;
    return Number.isNaN(dueAt) ? null : dueAt;
  }

  /** Where the host's records are, in the order of arrival. */
  placesOf(row: number): readonly number[] {
    return this.countOf(row) === 0 ? [] : this.#places.from(this.#columns.first[row]!);
  }

  /** Numbers of those that have something in the log, the least first. */
  numbers(): Uint32Array {
    const { number, count } = this.#columns;
    return number.subarray(0, this.#rows).filter((_, row) => count[row]! > 0).sort();
  }

  /** A record of a host. @returns The host's row. */
  append(number: number, place: number): number {
    let row = this.rowOf(number);
    if (row === NONE) row = this.#newRow(number);
    const { first, last, count } = this.#columns;
    last[row] = this.#places.add(last[row]!, place);
    if (count[row]! === 0) {
      first[row] = last[row]!;
      this.#withRecords += 1;
    }
    count[row]! += 1;
    return row;
  }

  /** What the record just appended says of the host. */
  note(row: number, key: HostKey | null, dueAt: number | null, place: number): void {
    const { isNamed, dueAt: dueAts, duePlace } = this.#columns;
    if (dueAt !== null) {
      dueAts[row] = dueAt;
      duePlace[row] = place;
    }
    if (key === null) return;
    isNamed[row] = 1;
    this.#name(row, key);
  }

  /** The host's records before a place are folded. @returns How many they are. */
  dropBefore(row: number, place: number): number {
    const { first, last, count, dueAt, duePlace } = this.#columns;
    if (this.countOf(row) === 0 || this.#places.at(first[row]!) >= place) return 0;
    if (this.#places.at(last[row]!) < place) return this.dropAll(row);
    if (duePlace[row]! < place) dueAt[row] = Number.NaN;
    let dropped = 0;
    for (; this.#places.at(first[row]!) < place; dropped += 1) {
      const folded = first[row]!;
      first[row] = this.#places.next(folded);
      this.#places.free(folded, folded);
    }
    count[row]! -= dropped;
    return dropped;
  }

  /** All of the host's records are folded. @returns How many they are. */
  dropAll(row: number): number {
    const dropped = this.countOf(row);
    if (dropped === 0) return 0;
    const { first, last, count, dueAt, isNamed } = this.#columns;
    this.#places.free(first[row]!, last[row]!);
    last[row] = NONE;
    count[row] = 0;
    dueAt[row] = Number.NaN;
    isNamed[row] = 0;
    this.#withRecords -= 1;
    return dropped;
  }

  /** Until something else happens an entry that is ready at once changes nothing about the host. */
  settle(row: number, name: HostKey): void {
    this.#columns.settledIn[row] = this.#turn;
    this.#name(row, name);
  }

  isSettled(row: number): boolean {
    return this.#columns.settledIn[row] === this.#turn;
  }

  /** Something else happens to the host. */
  unsettle(row: number): void {
    if (row !== NONE) this.#columns.settledIn[row] = NOT_SETTLED;
  }

  /** Anything may have happened to any host. */
  unsettleAll(): void {
    this.#turn += 1;
  }

  #name(row: number, name: HostKey): void {
    const { name: names, hash, byName } = this.#columns;
    if (names[row] !== null) return;
    hash[row] = this.#hashOf(name);
    names[row] = ownCopy(name);
    byName[placeOfName(this.#columns, name, hash[row]!)] = row + 1;
  }

  #newRow(number: number): number {
    if (this.#rows === this.#columns.number.length) this.#makeRoom();
    const row = this.#rows++;
    this.#columns.number[row] = number;
    this.#columns.byNumber[placeOfNumber(this.#columns, number)] = row + 1;
    return row;
  }

  /** Rows of hosts with nothing in the log go first, once there are many of them. */
  #makeRoom(): void {
    const from = this.#columns;
    const rows = this.#rows;
    const isLarger = rows < REMEMBERED_HOSTS || 2 * this.#withRecords > rows;
    const to = newColumns(isLarger ? 2 * rows : rows);
    this.#rows = 0;
    for (let row = 0; row < rows; row += 1) {
      if (!isLarger && from.count[row] === 0) continue;
      moveRow(from, row, to, this.#rows++);
    }
    this.#columns = to;
  }

  #hashOf(name: HostKey): number {
    let mixed = this.#seed ^ name.length;
    for (let at = 0; at < name.length; at += 1) {
      mixed = Math.imul(mixed ^ name.charCodeAt(at), 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    return Math.imul(mixed, 0x85ebca6b) ^ (mixed >>> 13);
  }
}

function newColumns(rows: number): Columns {
  return {
    number: new Uint32Array(rows),
    first: new Int32Array(rows),
    last: new Int32Array(rows).fill(NONE),
    count: new Uint32Array(rows),
    settledIn: new Int32Array(rows).fill(NOT_SETTLED),
    dueAt: new Float64Array(rows).fill(Number.NaN),
    duePlace: new Float64Array(rows),
    isNamed: new Uint8Array(rows),
    hash: new Int32Array(rows),
    name: new Array<HostKey | null>(rows).fill(null),
    byNumber: new Int32Array(2 * rows),
    byName: new Int32Array(2 * rows),
  };
}

function moveRow(from: Columns, row: number, to: Columns, toRow: number): void {
  to.number[toRow] = from.number[row]!;
  to.first[toRow] = from.first[row]!;
  to.last[toRow] = from.last[row]!;
  to.count[toRow] = from.count[row]!;
  to.settledIn[toRow] = from.settledIn[row]!;
  to.dueAt[toRow] = from.dueAt[row]!;
  to.duePlace[toRow] = from.duePlace[row]!;
  to.isNamed[toRow] = from.isNamed[row]!;
  to.byNumber[placeOfNumber(to, from.number[row]!)] = toRow + 1;
  const name = from.name[row]!;
  if (name === null) return;
  to.hash[toRow] = from.hash[row]!;
  to.name[toRow] = name;
  to.byName[placeOfName(to, name, from.hash[row]!)] = toRow + 1;
}

/** Where a host stands in its table, or the free place where it belongs. */
function placeOfNumber({ byNumber, number: numbers }: Columns, number: number): number {
  const mask = byNumber.length - 1;
  for (let at = (Math.imul(number, 0x9e3779b1) >>> 8) & mask; ; at = (at + 1) & mask) {
    const taken = byNumber[at]!;
    if (taken === 0 || numbers[taken - 1] === number) return at;
  }
}

function placeOfName({ byName, hash: hashes, name: names }: Columns, name: HostKey, hash: number): number {
  const mask = byName.length - 1;
  for (let at = hash & mask; ; at = (at + 1) & mask) {
    const taken = byName[at]!;
    if (taken === 0 || (hashes[taken - 1] === hash && names[taken - 1] === name)) return at;
  }
}

/** A name may be a part of a whole page of text, which would be kept with it. */
function ownCopy(name: HostKey): HostKey {
  return Buffer.from(name, 'utf16le').toString('utf16le');
}
