// Paths and patterns → the bytes that are compared (robots §6). Every dialect has a *form*; text and pattern are
// brought to the same form and then compared byte by byte, so that all later steps are the same for every dialect.
//
// In a canonical pattern `*` is always the operator and a final `$` always the anchor; a literal asterisk or dollar
// sign is written `%2A`, `%24` on both sides (only `google` leaves them alone in the text, where nothing can ask for
// them).

import { ByteList } from './bytes.js';

/**
 * How bytes are brought to one spelling: `n0` and `n1` are RFC 9309's (robots §6.1), `google` decodes nothing (§5.2),
 * `decoded` is the 1996 table (§6.2) without operators, `decoded-star` the same with `*` (§6.3).
 */
export type Form = 'n0' | 'n1' | 'google' | 'decoded' | 'decoded-star';

const PERCENT = 0x25;
const STAR = 0x2a;
const DOLLAR = 0x24;
const SLASH = 0x2f;
const QUESTION = 0x3f;

// What a byte is, as bits. 0: forms spell it in different ways.
/** Form `n1` escapes it in the query; otherwise plain. */
const RESERVED = 1;
const PLAIN = 2;
/** RFC 9309 decodes its triplet. */
const UNRESERVED = 4;
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (/[\w\-.~]/.test(char)) return PLAIN | UNRESERVED;
  return /[:/?@[\]]/.test(char) ? RESERVED : /[#!&'()+,;=]/.test(char) ? PLAIN : 0;
});

/**
 * Brings a path (with query) or a pattern to its canonical spelling (robots §6.1–6.3, R27; a literal `%` is spelt `%25`
 * in every form but google's, so that `%252F` and `%2F` stay apart).
 * @param isPattern - Whether `*` and a final `$` are operators, where the form has them.
 * @returns A byte string; at most three times as long.
 */
export function canonical(bytes: string, form: Form, isPattern: boolean): string {
  const out = new ByteList(bytes.length);
  spell(bytes, form, isPattern, out);
  return out.text(!form.startsWith('decoded'));
}

/** Whether `bytes[from, to)` is certainly a pattern that is compared as it is written, in the forms of RFC 9309. */
export function isPlainPattern(bytes: Uint8Array, from: number, to: number): boolean {
  let refused = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    const what = BYTES[byte] as number;
    if (what >= PLAIN) continue;
    if (what & refused) return false;
    if (byte === QUESTION) refused = RESERVED;
    if (what === 0 && byte !== STAR && (byte !== DOLLAR || at + 1 < to)) return false;
  }
  return true;
}

/** Adds the canonical spelling to bytes. */
export function spell(bytes: string, form: Form, isPattern: boolean, out: ByteList): void {
  const isRfc = form === 'n0' || form === 'n1';
  const isGoogle = form === 'google';
  let escaped = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes.charCodeAt(at);
    const what = BYTES[byte] as number;
    let isKept = (what & escaped) === 0;
    if (byte === QUESTION && form === 'n1') escaped = RESERVED;
    if (byte === PERCENT) {
      const high = hexValue(bytes.charCodeAt(at + 1));
      const low = high < 0 ? high : hexValue(bytes.charCodeAt(at + 2));
      const next = high < 0 ? at + 1 : at + 2;
      if (low >= 0) {
        byte = 16 * high + low;
        at = next;
        isKept = isRfc ? ((BYTES[byte] as number) & UNRESERVED) > 0 : !isGoogle && byte !== SLASH && isLiteral(byte);
      } else if (isPattern && isRfc && (next >= bytes.length || bytes.charCodeAt(next) === STAR)) {
        // What `*` or the end cuts off is a prefix of triplets.
        out.push(PERCENT);
        if (high < 0) continue;
        byte = hexDigit(high);
        at++;
      } else isKept = isGoogle;
    } else if (what === 0) {
      const isOperator = byte === STAR ? form !== 'decoded' : isRfc && byte === DOLLAR && at + 1 === bytes.length;
      isKept = (isPattern && isOperator) || (isGoogle ? byte < 0x80 : !isRfc && isLiteral(byte));
    }
    if (isKept) out.push(byte);
    else {
      out.push(PERCENT);
      out.push(hexDigit(byte >> 4));
      out.push(hexDigit(byte & 15));
    }
  }
}

/** Whether the forms of 1996 decode a byte. Not the operators; NUL is the end of a pattern where they are sorted. */
function isLiteral(byte: number): boolean {
  return byte !== PERCENT && byte !== STAR && byte !== DOLLAR && byte > 0;
}

/** The value of a hexadecimal digit, or -1. */
function hexValue(code: number): number {
  const letter = (code | 0x20) - 0x57;
  return code > 0x2f && code < 0x3a ? code - 0x30 : letter > 9 && letter < 16 ? letter : -1;
}

function hexDigit(value: number): number {
  return value + (value < 10 ? 0x30 : 0x37);
}
