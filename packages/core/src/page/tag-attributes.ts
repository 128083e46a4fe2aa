// The attributes of one tag, read as HTML's tokenizer reads them: the places of the few that are wanted, in lists that are
// used again for every tag, and the end of the tag. Nothing is cut out of the page here.

import { endsName, GREATER, isWhiteSpace, NO_SLOT, SLASH, SLOT, SLOTS, slotAt } from './html-names.js';
import { behind } from './raw-text.js';

/** Marks of a value. */
export const MARKS = {
  /** `&`, which may begin a reference, or a control character, which may be a line end or NUL. */
  reference: 1,
  /** Characters, or bytes, beyond ASCII. */
  beyondAscii: 2,
} as const;

/** What stands for a place behind a tag that the page's end cuts off. */
export const NO_END = -1;

const DOUBLE_QUOTE = 0x22;
const AMPERSAND = 0x26;
const SINGLE_QUOTE = 0x27;
const EQUALS = 0x3d;
const SPACE = 0x20;
const DELETE = 0x7f;

/** The attributes of the tag read last. */
export class TagAttributes {
  /** Of each wanted attribute: where its value begins; -1 when absent. */
  readonly starts = new Int32Array(SLOTS).fill(-1);
  /** Where the value ends. */
  readonly ends = new Int32Array(SLOTS);
  /** What the value holds that does not read as it stands: {@link MARKS}, or 0. */
  readonly marks = new Uint8Array(SLOTS);
  /** Whether the tag ends with a slash of its own. Not known after {@link skip}. */
  closesItself = false;

  readonly #units: string;

  constructor(units: string) {
    this.#units = units;
  }

  /**
   * Passes the tag whose name ends here. Only a quoted value can hide the end of a tag, and nearly every one stands right
   * behind `name=`; whatever is written in another way is read in full.
   *
   * @returns The place behind the tag; {@link NO_END} when the page ends first.
   */
  skip(nameEnd: number): number {
    const units = this.#units;
    const { length } = units;
    let at = nameEnd;
    while (at < length) {
      const code = units.charCodeAt(at);
      at += 1;
      if (code > GREATER) continue;
      if (code === GREATER) return at;
      if (code !== EQUALS) continue;
      if (at >= length || !isNameCharacter(units.charCodeAt(at - 2))) return this.#readAll(nameEnd, false);
      const quote = units.charCodeAt(at);
      if (quote === DOUBLE_QUOTE) at = behind(units, '"', at + 1);
      else if (quote === SINGLE_QUOTE) at = behind(units, "'", at + 1);
      else if (!isNameCharacter(quote)) return this.#readAll(nameEnd, false);
      else while (at < length && !endsValue(units.charCodeAt(at))) at += 1;
    }
    return NO_END;
  }

  /**
   * Reads the tag whose name ends here, to its end.
   *
   * @param isWanted - Whether the places of its attributes are.
   * @returns As {@link skip}.
   */
  read(nameEnd: number, isWanted: boolean): number {
    this.closesItself = false;
    if (isWanted) this.starts.fill(-1);
    return this.#readAll(nameEnd, isWanted);
  }

  /** SVG before its second version spells the address of a link in a namespace of its own. */
  takeXlink(): void {
    if (this.starts[SLOT.href]! >= 0) return;
    this.#keep(SLOT.href, this.starts[SLOT.xlinkHref]!, this.ends[SLOT.xlinkHref]!, this.marks[SLOT.xlinkHref]!);
  }

  #readAll(nameEnd: number, isWanted: boolean): number {
    const units = this.#units;
    const { length } = units;
    let at = nameEnd;
    while (at < length) {
      const code = units.charCodeAt(at);
      if (code === GREATER) return at + 1;
      if (code === SLASH) {
        at += 1;
        this.closesItself = at < length && units.charCodeAt(at) === GREATER;
      } else if (isWhiteSpace(code)) {
        at += 1;
      } else {
        at = this.#attribute(at, isWanted);
      }
    }
    return NO_END;
  }

  /** Passes one attribute and keeps its place when it is wanted. The place behind it. */
  #attribute(start: number, isWanted: boolean): number {
    const units = this.#units;
    const { length } = units;
    // A `=` at the very beginning is part of the name.
    let at = start + 1;
    while (at < length) {
      const code = units.charCodeAt(at);
      if (code === EQUALS || endsName(code)) break;
      at += 1;
    }
    const slot = isWanted ? this.#freeSlot(start, at) : NO_SLOT;
    const nameEnd = at;
    while (at < length && isWhiteSpace(units.charCodeAt(at))) at += 1;
    if (at >= length || units.charCodeAt(at) !== EQUALS) {
      // An attribute without a value has an empty one.
      if (slot !== NO_SLOT) this.#keep(slot, nameEnd, nameEnd, 0);
      return at;
    }
    at += 1;
    while (at < length && isWhiteSpace(units.charCodeAt(at))) at += 1;
    if (at >= length) return at;
    const quote = units.charCodeAt(at);
    if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
      return slot === NO_SLOT
        ? behind(units, quote === DOUBLE_QUOTE ? '"' : "'", at + 1)
        : this.#quotedValue(slot, at + 1, quote);
    }
    return this.#unquotedValue(slot, at);
  }

  /** The place for an attribute of this name; none when nobody wants it or an earlier one of the name holds. */
  #freeSlot(start: number, end: number): number {
    const slot = slotAt(this.#units, start, end);
    return slot !== NO_SLOT && this.starts[slot]! < 0 ? slot : NO_SLOT;
  }

  #quotedValue(slot: number, start: number, quote: number): number {
    const units = this.#units;
    const { length } = units;
    let marks = 0;
    let at = start;
    for (; at < length; at += 1) {
      const code = units.charCodeAt(at);
      if (code === quote) break;
      marks |= marksOf(code);
    }
    this.#keep(slot, start, at, marks);
    return at + 1;
  }

  #unquotedValue(slot: number, start: number): number {
    const units = this.#units;
    const { length } = units;
    let marks = 0;
    let at = start;
    for (; at < length; at += 1) {
      const code = units.charCodeAt(at);
      if (endsValue(code)) break;
      marks |= marksOf(code);
    }
    if (slot !== NO_SLOT) this.#keep(slot, start, at, marks);
    return at;
  }

  #keep(slot: number, start: number, end: number, marks: number): void {
    this.starts[slot] = start;
    this.ends[slot] = end;
    this.marks[slot] = marks;
  }
}

/** Whether a code unit is one that in the name of an attribute, or in a value without quotes, is sure to be nothing else. */
function isNameCharacter(code: number): boolean {
  return code > GREATER || (code > SINGLE_QUOTE && code < EQUALS && code !== SLASH);
}

/** Whether a code unit ends a value without quotes. */
function endsValue(code: number): boolean {
  return code <= GREATER && (code === GREATER || isWhiteSpace(code));
}

function marksOf(code: number): number {
  if (code > DELETE) return MARKS.beyondAscii;
  return code === AMPERSAND || code < SPACE ? MARKS.reference : 0;
}
