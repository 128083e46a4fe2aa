// Resolves one href to one URL by the URL parser's rules. The fast path must never differ from the parser: a URL that
// is decided in one spelling and requested in another could get past a rule that closes it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import { linkBase, resolveHref } from './links.js';

const PAGE = 'https://example.com/dir/page.html?q=1';

describe('an href resolved', () => {
  const rows: [href: string, expected: string | null, reason: string][] = [
    ['/a/b.html', 'https://example.com/a/b.html', 'from the root'],
    ['b.html', 'https://example.com/dir/b.html', 'from the directory'],
    ['sub/b/', 'https://example.com/dir/sub/b/', 'below the directory'],
    ['./b', 'https://example.com/dir/b', 'dot segment'],
    ['../b', 'https://example.com/b', 'two dots'],
    ['/a/../b', 'https://example.com/b', 'dots in the middle'],
    ['/a/%2e%2E/b', 'https://example.com/b', 'dots in escapes'],
    ['/a/.hidden', 'https://example.com/a/.hidden', 'a dot that is no dot segment'],
    ['/a//b', 'https://example.com/a//b', 'an empty segment stays'],
    ['//other.example/x', 'https://other.example/x', 'from the scheme'],
    ['\\\\other.example\\x', 'https://other.example/x', 'backslashes are slashes'],
    ['/a\\b', 'https://example.com/a/b', 'a backslash in a path'],
    ['HTTPS://EXAMPLE.COM:443/A', 'https://example.com/A', 'upper case, default port'],
    ['https://example.com', 'https://example.com/', 'no path'],
    ['https://example.com/x?y#z', 'https://example.com/x?y', 'the page’s own origin'],
    ['https://example.community/x', 'https://example.community/x', 'an origin that only begins alike'],
    ['https:x', 'https://example.com/dir/x', 'the same scheme without slashes'],
    ['http://example.com:8080/x', 'http://example.com:8080/x', 'another port'],
    ['', PAGE, 'nothing: the page itself'],
    ['#top', PAGE, 'a fragment of the page'],
    ['?', 'https://example.com/dir/page.html?', 'an empty query'],
    ['?a=b', 'https://example.com/dir/page.html?a=b', 'a query of the page'],
    ['/', 'https://example.com/', 'the root'],
    ['/x#', 'https://example.com/x', 'an empty fragment'],
    ['/x #y', 'https://example.com/x%20', 'a blank before the fragment belongs to the path'],
    ['/x y', 'https://example.com/x%20y', 'a blank'],
    ['/a\tb\n', 'https://example.com/ab', 'tabs and line ends vanish'],
    ['/\u00e4', 'https://example.com/%C3%A4', 'not ASCII'],
    ['/%e4', 'https://example.com/%e4', 'escapes stay as they are'],
    ['/a?b=\'c"', 'https://example.com/a?b=%27c%22', 'quotes in a query'],
    ['/a|b', 'https://example.com/a|b', 'a bar'],
    ['http://user:pass@example.com/x', 'http://example.com/x', 'userinfo is removed'],
    ['http://b\u00fccher.example/', 'http://xn--bcher-kva.example/', 'a name in its own letters'],
    ['http://exa mple/', null, 'no host'],
    ['http://', null, 'nothing behind the scheme'],
    ['mailto:a@example.com', null, 'mail'],
    ['javascript:void(0)', null, 'script'],
    ['JavaScript:alert(1)//http://x', null, 'script in another case'],
    ['java\nscript:alert(1)', null, 'script with a line end'],
    ['tel:+49', null, 'telephone'],
    ['data:text/html,x', null, 'data'],
    ['ftp://example.com/x', null, 'another scheme'],
    ['blob:https://example.com/x', null, 'blob'],
    ['a:b', null, 'an unknown scheme'],
    ['./a:b', 'https://example.com/dir/a:b', 'a colon that makes no scheme'],
  ];
  it.each(rows)('%j → %s (%s)', (href, expected) => {
    expect(resolveHref(href, linkBase(PAGE, null))).toBe(expected);
  });

  it('has a maximum length, and one character more is not a link', () => {
    const left = MAX_LINK_URL_CHARS - 'https://example.com/'.length;
    const base = linkBase(PAGE, null);
    expect(resolveHref(`/${'a'.repeat(left)}`, base)).toHaveLength(MAX_LINK_URL_CHARS);
    expect(resolveHref(`/${'a'.repeat(left + 1)}`, base)).toBeNull();
    // The link is short, but the resolved URL is what would be queued.
    expect(resolveHref('b', linkBase(`https://example.com/${'a'.repeat(left)}/x`, null))).toBeNull();
  });
});

describe('the base of a page', () => {
  const rows: [base: string | null, href: string, expected: string | null][] = [
    [null, 'x', 'https://example.com/dir/x'],
    ['/other/', 'x', 'https://example.com/other/x'],
    ['/other', 'x', 'https://example.com/x'],
    ['https://cdn.example/y/z', 'x', 'https://cdn.example/y/x'],
    ['https://cdn.example/y/z', '/x', 'https://cdn.example/x'],
    ['https://u:p@cdn.example/y/', 'x', 'https://cdn.example/y/x'],
    ['http://exa mple/', 'x', 'https://example.com/dir/x'],
    ['data:text/html,y', 'x', 'https://example.com/dir/x'],
    ['javascript:0', 'x', 'https://example.com/dir/x'],
    ['ftp://example.com/', 'x', null],
    ['ftp://example.com/', 'https://example.com/x', 'https://example.com/x'],
    ['mailto:x', 'x', null],
    ['', 'x', 'https://example.com/dir/x'],
  ];
  it.each(rows)('%j and %j → %s', (base, href, expected) => {
    expect(resolveHref(href, linkBase(PAGE, base))).toBe(expected);
  });
});

describe('the fast path and the URL parser', () => {
  const SEED = 20_261_121;
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '.',
      '..',
      '%2e',
      '%2E.',
      '%',
      '%41',
      '%zz',
      '?',
      '#',
      '\\',
      ':',
      '@',
      ';',
      '=',
      '&',
      '~',
      '-',
      '_',
      "'",
      '"',
    ),
    fc.constantFrom(
      'a',
      'B',
      '1',
      'ab.html',
      'x y',
      ' ',
      '\t',
      '\n',
      '\u0001',
      '|',
      '^',
      '{',
      '`',
      '<',
      '[',
      '*',
      '(',
      '!',
      '$',
      ',',
      '+',
    ),
    fc.constantFrom(
      'http:',
      'https://',
      '//',
      'mailto:',
      'example.com',
      'https://example.com',
      'https://example.com/',
      'C|',
      'ü',
      '\u3000',
      '\ud800',
    ),
    fc.constantFrom(
      './',
      '../',
      '../../',
      'a/',
      '?a=b',
      '#f',
      'other.example/',
      'http://other.example/',
      'a:b',
      '//',
      'x..',
      '.x',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const href = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
  const page = fc.constantFrom(
    PAGE,
    'https://example.com/',
    'https://example.com/a//b',
    'http://example.com:8080/x.y/z;w=1/',
    'https://[::1]/%C3%A4/x?y',
    'https://example.com',
    'https://example.com/a/b/c/d?',
    'https://example.com/a?b/c:d',
    'https://example.com/a:b/c',
    'http://10.0.0.1:81/a/b/',
    'https://u:p@example.com/a/b?c',
    'https://xn--bcher-kva.example/a/b',
  );

  /** The parser's answer. */
  function expected(text: string, base: string): string | null {
    let url: URL;
    try {
      url = new URL(text, base);
    } catch {
      return null;
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    url.username = '';
    url.password = '';
    url.hash = '';
    return url.href;
  }

  it('agree on random hrefs', () => {
    fc.assert(
      fc.property(href, page, (text, url) => {
        expect(resolveHref(text, linkBase(url, null))).toBe(expected(text, url));
      }),
      { numRuns: 8_000, seed: SEED },
    );
  });

  it('agree on random origins, of the href and of the page', () => {
    const host = fc
      .array(
        fc.oneof(
          fc.constantFrom(
            'a',
            'b1',
            '-',
            '.',
            '..',
            '1',
            '0',
            '255',
            '256',
            '01',
            '0x1',
            'xn--',
            'xn--bcher-kva',
            'X',
            '_',
            '%61',
          ),
          fc.constantFrom(
            'com',
            'example',
            'a-b',
            'a--b',
            'l'.repeat(70),
            'ü',
            '[::1]',
            '@',
            ' ',
            '127.0.0.1',
            '1.2.3',
            '4.',
          ),
        ),
        { maxLength: 5 },
      )
      .map((parts) => parts.join(''));
    const origin = fc
      .tuple(
        fc.constantFrom('http://', 'https://', 'HTTP://', 'http:/', 'https:', 'ftp://', '//'),
        host,
        fc.constantFrom('', ':80', ':443', ':8080', ':59999', ':60000', ':0', ':080', ':99999', ':'),
        fc.constantFrom('', '/', '/x', '/x/y?z', '/../x', '/x/./y', '?z', '#f', '/#f', '/x#f', '//x', '/a:b'),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(origin, (text) => {
        expect([text, resolveHref(text, linkBase(PAGE, null))]).toEqual([text, expected(text, PAGE)]);
        // The URL of a page is the parser's serialisation.
        const url = expected(text, PAGE);
        if (url === null) return;
        for (const from of ['x', '../x', './', '/x', '?x', '#x', '', '//h/x'])
          expect([url, from, resolveHref(from, linkBase(url, null))]).toEqual([url, from, expected(from, url)]);
      }),
      { numRuns: 3_000, seed: SEED },
    );
  });

  it('agree on every single character, in path and query', () => {
    for (let code = 0; code < 0x180; code += 1) {
      const character = String.fromCharCode(code);
      for (const text of [
        character,
        `/a${character}b`,
        `/${character}`,
        `a/${character}b`,
        `/a?${character}`,
        `a${character}`,
        `./${character}`,
        `../a${character}b`,
        `?${character}`,
        `?a${character}#b`,
        `#${character}`,
        `https://example.org/${character}`,
        `https://example.org/a${character}b`,
        `https://example${character}org/`,
      ]) {
        expect([text, resolveHref(text, linkBase(PAGE, null))]).toEqual([text, expected(text, PAGE)]);
      }
    }
  });

  it('take linear time for a long href', () => {
    const base = linkBase(PAGE, null);
    for (const many of ['a/', 'a.', '?a', 'a%', 'a/.', 'a//', 'http://a', 'a-.', '1.'])
      expect(resolveHref(`${many.repeat(100_000)}"`, base)).toBeNull();
    for (const many of ['../', './'])
      expect(resolveHref(`${many.repeat(100_000)}x`, base)).toMatch(/^https:\/\/example\.com\/(dir\/)?x$/);
  });
});
