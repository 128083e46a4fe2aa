// The order of rules: by literal; of equal literals the strongest comes last, which is where a search begins; then by
// the rest of the pattern, where equal ones meet, and all but the first in the file are dropped.

import { twoChars, twoCharsAt } from './bytes.js';
import { isForQueries, type Patterns, patternAt, weightOf } from './patterns.js';

/** Rows in order. */
interface OrderedRules {
  /** References to patterns. */
  readonly references: readonly number[];
  /** The number from 1 of the last row before each whose literal begins its own; 0: none. */
  readonly parents: readonly number[];
}

/** Puts rules in order. */
export function orderRules(patterns: Patterns, given: readonly number[]): OrderedRules {
  // Texts are compared by the platform: all that counts is in one, and the place in the file.
  const keys = given.map((reference, place) => {
    const pattern = patternAt(patterns, reference);
    const text = pattern.source.slice(pattern.from, pattern.to);
    // Where forms differ, equal patterns are two rules.
    const rank = 2 * weightOf(pattern) + (isForQueries(pattern) ? 1 : 0);
    return `${text.replace(/\*.*$|\$$/s, '')}\0${twoChars(rank)}${text}${twoChars(place)}`;
  });
  const references: number[] = [];
  const parents: number[] = [];
  const literals: string[] = [];
  let last = '';
  for (const key of keys.sort()) {
    const rule = key.slice(0, -2);
    if (rule === last) continue;
    last = rule;
    const literal = key.slice(0, key.indexOf('\0'));
    let parent = literals.length;
    while (parent > 0 && !literal.startsWith(literals[parent - 1] as string)) parent = parents[parent - 1] as number;
    literals.push(literal);
    parents.push(parent);
    references.push(given[twoCharsAt(key, key.length - 2)] as number);
  }
  return { references, parents };
}
