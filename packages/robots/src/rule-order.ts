// The order of rules: by literal; of equal literals the strongest comes last, which is where a search begins; then by
// the rest of the pattern, where equal ones meet, and all but the first in the file are dropped.

import { isForQueries, type Patterns, patternAt, weightOf } from './patterns.js';

/** References to patterns, in order. */
export function orderRules(patterns: Patterns, references: readonly number[]): number[] {
  const rules = references.map((reference) => {
    const place = patternAt(patterns, reference);
    const pattern = place.source.slice(place.from, place.to);
    const literal = pattern.replace(/\*.*$|\$$/s, '');
    // The first six bytes as a number, which compares faster than text.
    let key = 0;
    for (let i = 0; i < 6; i++) key = key * 256 + (literal.charCodeAt(i) || 0);
    // Where forms differ, equal patterns are two rules.
    return { reference, pattern, literal, key, rank: 2 * weightOf(place) + (isForQueries(place) ? 1 : 0) };
  });
  rules.sort(
    (a, b) => a.key - b.key || compare(a.literal, b.literal) || a.rank - b.rank || compare(a.pattern, b.pattern),
  );
  const isNew = (_: unknown, i: number) =>
    rules[i]?.pattern !== rules[i - 1]?.pattern || rules[i]?.rank !== rules[i - 1]?.rank;
  return rules.filter(isNew).map(({ reference }) => reference);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
