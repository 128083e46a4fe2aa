// A pattern, and the path that it is compared with: `*` and `$` in bounded time. No backtracking and no regular
// expression: the literal parts between asterisks are searched for from left to right, each from the end of the one
// before, because the leftmost match never prevents a later one.
//
//     pattern   /a * bc * d $        text  /axxbcxbcyd
//               ──   ──   ─                ── ── ⋯    ─
//               prefix    └ must be the suffix if `$` follows it
//
// The platform's search is faster than ours, and skips ahead by what it has learned about the part. Of a long part it
// learns the end only, so this file searches for long ones itself (Knuth, Morris and Pratt), each byte of the text
// once.

import { bytesOf } from './bytes.js';
import { canonical } from './normalize.js';
import { readUrl } from './read-url.js';

const STAR = 0x2a;
const DOLLAR = 0x24;
/** The platform's search is linear for parts up to this many bytes. */
const LONG_LITERAL = 200;
/** The cost of a byte that is searched here, in bytes that the platform searches. */
const OWN_SEARCH_COST = 8;
/** The fixed cost of searching for a part, in bytes. */
const LITERAL_WORK = 16;

/** Bytes that all searches have read so far; never reset. */
export const searchWork = { bytes: 0 };

/** Whether a canonical pattern, `pattern[from, to)`, matches a canonical text from its first byte on. */
export function matchesRange(pattern: string, from: number, to: number, text: string): boolean {
  const isAnchored = to > from && pattern.charCodeAt(to - 1) === DOLLAR;
  const end = isAnchored ? to - 1 : to;
  let p = from;
  let t = 0;
  for (; p < end && pattern.charCodeAt(p) !== STAR; p++, t++) {
    if (pattern.charCodeAt(p) !== text.charCodeAt(t)) return false;
  }
  if (p === end) return !isAnchored || t === text.length;
  while (p < end) {
    let next = p + 1;
    while (next < end && pattern.charCodeAt(next) !== STAR) next++;
    const literal = pattern.slice(p + 1, next);
    const isLast = isAnchored && next === end;
    const found = isLast ? text.length - literal.length : findLiteral(literal, text, t);
    if (found < t || (isLast && !text.startsWith(literal, found))) return false;
    t = found + literal.length;
    p = next;
  }
  return true;
}

/** A path or a pattern in both spellings of RFC 9309. */
export type Spellings = readonly [n0: string, n1: string];

/** The spellings of a path, or of a pattern as it is written, in bytes. */
export function spellingsOf(bytes: string, isPattern: boolean): Spellings {
  return [canonical(bytes, 'n0', isPattern), canonical(bytes, 'n1', isPattern)];
}

/** Whether a pattern matches a path in either spelling (RFC 9309 §2.2.2, §2.2.3). */
export function matchesSpellings(pattern: Spellings, path: Spellings): boolean {
  return pattern.some((each, at) => matchesRange(each, 0, each.length, path[at] as string));
}

/** Where a part occurs in a text, at an offset or after it, or -1. */
function findLiteral(literal: string, text: string, from: number): number {
  // Between two asterisks in a row.
  if (literal === '') return from;
  searchWork.bytes += LITERAL_WORK;
  if (literal.length > text.length - from) return -1;
  const position = text.indexOf(literal.slice(0, LONG_LITERAL), from);
  searchWork.bytes += Math.min(literal.length, LONG_LITERAL) + (position < 0 ? text.length : position) - from;
  if (position < 0 || literal.length <= LONG_LITERAL) return position;
  searchWork.bytes += OWN_SEARCH_COST * (literal.length + text.length - position);
  /** For each beginning of the part: the length of its longest end that is also a beginning. */
  const overlaps = new Uint16Array(literal.length);
  const extend = (shared: number, code: number) => {
    let length = shared;
    while (length > 0 && literal.charCodeAt(length) !== code) length = overlaps[length - 1] as number;
    return literal.charCodeAt(length) === code ? length + 1 : 0;
  };
  for (let i = 1; i < literal.length; i++) overlaps[i] = extend(overlaps[i - 1] as number, literal.charCodeAt(i));
  for (let i = position, shared = 0; i < text.length; i++) {
    shared = extend(shared, text.charCodeAt(i));
    if (shared === literal.length) return i + 1 - shared;
  }
  return -1;
}

/**
 * For each pair of bytes, hashed, where it last ends in the current text. Offsets increase over all texts, never reset.
 */
const pairIndex = { last: new Float64Array(8192).fill(-1), base: 0, length: 0 };

/** Makes a text the current one. */
export function indexText(text: string): void {
  pairIndex.base += pairIndex.length;
  pairIndex.length = text.length;
  for (let i = 1; i < text.length; i++) {
    // Where the pair ends, not where it begins: so a slot never decreases, even if several pairs share it.
    pairIndex.last[slotOf(text, i)] = pairIndex.base + i;
  }
}

/** Whether a canonical pattern, `pattern[from, to)`, can match the current text; only false is certain. */
export function mayMatch(pattern: string, from: number, to: number): boolean {
  let star = from;
  while (star < to && pattern.charCodeAt(star) !== STAR) star++;
  const second = pattern.charCodeAt(star + 2);
  if (star + 2 >= to || pattern.charCodeAt(star + 1) === STAR || second === STAR || second === DOLLAR) return true;
  return (pairIndex.last[slotOf(pattern, star + 2)] as number) > pairIndex.base + star - from;
}

function slotOf(text: string, i: number): number {
  return ((text.charCodeAt(i - 1) << 6) ^ text.charCodeAt(i)) & 0x1fff;
}

/** The path and query of a URL, which rules are compared with. */
export interface Target {
  /** In bytes. */
  readonly path: string;
  /** Whether every form of normalize.ts spells it the same. */
  readonly isUsual: boolean;
}

// Scheme and authority; segments that are not dot segments; a query in which `n0` and `n1` agree.
const USUAL =
  /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#\\]+)?((?:\/(?!\.\.?(?:[/?#]|$))[\w\-.~:[\]@!&'()+,;=]*)+(?:\?[\w\-.~!&'()+,;=]*)?)(?:#|$)/i;

// What the platform's URL parser changes beyond the spelling: blanks around a URL, backslashes, tabs and line ends, dot
// segments, missing or extra slashes after the scheme.
const UNUSUAL = /^[\0- ]|[\0- ]$|[\\\t\n\r]|\/(?:\.|%2e){1,2}(?:[/?#]|$)|^https?:(?!\/\/[^/])/i;

/** The path and query of any URL or path, as they would be requested (robots §6, R26). */
export function targetOf(url: string): Target {
  const usual = USUAL.exec(url);
  if (usual !== null) return { path: usual[1] as string, isUsual: true };
  const path = (UNUSUAL.test(url) ? requested(url) : url)
    .replace(/#.*$/s, '')
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/?\\]*/i, '');
  return { path: bytesOf(path.startsWith('/') ? path : `/${path}`), isUsual: false };
}

/** The URL as the platform's parser writes it; a path as one of some authority. */
function requested(url: string): string {
  const path = url.replace(/^[\0- ]*[/\\]?/, '/');
  // Not even a path of a known authority: then it is compared as it is.
  return (readUrl(url) ?? readUrl(`http://a${path}`))?.href ?? url;
}
