// Bytes → packed records: cuts lines, drops comments, recognises names, trims blanks. Values are kept unchanged:
// dialects read them when rules are compiled, diagnostics on demand. No line makes a string or an object, so that an
// odd line costs little more than a common one.

import { byteArray, charString, isUtf8 } from './bytes.js';
import {
  ALLOW,
  BAD,
  beginsField,
  COMMENT,
  DISALLOW,
  fieldKind,
  MISSPELLED,
  REMARK,
  SITEMAP,
  UNKNOWN,
} from './fields.js';
import { MAX_LINE_BYTES } from './limits.js';
import { INVALID_UTF8, isSpace, MISSING_COLON, NUL, ODD_WHITESPACE, RecordWriter, TOO_LONG } from './packed-records.js';

const TAB = 0x09;
const LF = 0x0a;
const FF = 0x0c;
const CR = 0x0d;
const SPACE = 0x20;
const HASH = 0x23;
const PERCENT = 0x25;
const SLASH = 0x2f;
const COLON = 0x3a;
/** `sitemap http://…` without its colon, or a URL on a line of its own. */
const SITEMAP_LINE = /^(?=.*(?:sitemap|\.xml))(?:sitemaps?[ \t]+)?(https?:\/\/[^ \t]+)$/i;
const SEVERAL_PATTERNS = /^[/*][^ \t]*(?:[ \t]+[/*][^ \t]*)*$/;
/** The first byte of U+FEFF. */
const BOM_BYTE = 0xef;

/** Packs the lines of a file (robots §2.3, §2.5, §3). @param bytes - The file, or a copy by `withNulLast`. */
export function packRecords(file: Uint8Array, start: number, end: number, repair: boolean, bytes = file): string {
  const writer = new RecordWriter(bytes, end - start);
  for (let line = 1, i = start; i < end; line++, i = nextLine(bytes, i, end)) {
    const lineStart = i;
    while (i < end && (bytes[i] as number) > SPACE && bytes[i] !== COLON) i++;
    const kind = bytes[i] === COLON && i < end ? fieldKind(bytes, lineStart, i) : UNKNOWN;
    const textEnd = isCanonical(kind) ? writer.addText(kind, line, i + 1, end) : -1;
    if (textEnd >= 0) {
      i = textEnd;
      continue;
    }
    i = lineStart;
    let colon = -1;
    let hash = -1;
    let isOdd = false;
    for (; i < end; i++) {
      const c = bytes[i] as number;
      if (c > HASH && c !== COLON && c < 0x80) continue;
      if (c === LF || c === CR) break;
      if (c === 0 && bytes === file) return packRecords(file, start, end, repair, withNulLast(file, end));
      if (c > 0x7f || (c < SPACE && c !== TAB)) isOdd = true;
      else if (hash < 0) {
        if (c === HASH) hash = i;
        else if (c === COLON && colon < 0) colon = i;
      }
    }
    const lineEnd = i;
    isOdd ||= lineEnd - lineStart > MAX_LINE_BYTES;
    if (lineStart === lineEnd) {
      writer.addBlank();
      continue;
    }
    // A comment line is not a blank line and ends nothing (robots §3.2).
    if (hash === lineStart && !isOdd) continue;
    let from = colon + 1;
    let to = hash < 0 ? lineEnd : hash;
    while (to > lineStart && isSpace(bytes[to - 1])) to--;
    while (from < to && isSpace(bytes[from])) from++;
    const name = skipBlanks(bytes, lineStart, to);
    if (isOdd || name === to || beginsField(bytes, name, to))
      packOddLine(writer, bytes, repair, line, lineStart, lineEnd, colon, hash, isOdd);
    else if (colon <= name) {
      if (!writer.drops(BAD)) writer.add(BAD, line, name, to);
    } else if (!writer.drops(UNKNOWN)) {
      writer.add(UNKNOWN, line, from, to, 0, name, trimBlanks(bytes, name, colon));
    }
  }
  return writer.finish();
}

/** Where the next line begins after the line end at an offset: CR LF counts as one. */
function nextLine(bytes: Uint8Array, at: number, end: number): number {
  return at + (at + 1 < end && bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1);
}

/** A copy of a file with the NUL bytes of each line moved to the line's end (robots §2.3). */
function withNulLast(file: Uint8Array, end: number): Uint8Array {
  const text = charString(file.subarray(0, end));
  return byteArray(text.replace(/[^\n\r]+/g, (line) => line.replaceAll('\0', '').padEnd(line.length, '\0')));
}

function isCanonical(kind: number): boolean {
  return kind !== UNKNOWN && kind < MISSPELLED;
}

/**
 * Packs `[start, end)`, a line that needs a closer look: its name is not canonical, it has control or non-ASCII bytes,
 * or it is too long. The caller passes its first colon and its first number sign, -1 for none.
 */
function packOddLine(
  writer: RecordWriter,
  bytes: Uint8Array,
  repair: boolean,
  line: number,
  start: number,
  end: number,
  colonAt: number,
  hash: number,
  isOdd: boolean,
): void {
  let notes = 0;
  let lineEnd = end;
  for (; lineEnd > start && bytes[lineEnd - 1] === 0; lineEnd--) notes = NUL;
  const contentEnd = hash < 0 ? lineEnd : hash;
  let cut = contentEnd;
  if (contentEnd - start > MAX_LINE_BYTES) {
    notes |= TOO_LONG;
    cut = start + MAX_LINE_BYTES;
    // Removes an incomplete percent triplet.
    if (bytes[cut - 2] === PERCENT) cut -= 2;
    else if (bytes[cut - 1] === PERCENT) cut -= 1;
    lineEnd = cut;
  }
  const from = skipBlanks(bytes, start, cut);
  const colon = colonAt < cut ? colonAt : -1;
  const isIdle = !beginsField(bytes, from, cut);
  const isDropped = isIdle && writer.drops(colon > from ? UNKNOWN : BAD);
  if (isDropped && from < cut) return;
  if (isOdd && !isUtf8(bytes, start, contentEnd)) notes |= INVALID_UTF8;
  notes |= noteOfBlanks(bytes, start, from);
  if (from === cut) {
    if (!isDropped && notes > 0) writer.add(REMARK, line, from, from, notes);
    if (cut === lineEnd) writer.addBlank();
    return;
  }
  const to = trimBlanks(bytes, from, cut);
  notes |= noteOfBlanks(bytes, to, cut);
  const url = repair && !isIdle && colon >= 0 ? sitemapUrl(bytes, from, to, colon) : to;
  if (url < to) {
    writer.add(SITEMAP, line, url, to, notes | MISSING_COLON);
    return;
  }
  let nameTo = colon < 0 ? from : trimBlanks(bytes, from, colon);
  if (colon < 0) while (nameTo < to && !isSpace(bytes[nameTo])) nameTo++;
  let kind = fieldKind(bytes, from, nameTo);
  // A repair may only make a crawl stricter: a mark around the name of `Allow` does not count as a blank (R10).
  const isMarked = kind === ALLOW && bytes.subarray(start, colon).includes(BOM_BYTE);
  if (isMarked || (kind > MISSPELLED && !repair)) kind = UNKNOWN;
  // A Comment is shown to people and runs to the end of the line, number sign included (R9).
  const valueEnd = kind === COMMENT && colon >= 0 ? lineEnd : cut;
  const nameEnd = colon < 0 ? nameTo : colon + 1;
  const valueFrom = skipBlanks(bytes, nameEnd, valueEnd);
  const valueTo = trimBlanks(bytes, valueFrom, valueEnd);
  if (colon < 0 ? !repair || !isRepairable(bytes, kind, valueFrom, valueTo) : nameTo === from) {
    writer.add(BAD, line, from, to, notes);
    return;
  }
  notes |=
    noteOfBlanks(bytes, nameTo, colon) |
    noteOfBlanks(bytes, nameEnd, valueFrom) |
    noteOfBlanks(bytes, valueTo, valueEnd);
  if (colon < 0) notes |= MISSING_COLON;
  writer.add(kind % MISSPELLED, line, valueFrom, valueTo, notes, from, isCanonical(kind) ? from : nameTo);
}

/** Where `[from, to)` begins after its blanks: SP, HTAB, VT, FF, U+00A0, U+FEFF (R10). */
function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (let width = 1; at < to && width > 0; at += width) width = blankAt(bytes, at, to);
  return at;
}

/** Where `[from, to)` ends before its trailing blanks. */
function trimBlanks(bytes: Uint8Array, from: number, to: number): number {
  for (let end = to; ; ) {
    const last = bytes[end - 1];
    const width = last === 0xa0 ? 2 : last === 0xbf ? 3 : 1;
    if (end - width < from || blankAt(bytes, end - width, end) !== width) return end;
    end -= width;
  }
}

/** Bytes of the blank that begins at an offset, 0 for none. */
function blankAt(bytes: Uint8Array, at: number, to: number): number {
  const c = bytes[at] as number;
  // A line has no LF.
  if (c === SPACE || (c >= TAB && c <= FF)) return 1;
  if (c === 0xc2) return at + 1 < to && bytes[at + 1] === 0xa0 ? 2 : 0;
  return c === BOM_BYTE && at + 2 < to && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0;
}

/** A note if some of the blanks `[from, to)` are unusual. */
function noteOfBlanks(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) if (!isSpace(bytes[i])) return ODD_WHITESPACE;
  return 0;
}

/** Where the URL begins in `sitemap http://…` without its colon, or in the bare URL of a sitemap; else `to`. */
function sitemapUrl(bytes: Uint8Array, from: number, to: number, colon: number): number {
  if (bytes[colon + 1] !== SLASH || bytes[colon + 2] !== SLASH) return to;
  const text = charString(bytes.subarray(from, to));
  // The meaning of any other bare URL is unknown.
  const [, url = ''] = SITEMAP_LINE.exec(text) ?? [];
  return to - url.length;
}

/** Whether a line without a colon counts: only if that can make a crawl stricter (robots §3.5, R12). */
function isRepairable(bytes: Uint8Array, kind: number, from: number, to: number): boolean {
  if (kind === UNKNOWN || kind === ALLOW) return false;
  let wordEnd = from;
  while (wordEnd < to && !isSpace(bytes[wordEnd])) wordEnd++;
  if (wordEnd === to) return to > from;
  return kind % MISSPELLED === DISALLOW && SEVERAL_PATTERNS.test(charString(bytes.subarray(from, to)));
}
