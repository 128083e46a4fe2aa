/** One spelling for equivalent paths: a rule that misses its URL because of an escape is a rule that is not applied. */
import { describe, expect, it } from 'vitest';
import { bytesOf } from './bytes.js';
import { canonical, type Form } from './normalize.js';
import { targetOf } from './pattern.js';

const SPELLINGS: readonly (readonly [form: Form, isPattern: boolean, written: string, canonical: string])[] = [
  ['n0', true, '/a%7eb', '/a~b'],
  ['n0', true, '/a%2fb', '/a%2Fb'],
  ['n0', true, '/100%', '/100%'],
  ['n0', true, '/%c*', '/%C*'],
  ['n0', true, '/%c/', '/%25c/'],
  ['n0', true, '/%%41', '/%25A'],
  ['n0', false, '/%c', '/%25c'],
  ['decoded', true, '/%c', '/%25c'],
  ['google', true, '/%c', '/%c'],
  ['n0', true, '/%g1', '/%25g1'],
  ['n0', true, '/a b', '/a%20b'],
  ['n0', true, '/*$', '/*$'],
  ['n0', true, '/$x', '/%24x'],
  ['n0', false, '/*$', '/%2A%24'],
  ['n0', false, '/"<>', '/%22%3C%3E'],
  ['n0', false, '/a?b=c:/@[]', '/a?b=c:/@[]'],
  ['n1', false, '/a:b?b=c:/@[]?', '/a:b?b=c%3A%2F%40%5B%5D%3F'],
  ['n1', false, '/a%3Fb:c', '/a%3Fb:c'],
  ['google', true, '/%7ejoe', '/%7Ejoe'],
  ['google', true, '/*$', '/*$'],
  ['google', false, '/*$', '/*$'],
  ['decoded', true, '/%3cd', '/<d'],
  ['decoded', true, '/a%2fb', '/a%2Fb'],
  ['decoded', true, '/*$', '/%2A%24'],
  ['decoded', false, '/a%252Fb', '/a%252Fb'],
  ['decoded-star', true, '/a*%2A', '/a*%2A'],
];

describe('the canonical spelling', () => {
  it.each(SPELLINGS)('%s, pattern %s: %s is %s (specification, robots §6)', (form, isPattern, written, expected) => {
    expect(canonical(bytesOf(written), form, isPattern)).toBe(expected);
  });

  it('uses the UTF-8 bytes of text beyond ASCII, and single bytes as they are', () => {
    expect(canonical(bytesOf('/ツ'), 'n0', false)).toBe('/%E3%83%84');
    expect(canonical('/\u00e9', 'n0', false)).toBe('/%E9');
  });

  it('takes linear time for a long query', () => {
    const specials = '?'.repeat(200_000);
    expect(canonical(`/${specials}`, 'n1', false)).toHaveLength(2 + 3 * 199_999);
  });
});

describe('the target of a URL', () => {
  it.each([
    ['https://example.com/a/b?c=d', '/a/b?c=d', true],
    ['https://example.com/a?b=c:d', '/a?b=c:d', false],
    ['https://example.com/a#b?c', '/a', true],
    ['https://example.com/a*', '/a*', false],
    ['https://example.com/a/../b', '/b', false],
    ['https://example.com/a/%2e%2e/b', '/b', false],
    ['https://example.com/a/.b/..c', '/a/.b/..c', true],
    ['https://example.com/a/.', '/a/', false],
    ['https://example.com/a?b/../c', '/a?b/../c', false],
    ['https://example.com/a\\b', '/a/b', false],
    ['https://example.com/a\tb', '/ab', false],
    ['https://example.com/a%41', '/a%41', false],
    ['https://example.com/ü', '/\u00c3\u00bc', false],
    ['https://example.com', '/', false],
    ['https://example.com?a', '/?a', false],
    ['/a?u=https://other.example/b', '/a?u=https://other.example/b', false],
    [' https://example.com/a', '/a', false],
    ['https://example.com/a ', '/a', false],
    [' /a', '/a', false],
    ['\n/a\n', '/a', false],
    ['https:example.com/a', '/a', false],
    ['https:/example.com/a', '/a', false],
    ['https:\\\\example.com\\a', '/a', false],
    ['https://example.com//a/../b', '//b', false],
    ['https://example.com/a/../b?', '/b?', false],
    ['https://example.com//a?b\\c', '//a?b\\c', false],
    ['//a/../b', '//b', false],
    ['\\a', '/a', false],
    ['/a/b', '/a/b', true],
    ['//a/b', '//a/b', true],
    ['', '/', false],
  ])('of %j is %j, usual: %s', (url, path, isUsual) => {
    expect(targetOf(url)).toEqual({ path, isUsual });
  });

  it.each(['n0', 'n1', 'google', 'decoded', 'decoded-star'] as const)(
    'has the same spelling in form %s if it is usual',
    (form) => {
      const { path, isUsual } = targetOf("https://example.com/a-b_c.~!&'()+,;=:@[]/d?e=f-_.~!&'()+,;=");
      expect(isUsual).toBe(true);
      expect(canonical(path, form, false)).toBe(path);
    },
  );
});
