// The content of a page as one number: pages with the same content have the same number. It ignores what varies without
// being new: numbers, names of months and days, unreadable tokens, and URLs in the text. Images count by their address.
//
// It is a sum over words, computed in one pass over the bytes, without a DOM or a charset. Such a rough reading of HTML
// is enough, because the same template is always misread in the same way.

import { MAX_COMPARED_BYTES } from './limits.js';

const SPACE = 32;
const LESS_THAN = 60;
const BANG = 33;
const DASH = 45;
const SLASH = 47;
const GREATER_THAN = 62;
const LETTER_I = 105;
const LETTER_S = 115;
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** A run of consonants that does not occur in words of languages with this alphabet. */
const UNREADABLE_RUN = 6;

const CALENDAR_NAMES =
  'january february march april may june july august september october november december ' +
  'jan feb mar apr jun jul aug sep sept oct nov dec ' +
  'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun ' +
  'mo tu we th fr sa su am pm';
const CALENDAR: ReadonlySet<number> = new Set(CALENDAR_NAMES.split(' ').map(hashOf));
/** The low bits that occur in their hashes: this alone rules out four words in five. */
const CALENDAR_BITS = 0xff;
const MAY_BE_CALENDAR = new Uint8Array(CALENDAR_BITS + 1);
for (const hash of CALENDAR) MAY_BE_CALENDAR[hash & CALENDAR_BITS] = 1;

/** Classes of bytes: a branch for each letter would cost three times the rest. Bytes outside ASCII count as vowels. */
const OTHER = 0;
const CONSONANT = 1;
const VOWEL = 2;
const DIGIT = 4;
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (byte > 127 || /[aeiouy]/i.test(character)) return VOWEL;
  if (/[0-9]/.test(character)) return DIGIT;
  return /[a-z]/i.test(character) ? CONSONANT : OTHER;
});
/** Letters without their case. */
const LOWERCASE = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 128 ? byte | 32 : byte));

/**
 * A whole number below 2^53. Two pages that differ in a word or an image have the same number with a chance of 1 in
 * 2^50. Of a longer page the first million bytes count, in any charset. Never throws.
 */
export function pageFingerprint(page: Uint8Array): number {
  let low = 0;
  let high = 0;
  // Order does not matter: words are added up, twice with different weights.
  readWords(page, (hash) => {
    low = (low + Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)) | 0;
    high = (high + Math.imul(hash ^ (hash >>> 13), 0x297a2d39)) | 0;
  });
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

/** Receives the hash of a meaningful word, or of the address of an image: 32 bits. */
type AddWord = (hash: number) => void;

/** Passes on the meaningful words of a page; of a page longer than the limit, those of its beginning. */
export function readWords(page: Uint8Array, add: AddWord): void {
  const html = Buffer.from(page.buffer, page.byteOffset, Math.min(page.length, MAX_COMPARED_BYTES));
  const unclosed = new Set<string>();
  let at = 0;
  while (at < html.length) {
    const byte = html[at] ?? 0;
    if (byte === LESS_THAN) at = afterTag(html, at, add, unclosed);
    else if (KIND[byte] === OTHER) at += 1;
    else at = afterWord(html, at, add);
  }
}

/** Adds the word that begins here, if it is meaningful. @returns The position after it. */
function afterWord(html: Buffer, start: number, add: AddWord): number {
  let hash = FNV_START;
  let at = start;
  let run = 0;
  let kinds = 0;
  let isUnreadable = 0;
  for (; at < html.length; at += 1) {
    const byte = html[at] ?? 0;
    const kind = KIND[byte] ?? OTHER;
    if (kind === OTHER) break;
    kinds |= kind;
    run = (run + 1) & -(kind & CONSONANT);
    isUnreadable |= (UNREADABLE_RUN - 1 - run) >>> 31;
    hash = Math.imul(hash ^ (LOWERCASE[byte] ?? 0), FNV_PRIME);
  }
  const isPlain = (kinds & DIGIT) === 0 && isUnreadable === 0;
  if (html[start - 1] === SLASH) return afterUrl(html, at);
  const isCalendar = MAY_BE_CALENDAR[hash & CALENDAR_BITS] === 1 && CALENDAR.has(hash);
  if (isPlain && html[at] !== SLASH && !isCalendar) add(hash);
  return at;
}

/** A word after a slash is part of a URL, and so is everything up to a blank. */
function afterUrl(html: Buffer, from: number): number {
  let at = from;
  while (at < html.length && (html[at] ?? 0) > SPACE && html[at] !== LESS_THAN) at += 1;
  return at;
}

/** The position after the tag and after invisible content. @param unclosed - Names whose end was searched in vain */
function afterTag(html: Buffer, start: number, add: AddWord, unclosed: Set<string>): number {
  const first = html[start + 1] ?? 0;
  if (first === BANG && html[start + 2] === DASH && html[start + 3] === DASH) return afterComment(html, start + 4);
  let end = start + 1;
  while (end < html.length && html[end] !== GREATER_THAN) end += 1;
  end = Math.min(end + 1, html.length);
  // Most tags are not among those looked for, which begin with S or I.
  const letter = first | 32;
  if (letter !== LETTER_S && letter !== LETTER_I) return end;
  const tag = /^<(script|style|img)\b/i.exec(html.toString('latin1', start, start + 8))?.[1];
  if (tag === undefined) return end;
  if (tag.toLowerCase() !== 'img') return afterRawText(html, tag, end, unclosed);
  const source = /\ssrc\s*=\s*["']?([^"'\s>?#]*)/i.exec(html.toString('latin1', start, end))?.[1];
  if (source !== undefined) add(hashOf(source));
  return end;
}

/** An unclosed comment hides the rest. */
function afterComment(html: Buffer, from: number): number {
  const found = html.indexOf('-->', from, 'latin1');
  return found < 0 ? html.length : found + 3;
}

/** The position after the end of a script or style, in any case. An unclosed one hides nothing here. */
function afterRawText(html: Buffer, tag: string, from: number, unclosed: Set<string>): number {
  for (const name of [tag, tag.toLowerCase(), tag.toUpperCase()]) {
    const found = unclosed.has(name) ? -1 : html.indexOf(`</${name}`, from, 'latin1');
    if (found >= 0) return found;
    unclosed.add(name);
  }
  return from;
}

/** A hash of 32 bits, ignoring the case of ASCII letters. Never throws. */
export function hashOf(text: string): number {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ (text.charCodeAt(at) | 32), FNV_PRIME);
  return hash;
}
