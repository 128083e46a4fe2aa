// The canonical form decides which URLs are known. At stake: a page that is fetched again under a second name, or
// never.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFingerprinter } from '../flow/seen.js';
import {
  authorityOf,
  CANONICAL_RULES,
  type CanonicalRule,
  canonicalize,
  canonicalOf,
  canonicalRulesWith,
  createHostLookup,
  hostKeyOf,
  parseUrlParts,
  requestedUrl,
  trackingParameters,
  withoutParameters,
} from './url.js';

describe('canonicalize', () => {
  it.each<[string, string, string]>([
    ['scheme and host in lower case', 'HTTP://EXAMPLE.org/A', 'http://example.org/A'],
    ['A-labels', 'http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['own port', 'https://example.org:443/', 'https://example.org/'],
    ['another port stays', 'https://example.org:80/', 'https://example.org:80/'],
    ['dot segments', 'http://example.org/a/./b/../c', 'http://example.org/a/c'],
    ['encoded dot segments', 'http://example.org/a/%2e%2E/c', 'http://example.org/c'],
    ['empty path', 'http://example.org', 'http://example.org/'],
    ['fragment', 'http://example.org/#a?b', 'http://example.org/'],
    ['userinfo', 'http://me:secret@example.org/', 'http://example.org/'],
    ['one trailing dot', 'http://example.org./', 'http://example.org/'],
    ['unreserved decoded', 'http://example.org/%7Ea%2Db', 'http://example.org/~a-b'],
    ['reserved stay, in upper case', 'http://example.org/a%2fb%3a', 'http://example.org/a%2Fb%3A'],
    ['a lone percent sign stays', 'http://example.org/%zz%', 'http://example.org/%zz%'],
    ['bytes that are no UTF-8 stay', 'http://example.org/%ff', 'http://example.org/%FF'],
    ['empty query', 'http://example.org/a?', 'http://example.org/a'],
    [
      'parameters sorted, same names in order',
      'http://example.org/?b=2&a=2&b=1&a=1',
      'http://example.org/?a=2&a=1&b=2&b=1',
    ],
    ['empty pieces', 'http://example.org/?b&&a&', 'http://example.org/?a&b'],
    ['an empty piece in front', 'http://example.org/?&a', 'http://example.org/?a'],
    [
      'tracking parameters stay, unless asked otherwise',
      'http://example.org/?utm_source=x',
      'http://example.org/?utm_source=x',
    ],
    ['paths keep their case and slashes', 'http://example.org//A/', 'http://example.org//A/'],
  ])('%s', (_title, url, canonical) => {
    expect(canonicalize(url)).toBe(canonical);
  });

  it.each(['', 'example.org', '/a', 'ftp://example.org/', 'mailto:a@example.org', 'http://', 'http://a b/', 'data:,x'])(
    'has no form for %j',
    (text) => expect(canonicalize(text)).toBeNull(),
  );

  it.each<[string, string, string]>([
    ['tracking parameters', 'http://example.org/?utm_source=x&id=1&GCLID=y', 'http://example.org/?id=1'],
    ['tracking parameters alone', 'http://example.org/?fbclid=1', 'http://example.org/'],
    ['an encoded tracking name', 'http://example.org/?%75tm_source=x', 'http://example.org/'],
    ['a name that only holds one', 'http://example.org/?xgclid=1', 'http://example.org/?xgclid=1'],
    ['a value that looks like one', 'http://example.org/?a=utm_source', 'http://example.org/?a=utm_source'],
  ])('%s, if they are to be left out of the key', (_title, url, canonical) => {
    expect(canonicalize(url, canonicalRulesWith(trackingParameters()))).toBe(canonical);
  });

  it('removes the given tracking parameters, and only those', () => {
    const rules = canonicalRulesWith(trackingParameters(['from', 'ad_*']));
    expect(canonicalize('http://example.org/?From=a&AD_x=1&utm_source=x&id=1', rules)).toBe(
      'http://example.org/?id=1&utm_source=x',
    );
  });

  it.each([
    ['fragment', 'http://example.org/#a', 'http://example.org/#a'],
    ['userinfo', 'http://me@example.org/', 'http://me@example.org/'],
    ['host-trailing-dot', 'http://example.org./', 'http://example.org./'],
    ['percent-encoding', 'http://example.org/%7Ea', 'http://example.org/%7Ea'],
    ['query-order', 'http://example.org/?b&a', 'http://example.org/?b&a'],
    ['empty-query', 'http://example.org/?', 'http://example.org/?'],
  ])('the rule %s can be left out, and the others still apply', (left, url, canonical) => {
    const rules = CANONICAL_RULES.filter(({ name }) => name !== left);
    expect(rules).toHaveLength(CANONICAL_RULES.length - 1);
    expect(canonicalize(url, rules)).toBe(canonical);
    expect(canonicalize(url)).not.toBe(canonical);
    expect(canonicalize('HTTP://EXAMPLE.org:80/a/../b', rules)).toBe('http://example.org/b');
  });

  it('accepts a user’s own rules', () => {
    const lower: CanonicalRule = {
      name: 'path-case',
      apply: (parts) => ({ ...parts, path: parts.path.toLowerCase() }),
    };
    expect(canonicalize('http://example.org/A?B', [...CANONICAL_RULES, lower])).toBe('http://example.org/a?B');
  });

  it.each(['http://example.org/a', 'http://example.org/a#b', 'http://me@example.org/a'])(
    'without rules, the key of %j is all of it',
    (url) => {
      const parts = parseUrlParts(url)!;
      expect(canonicalOf(requestedUrl(parts), parts, [])).toBe(url);
    },
  );

  it('a query of which no parameter is left is none', () => {
    expect(withoutParameters(parseUrlParts('http://example.org/?a=1')!, () => true).query).toBeNull();
  });

  it('changes nothing the second time and never throws', () => {
    const piece = fc.constantFrom(
      'a',
      'b=1',
      '%7e',
      '%2F',
      '%',
      '&',
      '=',
      '?',
      '#',
      '/',
      '..',
      '.',
      'utm_x=1',
      'ü',
      ' ',
      '@',
      ':80',
    );
    const urls = fc.array(piece, { maxLength: 12 }).map((pieces) => `http://example.org/${pieces.join('')}`);
    fc.assert(
      fc.property(fc.oneof(urls, fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string()), (url) => {
        const once = canonicalize(url);
        if (once !== null) expect(canonicalize(once)).toBe(once);
      }),
      { numRuns: 1_000, seed: 20_261_120 },
    );
  });
});

describe('host keys and authorities', () => {
  it.each<[string, string | null, string | null, string | null]>([
    ['https://www.Example.co.uk.:8443/a', 'www.example.co.uk', 'example.co.uk', 'https://www.example.co.uk:8443'],
    ['http://example.org:80/', 'example.org', 'example.org', 'http://example.org'],
    ['https://somebody.github.io/', 'somebody.github.io', 'github.io', 'https://somebody.github.io'],
    ['http://127.0.0.1:8080/', '127.0.0.1', '127.0.0.1', 'http://127.0.0.1:8080'],
    ['http://[::1]/', '[::1]', '[::1]', 'http://[::1]'],
    ['http://localhost/', 'localhost', 'localhost', 'http://localhost'],
    ['ftp://example.org/', null, null, null],
    ['nonsense', null, null, null],
  ])('of %s', (url, host, domain, authority) => {
    expect([hostKeyOf(url), hostKeyOf(url, 'domain'), authorityOf(url)]).toEqual([host, domain, authority]);
  });
});

describe('fingerprints', () => {
  it('are 8 bytes, the same under one secret and others under another', () => {
    const [one, same, other] = [
      createFingerprinter('0123456789abcdef'),
      createFingerprinter('0123456789abcdef'),
      createFingerprinter('fedcba9876543210'),
    ];
    expect(one('http://example.org/')).toHaveLength(8);
    expect(one('http://example.org/')).toEqual(same('http://example.org/'));
    expect(one('http://example.org/')).not.toEqual(one('http://example.org/a'));
    expect(one('http://example.org/')).not.toEqual(other('http://example.org/'));
  });
});

it('each URL belongs to its own authority, whichever came before it', () => {
  const urls = [
    'http://a.test/',
    'http://a.test:81/',
    'https://a.test:81/',
    'https://b.test:81/',
    'https://b.test:81/2',
  ];
  const lookUp = createHostLookup('host');
  expect(urls.map((url) => lookUp(parseUrlParts(url)!).authority)).toEqual(urls.map(authorityOf));
});
