// An author of a store reads these words: two lists of hundreds of names do not show the one that was lost.

import { expect, it } from 'vitest';
import { difference } from './difference.js';
import { names } from './store-test.js';

const many = names('n', 40);

it.each<[string, unknown, unknown, string]>([
  ['a value', 1, null, 'expected null, got 1'],
  ['a short list', ['b'], ['a', 'b'], 'expected ["a","b"], got ["b"]'],
  ['one that was lost', many.toSpliced(7, 1), many, 'expected 40, got 39; missing: "n7"'],
  ['one that came twice', [...many, 'n3'], many, 'expected 40, got 41; not expected: "n3"'],
  ['one in the place of another', many.with(9, 'x'), many, 'expected 40, got 40; missing: "n9"; not expected: "x"'],
  ['another order', many.with(4, 'n5').with(5, 'n4'), many, 'expected 40 in another order: at index 4 "n4", got "n5"'],
  ['nothing', [], names('n', 13), `expected 13, got 0; missing: ${names('"n', 10).join('", ')}", and 3 more`],
])('%s', (_, actual, expected, words) => expect(difference(actual, expected)).toBe(words));
