// `*` and `$` in bounded time. No backtracking and no regular expression: the literal parts between asterisks are
// searched for from left to right, each from the end of the one before, because the leftmost match never prevents a
// later one.
//
//     pattern   /a * bc * d $        text  /axxbcxbcyd
//               ──   ──   ─                ── ── ⋯    ─
//               prefix    └ must be the suffix if `$` follows it
//
// The platform's search is faster than ours, and skips ahead by what it has learned about the part. Of a long part it
// learns the end only, so this file searches for long ones itself (Knuth, Morris and Pratt), each byte of the text
// once.

const STAR = 0x2a;
const DOLLAR = 0x24;
/** The platform's search is linear for parts up to this many bytes. */
const LONG_STRETCH = 200;
/** The cost of a byte that is searched here, in bytes that the platform searches. */
const OWN_SEARCH = 8;
/** The fixed cost of searching for a part, in bytes. */
const STRETCH_WORK = 16;

/** Bytes that all searches have read so far; never reset. */
export const passed = { bytes: 0 };

/** Whether a canonical pattern, `pattern[from, to)`, matches a canonical text from its first byte on. */
export function matchesStretch(pattern: string, from: number, to: number, text: string): boolean {
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
    const stretch = pattern.slice(p + 1, next);
    const isLast = isAnchored && next === end;
    const found = isLast ? text.length - stretch.length : placeOf(stretch, text, t);
    if (found < t || (isLast && !text.startsWith(stretch, found))) return false;
    t = found + stretch.length;
    p = next;
  }
  return true;
}

/** Where a part occurs in a text, at an offset or after it, or -1. */
function placeOf(stretch: string, text: string, from: number): number {
  // Between two asterisks in a row.
  if (stretch === '') return from;
  passed.bytes += STRETCH_WORK;
  if (stretch.length > text.length - from) return -1;
  const place = text.indexOf(stretch.slice(0, LONG_STRETCH), from);
  passed.bytes += Math.min(stretch.length, LONG_STRETCH) + (place < 0 ? text.length : place) - from;
  if (place < 0 || stretch.length <= LONG_STRETCH) return place;
  passed.bytes += OWN_SEARCH * (stretch.length + text.length - place);
  /** For each beginning of the part: the length of its longest end that is also a beginning. */
  const overlaps = new Uint16Array(stretch.length);
  const grown = (shared: number, code: number) => {
    let length = shared;
    while (length > 0 && stretch.charCodeAt(length) !== code) length = overlaps[length - 1] as number;
    return stretch.charCodeAt(length) === code ? length + 1 : 0;
  };
  for (let i = 1; i < stretch.length; i++) overlaps[i] = grown(overlaps[i - 1] as number, stretch.charCodeAt(i));
  for (let i = place, shared = 0; i < text.length; i++) {
    shared = grown(shared, text.charCodeAt(i));
    if (shared === stretch.length) return i + 1 - shared;
  }
  return -1;
}

/**
 * For each pair of bytes, hashed, where it last ends in the current text. Offsets increase over all texts, never reset.
 */
const scratch = { last: new Float64Array(8192).fill(-1), base: 0, length: 0 };

/** Makes a text the current one. */
export function rememberText(text: string): void {
  scratch.base += scratch.length;
  scratch.length = text.length;
  for (let i = 1; i < text.length; i++) {
    // Where the pair ends, not where it begins: so a slot never decreases, even if several pairs share it.
    scratch.last[slotOf(text, i)] = scratch.base + i;
  }
}

/** Whether a canonical pattern, `pattern[from, to)`, can match the current text; only false is certain. */
export function mayMatch(pattern: string, from: number, to: number): boolean {
  let star = from;
  while (star < to && pattern.charCodeAt(star) !== STAR) star++;
  const second = pattern.charCodeAt(star + 2);
  if (star + 2 >= to || pattern.charCodeAt(star + 1) === STAR || second === STAR || second === DOLLAR) return true;
  return (scratch.last[slotOf(pattern, star + 2)] as number) > scratch.base + star - from;
}

function slotOf(text: string, i: number): number {
  return ((text.charCodeAt(i - 1) << 6) ^ text.charCodeAt(i)) & 0x1fff;
}
