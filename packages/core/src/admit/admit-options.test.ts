// A canonical rule that fails would end a running crawl, and one that never stops changing a URL would lose pages.

import { CANONICAL_RULES, type CanonicalRule, withoutParameters } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { readSeed, resolveUrlOptions } from './admit-options.js';

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

it.each([
  ['a URL object', new URL('https://a.test/'), '`href`'],
  ['a request of another crawler', { url: 'https://a.test/', label: 'list' }, '`crawler.add`'],
])('%s as a seed leads to what is meant', (_what, seed, hint) => {
  const refusal = { code: 'seed-invalid', hint: expect.stringContaining(hint) };
  expect(() => readSeed(seed)).toThrow(expect.objectContaining(refusal));
});
