/** Patterns and URLs are foreign input: a wrong matcher fetches what is closed, a slow one stops the crawl. */
import { describe, expect, it } from 'vitest';
import { matchesPattern } from './matches-pattern.js';
import { matchesRange } from './pattern.js';

const matchesCanonical = (pattern: string, text: string) => matchesRange(pattern, 0, pattern.length, text);

const MATCHES: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
  ['/a', '/a', true],
  ['/a', '/ab', true],
  ['/a', '/', false],
  ['/a$', '/a', true],
  ['/a$', '/ab', false],
  ['/a$b', '/a$b', true],
  ['/a$b', '/a', false],
  ['/*', '/', true],
  ['*', '/anything', true],
  ['*.gif$', '/x/y.gif', true],
  ['*.gif$', '/x/y.gif?z', false],
  ['/a*b', '/axxbxx', true],
  ['/a*b$', '/axxbxx', false],
  ['/a*b$', '/axxbxxb', true],
  ['/a*a$', '/a', false],
  ['/a*a$', '/aa', true],
  ['/a**b', '/ab', true],
  ['/a*b*c', '/a-c-b', false],
  ['/a*bc*bc$', '/abc', false],
  ['/a*bc*bc$', '/abcbc', true],
  ['/A', '/a', false],
  ['', '/', false],
  ['/%7Ejoe', '/~joe', true],
  ['/a%2fb', '/a%2Fb', true],
  ['/a%2fb', '/a/b', false],
  ['/%2A', '/*', true],
  ['/%24', '/$', true],
  ['/ü', '/%C3%BC', true],
  ['/q?u=http://x', '/q?u=http%3A%2F%2Fx', true],
  ['/*http://', '/q?u=http://x', true],
  ['/a', '', false],
  ['/', '', true],
];

describe('a pattern', () => {
  it.each(MATCHES)('%s against %s: %s (RFC 9309 §2.2.2, §2.2.3)', (pattern, path, matches) => {
    expect(matchesPattern(pattern, path)).toBe(matches);
  });

  it('that is empty matches everything, whatever is next to it in memory', () => {
    expect(matchesRange('/a$', 3, 3, '/b')).toBe(true);
  });

  it('is found after many near misses, when the search uses its table', () => {
    const text = `/${'a'.repeat(5000)}b${'a'.repeat(300)}c`;
    expect(matchesCanonical(`/*${'a'.repeat(300)}c$`, text)).toBe(true);
    expect(matchesCanonical(`/*b${'a'.repeat(300)}c`, text)).toBe(true);
    expect(matchesCanonical(`/*b${'a'.repeat(301)}c`, text)).toBe(false);
    expect(matchesCanonical(`/*${'ab'.repeat(200)}c`, `/${'ab'.repeat(4000)}c`)).toBe(true);
    expect(matchesCanonical(`/*${'aab'.repeat(100)}aac`, `/${'aab'.repeat(2000)}`)).toBe(false);
    // Only the first byte of the part is missing where the rest of it occurs.
    expect(matchesCanonical(`/*b${'a'.repeat(300)}`, `/b${'a'.repeat(250)}c${'a'.repeat(300)}`)).toBe(false);
    // The part begins anew within itself, and the next one begins where it ends.
    const overlapping = `/*${'a'.repeat(300)}b`;
    expect(matchesCanonical(`${overlapping}*c`, `/${'a'.repeat(1000)}bc`)).toBe(true);
    expect(matchesCanonical(`${overlapping}*b`, `/${'a'.repeat(1000)}b`)).toBe(false);
  });

  it('costs a bounded number of steps, however it is built', () => {
    // With a backtracking matcher, none of these ends before the test does.
    const text = `/${'a'.repeat(8000)}`;
    for (const pattern of [
      '/*a*a*a*a*a*a*a*b$',
      `/${'*a'.repeat(30)}*b$`,
      `/*${'a'.repeat(1000)}b`,
      `/${'*'.repeat(4096)}b`,
    ]) {
      expect(matchesCanonical(pattern, text)).toBe(false);
    }
  });
});
