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
import { BAD, fieldName, REMARK, UNKNOWN } from './fields.js';
import { MAX_IDLE_LINES, MAX_LINE_BYTES } from './limits.js';

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
  readonly at: number;
  /** Where the next one begins. */
  readonly next: number;
  /** A kind of fields.ts. */
  readonly kind: number;
  readonly isAfterBlank: boolean;
  /** Bits, see above. */
  readonly notes: number;
  // Fields with a `#` would cost a quarter more time.
  private readonly file: string;
  private readonly end: number;

  constructor(file: string, at: number) {
    const head = file.charCodeAt(at);
    const end = valueStart(file, at) + numberAt(file, at + 1);
    this.at = at;
    this.kind = head & KIND;
    this.isAfterBlank = head >= AFTER_BLANK;
    this.file = file;
    this.end = end;
    this.notes = 0;
    this.next = end;
    if ((head & HAS_NOTES) === 0) return;
    this.notes = file.charCodeAt(end);
    this.next = behindNumber(file, end + 1) + numberAt(file, end + 1);
  }

  get line(): number {
    return lineAt(this.file, this.at);
  }

  /** In bytes. */
  get value(): string {
    return this.file.slice(valueStart(this.file, this.at), this.end);
  }

  /** The name as written where it is not canonical, in bytes; otherwise `''`. */
  get name(): string {
    return this.file.slice(behindNumber(this.file, this.end + 1), this.next);
  }
}

/** Bytes of a value up to which its line is certainly not too long. */
const MAX_TEXT_BYTES = MAX_LINE_BYTES - 32;
/** For each byte, whether it is text: no control character but HTAB, no number sign, ASCII. */
const IS_TEXT = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x09 || (byte > 0x1f && byte < 0x7f && byte !== 0x23) ? 1 : 0,
);

/** The blank of a grammar: SP or HTAB. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

/** Collects records and makes the string. */
export class RecordWriter {
  // Fields with a `#` would cost a third more time.
  private readonly source: Uint8Array;
  private bytes: Uint8Array;
  private length = 0;
  /** All bits of all bytes of values and names. */
  private bits = 0;
  private blank = 0;
  private idle = 0;
  private isBehindUnknown = false;

  /** @param source - Where names and values are. @param expected - Bytes that will probably be needed. */
  constructor(source: Uint8Array, expected: number) {
    this.source = source;
    this.bytes = new Uint8Array(expected + 64);
  }

  /** Notes a blank line. Before the first and after the last record it says nothing. */
  addBlank(): void {
    if (this.length > 0) this.blank = AFTER_BLANK;
  }

  /**
   * Whether a line of a kind is dropped: beyond `MAX_IDLE_LINES` that say nothing, bad lines are, and of unknown fields
   * in a row all but the first. No reading of the file can tell.
   */
  drops(kind: number): boolean {
    return this.idle >= MAX_IDLE_LINES && (isSilent(kind) || (kind === UNKNOWN && this.isBehindUnknown));
  }

  /**
   * Adds a record of a canonical field, if the rest of its line is text without a comment.
   * @param end - Where the file ends.
   * @returns Where the line ends, or -1, and nothing is added.
   */
  addText(kind: number, line: number, start: number, end: number): number {
    const { source, length: head } = this;
    const bytes = this.room(end - start);
    // The length is known last; most have one digit.
    this.length += 2;
    this.number(line);
    const text = this.length;
    let at = start;
    while (at < end && isSpace(source[at])) at++;
    let to = text;
    for (let c: number; at < end && IS_TEXT[(c = source[at] as number)]; at++) bytes[to++] = c;
    this.length = head;
    if (at - start > MAX_TEXT_BYTES || (at < end && source[at] !== 0x0a && source[at] !== 0x0d)) return -1;
    while (to > text && isSpace(bytes[to - 1])) to--;
    const length = to - text;
    if (length > DIGIT) bytes.copyWithin(head + (length >> (2 * DIGIT_BITS) ? 4 : 3), head + 2, to);
    bytes[this.length++] = kind | this.blank;
    this.number(length);
    this.length += to - head - 2;
    this.blank = 0;
    this.isBehindUnknown = false;
    return at;
  }

  /** Adds a record: its value, what is odd about it, and its name where that is not the canonical one. */
  add(kind: number, line: number, start: number, end: number, notes = 0, nameStart = 0, nameEnd = nameStart): void {
    const bytes = this.room(end - start + nameEnd - nameStart);
    const hasNotes = notes > 0 || nameEnd > nameStart;
    bytes[this.length++] = kind | this.blank | (hasNotes ? HAS_NOTES : 0);
    this.blank = 0;
    this.number(end - start);
    this.number(line);
    this.copy(start, end);
    // Too long a line counts as bad.
    if (!isSilent(kind)) this.isBehindUnknown = kind === UNKNOWN && (notes & TOO_LONG) === 0;
    if (isSilent(kind) || kind === UNKNOWN) this.idle++;
    if (!hasNotes) return;
    bytes[this.length++] = notes;
    this.number(nameEnd - nameStart);
    this.copy(nameStart, nameEnd);
  }

  /** The bytes, with room for a record of a value of some bytes. */
  private room(value: number): Uint8Array {
    const most = this.length + value + MAX_HEAD_BYTES;
    if (most > this.bytes.length) {
      const larger = new Uint8Array(2 * most);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    return this.bytes;
  }

  private number(value: number): void {
    let rest = value;
    for (; rest > DIGIT; rest >>= DIGIT_BITS) this.bytes[this.length++] = MORE | (rest & DIGIT);
    this.bytes[this.length++] = rest;
  }

  private copy(start: number, end: number): void {
    const { source, bytes, length } = this;
    let { bits } = this;
    for (let i = start, to = length; i < end; i++, to++) bits |= bytes[to] = source[i] as number;
    this.bits = bits;
    this.length = length + end - start;
  }

  /** The packed string, one byte of memory per byte. */
  finish(): string {
    return byteString(this.bytes.subarray(0, this.length), this.bits < 0x80);
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
