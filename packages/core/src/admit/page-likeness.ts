// What a page says, as one number: pages that say the same have the same. What varies although nothing is new is left out:
// numbers, names of months and days, tokens nobody can read, and URLs that stand in the text. Images count by their
// address, so that a gallery does not look like one page.
//
// It is a sum over words, so their order does not matter, made in one pass without a DOM. Reading HTML this roughly is
// enough, because the same template is misread in the same way.

import { MAX_COMPARED_CHARS } from './limits.js';

const BLANK = 32;
const LESS = 60;
const SLASH = 47;
const LETTER_I = 105;
const LETTER_S = 115;
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** A run of consonants that no word of a language that uses the alphabet has. */
const UNREADABLE_RUN = 6;

const NAMES =
  'january february march april may june july august september october november december ' +
  'jan feb mar apr jun jul aug sep sept oct nov dec ' +
  'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun ' +
  'mo tu we th fr sa su am pm';
const CALENDAR: ReadonlySet<number> = new Set(NAMES.split(' ').map(hashOf));

/** What a character is. Above ASCII every character counts as a vowel: other alphabets have other rules. */
const OTHER = 0;
const DIGIT = 1;
const VOWEL = 2;
const CONSONANT = 3;
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[aeiouy]/i.test(character)) return VOWEL;
  return /[a-z]/i.test(character) ? CONSONANT : OTHER;
});

/**
 * The likeness of a page.
 *
 * @param page - The page, decoded; of a longer one the first million characters count.
 * @returns A whole number below 2^53. Two pages that differ in a word or an image have the same by an accident of 1 in 2^50.
 * @throws Never
 */
export function likenessOf(page: string): number {
  const html = page.length > MAX_COMPARED_CHARS ? page.slice(0, MAX_COMPARED_CHARS) : page;
  const sum: Sum = new Int32Array(2);
  let at = 0;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === LESS) at = afterTag(html, at, sum);
    else if (kindOf(code) === OTHER) at += 1;
    else at = afterWord(html, at, sum);
  }
  const [low = 0, high = 0] = sum;
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

/** Two numbers of 32 bits, the low one first. */
type Sum = Int32Array;

function kindOf(code: number): number {
  return code < 128 ? (KIND[code] ?? OTHER) : VOWEL;
}

/** Adds the word that begins here, unless it is none that says something. @returns The place behind it. */
function afterWord(html: string, start: number, sum: Sum): number {
  let hash = FNV_START;
  let at = start;
  let run = 0;
  let isPlain = true;
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    const kind = kindOf(code);
    if (kind === OTHER) break;
    if (kind === DIGIT) isPlain = false;
    run = kind === CONSONANT ? run + 1 : 0;
    if (run >= UNREADABLE_RUN) isPlain = false;
    hash = Math.imul(hash ^ (code < 128 ? code | 32 : code), FNV_PRIME);
  }
  if (html.charCodeAt(start - 1) === SLASH) return afterUrl(html, at);
  if (isPlain && html.charCodeAt(at) !== SLASH && !CALENDAR.has(hash)) add(sum, hash);
  return at;
}

/** A word behind a slash is part of a URL, and so is what follows up to a blank. */
function afterUrl(html: string, from: number): number {
  for (let at = from; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code <= BLANK || code === LESS) return at;
  }
  return html.length;
}

/** @returns The place behind the tag, and behind what no reader sees. */
function afterTag(html: string, start: number, sum: Sum): number {
  if (html.startsWith('<!--', start)) return behind(html, '-->', start + 4);
  const end = behind(html, '>', start + 1);
  // Most tags are none of those looked for, which begin with S or I.
  const letter = html.charCodeAt(start + 1) | 32;
  if (letter !== LETTER_S && letter !== LETTER_I) return end;
  const tag = /^<(script|style|img)\b/i.exec(html.slice(start, start + 8))?.[1];
  if (tag === undefined) return end;
  if (tag.toLowerCase() !== 'img') return afterHidden(html, tag, end);
  const source = /\ssrc\s*=\s*["']?([^"'\s>?#]*)/i.exec(html.slice(start, end))?.[1];
  if (source !== undefined) add(sum, hashOf(source));
  return end;
}

/** Behind the end of a script or style, written as its beginning or otherwise. One that never ends hides nothing here. */
function afterHidden(html: string, tag: string, from: number): number {
  for (const name of [tag, tag.toLowerCase(), tag.toUpperCase()]) {
    const found = html.indexOf(`</${name}`, from);
    if (found >= 0) return found;
  }
  return from;
}

/** The place behind the next occurrence; the end of the page where there is none. */
function behind(html: string, what: string, from: number): number {
  const found = html.indexOf(what, from);
  return found < 0 ? html.length : found + what.length;
}

/** Order does not matter: words are added up, twice over with different weights. */
function add(sum: Sum, hash: number): void {
  sum[0] = (sum[0] ?? 0) + Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  sum[1] = (sum[1] ?? 0) + Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
}

function hashOf(text: string): number {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ (text.charCodeAt(at) | 32), FNV_PRIME);
  return hash;
}
