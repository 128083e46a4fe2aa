// Hosts of which the log of new entries knows something: where their records are, and whether something else than new
// entries may have happened to them. A page's links are looked up here, so nothing of it is an object: columns of numbers,
// found by the host's number and by its name through open tables, are nothing to the garbage collector, and a host that has
// nothing left in the log is remembered until its row is needed for another.

import type { HostKey } from '../../store.js';
import { NONE, PlaceChains } from './place-chains.js';

const FIRST_HOSTS = 1_024;
/** Hosts above which those with nothing in the log make way for others; more room is made only where most have something. */
const REMEMBERED_HOSTS = 131_072;

/** Words of a row, and what they are. */
const WORDS = 8;
const NUMBER = 0;
/** Of the name, where it is known. */
const HASH = 1;
/** The turn for which the host is settled. */
const SETTLED_IN = 2;
/** Slots of the host's first and last place in the log, and how many there are. */
const FIRST = 3;
const LAST = 4;
const COUNT = 5;
/** 1: a record in the log names the host. */
const IS_NAMED = 6;
/** Of a host to which something else may have happened. */
const NOT_SETTLED = -1;

interface Rows {
  readonly words: Int32Array;
  /** Two of each host: where the last record that said so has put it in the time index, NaN: none did; and the record's place. */
  readonly due: Float64Array;
  readonly names: (HostKey | null)[];
  /** Open tables of rows + 1, 0: free; twice as many places as rows. */
  readonly byNumber: Int32Array;
  readonly byName: Int32Array;
}

/** All of them. A row of `NONE` is no host; others are good until the next `rowFor`. */
export class PendingHosts {
  readonly #places = new PlaceChains();
  /** So that nobody can choose host names that all meet in one place. */
  readonly #seed = crypto.getRandomValues(new Int32Array(1))[0]!;
  #rows = newRows(FIRST_HOSTS);
  #size = 0;
  #withRecords = 0;
  #turn = 0;

  /** Hosts that have something in the log. */
  get withRecords(): number {
    return this.#withRecords;
  }

  /** The row of a host. */
  rowOf(number: number): number {
    return this.#rows.byNumber[placeOfNumber(this.#rows, number)]! - 1;
  }

  /** The row of a host whose name is known. */
  rowNamed(name: HostKey): number {
    return this.#rows.byName[placeOfName(this.#rows, name, this.#hashOf(name))]! - 1;
  }

  numberOf(row: number): number {
    return this.#rows.words[row * WORDS + NUMBER]! >>> 0;
  }

  /** Records of the host. */
  countOf(row: number): number {
    return row === NONE ? 0 : this.#rows.words[row * WORDS + COUNT]!;
  }

  /** The name that a record in the log gives the host. */
  keyOf(row: number): HostKey | null {
    return row === NONE || this.#rows.words[row * WORDS + IS_NAMED] === 0 ? null : this.#rows.names[row]!;
  }

  /** Where records have put the host in the time index. */
  dueAt(row: number): number | null {
    const dueAt = row === NONE ? Number.NaN : this.#rows.due[2 * row]!;
    return Number.isNaN(dueAt) ? null : dueAt;
  }

  /** Where the host's records are, in the order of arrival. */
  placesOf(row: number): readonly number[] {
    return this.countOf(row) === 0 ? [] : this.#places.from(this.#rows.words[row * WORDS + FIRST]!);
  }

  /** Numbers of those that have something in the log, the least first. */
  numbers(): Uint32Array {
    const numbers = new Uint32Array(this.#withRecords);
    let end = 0;
    for (let row = 0; row < this.#size; row += 1) if (this.countOf(row) > 0) numbers[end++] = this.numberOf(row);
    return numbers.sort();
  }

  /** The row of a host, made where there is none. */
  rowFor(number: number): number {
    const row = this.rowOf(number);
    if (row !== NONE) return row;
    if (this.#size === this.#rows.names.length) this.#makeRoom();
    this.#rows.words[this.#size * WORDS + NUMBER] = number;
    this.#rows.byNumber[placeOfNumber(this.#rows, number)] = this.#size + 1;
    return this.#size++;
  }

  /** A record of the host, and what it says of it. */
  append(row: number, place: number, key: HostKey | null, dueAt: number | null): void {
    const { words, due } = this.#rows;
    const at = row * WORDS;
    const slot = this.#places.add(words[at + LAST]!, place);
    words[at + LAST] = slot;
    if (words[at + COUNT] === 0) {
      words[at + FIRST] = slot;
      this.#withRecords += 1;
    }
    words[at + COUNT]! += 1;
    if (dueAt !== null) {
      due[2 * row] = dueAt;
      due[2 * row + 1] = place;
    }
    if (key === null) return;
    words[at + IS_NAMED] = 1;
    this.#name(row, key);
  }

  /** The host's records before a place are folded. @returns How many they are. */
  dropBefore(row: number, place: number): number {
    const { words, due } = this.#rows;
    const at = row * WORDS;
    if (words[at + COUNT] === 0 || this.#places.at(words[at + FIRST]!) >= place) return 0;
    if (this.#places.at(words[at + LAST]!) < place) return this.dropAll(row);
    if (due[2 * row + 1]! < place) due[2 * row] = Number.NaN;
    let dropped = 0;
    for (; this.#places.at(words[at + FIRST]!) < place; dropped += 1) {
      const folded = words[at + FIRST]!;
      words[at + FIRST] = this.#places.next(folded);
      this.#places.free(folded, folded);
    }
    words[at + COUNT]! -= dropped;
    return dropped;
  }

  /** All of the host's records are folded. @returns How many they are. */
  dropAll(row: number): number {
    const dropped = this.countOf(row);
    if (dropped === 0) return 0;
    const { words, due } = this.#rows;
    const at = row * WORDS;
    this.#places.free(words[at + FIRST]!, words[at + LAST]!);
    words[at + LAST] = NONE;
    words[at + COUNT] = 0;
    words[at + IS_NAMED] = 0;
    due[2 * row] = Number.NaN;
    this.#withRecords -= 1;
    return dropped;
  }

  /** Until something else happens an entry that is ready at once changes nothing about the host. */
  settle(row: number, name: HostKey): void {
    this.#rows.words[row * WORDS + SETTLED_IN] = this.#turn;
    this.#name(row, name);
  }

  isSettled(row: number): boolean {
    return this.#rows.words[row * WORDS + SETTLED_IN] === this.#turn;
  }

  /** Something else happens to the host. */
  unsettle(row: number): void {
    if (row !== NONE) this.#rows.words[row * WORDS + SETTLED_IN] = NOT_SETTLED;
  }

  /** Anything may have happened to any host. */
  unsettleAll(): void {
    this.#turn += 1;
  }

  #name(row: number, name: HostKey): void {
    const { words, names, byName } = this.#rows;
    if (names[row] !== null) return;
    const hash = this.#hashOf(name);
    words[row * WORDS + HASH] = hash;
    names[row] = ownCopy(name);
    byName[placeOfName(this.#rows, name, hash)] = row + 1;
  }

  /** Hosts with nothing in the log go first, once there are many of them. */
  #makeRoom(): void {
    const from = this.#rows;
    const count = this.#size;
    const isLarger = count < REMEMBERED_HOSTS || 2 * this.#withRecords > count;
    const to = newRows(isLarger ? 2 * count : count);
    this.#size = 0;
    for (let row = 0; row < count; row += 1) {
      if (isLarger || from.words[row * WORDS + COUNT]! > 0) moveRow(from, row, to, this.#size++);
    }
    this.#rows = to;
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

function newRows(count: number): Rows {
  const words = new Int32Array(WORDS * count);
  for (let at = 0; at < words.length; at += WORDS) {
    words[at + SETTLED_IN] = NOT_SETTLED;
    words[at + LAST] = NONE;
  }
  return {
    words,
    due: new Float64Array(2 * count).fill(Number.NaN),
    names: new Array<HostKey | null>(count).fill(null),
    byNumber: new Int32Array(2 * count),
    byName: new Int32Array(2 * count),
  };
}

function moveRow(from: Rows, row: number, to: Rows, toRow: number): void {
  to.words.set(from.words.subarray(row * WORDS, (row + 1) * WORDS), toRow * WORDS);
  to.due[2 * toRow] = from.due[2 * row]!;
  to.due[2 * toRow + 1] = from.due[2 * row + 1]!;
  to.byNumber[placeOfNumber(to, from.words[row * WORDS + NUMBER]! >>> 0)] = toRow + 1;
  const name = from.names[row]!;
  if (name === null) return;
  to.names[toRow] = name;
  to.byName[placeOfName(to, name, from.words[row * WORDS + HASH]!)] = toRow + 1;
}

/** Where a host stands in its table, or the free place where it belongs. */
function placeOfNumber({ byNumber, words }: Rows, number: number): number {
  const mask = byNumber.length - 1;
  for (let at = (Math.imul(number, 0x9e3779b1) >>> 8) & mask; ; at = (at + 1) & mask) {
    const taken = byNumber[at]!;
    if (taken === 0 || words[(taken - 1) * WORDS + NUMBER]! >>> 0 === number) return at;
  }
}

function placeOfName({ byName, words, names }: Rows, name: HostKey, hash: number): number {
  const mask = byName.length - 1;
  for (let at = hash & mask; ; at = (at + 1) & mask) {
    const taken = byName[at]!;
    if (taken === 0 || (words[(taken - 1) * WORDS + HASH] === hash && names[taken - 1] === name)) return at;
  }
}

/** A name may be a part of a whole page of text, which would be kept with it. */
function ownCopy(name: HostKey): HostKey {
  return Buffer.from(name, 'utf16le').toString('utf16le');
}
