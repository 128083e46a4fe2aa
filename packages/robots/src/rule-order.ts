// The order of rules: by literal; of equal literals the strongest comes last, which is where a search begins; then by
// the rest of the pattern, where equal ones meet, and all but the first in the file are dropped.

import { isForQueries, type Patterns, patternOf, weightOf } from './patterns.js';

/** References to patterns, in order. */
export function orderRules(patterns: Patterns, references: readonly number[]): number[] {
  const rules = references.map((reference) => {
    const pattern = patternOf(patterns, reference);
    const star = pattern.indexOf('*');
    const literal = star < 0 ? pattern.replace(/\$$/, '') : pattern.slice(0, star);
    // The first six bytes as a number, which compares faster than text.
    let key = 0;
    for (let i = 0; i < 6; i++) key = key * 256 + (literal.charCodeAt(i) || 0);
    // Where forms differ, equal patterns are two rules.
    const rank = 2 * weightOf(patterns, reference) + (isForQueries(patterns, reference) ? 1 : 0);
    return { reference, pattern, literal, key, rank };
  });
  rules.sort(
    (a, b) => a.key - b.key || compare(a.literal, b.literal) || a.rank - b.rank || compare(a.pattern, b.pattern),
  );
  return rules
    .filter(({ pattern, rank }, i) => pattern !== rules[i - 1]?.pattern || rank !== rules[i - 1]?.rank)
    .map(({ reference }) => reference);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
