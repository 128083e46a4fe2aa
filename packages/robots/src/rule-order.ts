// The order of rules: by literal; of equal literals the strongest comes last, which is where a search begins; then by
// the rest of the pattern, where equal ones meet, and all but the first in the file are dropped.

import { twoChars, twoCharsAt } from './bytes.js';
import { isForQueries, type Patterns, patternAt, textOf, weightOf } from './patterns.js';

/** References to patterns, in order. */
export function orderRules(patterns: Patterns, references: readonly number[]): number[] {
  // Texts are compared by the platform: all that counts is in one, and the place in the file.
  const keys = references.map((reference, place) => {
    const pattern = patternAt(patterns, reference);
    const text = textOf(pattern);
    // Where forms differ, equal patterns are two rules.
    const rank = 2 * weightOf(pattern) + (isForQueries(pattern) ? 1 : 0);
    return `${literalOf(text)}\0${twoChars(rank)}${text}${twoChars(place)}`;
  });
  keys.sort();
  return keys
    .filter((key, i) => key.slice(0, -2) !== keys[i - 1]?.slice(0, -2))
    .map((key) => references[twoCharsAt(key, key.length - 2)] as number);
}

/** What a pattern begins with, up to its first `*` or final `$`. */
export function literalOf(text: string): string {
  return text.replace(/\*.*$|\$$/s, '');
}
