// A pattern that matches more than its author thinks drops wanted pages, or admits unwanted ones.

import { parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { describe, expect, it } from 'vitest';
import { readPatterns, readSurts, surtOf, type UrlPattern } from './url-pattern.js';

const parts = (url: string) => parseUrlParts(url) as UrlParts;

describe('patterns', () => {
  it.each<[UrlPattern, string, boolean]>([
    ['/docs/', 'https://a.test/docs/x', true],
    ['/docs/', 'https://a.test/docs', false],
    ['/docs/', 'https://a.test/old/docs/x', false],
    ['*/docs/', 'https://a.test/old/docs/x', true],
    ['/search?', 'https://a.test/search?q=1', true],
    ['/search?', 'https://a.test/search', false],
    ['/*.pdf$', 'https://a.test/x/y.pdf', true],
    ['/*.pdf$', 'https://a.test/x/y.pdf?download', false],
    ['/*?*page=', 'https://a.test/list?sort=1&page=2', true],
    ['/$', 'https://a.test/', true],
    ['/$', 'https://a.test/x', false],
    ['/%7Ejoe', 'https://a.test/~joe/x', true],
    ['/caf\u00e9', 'https://a.test/caf%C3%A9', true],
    // Text never becomes a regular expression.
    ['/a.c', 'https://a.test/abc', false],
    ['/(a+)+', 'https://a.test/aaaa', false],
    ['https://a.test/docs/', 'https://a.test/docs/x', true],
    ['https://a.test/docs/', 'http://a.test/docs/x', false],
    ['https://a.test/docs/', 'https://b.test/docs/x', false],
    ['https://a.test/docs/', 'https://a.test:8443/docs/x', false],
    ['http://a.test:8080', 'http://a.test:8080/x', true],
    ['https://a.test', 'https://a.test.evil.test/', false],
    ['HTTPS://B\u00fccher.test/*.html$', 'https://xn--bcher-kva.test/x.html', true],
    [/\.pdf$/i, 'https://a.test/x.PDF', true],
    [/^https:\/\/a\.test\/x$/, 'https://a.test/x#part', true],
    [/part/, 'https://a.test/x#part', false],
    [/secret/, 'https://me:secret@a.test/x', false],
  ])('%s and %s: %s', (pattern, url, matches) => {
    expect(readPatterns('scope.include', [pattern])?.(parts(url))).toBe(matches);
  });

  it('any of several may match, and without patterns there is no check', () => {
    expect(readPatterns('scope.include', ['/a', '/b'])?.(parts('https://a.test/b'))).toBe(true);
    expect([readPatterns('scope.include', []), readPatterns('scope.include', undefined)]).toEqual([null, null]);
  });

  it.each<[unknown, RegExp]>([
    ['/a', /`scope\.include`.*list.*"\/a"/],
    [['docs/'], /begin with \/, \*, http:\/\/ or https:\/\/, got "docs\/"/],
    [[''], /1 to 8192 characters/],
    [[7], /RegExp objects, got 7/],
    [['https://*.a.test/'], /begin with/],
    [[/a/g], /without the flags g and y, got \/a\/g/],
    [[/a/y], /without the flags/],
    [new Array(10_001).fill('/'), /at most 10000/],
  ])('%j is refused', (given, message) => {
    expect(() => readPatterns('scope.include', given as UrlPattern[])).toThrow(
      expect.objectContaining({ code: 'option-invalid', message: expect.stringMatching(message) }),
    );
  });

  it('takes linear time for near matches', () => {
    const test = readPatterns('scope.include', [`/${'*a'.repeat(2_000)}b$`]);
    const url = parts(`https://a.test/${'a'.repeat(8_000)}`);
    const began = process.cpuUsage().user;
    expect(test?.(url)).toBe(false);
    // Milliseconds are expected; backtracking would never end.
    expect(process.cpuUsage().user - began).toBeLessThan(20_000_000);
  });
});

describe('SURTs', () => {
  it.each([
    ['http://www.Example.org/a?b=1', 'http://(org,example,www,)/a?b=1'],
    ['https://example.org:8443/', 'https://(org,example,:8443)/'],
    ['http://127.0.0.1:80/x', 'http://(127.0.0.1)/x'],
    ['http://[::1]:8080/x', 'http://([::1]:8080)/x'],
    ['http://localhost/', 'http://(localhost,)/'],
  ])('%s is %s', (url, surt) => {
    expect(surtOf(parts(url))).toBe(surt);
  });

  it.each([
    ['(org,example,', 'https://example.org/x', true],
    ['(org,example,', 'http://deep.www.example.org:81/x', true],
    ['(org,example,', 'https://example-shop.org/', false],
    ['(org,example,)', 'https://example.org/x', true],
    ['(org,example,)', 'https://www.example.org/x', false],
    ['(ORG,Example,www,)/Docs', 'https://www.example.org/Docs/x', true],
    ['(org,example,www,)/Docs', 'https://www.example.org/docs/x', false],
    ['http://(org,example,', 'https://example.org/', false],
    ['https://(org,', 'https://example.org/', true],
  ])('%s and %s: %s', (prefix, url, begins) => {
    expect(readSurts('scope.surts', [prefix])(parts(url))).toBe(begins);
  });

  it.each([[undefined], [[]], [['(org,example']], [['example.org']], [['ftp://(org,']], [[1]]])(
    '%j is refused',
    (given) => {
      expect(() => readSurts('scope.surts', given as string[])).toThrow(
        expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining('`scope.surts`') }),
      );
    },
  );
});
