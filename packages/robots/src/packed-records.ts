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

import { charString, decoder, textOf } from './bytes.js';
import type { FieldRecord } from './document.js';
import { BAD, fieldName, REMARK, UNKNOWN } from './fields.js';
import { MAX_IDLE_LINES } from './limits.js';

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
/** Kind, notes, and three numbers of at most four digits. */
const MAX_HEAD_BYTES = 14;

/** A record of a packed file. Most are passed over, so that value and name are cut out when they are read. */
export class PackedRecord {
  /** Where it begins. */
  declare readonly at: number;
  /** Where the next one begins. */
  declare readonly next: number;
  /** A kind of fields.ts. */
  declare readonly kind: number;
  declare readonly isAfterBlank: boolean;
  /** Bits, see above. */
  declare readonly notes: number;
  /** Where its value begins, and where that ends. */
  declare readonly from: number;
  declare readonly to: number;
  // Fields with a `#` would cost a quarter more time.
  declare private readonly file: string;

  constructor(file: string, at: number) {
    const head = file.charCodeAt(at);
    const from = valueStart(file, at);
    const to = from + numberAt(file, at + 1);
    this.at = at;
    this.kind = head & KIND;
    this.isAfterBlank = head >= AFTER_BLANK;
    this.file = file;
    this.from = from;
    this.to = to;
    this.notes = 0;
    this.next = to;
    if ((head & HAS_NOTES) === 0) return;
    this.notes = file.charCodeAt(to);
    this.next = behindNumber(file, to + 1) + numberAt(file, to + 1);
  }

  get line(): number {
    return lineAt(this.file, this.at);
  }

  /** In bytes. */
  get value(): string {
    return this.file.slice(this.from, this.to);
  }

  /** The name as written where it is not canonical, in bytes; otherwise `''`. */
  get name(): string {
    return this.file.slice(behindNumber(this.file, this.to + 1), this.next);
  }
}

/** The blank of a grammar: SP or HTAB. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

/** Collects records and makes the string. */
export class RecordWriter {
  /** Where names and values are. */
  readonly #source: Uint8Array;
  #bytes: Uint8Array;
  #length = 0;
  /** All bits of all bytes of values and names. */
  #bits = 0;
  #blank = 0;
  #idle = 0;
  #isBehindUnknown = false;

  /** @param expected - Bytes that will probably be needed. */
  constructor(source: Uint8Array, expected: number) {
    this.#source = source;
    this.#bytes = new Uint8Array(expected + 64);
  }

  /** Notes a blank line. Before the first and after the last record it says nothing. */
  addBlank(): void {
    if (this.#length > 0) this.#blank = AFTER_BLANK;
  }

  /**
   * Whether a line of a kind is dropped: beyond `MAX_IDLE_LINES` that say nothing, bad lines are, and of unknown fields
   * in a row all but the first. No reading of the file can tell.
   */
  drops(kind: number): boolean {
    return this.#idle >= MAX_IDLE_LINES && (isSilent(kind) || (kind === UNKNOWN && this.#isBehindUnknown));
  }

  /** Adds a record: its value, what is odd about it, and its name where that is not the canonical one. */
  add(kind: number, line: number, start: number, end: number, notes = 0, nameStart = 0, nameEnd = nameStart): void {
    const most = this.#length + end - start + nameEnd - nameStart + MAX_HEAD_BYTES;
    if (most > this.#bytes.length) {
      const larger = new Uint8Array(2 * most);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    const hasNotes = notes > 0 || nameEnd > nameStart;
    this.#bytes[this.#length++] = kind | this.#blank | (hasNotes ? HAS_NOTES : 0);
    this.#blank = 0;
    this.#number(end - start);
    this.#number(line);
    this.#copy(start, end);
    // Too long a line counts as bad.
    if (!isSilent(kind)) this.#isBehindUnknown = kind === UNKNOWN && (notes & TOO_LONG) === 0;
    if (isSilent(kind) || kind === UNKNOWN) this.#idle++;
    if (!hasNotes) return;
    this.#bytes[this.#length++] = notes;
    this.#number(nameEnd - nameStart);
    this.#copy(nameStart, nameEnd);
  }

  #number(value: number): void {
    let rest = value;
    for (; rest > DIGIT; rest >>= DIGIT_BITS) this.#bytes[this.#length++] = MORE | (rest & DIGIT);
    this.#bytes[this.#length++] = rest;
  }

  #copy(start: number, end: number): void {
    const source = this.#source;
    const bytes = this.#bytes;
    let to = this.#length;
    let bits = this.#bits;
    for (let i = start; i < end; i++) bits |= bytes[to++] = source[i] as number;
    this.#bits = bits;
    this.#length = to;
  }

  /** The packed string, one byte of memory per byte. */
  finish(): string {
    const bytes = this.#bytes.subarray(0, this.#length);
    // The platform has no decoder for plain bytes.
    return this.#bits < 0x80 ? decoder.decode(bytes) : charString(bytes);
  }
}

/** Whether a line of a kind says nothing, in any reading. */
export function isSilent(kind: number): boolean {
  return kind === BAD || kind === REMARK;
}

/** The records of a packed file. */
export function* records(packed: string, from = 0, to: number = packed.length): Generator<PackedRecord, void> {
  for (let at = from; at < to; ) {
    const record = new PackedRecord(packed, at);
    yield record;
    at = record.next;
  }
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
  return name.toLowerCase().replace(/[ \t]+/g, ' ');
}
