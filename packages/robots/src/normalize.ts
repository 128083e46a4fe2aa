// Paths and patterns → the bytes that are compared (robots §6). Every dialect has a *form*; text and pattern are
// converted to the same form and then compared byte by byte, so that all later steps are the same for every dialect.
//
// In a canonical pattern `*` is always the operator and a final `$` always the anchor; a literal asterisk or dollar
// sign is written `%2A`, `%24` on both sides (only `google` leaves them unchanged in the text, where no pattern can
// address them).

/**
 * How bytes are spelt: `n0` and `n1` are RFC 9309's forms (robots §6.1), `google` decodes nothing (§5.2), `decoded` is
 * the 1996 table (§6.2) without operators, `decoded-star` the same with `*` (§6.3).
 */
export type Form = 'n0' | 'n1' | 'google' | 'decoded' | 'decoded-star';

const PERCENT = 0x25;
const STAR = 0x2a;
const DOLLAR = 0x24;
const QUESTION = 0x3f;

// What a form does with a byte, as bits.
/** It is not changed. */
export const UNCHANGED = 8;
/** Its triplet is decoded. */
const DECODED = 128;
/** It is escaped in the query if the form is `n1`. */
export const RESERVED = 1;

const tableOf = (unchanged: RegExp, decoded: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    return (
      (unchanged.test(char) ? UNCHANGED : 0) |
      (decoded.test(char) ? DECODED : 0) |
      (/[:/?@[\]]/.test(char) ? RESERVED : 0)
    );
  });
/** For each byte, what RFC 9309 does with it. */
export const RFC = tableOf(/[\w\-.~:/?#[\]@!&'()+,;=]/, /[\w\-.~]/);
const GOOGLE = tableOf(/[\0-\x7f]/, /^$/);
// NUL stays a triplet, because it ends a pattern in the sort key.
const YEAR_1996 = tableOf(/[^%*$\0]/, /[^%*$\0/]/);
/** Each byte as a triplet. */
const TRIPLETS = Array.from({ length: 256 }, (_, byte) => `%${(byte + 0x100).toString(16).slice(1).toUpperCase()}`);
/** A triplet, whole or cut short. */
const TRIPLET = /^%[\da-f]{0,2}/i;

/**
 * Brings a path (with query) or a pattern to its canonical spelling (robots §6.1–6.3, R27; a literal `%` is spelt `%25`
 * in every form but google's, so that `%252F` and `%2F` stay apart).
 * @param isPattern - Whether `*` and a final `$` are operators, where the form has them.
 * @returns A byte string; at most three times as long.
 */
export function canonical(bytes: string, form: Form, isPattern: boolean): string {
  const isRfc = form === 'n0' || form === 'n1';
  const table = isRfc ? RFC : form === 'google' ? GOOGLE : YEAR_1996;
  let spelling = '';
  let copied = 0;
  let escaped = 0;
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    const byte = bytes.charCodeAt(at);
    next = at + 1;
    const isUnchanged = ((table[byte] as number) & (UNCHANGED | escaped)) === UNCHANGED;
    if (byte === QUESTION && form === 'n1') escaped = RESERVED;
    if (isUnchanged && byte !== PERCENT) continue;
    let written = bytes.charAt(at);
    let output = isUnchanged ? written : (TRIPLETS[byte] as string);
    if (byte === PERCENT) {
      [written = ''] = TRIPLET.exec(bytes.slice(at, at + 3)) ?? [];
      next = at + written.length;
      const value = Number.parseInt(written.slice(1), 16);
      // In a pattern, a triplet cut off by `*` or the end is a prefix of triplets.
      const isPrefix = isPattern && isRfc && (next === bytes.length || bytes.charCodeAt(next) === STAR);
      if (written.length === 3)
        output = (table[value] as number) & DECODED ? String.fromCharCode(value) : (TRIPLETS[value] as string);
      else output = isPrefix ? written.toUpperCase() : output + written.slice(1);
    } else if (isPattern && (byte === STAR ? form !== 'decoded' : isRfc && next === bytes.length && byte === DOLLAR)) {
      continue;
    }
    if (output === written) continue;
    spelling += bytes.slice(copied, at) + output;
    copied = next;
  }
  return copied === 0 ? bytes : spelling + bytes.slice(copied);
}
