// Bytes → packed records: lines are cut, comments dropped, names recognised, blanks trimmed. Values are kept as they
// are: dialects read them when rules are compiled, diagnostics on demand. No line makes a string or an object, so that
// an odd one costs little more than a common one.

import { isUtf8 } from './bytes.js';
import { ALLOW, BAD, beginsField, COMMENT, DISALLOW, fieldKind, MISSPELT, REMARK, SITEMAP, UNKNOWN } from './fields.js';
import { MAX_LINE_BYTES } from './limits.js';
import { INVALID_UTF8, MISSING_COLON, NUL, ODD_WHITESPACE, RecordWriter, TOO_LONG } from './packed-records.js';

const TAB = 0x09;
const LF = 0x0a;
const FF = 0x0c;
const CR = 0x0d;
const SPACE = 0x20;
const HASH = 0x23;
const PERCENT = 0x25;
const STAR = 0x2a;
const SLASH = 0x2f;
const COLON = 0x3a;
/** How U+FEFF begins. */
const MARK = 0xef;

/** Packs the lines of a file (robots §2.3, §2.5, §3). */
export function packRecords(file: Uint8Array, start: number, end: number, repair: boolean): string {
  const bytes = file.includes(0) ? withNulLast(file, start, end) : file;
  const writer = new RecordWriter(bytes, end - start);
  const packer = new OddLinePacker(bytes, writer, repair);
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
    if (i + 1 < end && bytes[i] === CR && bytes[i + 1] === LF) i++;
    isOdd ||= lineEnd - lineStart > MAX_LINE_BYTES;
    if (lineStart === lineEnd) {
      writer.addBlank();
      continue;
    }
    // A comment line is not blank and bounds nothing (robots §3.2).
    if (hash === lineStart && !isOdd) continue;
    const kind = isOdd || colon < 0 ? UNKNOWN : fieldKind(bytes, lineStart, colon);
    let to = hash < 0 ? lineEnd : hash;
    while (to > lineStart && isSpace(bytes[to - 1])) to--;
    let from = colon + 1 || lineStart;
    while (from < to && isSpace(bytes[from])) from++;
    if (kind !== UNKNOWN && kind < MISSPELT && kind !== COMMENT) {
      writer.add(kind, line, from, Math.max(from, to));
      continue;
    }
    let name = lineStart;
    while (name < to && isSpace(bytes[name])) name++;
    if (isOdd || name === to || beginsField(bytes, name, to)) packer.pack(line, lineStart, lineEnd, colon, hash, isOdd);
    else if (colon <= name) {
      if (!writer.drops(BAD)) writer.add(BAD, line, name, to);
    } else if (!writer.drops(UNKNOWN)) {
      let nameTo = colon;
      while (isSpace(bytes[nameTo - 1])) nameTo--;
      writer.add(UNKNOWN, line, from, Math.max(from, to), 0, name, nameTo);
    }
  }
  return writer.finish();
}

/** A copy of a file in which the NUL bytes of a line stand at its end (robots §2.3). */
function withNulLast(file: Uint8Array, start: number, end: number): Uint8Array {
  const bytes = file.slice(0, end);
  for (let i = start, to = start; i <= end; i++) {
    const c = file[i] as number;
    if (i === end || c === LF || c === CR) {
      bytes.fill(0, to, i);
      to = i + 1;
    } else if (c !== 0) bytes[to++] = c;
  }
  return bytes;
}

/** The blank of a grammar: SP or HTAB. */
function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** Packs lines that need a closer look: other names than canonical ones, control or high bytes, too many bytes. */
class OddLinePacker {
  readonly #bytes: Uint8Array;
  readonly #writer: RecordWriter;
  readonly #repair: boolean;
  /** What is odd about the current line. */
  #notes = 0;

  constructor(bytes: Uint8Array, writer: RecordWriter, repair: boolean) {
    this.#bytes = bytes;
    this.#writer = writer;
    this.#repair = repair;
  }

  /** Packs `[start, end)`, which has its first colon and its first number sign there (-1: none). */
  pack(line: number, start: number, end: number, colonAt: number, hash: number, isOdd: boolean): void {
    const bytes = this.#bytes;
    const writer = this.#writer;
    this.#notes = 0;
    let lineEnd = end;
    for (; bytes[lineEnd - 1] === 0 && lineEnd > start; lineEnd--) this.#notes = NUL;
    const contentEnd = hash < 0 ? lineEnd : hash;
    let cut = contentEnd;
    if (contentEnd - start > MAX_LINE_BYTES) {
      this.#notes |= TOO_LONG;
      cut = start + MAX_LINE_BYTES;
      // So that no incomplete percent triplet stays.
      if (bytes[cut - 2] === PERCENT) cut -= 2;
      else if (bytes[cut - 1] === PERCENT) cut -= 1;
      lineEnd = cut;
    }
    const from = this.#behindBlanks(start, cut);
    const to = this.#beforeBlanks(from, cut);
    const colon = colonAt < cut ? colonAt : -1;
    const isBlank = from === to;
    const isIdle = isBlank || !beginsField(bytes, from, to);
    const isDropped = isIdle && writer.drops(isBlank ? REMARK : colon > from ? UNKNOWN : BAD);
    if (isOdd && !isDropped && !isUtf8(bytes, start, contentEnd)) this.#notes |= INVALID_UTF8;
    if (isBlank && !isDropped && this.#notes > 0) writer.add(REMARK, line, from, to, this.#notes);
    if (isBlank && cut === lineEnd) writer.addBlank();
    if (isBlank || isDropped) return;
    const url = this.#repair && !isIdle && colon >= 0 ? this.#sitemapUrl(from, to, colon) : -1;
    if (url >= 0) {
      writer.add(SITEMAP, line, url, to, this.#notes | MISSING_COLON);
      return;
    }
    let nameTo = colon < 0 ? from : this.#beforeBlanks(from, colon);
    if (colon < 0) while (nameTo < to && !isSpace(bytes[nameTo])) nameTo++;
    let kind = fieldKind(bytes, from, nameTo);
    if (kind > MISSPELT && !this.#repair) kind = UNKNOWN;
    // A repair may only make a crawl stricter: a mark around the name of `Allow` is no blank (R10).
    if (kind === ALLOW && bytes.subarray(start, colon).includes(MARK)) kind = UNKNOWN;
    // A Comment is shown to people and runs to the end of the line, number sign included (R9).
    const valueEnd = kind === COMMENT && colon >= 0 ? lineEnd : cut;
    let valueFrom = colon < 0 ? nameTo : this.#behindBlanks(colon + 1, valueEnd);
    if (colon < 0) while (valueFrom < to && isSpace(bytes[valueFrom])) valueFrom++;
    const valueTo = valueEnd === cut ? Math.max(valueFrom, to) : this.#beforeBlanks(valueFrom, valueEnd);
    const isField = colon < 0 ? this.#repair && this.#isRepairable(kind, valueFrom, to) : nameTo > from;
    if (!isField) writer.add(BAD, line, from, to, this.#notes);
    else {
      const notes = colon < 0 ? this.#notes | MISSING_COLON : this.#notes;
      const isNameKept = kind === UNKNOWN || kind > MISSPELT;
      writer.add(kind % MISSPELT, line, valueFrom, valueTo, notes, from, isNameKept ? nameTo : from);
    }
  }

  /** Where `[from, to)` begins behind its blanks. */
  #behindBlanks(from: number, to: number): number {
    for (let at = from; ; ) {
      const width = at < to ? this.#blankAt(at, to) : 0;
      if (width === 0) return at;
      if (!isSpace(this.#bytes[at])) this.#notes |= ODD_WHITESPACE;
      at += width;
    }
  }

  /** Where `[from, to)` ends before its blanks. */
  #beforeBlanks(from: number, to: number): number {
    for (let end = to; ; ) {
      const last = this.#bytes[end - 1];
      const width = last === 0xa0 ? 2 : last === 0xbf ? 3 : 1;
      if (end - width < from || this.#blankAt(end - width, end) !== width) return end;
      if (!isSpace(last)) this.#notes |= ODD_WHITESPACE;
      end -= width;
    }
  }

  /** Bytes of the blank that begins at an offset, 0 for none: SP, HTAB, VT, FF, U+00A0, U+FEFF (R10). */
  #blankAt(at: number, to: number): number {
    const bytes = this.#bytes;
    const c = bytes[at] as number;
    // A line has no LF.
    if (c === SPACE || (c >= TAB && c <= FF)) return 1;
    if (c === 0xc2) return at + 1 < to && bytes[at + 1] === 0xa0 ? 2 : 0;
    return c === MARK && at + 2 < to && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0;
  }

  /** Where the URL begins in `sitemap http://…` without its colon, or in a line that is the URL of a sitemap; or -1. */
  #sitemapUrl(from: number, to: number, colon: number): number {
    const bytes = this.#bytes;
    if (bytes[colon + 1] !== SLASH || bytes[colon + 2] !== SLASH || colon + 3 >= to) return -1;
    const url = this.#says('https', colon - 5) ? colon - 5 : colon - 4;
    if (url < from || !(url < colon - 4 || this.#says('http', url))) return -1;
    let isSitemap = false;
    for (let i = colon; i < to; i++) {
      if (isSpace(bytes[i])) return -1;
      isSitemap ||= this.#says('sitemap', i) || this.#says('.xml', i);
    }
    if (url === from) return isSitemap ? url : -1;
    let nameTo = url;
    while (isSpace(bytes[nameTo - 1])) nameTo--;
    return nameTo < url && fieldKind(bytes, from, nameTo) % MISSPELT === SITEMAP ? url : -1;
  }

  /** Whether a lower-case text stands at an offset, in any case. */
  #says(text: string, at: number): boolean {
    let i = 0;
    while (i < text.length && ((this.#bytes[at + i] as number) | 0x20) === text.charCodeAt(i)) i++;
    return i === text.length;
  }

  /** Whether a line without a colon counts: where that can only close (robots §3.5, R12). */
  #isRepairable(kind: number, from: number, to: number): boolean {
    const bytes = this.#bytes;
    let words = 0;
    let arePaths = kind % MISSPELT === DISALLOW;
    for (let i = from; i < to; i++) {
      if (isSpace(bytes[i]) || (i > from && !isSpace(bytes[i - 1]))) continue;
      words++;
      arePaths &&= bytes[i] === SLASH || bytes[i] === STAR;
    }
    return kind !== UNKNOWN && kind !== ALLOW && (words === 1 || (words > 1 && arePaths));
  }
}
