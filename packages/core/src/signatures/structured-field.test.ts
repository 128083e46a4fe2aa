// The fields of signatures are read exactly, or rejected.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberText, parseItem, parseMembers } from './structured-field.js';
import { verifySignature } from './verify-signature.js';

it('reads members, their text and their parameters', () => {
  const members = parseMembers(' a=("x" y;key="k\\"l" );n=-1.5;t , b=:AA==:, c;q=?0, a2="s", d=@1');
  expect([...(members?.keys() ?? [])]).toEqual(['a', 'b', 'c', 'a2', 'd']);
  const texts = ['("x" y;key="k\\"l");n=-1.5;t', ':AA==:', '?1;q=?0', '"s"', '@1'];
  expect([...(members?.values() ?? [])].map(memberText)).toEqual(texts);
  expect(members?.get('a')?.[1]).toEqual(new Map<string, unknown>(Object.entries({ n: -1.5, t: true })));
  expect(parseMembers('')?.size).toBe(0);
  expect(parseItem(' "a";b ')?.[0]).toBe('a');
});

it.each([
  'a=',
  'a,',
  'A=1',
  'a=("x"',
  'a=("x""y")',
  'a=1.',
  'a="é"',
  'a=1 b=2',
  `a=(${'"x" '.repeat(17)})`,
  '=1',
  'a==',
  `a="${'x'.repeat(8_192)}"`,
])('rejects what is not a dictionary: %s', (text) => expect(parseMembers(text)).toBeNull());

it('whatever comes, nothing throws and nothing verifies', () => {
  const piece = fc.oneof(
    fc.constantFrom('sig1=', '("@authority")', ';created=1', ';tag="web-bot-auth"', ':AA==:', ',', ' ', '"', '(', ')'),
    fc.string(),
  );
  const field = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const names = ['signature', 'signature-input', 'signature-agent'];
  fc.assert(
    fc.property(field, field, field, fc.string(), (one, two, three, url) => {
      const headers = [one, two, three].map((value, at) => [names[at] ?? '', value] as const);
      const keys = () => ({ kty: 'OKP', crv: 'Ed25519', x: '' }) as const;
      for (const at of [url, 'https://a.example/']) {
        expect(verifySignature({ method: 'GET', url: at, headers }, keys, { nowMs: 1_000 }).kind).not.toBe('verified');
      }
    }),
  );
});
