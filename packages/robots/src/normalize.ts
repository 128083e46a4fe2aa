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

const PERCENT = 0x25;
const STAR = 0x2a;
const DOLLAR = 0x24;
/** A triplet, whole or cut short. */
const TRIPLET = /^%[\da-f]{0,2}/i;

/** Each byte as a triplet. */
const TRIPLETS = Array.from({ length: 256 }, (_, byte) => `%${(byte + 0x100).toString(16).slice(1).toUpperCase()}`);
/** For each byte, whether every form spells it as it is written. */
const PLAIN = TRIPLETS.map((_, byte) => /[\w\-.~:/?#[\]@!&'()+,;=]/.test(String.fromCharCode(byte)));

/**
 * Brings a path (with query) or a pattern to its canonical spelling (robots §6.1–6.3, R27; a literal `%` is spelt `%25`
 * in every form but google's, so that `%252F` and `%2F` stay apart).
 * @param isPattern - Whether `*` and a final `$` are operators, where the form has them.
 * @returns A byte string; at most three times as long.
 */
export function canonical(bytes: string, form: Form, isPattern: boolean): string {
  if (form === 'n1') return queryForm(canonical(bytes, 'n0', isPattern));
  let spelling = '';
  let copied = 0;
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    const byte = bytes.charCodeAt(at);
    next = at + 1;
    if (PLAIN[byte]) continue;
    const isOperator = byte === STAR ? form !== 'decoded' : byte === DOLLAR && form === 'n0' && next === bytes.length;
    if (isPattern && isOperator) continue;
    const isPercent = byte === PERCENT;
    const written = isPercent ? (TRIPLET.exec(bytes.slice(at, at + 3))?.[0] as string) : bytes.charAt(at);
    next = at + written.length;
    const spelt = spell(written, form, isPattern, bytes.charAt(next));
    if (spelt === written) continue;
    spelling += bytes.slice(copied, at) + spelt;
    copied = next;
  }
  return copied === 0 ? bytes : spelling + bytes.slice(copied);
}

function spell(written: string, form: Form, isPattern: boolean, next: string): string {
  const isTriplet = written.length === 3;
  if (written[0] === '%' && !isTriplet) {
    // In a pattern, what `*` or the end cuts off is a prefix of triplets.
    const isPrefix = isPattern && form === 'n0' && (next === '' || next === '*');
    return isPrefix ? written.toUpperCase() : (form === 'google' ? '%' : '%25') + written.slice(1);
  }
  const byte = isTriplet ? Number.parseInt(written.slice(1), 16) : written.charCodeAt(0);
  const char = String.fromCharCode(byte);
  const triplet = TRIPLETS[byte] as string;
  if (form === 'google') return isTriplet || byte > 0x7f ? triplet : char;
  const keeps =
    form === 'n0'
      ? isTriplet && /[\w\-.~]/.test(char)
      : !'%*$'.includes(char) && written !== '%2f' && written !== '%2F';
  return keeps ? char : triplet;
}

/** Form `n1` of a text in form `n0`: in the query, what is reserved there is escaped, too (robots §6.1, R27). */
export function queryForm(spelling: string): string {
  const mark = spelling.indexOf('?') + 1;
  if (mark === 0) return spelling;
  const query = spelling.slice(mark).replace(/[:/?@[\]]/g, (char) => TRIPLETS[char.charCodeAt(0)] as string);
  return spelling.slice(0, mark) + query;
}
