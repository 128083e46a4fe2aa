// Bytes → packed records: lines are cut, comments dropped, names recognised, blanks trimmed. Values are kept as they
// are: dialects read them when rules are compiled, diagnostics on demand. The common line makes no string and no
// object.

import { byteString, isUtf8, textOf } from './bytes.js';
import {
  ALLOW,
  BAD,
  bytesKind,
  COMMENT,
  DISALLOW,
  fieldKind,
  fieldName,
  MIN_NAME,
  mayBeginField,
  REMARK,
  SITEMAP,
  UNKNOWN,
} from './fields.js';
import { MAX_LINE_BYTES } from './limits.js';
import {
  foldName,
  INVALID_UTF8,
  MISSING_COLON,
  NUL,
  ODD_WHITESPACE,
  RecordWriter,
  TOO_LONG,
} from './packed-records.js';
import { startsLikePath } from './rule-values.js';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const HASH = 0x23;
const COLON = 0x3a;
/** U+FEFF. */
const MARK = '\xef\xbb\xbf';
/** How the bytes of U+2011 and U+2013 begin. */
const DASH = '\xe2\x80';
/** `sitemap http://…` without its colon, or a URL on a line of its own. */
const SITEMAP_LINE = /^(sitemaps?[ \t]+)?(https?:\/\/[^ \t]+)$/i;

/** Packs the lines of a file (robots §2.3, §2.5, §3). */
export function packRecords(bytes: Uint8Array, start: number, end: number, repair: boolean): string {
  const writer = new RecordWriter(end - start);
  let text: string | null = null;
  for (let line = 1, i = start; i < end; line++, i++) {
    const lineStart = i;
    let colon = -1;
    let hash = -1;
    let isOdd = false;
    for (; i < end; i++) {
      const c = bytes[i] as number;
      if (c > HASH && c !== COLON && c < 0x80) continue;
      if (c === LF || c === CR) break;
      if (c > 0x7f || (c < SPACE && c !== TAB)) isOdd = true;
      else if (hash < 0) {
        if (c === HASH) hash = i;
        else if (c === COLON && colon < 0) colon = i;
      }
    }
    const lineEnd = i;
    if (bytes[i] === CR && bytes[i + 1] === LF) i++;
    isOdd ||= lineEnd - lineStart > MAX_LINE_BYTES;
    if (lineStart === lineEnd) {
      writer.addBlank();
      continue;
    }
    // A comment line is not blank and bounds nothing (robots §3.2).
    if (hash === lineStart && !isOdd) continue;
    const kind = isOdd ? UNKNOWN : bytesKind(bytes, lineStart, colon);
    let to = hash < 0 ? lineEnd : hash;
    while (to > lineStart && isBlank(bytes[to - 1])) to--;
    let from = colon + 1 || lineStart;
    while (from < to && isBlank(bytes[from])) from++;
    // A Comment runs to the end of the line, number sign included (R9).
    if (kind !== UNKNOWN && (kind !== COMMENT || hash < 0)) {
      writer.add(kind, line, bytes, from, to);
      continue;
    }
    let nameFrom = lineStart;
    while (nameFrom < to && isBlank(bytes[nameFrom])) nameFrom++;
    let nameTo = colon < 0 ? nameFrom : colon;
    if (colon < 0) while (nameTo < to && !isBlank(bytes[nameTo])) nameTo++;
    else while (nameTo > nameFrom && isBlank(bytes[nameTo - 1])) nameTo--;
    // A word alone says nothing, with its comment or without.
    const isWord = colon < 0 && nameTo === to;
    // Shorter names are not known.
    const mayBeKnown = !isWord && (colon < 0 || nameTo - nameFrom >= MIN_NAME) && mayBegin(bytes, nameFrom);
    if (isOdd || nameFrom === to || mayBeKnown) {
      if (isOdd && writer.drops(kindAtMost(bytes, nameFrom, to, colon))) continue;
      text ??= byteString(bytes.subarray(0, end));
      packOddLine(writer, line, text.slice(lineStart, lineEnd), repair);
    } else if (writer.drops(colon < 0 || nameTo === nameFrom ? BAD : UNKNOWN)) continue;
    else if (colon < 0 || nameTo === nameFrom) writer.add(BAD, line, bytes, nameFrom, to);
    else writer.addUnknown(line, bytes, from, to, nameFrom, nameTo);
  }
  return writer.finish();
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function mayBegin(bytes: Uint8Array, at: number): boolean {
  return mayBeginField(bytes[at] as number, bytes[at + 1] as number);
}

/** What an odd line can be at most, by its first bytes: `BAD`, `UNKNOWN`, or `REMARK` for anything. */
function kindAtMost(bytes: Uint8Array, from: number, to: number, colon: number): number {
  let at = from;
  while (at < to && bytes[at] === 0) at++;
  const first = bytes[at] as number;
  // A blank beyond ASCII, a second byte that does not count, or the beginning of a field.
  if (at >= to || first === 0xc2 || first === 0xef || !bytes[at + 1] || mayBegin(bytes, at)) return REMARK;
  return colon < 0 || first === COLON ? BAD : UNKNOWN;
}

/** Packs a line that needs a closer look: a name that is not known, control or high bytes, too many of them. */
function packOddLine(writer: RecordWriter, line: number, written: string, repair: boolean): void {
  let text = written.replaceAll('\0', '');
  let notes = text === written ? 0 : NUL;
  const trimmed = (part: string) => {
    let from = 0;
    let to = part.length;
    for (let bytes = 1; from < to && bytes > 0; from += bytes) bytes = blankAt(part, from);
    for (let bytes = 1; bytes < 4 && from + bytes <= to; bytes++) {
      if (blankAt(part, to - bytes) !== bytes) continue;
      to -= bytes;
      bytes = 0;
    }
    if (to - from < part.length && /[^ \t]/.test(part.slice(0, from) + part.slice(to))) notes |= ODD_WHITESPACE;
    return part.slice(from, to);
  };
  const hash = text.indexOf('#');
  let content = hash < 0 ? text : text.slice(0, hash);
  if (!isUtf8(content)) notes |= INVALID_UTF8;
  if (content.length > MAX_LINE_BYTES) {
    notes |= TOO_LONG;
    // Cut so that no incomplete percent triplet stays.
    content = text = content.slice(0, MAX_LINE_BYTES).replace(/%.?$/, '');
  }
  const colon = content.indexOf(':');
  const whole = trimmed(content);
  if (whole === '') {
    if (notes > 0) writer.addNoted(REMARK, line, '', notes, '');
    if (content === text) writer.addBlank();
    return;
  }
  const mayBeKnown = mayBeginField(whole.charCodeAt(0), whole.charCodeAt(1));
  const [, word, url = ''] = (mayBeKnown && repair && colon > 0 && SITEMAP_LINE.exec(whole)) || [];
  // Any other bare URL says nothing about what it is.
  if (word !== undefined || /sitemap|\.xml/i.test(url)) {
    writer.addNoted(SITEMAP, line, url, notes | MISSING_COLON, '');
    return;
  }
  if (colon < 0 && !mayBeKnown) {
    writer.addNoted(BAD, line, whole, notes, '');
    return;
  }
  const name = colon < 0 ? (whole.split(/[ \t]/, 1)[0] as string) : trimmed(content.slice(0, colon));
  // Beyond ASCII only dashes make a name that is known.
  const folded = mayBeKnown ? foldName(name.includes(DASH) ? textOf(name) : name) : '';
  const named = fieldKind(folded, repair);
  // A repair may only make a crawl stricter: a mark in front of `Allow` is no blank (R10).
  const kind = named === ALLOW && content.slice(0, colon).includes(MARK) ? UNKNOWN : named;
  let value = colon < 0 ? whole.slice(name.length).replace(/^[ \t]+/, '') : trimmed(content.slice(colon + 1));
  // A Comment is shown to people and runs to the end of the line, number sign included (R9).
  if (kind === COMMENT && colon >= 0) value = trimmed(text.slice(colon + 1));
  const isField = colon < 0 ? repair && isRepairable(kind, value) : name !== '';
  if (!isField) writer.addNoted(BAD, line, whole, notes, '');
  else {
    if (colon < 0) notes |= MISSING_COLON;
    writer.addNoted(kind, line, value, notes, kind !== UNKNOWN && folded === fieldName(kind) ? '' : name);
  }
}

/** Bytes of the blank that begins at an offset, 0 for none: SP, HTAB, VT, FF, U+00A0, U+FEFF (R10). */
function blankAt(text: string, at: number): number {
  const byte = text.charCodeAt(at);
  // A line has no LF.
  if (byte === SPACE || (byte >= TAB && byte <= 0x0c)) return 1;
  if (byte === 0xc2 && text.charCodeAt(at + 1) === 0xa0) return 2;
  return byte === 0xef && text.startsWith(MARK, at) ? 3 : 0;
}

/** Whether a line without a colon counts: where that can only close (robots §3.5, R12). */
function isRepairable(kind: number, value: string): boolean {
  if (value === '' || kind === UNKNOWN || kind === ALLOW) return false;
  const words = value.split(/[ \t]+/);
  return words.length === 1 || (kind === DISALLOW && words.every(startsLikePath));
}
