// Excerpts respect the page's directives: `nosnippet` is about exactly this.

import { describe, expect, it } from 'vitest';
import { excerptOf } from './read-page.js';

describe('an excerpt', () => {
  const rows: [text: string, maxChars: number, allowed: number | null, expected: string][] = [
    ['a short text', 100, null, 'a short text'],
    [' a\n\tshort  text ', 100, null, 'a short text'],
    ['a short text', 8, null, 'a short…'],
    ['a short text', 100, 8, 'a short…'],
    ['a short text', 8, 100, 'a short…'],
    ['a short text', 12, null, 'a short text'],
    ['unbrokenword', 6, null, 'unbro…'],
    ['a unbrokenword', 8, null, 'a unbro…'],
    ['a short text', 100, 0, ''],
    ['a short text', 0, null, ''],
    ['a short text', 1, null, '…'],
    ['😀😀😀', 2, null, '😀…'],
    ['', 10, 0, ''],
  ];
  it.each(rows)('of %j, %i wanted, %j allowed → %j', (text, maxChars, allowed, expected) => {
    expect(excerptOf(text, maxChars, allowed)).toBe(expected);
  });
});
