// The file as one string: a record for every line that says something, one character per byte. A crawler keeps hundreds
// of thousands of these files, most of them about 1 KB; an object per line would cost ten times the file, this costs
// about two thirds of it. Compiled rules point into it instead of copying patterns.
//
//     record   kind | flags   length   line   value…   [ notes   name length   name… ]
//
//     flags    0x20: the line was repaired or its name is not canonical: what stands in brackets follows
//              0x40: a blank line stood before it
//     numbers  digits of six bits, the lowest first; 0x40 says that another digit follows
//
// Everything but values and names is below 0x80.

import { byteString, textOf } from './bytes.js';
import type { FieldRecord } from './document.js';
import { fieldName, UNKNOWN } from './fields.js';

// What was odd about a line, as bits.
export const NUL = 1;
export const ODD_WHITESPACE = 2;
export const TOO_LONG = 4;
export const MISSING_COLON = 8;
export const INVALID_UTF8 = 16;

const HAS_NOTES = 0x20;
const AFTER_BLANK = 0x40;
const KIND = 0x1f;
const MORE = 0x40;
const DIGIT = 0x3f;
const DIGIT_BITS = 6;

/** A record of a packed file. */
export interface PackedRecord {
  /** Where it begins. */
  readonly at: number;
  /** Where the next one begins. */
  readonly next: number;
  /** A kind of fields.ts. */
  readonly kind: number;
  readonly isAfterBlank: boolean;
  readonly line: number;
  /** In bytes. */
  readonly value: string;
  /** Bits, see above. */
  readonly notes: number;
  /** The name as written where it is not canonical, in bytes; otherwise `''`. */
  readonly name: string;
}

/** Collects records and makes the string. */
export class RecordWriter {
  #bytes: Uint8Array;
  readonly #line = new Uint8Array(256);
  #length = 0;
  #blank = 0;

  /** @param expected - Bytes that will probably be needed. */
  constructor(expected: number) {
    this.#bytes = new Uint8Array(expected + 64);
  }

  /** Notes a blank line. Before the first and after the last record it says nothing. */
  addBlank(): void {
    if (this.#length > 0) this.#blank = AFTER_BLANK;
  }

  /** Adds a record whose value is `source[start, end)`; what follows `end` up to `tail` are its notes. */
  add(kind: number, line: number, source: Uint8Array, start: number, end: number, tail: number = end): void {
    const bytes = this.#withSpace(tail - start + 9);
    let n = this.#length;
    bytes[n++] = kind | this.#blank;
    this.#blank = 0;
    let number = end - start;
    for (; number > DIGIT; number >>= DIGIT_BITS) bytes[n++] = MORE | (number & DIGIT);
    bytes[n++] = number;
    for (number = line; number > DIGIT; number >>= DIGIT_BITS) bytes[n++] = MORE | (number & DIGIT);
    bytes[n++] = number;
    for (let i = start; i < tail; i++) bytes[n++] = source[i] as number;
    this.#length = n;
  }

  /** Adds a record with what is odd about it. Value and name are byte strings. */
  addNoted(kind: number, line: number, value: string, notes: number, name: string): void {
    // Most are short: filled again and again, for less than a new array costs.
    const length = numberText(name.length);
    const tail = value.length + 1 + length.length + name.length;
    const source = tail <= this.#line.length ? this.#line : new Uint8Array(tail);
    writeBytes(source, 0, value);
    source[value.length] = notes;
    writeBytes(source, value.length + 1, length);
    writeBytes(source, value.length + 1 + length.length, name);
    this.add(kind | HAS_NOTES, line, source, 0, value.length, tail);
  }

  /** Adds a record of an unknown field: its value is `source[start, end)`, its name `source[nameStart, nameEnd)`. */
  addUnknown(line: number, source: Uint8Array, start: number, end: number, nameStart: number, nameEnd: number): void {
    this.add(UNKNOWN | HAS_NOTES, line, source, start, end);
    const bytes = this.#withSpace(nameEnd - nameStart + 5);
    bytes[this.#length++] = 0;
    let number = nameEnd - nameStart;
    for (; number > DIGIT; number >>= DIGIT_BITS) bytes[this.#length++] = MORE | (number & DIGIT);
    bytes[this.#length++] = number;
    for (let i = nameStart; i < nameEnd; i++) bytes[this.#length++] = source[i] as number;
  }

  #withSpace(more: number): Uint8Array {
    if (this.#length + more > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + more));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes;
  }

  /** The packed string, one byte of memory per byte. */
  finish(): string {
    return byteString(this.#bytes.subarray(0, this.#length));
  }
}

function writeBytes(target: Uint8Array, from: number, bytes: string): void {
  for (let i = 0; i < bytes.length; i++) target[from + i] = bytes.charCodeAt(i);
}

/** The records of a packed file. */
export function* records(packed: string, from = 0, to: number = packed.length): Generator<PackedRecord, void> {
  for (let at = from; at < to; ) {
    const record = readRecord(packed, at);
    yield record;
    at = record.next;
  }
}

/** The record that begins at an offset. */
export function readRecord(packed: string, at: number): PackedRecord {
  const head = packed.charCodeAt(at);
  const start = valueStart(packed, at);
  const end = start + numberAt(packed, at + 1);
  let notes = 0;
  let nameStart = end;
  let next = end;
  if (head & HAS_NOTES) {
    notes = packed.charCodeAt(end);
    nameStart = behindNumber(packed, end + 1);
    next = nameStart + numberAt(packed, end + 1);
  }
  return {
    at,
    next,
    kind: head & KIND,
    isAfterBlank: head >= AFTER_BLANK,
    line: lineAt(packed, at),
    value: packed.slice(start, end),
    notes,
    name: packed.slice(nameStart, next),
  };
}

/** Where the value of the record at an offset begins. */
export function valueStart(packed: string, at: number): number {
  return behindNumber(packed, behindNumber(packed, at + 1));
}

/** The line of the record at an offset. */
export function lineAt(packed: string, at: number): number {
  return numberAt(packed, behindNumber(packed, at + 1));
}

/** The number that begins at an offset. */
export function numberAt(packed: string, at: number): number {
  let value = 0;
  for (let i = at, shift = 0; ; shift += DIGIT_BITS) {
    const c = packed.charCodeAt(i++);
    value |= (c & DIGIT) << shift;
    if (c < MORE) return value;
  }
}

/** A number as it is packed. */
export function numberText(value: number): string {
  return value > DIGIT
    ? String.fromCharCode(MORE | (value & DIGIT)) + numberText(value >> DIGIT_BITS)
    : String.fromCharCode(value);
}

function behindNumber(packed: string, at: number): number {
  let i = at;
  while (packed.charCodeAt(i) >= MORE) i++;
  return i + 1;
}

/** The record as people see it. */
export function fieldRecord({ kind, name, value, line }: PackedRecord): FieldRecord {
  const known = fieldName(kind);
  return { field: known || foldName(textOf(name)), rawField: textOf(name) || known, value: textOf(value), line };
}

/** A field name as it is compared. */
export function foldName(name: string): string {
  const folded = name.toLowerCase();
  return /[ \t]/.test(folded) ? folded.replace(/[ \t]+/g, ' ') : folded;
}
