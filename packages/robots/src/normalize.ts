// Paths and patterns → the bytes that are compared (robots §6). Every dialect has a *form*; text and pattern are
// brought to the same form and then compared byte by byte, so that all later steps are the same for every dialect.
//
// In a canonical pattern `*` is always the operator and a final `$` always the anchor; a literal asterisk or dollar
// sign is written `%2A`, `%24` on both sides (only `google` leaves them alone in the text, where nothing can ask for
// them).

/**
 * How bytes are brought to one spelling: `n0` and `n1` are RFC 9309's (robots §6.1), `google` decodes nothing (§5.2),
 * `decoded` is the 1996 table (§6.2) without operators, `decoded-star` the same with `*` (§6.3).
 */
export type Form = 'n0' | 'n1' | 'google' | 'decoded' | 'decoded-star';

/** A triplet, whole or cut short, or a byte that some form spells otherwise. */
const UNUSUAL = /%[\da-f]{0,2}|[^\w\-.~:/?#[\]@!&'()+,;=]/gi;

/** A pattern that form `n0` spells as it is written. */
const USUAL_PATTERN = /^[\w\-.~:/?#[\]@!&'()+,;=*]*\$?$/;

/**
 * Brings a path (with query) or a pattern to its canonical spelling (robots §6.1–6.3, R27; a literal `%` is spelt `%25`
 * in every form but google's, so that `%252F` and `%2F` stay apart).
 * @param isPattern - Whether `*` and a final `$` are operators, where the form has them.
 * @returns A byte string; at most three times as long.
 */
export function canonical(bytes: string, form: Form, isPattern: boolean): string {
  if (isPattern && form === 'n0' && USUAL_PATTERN.test(bytes)) return bytes;
  if (form === 'n1') return queryForm(canonical(bytes, 'n0', isPattern));
  return bytes.replace(UNUSUAL, (match, at: number) => {
    const isTriplet = match.length === 3;
    if (match.startsWith('%') && !isTriplet) {
      // In a pattern, what `*` or the end cuts off is a prefix of triplets.
      const isPrefix = isPattern && form === 'n0' && /^(\*|$)/.test(bytes.slice(at + match.length, at + 3));
      return isPrefix ? match.toUpperCase() : (form === 'google' ? '%' : '%25') + match.slice(1);
    }
    const byte = isTriplet ? Number.parseInt(match.slice(1), 16) : match.charCodeAt(0);
    const char = String.fromCharCode(byte);
    if (form === 'google') return isTriplet || byte > 0x7f ? escaped(byte) : char;
    const isOperator =
      isPattern &&
      !isTriplet &&
      (char === '*' ? form !== 'decoded' : char === '$' && form === 'n0' && at === bytes.length - 1);
    const keeps =
      form === 'n0' ? isTriplet && /[\w\-.~]/.test(char) : !/[%*$]/.test(char) && match !== '%2f' && match !== '%2F';
    return isOperator || keeps ? char : escaped(byte);
  });
}

/** Form `n1` of a text in form `n0`: in the query, what is reserved there is escaped, too (robots §6.1, R27). */
export function queryForm(spelling: string): string {
  const mark = spelling.indexOf('?') + 1;
  if (mark === 0) return spelling;
  return spelling.slice(0, mark) + spelling.slice(mark).replace(/[:/?@[\]]/g, (char) => escaped(char.charCodeAt(0)));
}

function escaped(byte: number): string {
  return `%${(byte + 0x100).toString(16).slice(1).toUpperCase()}`;
}
