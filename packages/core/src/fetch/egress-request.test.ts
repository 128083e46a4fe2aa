// Which header fields an operator may add, and to which requests. With a field that identifies the crawler, a crawl
// could have two names; with one of a browser, it would be disguised.

import { describe, expect, it } from 'vitest';
import { parseExtraHeaders, type RequestPurpose, requestHeaders } from './egress-request.js';

const refused = (line: string) => () => parseExtraHeaders([line]);

describe('fields that an operator adds', () => {
  it('are names and values, whatever blanks surround the value', () => {
    expect(parseExtraHeaders(['Accept-Language:  de, en;q=0.5 ', 'X-Study: tide pools', 'accept: text/html'])).toEqual({
      'Accept-Language': 'de, en;q=0.5',
      'X-Study': 'tide pools',
      Accept: 'text/html',
    });
  });

  it.each([
    ['User-Agent: x', /it says who asks: see `identity`/],
    ['from: me@example.org', /it says who asks/],
    ['Cookie: a=b', /network\.cookies/],
    ['AUTHORIZATION: Basic x', /one origin only/],
    ['Signature-Input: x', /identity\.signature/],
    ['If-None-Match: "x"', /recrawl/],
    ['Range: bytes=0-1', /recrawl/],
    ['Sec-CH-UA: x', /browsers set it/],
    ['Referer: x', /browsers set it/],
    ['X-Forwarded-For: 1.2.3.4', /hides who asks/],
    ['Host: other.example', /the crawl sets it/],
    ['Accept-Encoding: br', /the crawl sets it/],
    ['X-Payment: x', /pays nothing/],
  ])('are not %s', (line, hint) => {
    const error = expect.objectContaining({ code: 'option-invalid', hint: expect.stringMatching(hint) });
    expect(refused(line)).toThrow(error);
  });

  it.each([
    '',
    'Accept-Language',
    ': de',
    'A B: c',
    'X-A:',
    'X-A: b\r\nX-C: d',
    'X-A: \u00e9',
    `X-A: ${'x'.repeat(1_000)}`,
  ])('are not %j', (line) => {
    expect(refused(line)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
  });

  it('come once', () => {
    expect(() => parseExtraHeaders(['X-A: 1', 'x-a: 2'])).toThrow(/`network\.headers\[1\]`.*not given twice/);
  });

  it('are sent with requests for content, and not with those for rules', () => {
    const own = parseExtraHeaders(['X-A: 1', 'Accept: a/b']);
    const make = requestHeaders.bind(null, { userAgent: 'bot', from: null });
    const headersFor = (purpose: RequestPurpose) => make(purpose, {}, own);
    const purposes = [
      'page',
      'handler',
      'subresource',
      'sitemap',
      'robots',
      'data-txt',
      'well-known',
      'license',
    ] as const;
    const withField = purposes.filter((purpose: RequestPurpose) => headersFor(purpose)['X-A'] === '1');
    expect(withField).toEqual(['page', 'handler', 'subresource', 'sitemap']);
    expect([headersFor('page')['Accept'], headersFor('page')['User-Agent']]).toEqual(['a/b', 'bot']);
    expect(headersFor('robots')['Accept']).not.toBe('a/b');
    // A request's own field replaces one with the same name, whatever its case.
    expect(make('handler', { 'x-a': '2' }, own)).toMatchObject({ 'x-a': '2', Accept: 'a/b' });
    expect(make('handler', { 'x-a': '2' }, own)).not.toHaveProperty('X-A');
  });
});
