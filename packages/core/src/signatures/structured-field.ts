// Structured fields as signatures use them: dictionaries whose members keep their text, since a signature base repeats
// it, and inner lists of items with parameters (RFC 9651 section 4.2). What cannot be read is `null`.

import { MAX_COVERED_COMPONENTS, MAX_SIGNATURE_FIELD_CHARS } from './limits.js';

/** A bare value. `text` is decoded for strings, and as written for the others. */
export interface BareValue {
  readonly type: 'string' | 'token' | 'number' | 'bytes' | 'boolean' | 'other';
  readonly text: string;
}

/** Parameters by name. */
export type Parameters = ReadonlyMap<string, BareValue>;

/** An item with its parameters. `raw`: as it was written. */
export interface FieldItem {
  readonly raw: string;
  readonly value: BareValue;
  readonly parameters: Parameters;
}

/** A member of a dictionary: an item, or an inner list of items. `raw`: what follows its key and `=`. */
export interface FieldMember {
  readonly raw: string;
  /** `null`: an inner list. */
  readonly value: BareValue | null;
  /** Of an inner list; empty otherwise. */
  readonly items: readonly FieldItem[];
  readonly parameters: Parameters;
}

// Every alternative begins with a character of its own, and no repetition can match in two ways: each is linear.
const KEY = /[a-z*][a-z\d_\-.*]*/y;
const BARE: readonly (readonly [BareValue['type'], RegExp])[] = [
  ['string', /"(?:[ !#-[\]-~]|\\["\\])*"/y],
  ['token', /[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*/y],
  ['number', /-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])/y],
  ['bytes', /:[A-Za-z\d+/=]*:/y],
  ['boolean', /\?[01]/y],
  ['other', /@-?\d{1,15}(?![\d.])|%"(?:[ !#$&-~]|%[\da-f]{2})*"/y],
];
const TRUE: BareValue = { type: 'boolean', text: '?1' };
const SEMICOLON = /; */y;
const EQUALS = /=/y;
const OPEN = /\( */y;
const BETWEEN = / +(?!\))/y;
const CLOSE = / *\)/y;
const COMMA = /[ \t]*,[ \t]*(?!$)/y;

/** Reads a dictionary; of members with one key the last counts (RFC 9651 section 4.2.2). */
export function parseMembers(text: string): ReadonlyMap<string, FieldMember> | null {
  const reader = readerOf(text);
  if (reader === null) return null;
  const members = new Map<string, FieldMember>();
  while (!reader.isAtEnd()) {
    const key = reader.take(KEY);
    if (key === null) return null;
    const start = reader.take(EQUALS) === null ? null : reader.at;
    const member = start === null ? withParameters(reader, { value: TRUE, items: [] }) : readMember(reader);
    if (member === null) return null;
    members.set(key, { ...member, raw: start === null ? '' : reader.since(start) });
    if (!reader.isAtEnd() && reader.take(COMMA) === null) return null;
  }
  return members;
}

/** Reads an item (RFC 9651 section 4.2.3). */
export function parseItem(text: string): FieldItem | null {
  const reader = readerOf(text);
  const item = reader === null ? null : readItem(reader);
  return reader?.isAtEnd() === true ? item : null;
}

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.at === this.#text.length;
  }

  since(start: number): string {
    return this.#text.slice(start, this.at);
  }

  /** What matches here, which is then read. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return null;
    this.at += found.length;
    return found;
  }
}

function readerOf(text: string): Reader | null {
  return text.length > MAX_SIGNATURE_FIELD_CHARS ? null : new Reader(text.replace(/^[ \t]+/, '').trimEnd());
}

function readMember(reader: Reader): Omit<FieldMember, 'raw'> | null {
  if (reader.take(OPEN) === null) {
    const value = readBare(reader);
    return value === null ? null : withParameters(reader, { value, items: [] });
  }
  const items: FieldItem[] = [];
  while (reader.take(CLOSE) === null) {
    if (items.length > 0 && reader.take(BETWEEN) === null) return null;
    const item = items.length < MAX_COVERED_COMPONENTS ? readItem(reader) : null;
    if (item === null) return null;
    items.push(item);
  }
  return withParameters(reader, { value: null, items });
}

function readItem(reader: Reader): FieldItem | null {
  const start = reader.at;
  const value = readBare(reader);
  const read = value === null ? null : withParameters(reader, { value });
  return read === null ? null : { ...read, raw: reader.since(start) };
}

function withParameters<T>(reader: Reader, read: T): (T & { readonly parameters: Parameters }) | null {
  const parameters = new Map<string, BareValue>();
  while (reader.take(SEMICOLON) !== null) {
    const key = reader.take(KEY);
    const value = reader.take(EQUALS) === null ? TRUE : readBare(reader);
    if (key === null || value === null) return null;
    parameters.set(key, value);
  }
  return { ...read, parameters };
}

function readBare(reader: Reader): BareValue | null {
  for (const [type, pattern] of BARE) {
    const text = reader.take(pattern);
    if (text !== null) return { type, text: type === 'string' ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text };
  }
  return null;
}
