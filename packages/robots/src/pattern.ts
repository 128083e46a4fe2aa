/**
 * `*` and `$` in bounded time. No backtracking and no regular expression: the literal stretches between asterisks are
 * looked for from left to right, each from where the one before ended, because the leftmost hit never spoils a later one.
 *
 *     pattern   /a * bc * d $        text  /axxbcxbcyd
 *               ──   ──   ─                ── ── ⋯    ─
 *               prefix    └ must be the suffix when `$` stands behind it
 *
 * The platform looks for a stretch faster than we could, and skips ahead by what it has learned of it.
 */

import { bytesOf } from './bytes.js';
import { canonical } from './normalize.js';

const STAR = 0x2a;
const DOLLAR = 0x24;

/**
 * Whether a pattern as written in a file matches a path, as RFC 9309 reads it: N0 or N1 spelling, `*` and final `$`.
 * For single questions; rules that are asked often are compiled instead.
 *
 * @param pattern - The value as written; `''` matches nothing.
 * @param pathAndQuery - Path and query of a URL, without fragment; `''` counts as `/`.
 * @throws Never.
 * @see RFC 9309 §2.2.2, §2.2.3; specification, robots §6.1, §6.4
 */
export function matchesPattern(pattern: string, pathAndQuery: string): boolean {
  return pattern !== '' && matchesBytes(bytesOf(pattern), bytesOf(pathAndQuery || '/'));
}

/**
 * The same for byte strings.
 *
 * @throws Never.
 */
export function matchesBytes(pattern: string, path: string): boolean {
  return (['n0', 'n1'] as const).some((form) => {
    const spelling = canonical(pattern, form, true);
    return matchesStretch(spelling, 0, spelling.length, canonical(path, form, false));
  });
}

/**
 * Whether a canonical pattern matches the whole of a canonical text from its first byte on.
 *
 * @param pattern - Holds the pattern in `[from, to)`, so that it need not be cut out.
 * @throws Never.
 */
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
    const found = isLast ? text.length - stretch.length : text.indexOf(stretch, t);
    if (found < t || (isLast && !text.startsWith(stretch, found))) return false;
    t = found + stretch.length;
    p = next;
  }
  return true;
}
