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
const QUESTION = 0x3f;

// What a form does with a byte, as bits.
/** It stays as it is written. */
const KEPT = 1;
/** Its triplet is decoded. */
const DECODED = 2;
/** In the query it is escaped, if the form is `n1`. */
const RESERVED = 4;

const tableOf = (kept: RegExp, decoded: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    return (kept.test(char) ? KEPT : 0) | (decoded.test(char) ? DECODED : 0) | (/[:/?@[\]]/.test(char) ? RESERVED : 0);
  });
const RFC = tableOf(/[\w\-.~:/?#[\]@!&'()+,;=]/, /[\w\-.~]/);
const GOOGLE = tableOf(/[\0-\x7f]/, /^$/);
// NUL is the end of a pattern where they are sorted.
const YEAR_1996 = tableOf(/[^%*$\0]/, /[^%*$\0/]/);

/**
 * Brings a path (with query) or a pattern to its canonical spelling (robots §6.1–6.3, R27; a literal `%` is spelt `%25`
 * in every form but google's, so that `%252F` and `%2F` stay apart).
 * @param isPattern - Whether `*` and a final `$` are operators, where the form has them.
 * @returns A byte string; at most three times as long.
 */
export function canonical(bytes: string, form: Form, isPattern: boolean): string {
  const out = new ByteList(bytes.length);
  spell(bytes, form, isPattern, out);
  return out.text();
}

/** Whether `bytes[from, to)` is certainly a pattern that is compared as it is written, in the forms of RFC 9309. */
export function isPlainPattern(bytes: Uint8Array, from: number, to: number): boolean {
  let refused = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    const what = RFC[byte] as number;
    if (what & refused) return false;
    if (byte === QUESTION) refused = RESERVED;
    if (what === 0 && byte !== STAR && (byte !== DOLLAR || at + 1 < to)) return false;
  }
  return true;
}

/** Adds the canonical spelling to bytes. */
export function spell(bytes: string, form: Form, isPattern: boolean, out: ByteList): void {
  const isRfc = form === 'n0' || form === 'n1';
  const table = isRfc ? RFC : form === 'google' ? GOOGLE : YEAR_1996;
  let escaped = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes.charCodeAt(at);
    let isKept = ((table[byte] as number) & (KEPT | escaped)) === KEPT;
    if (byte === QUESTION && form === 'n1') escaped = RESERVED;
    if (byte === PERCENT) {
      const high = hexValue(bytes, at + 1);
      const low = hexValue(bytes, at + 2);
      const next = bytes.charAt(high < 0 ? at + 1 : at + 2);
      if (high >= 0 && low >= 0) {
        byte = 16 * high + low;
        at += 2;
        isKept = ((table[byte] as number) & DECODED) > 0;
      } else if (isPattern && isRfc && (next === '' || next === '*')) {
        // What `*` or the end cuts off is a prefix of triplets.
        out.push(byte);
        if (high < 0) continue;
        byte = hexDigit(high);
        at++;
        isKept = true;
      }
    } else if (isPattern) {
      isKept ||= byte === STAR ? form !== 'decoded' : isRfc && byte === DOLLAR && at + 1 === bytes.length;
    }
    if (isKept) out.push(byte);
    else {
      out.push(PERCENT);
      out.push(hexDigit(byte >> 4));
      out.push(hexDigit(byte & 15));
    }
  }
}

/** The value of the hexadecimal digit at a place, or -1. */
function hexValue(bytes: string, at: number): number {
  const digit = '0123456789ABCDEFabcdef'.indexOf(bytes[at] ?? ' ');
  return digit > 15 ? digit - 6 : digit;
}

function hexDigit(value: number): number {
  return value + (value < 10 ? 0x30 : 0x37);
}
