/** Compares one pattern with one path, for programs that have no file. */

import { bytesOf } from './bytes.js';
import { matchesSpellings, spellingsOf } from './pattern.js';

/**
 * Whether a pattern as written in a file matches a path, as RFC 9309 reads it: N0 or N1 spelling, `*` and final `$`.
 * For single questions; compile rules that are used often (RFC 9309 §2.2.2, §2.2.3; robots §6.1, §6.4).
 * @param pattern - The value as written; `''` matches nothing.
 * @param pathAndQuery - Path and query of a URL, without fragment; `''` counts as `/`.
 */
export function matchesPattern(pattern: string, pathAndQuery: string): boolean {
  const path = spellingsOf(bytesOf(pathAndQuery || '/'), false);
  return pattern !== '' && matchesSpellings(spellingsOf(bytesOf(pattern), true), path);
}
