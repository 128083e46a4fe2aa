// A misread pattern slows down the wrong host, or none.

import { describe, expect, it } from 'vitest';
import { MAX_HOST_PATTERNS } from '../limits.js';
import { createHostMatch, readHostPattern } from './host-pattern.js';

describe('readHostPattern', () => {
  // [as written, in the compared form; `null`: refused]
  const rows: [string, string | null][] = [
    ['shop.example', 'shop.example'],
    ['Shop.Example.', 'shop.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.shop.example', '*.shop.example'],
    ['*', '*'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['', null],
    ['*.', null],
    ['*.*', null],
    ['a.*.example', null],
    ['*shop.example', null],
    ['*.127.0.0.1', null],
    ['*.[::1]', null],
    ['shop.example:8080', null],
    ['https://shop.example', null],
    ['shop.example/', null],
    ['me@shop.example', null],
    ['two words', null],
  ];
  it.each(rows)('%j is %j', (written, read) => {
    expect(readHostPattern(written)).toBe(read);
  });

  it.each([7, null, undefined, {}, ['shop.example']])('%j is not a pattern', (value) => {
    expect(readHostPattern(value)).toBeNull();
  });
});

describe('createHostMatch', () => {
  const lists = [['a.example'], ['*.a.example', 'b.example'], ['*'], ['*.example']];
  // [the host, the indexes of the lists]
  const rows: [string, number[]][] = [
    ['a.example', [0, 2, 3]],
    ['x.a.example', [1, 2, 3]],
    ['x.y.a.example', [1, 2, 3]],
    ['b.example', [1, 2, 3]],
    ['xa.example', [2, 3]],
    ['example', [2]],
    ['a.example.org', [2]],
    ['127.0.0.1', [2]],
  ];
  it.each(rows)('%s is matched by %j', (host, places) => {
    expect(createHostMatch(lists)(host)).toEqual(places);
  });

  it.each([0, MAX_HOST_PATTERNS + 1])('a list of %i patterns is refused', (count) => {
    expect(() => createHostMatch([Array.from({ length: count }, () => 'a.example')])).toThrow('host names');
  });

  it('with keys by domain, a pattern for one host matches the key of all', () => {
    const match = createHostMatch([['shop.example.org'], ['*.shop.example.org'], ['other.example.net']], 'domain');
    expect(match('example.org')).toEqual([0, 1]);
    expect(match('example.net')).toEqual([2]);
    expect(match('example.com')).toEqual([]);
  });
});
