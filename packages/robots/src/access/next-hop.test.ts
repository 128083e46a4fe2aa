// Following too many redirects yields another authority's file; following too few makes a site look like one without
// rules.
import { describe, expect, it } from 'vitest';
import { resolveAccessOptions } from './profile.js';
import { nextHop } from './robots-url.js';

const RFC = resolveAccessOptions();
const START = 'https://example.com/robots.txt';
const chain = (length: number) => [START, ...Array.from({ length: length - 1 }, (_, n) => `https://h${n}.example/r`)];
const hop = (location: string | null, urls = [START], status = 302, options = RFC) =>
  nextHop(status, location, urls.at(-1) ?? START, urls, options);

describe('redirects of robots.txt (access §3)', () => {
  const cases: [string | null, string, string | null][] = [
    ['/other', 'follow', 'https://example.com/other'],
    ['http://example.org/a#b', 'follow', 'http://example.org/a'],
    ['//user:pw@example.org/a', 'follow', 'https://example.org/a'],
    ['https://example.com/robots.txt#x', 'redirect-limit', null],
    ['HTTPS://EXAMPLE.com:443/robots.txt', 'redirect-limit', null],
    ['', 'redirect-unusable', null],
    [null, 'redirect-unusable', null],
    ['http://', 'redirect-unusable', null],
    ['ftp://example.com/robots.txt', 'redirect-unusable', null],
    ['data:text/plain,', 'redirect-unusable', null],
    [`/${'a'.repeat(9000)}`, 'redirect-unusable', null],
  ];
  it.each(cases)('Location %j → %s', (location, kind, url) => {
    expect(hop(location)).toEqual(url === null ? { kind } : { kind, url });
  });

  it.each([301, 302, 303, 307, 308])('%i is followed', (status) => {
    expect(hop('/other', [START], status).kind).toBe('follow');
  });

  it.each([200, 300, 304, 305, 306, 404])('%i is final', (status) => {
    expect(hop('/other', [START], status)).toEqual({ kind: 'final' });
  });

  it('follows the fifth and not the sixth, and under the 1996 rules the twentieth and not the next', () => {
    const old = resolveAccessOptions({ dialect: '1996' });
    expect(hop('/x', chain(5)).kind).toBe('follow');
    expect(hop('/x', chain(6)).kind).toBe('redirect-limit');
    expect(hop('/x', chain(20), 302, old).kind).toBe('follow');
    expect(hop('/x', chain(21), 302, old).kind).toBe('redirect-limit');
  });

  it('a URL that was already in the chain ends it', () => {
    expect(hop(START, chain(3)).kind).toBe('redirect-limit');
  });
});

describe('a hop to a host name', () => {
  const name = (chars: number): string => `${`${'a'.repeat(49)}.`.repeat(5)}${'b'.repeat(chars - 250)}`;

  it.each([
    [name(253), 'follow'],
    [`${name(253)}.`, 'follow'],
    [name(254), 'redirect-unusable'],
    ['c'.repeat(3_000), 'redirect-unusable'],
  ])('is followed if it has at most 253 characters without a trailing dot: %s', (host, kind) => {
    expect(hop(`https://${host}/robots.txt`).kind).toBe(kind);
  });
});
