// The file as one string: a record for every line with content, one character per byte. A crawler keeps hundreds of
// thousands of these files, most of them about 1 KB. An object per line would take ten times the size of the file, this
// takes about two thirds of it. Compiled rules point into the string instead of copying patterns.
//
//     record   kind | flags   length   line   value…   [ notes   name length   name… ]
//
//     flags    0x20: the line was repaired or its name is not canonical: the part in brackets follows
//              0x40: a blank line stood before it
//     numbers  digits of six bits, the lowest first; 0x40 means that another digit follows
//
// Everything but values and names is below 0x80.

import { charString, decoder, isUtf8, textOf } from './bytes.js';
import type { FieldRecord } from './document.js';
import { BAD, DISALLOW, fieldName, REMARK, UNKNOWN } from './fields.js';
import { MAX_IDLE_LINES, MAX_LINE_BYTES } from './limits.js';
import { RESERVED, RFC, UNCHANGED } from './normalize.js';

// What was odd about a line, as bits.
export const NUL = 1;
export const ODD_WHITESPACE = 2;
export const TOO_LONG = 4;
export const MISSING_COLON = 8;
export const INVALID_UTF8 = 16;

const HAS_NOTES = 0x20;
const AFTER_BLANK = 0x40;
/** In the head of a rule: RFC 9309 compares its value as it is written. */
const PLAIN = 0x10;
/** Such a head, without its lowest bit, which tells `Allow` from `Disallow`. */
const PLAIN_RULE = DISALLOW | PLAIN;
const RULE_KIND = 0x1e;
const KIND = 0x1f;
/** A value up to this many bytes certainly does not make its line too long. */
const MAX_TEXT_BYTES = MAX_LINE_BYTES - 32;
const MORE = 0x40;
const DIGIT = 0x3f;
const DIGIT_BITS = 6;
/** Kind, notes, and three numbers of at most four digits; a weight may have five. */
const MAX_HEAD_BYTES = 14;

/** A record of a packed file. Most are skipped, so value and name are cut out only when they are read. */
export class PackedRecord {
  /** Where it begins. */
  declare readonly at: number;
  /** Where the next one begins. */
  declare readonly next: number;
  /** A kind of fields.ts. */
  declare readonly kind: number;
  declare readonly isAfterBlank: boolean;
  /** Note bits, see above. */
  declare readonly notes: number;
  /** Where its value begins, and where the value ends. */
  declare readonly from: number;
  declare readonly to: number;
  // Private `#` fields would take a quarter more time.
  declare private readonly file: string;

  constructor(file: string, at: number) {
    const head = file.charCodeAt(at);
    this.at = at;
    this.kind = isPlainRule(file, at) ? head & 0x0f : head & KIND;
    this.isAfterBlank = (head & AFTER_BLANK) > 0;
    this.file = file;
    this.from = valueStart(file, at);
    this.to = this.from + numberAt(file, at + 1);
    this.notes = head & HAS_NOTES ? file.charCodeAt(this.to) : 0;
    this.next = nextRecordAt(file, at);
  }

  get line(): number {
    return lineAt(this.file, this.at);
  }

  /** In bytes. */
  get value(): string {
    return this.file.slice(this.from, this.to);
  }

  /** The name as written if it is not canonical, in bytes; otherwise `''`. */
  get name(): string {
    return this.file.slice(endOfNumber(this.file, this.to + 1), this.next);
  }
}

/** A blank in the grammars: SP or HTAB. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

// Properties of a byte as bits, so that one pass tells whether RFC 9309 compares a value as it is written. A reserved
// byte of a query, and a byte after a dollar sign or a blank, are recognised by the bit below the property of the byte
// before them. `RESERVED` and `UNCHANGED` are those of normalize.ts.
const QUESTION = 2;
const LAST = 16;
/** Values from here on: spelt otherwise, or one of those. */
const RESPELT = 32;
/** Not text of a usual line. */
const NOT_TEXT = 64;
/** A non-ASCII byte that does not begin a blank. */
const HIGH = 128;
const BYTES = RFC.map((flags, byte) => {
  if (isSpace(byte)) return LAST;
  if (byte < 0x20 || byte === 0x7f || byte === 0x23 || byte === 0xc2 || byte === 0xef) return NOT_TEXT;
  if (byte > 0x7f) return RESPELT | HIGH;
  if (byte === 0x24) return UNCHANGED | LAST;
  if (byte === 0x3f) return UNCHANGED | QUESTION | RESERVED;
  return byte === 0x2a ? UNCHANGED : flags & (UNCHANGED | RESERVED) || RESPELT;
});

export class RecordWriter {
  /** The bytes that names and values come from. */
  readonly #source: Uint8Array;
  #bytes: Uint8Array;
  #length = 0;
  /** All bits of all bytes of values and names. */
  #bits = 0;
  /** `PLAIN` if the text copied last is a rule's pattern that is compared as it is written. */
  #plain = 0;
  /** `HIGH` if that text has non-ASCII bytes. */
  #high = 0;
  #afterBlank = 0;
  #idleLines = 0;
  #isAfterUnknown = false;

  /** @param expected - Number of bytes that will probably be needed. */
  constructor(source: Uint8Array = new Uint8Array(), expected = 0) {
    this.#source = source;
    this.#bytes = new Uint8Array(expected + 64);
  }

  /** Notes a blank line. Before the first and after the last record it has no effect. */
  addBlank(): void {
    if (this.#length > 0) this.#afterBlank = AFTER_BLANK;
  }

  /**
   * Whether a line of a kind is dropped: once `MAX_IDLE_LINES` lines without meaning are kept, bad lines are dropped,
   * and all but the first of unknown fields in a row. No reading of the file depends on them.
   */
  drops(kind: number): boolean {
    return this.#idleLines >= MAX_IDLE_LINES && (isMeaningless(kind) || (kind === UNKNOWN && this.#isAfterUnknown));
  }

  /** @param end - Where the file ends. @returns The end of the line, or -1 if nothing was added. */
  addText(kind: number, line: number, start: number, end: number): number {
    const source = this.#source;
    const bytes = this.#grownBytes(end - start);
    const head = this.#length;
    // The length is known only at the end; most have one digit.
    this.#length += 2;
    this.#number(line);
    const from = this.#length;
    let at = start;
    while (at < end && isSpace(source[at])) at++;
    at = this.#copyText(kind, at, end);
    let to = this.#length;
    this.#length = head;
    if (at - start > MAX_TEXT_BYTES || (at < end && source[at] !== 0x0a && source[at] !== 0x0d)) return -1;
    if (this.#high > 0 && !isUtf8(source, start, at)) return -1;
    while (to > from && isSpace(bytes[to - 1])) to--;
    const length = to - from;
    if (length > DIGIT) bytes.copyWithin(head + (length >> (2 * DIGIT_BITS) ? 4 : 3), head + 2, to);
    bytes[this.#length++] = kind | this.#afterBlank | this.#plain;
    this.#number(length);
    this.#length += to - head - 2;
    this.#afterBlank = 0;
    this.#isAfterUnknown = false;
    return at;
  }

  /** Adds a record: its value, its notes, and its name if that is not the canonical one. */
  add(kind: number, line: number, start: number, end: number, notes = 0, nameStart = 0, nameEnd = nameStart): void {
    const bytes = this.#grownBytes(end - start + nameEnd - nameStart);
    const hasNotes = notes > 0 || nameEnd > nameStart;
    const head = this.#length;
    bytes[this.#length++] = kind | this.#afterBlank | (hasNotes ? HAS_NOTES : 0);
    this.#number(end - start);
    this.#number(line);
    let at = start;
    if (isRule(kind) && (notes & TOO_LONG) === 0) {
      at = this.#copyText(kind, start, end);
      if (at === end) bytes[head] = (bytes[head] as number) | this.#plain;
    }
    this.#copy(at, end);
    this.#afterBlank = 0;
    // A line that is too long counts as bad.
    if (!isMeaningless(kind)) this.#isAfterUnknown = kind === UNKNOWN && (notes & TOO_LONG) === 0;
    if (isMeaningless(kind) || kind === UNKNOWN) this.#idleLines++;
    if (!hasNotes) return;
    bytes[this.#length++] = notes;
    this.#number(nameEnd - nameStart);
    this.#copy(nameStart, nameEnd);
  }

  /** Adds a copied pattern (rule-index.ts). @returns Its offset. */
  addCopy(head: number, at: number, text: string, weight: number): number {
    const bytes = this.#grownBytes(text.length);
    const start = this.#length;
    bytes[this.#length++] = head;
    this.#number(text.length);
    this.#number(at);
    for (let i = 0; i < text.length; i++) this.#bits |= bytes[this.#length++] = text.charCodeAt(i);
    this.#number(weight);
    return start;
  }

  /** The bytes, grown if a record of some bytes needs it. */
  #grownBytes(more: number): Uint8Array {
    const needed = this.#length + more + MAX_HEAD_BYTES;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(2 * needed);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes;
  }

  #number(value: number): void {
    let rest = value;
    for (; rest > DIGIT; rest >>= DIGIT_BITS) this.#bytes[this.#length++] = MORE | (rest & DIGIT);
    this.#bytes[this.#length++] = rest;
  }

  /** Copies text up to the first byte that is not text. @returns The offset of that byte. */
  #copyText(kind: number, start: number, end: number): number {
    const source = this.#source;
    const bytes = this.#bytes;
    let to = this.#length;
    let allFlags = 0;
    let at = start;
    for (; at < end; at++) {
      const byte = source[at] as number;
      const flags = BYTES[byte] as number;
      if (flags === NOT_TEXT) break;
      allFlags |= flags | ((flags & (allFlags >> 1)) * RESPELT);
      bytes[to++] = byte;
    }
    const isPath = source[start] === 0x2f || source[start] === 0x2a;
    this.#plain = isRule(kind) && isPath && at > start && allFlags < RESPELT ? PLAIN : 0;
    this.#high = allFlags & HIGH;
    this.#bits |= allFlags & HIGH;
    this.#length = to;
    return at;
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

export function isRule(kind: number): boolean {
  return (kind & ~1) === DISALLOW;
}

/** Whether a line of a kind has no meaning in any reading. */
export function isMeaningless(kind: number): boolean {
  return kind === BAD || kind === REMARK;
}

export function* records(packed: string, from = 0, to: number = packed.length): Generator<PackedRecord, void> {
  for (let at = from; at < to; ) {
    const record = new PackedRecord(packed, at);
    yield record;
    at = record.next;
  }
}

/** Whether the record at an offset is a rule with one pattern that RFC 9309 compares as it is written. */
export function isPlainRule(packed: string, at: number): boolean {
  return (packed.charCodeAt(at) & RULE_KIND) === PLAIN_RULE;
}

/** The kind of the record at an offset that is not such a rule. */
export function kindAt(packed: string, at: number): number {
  return packed.charCodeAt(at) & KIND;
}

/** Where the next record after the one at an offset begins. */
export function nextRecordAt(packed: string, at: number): number {
  const to = valueStart(packed, at) + numberAt(packed, at + 1);
  return packed.charCodeAt(at) & HAS_NOTES ? endOfNumber(packed, to + 1) + numberAt(packed, to + 1) : to;
}

/** Where the value of the record at an offset begins. */
export function valueStart(packed: string, at: number): number {
  return endOfNumber(packed, endOfNumber(packed, at + 1));
}

export function lineAt(packed: string, at: number): number {
  return numberAt(packed, endOfNumber(packed, at + 1));
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

function endOfNumber(packed: string, at: number): number {
  let i = at;
  while (packed.charCodeAt(i) >= MORE) i++;
  return i + 1;
}

/** The record in readable form. */
export function fieldRecord({ kind, name, value, line }: PackedRecord): FieldRecord {
  const known = fieldName(kind);
  return { field: known || foldName(textOf(name)), rawField: textOf(name) || known, value: textOf(value), line };
}

/** A field name in the form that is compared. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[ \t]+/g, ' ');
}
