// A canonical rule that fails would end a running crawl, and one that never stops changing a URL would lose pages.

import { CANONICAL_RULES, type CanonicalRule, withoutParameters } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { readSeeds, resolveUrlOptions } from './admit-options.js';

it('rules of the user are used unchanged', () => {
  const own: CanonicalRule = { name: 'print', apply: (parts) => withoutParameters(parts, (name) => name === 'print') };
  expect(resolveUrlOptions({ rules: [...CANONICAL_RULES, own] })).toEqual([...CANONICAL_RULES, own]);
});

it.each<[string, CanonicalRule['apply'], RegExp]>([
  ['throws', () => JSON.parse('x'), /the rule "own" of `urls\.rules` fails on https:.*: SyntaxError/],
  ['returns nothing', () => undefined as never, /the rule "own" of `urls\.rules` fails on https:/],
  [
    'goes on',
    (parts) => ({ ...parts, path: `${parts.path}x` }),
    /makes https:.*bx\?b=2.*, and https:.*bxx\?b=2.* of that/,
  ],
  ['makes no URL', (parts) => ({ ...parts, host: '' }), /the rule "own" of `urls\.rules` makes/],
])('a rule that %s is refused, and the message names it', (_what, apply, message) => {
  expect(() => resolveUrlOptions({ rules: [{ name: 'own', apply }] })).toThrow(
    expect.objectContaining({ code: 'option-invalid', message: expect.stringMatching(message) }),
  );
});

it('a URL object as a seed leads to its text', () => {
  const refusal = { code: 'seed-invalid', hint: expect.stringContaining('`href`') };
  expect(() => readSeeds([new URL('https://a.test/') as never])).toThrow(expect.objectContaining(refusal));
});

it.each([
  [
    'its URL',
    { url: '/list', label: 'list' },
    'seed-invalid',
    'expected every seed to be an absolute http or https URL',
  ],
  ['no URL', { label: 'list' }, 'option-invalid', '`scope.seeds[1].url`'],
  ['a label', { url: 'https://a.test/', label: 1 }, 'option-invalid', '`scope.seeds[1].label`'],
  ['an option of others', { url: 'https://a.test/', method: 'POST' }, 'option-unknown', '`scope.seeds[1].method`'],
])('a seed with a label is checked: %s', (_what, seed, code, message) => {
  expect(() => readSeeds(['https://a.test/', seed as never])).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  );
});
