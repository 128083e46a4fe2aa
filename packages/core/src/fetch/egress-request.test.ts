// Which header fields an operator may add, and to which requests. With a field that identifies the crawler, a crawl
// could have two names; with one of a browser, it would be disguised.

import { describe, expect, it } from 'vitest';
import { parseExtraHeaders, type RequestPurpose, requestHeaders } from './egress-request.js';
import { MAX_EXTRA_HEADER_CHARS, MAX_EXTRA_HEADERS } from './limits.js';

const refused = (line: string) => () => parseExtraHeaders([line]);

describe('fields that an operator adds', () => {
  it('are names and values, whatever blanks surround the value', () => {
    expect(parseExtraHeaders(['Accept-Language:  de, en;q=0.5 ', 'X-Study: tide pools', 'ACCEPT: text/html'])).toEqual({
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

  it('are bounded in number and length', () => {
    const fields = Array.from({ length: MAX_EXTRA_HEADERS }, (_, at) => `X-${at}: 1`);
    expect(Object.keys(parseExtraHeaders(fields))).toHaveLength(MAX_EXTRA_HEADERS);
    expect(() => parseExtraHeaders([...fields, 'X-More: 1'])).toThrow(`at most ${MAX_EXTRA_HEADERS} fields`);
    const longest = 'x'.repeat(MAX_EXTRA_HEADER_CHARS - 'X-A: '.length);
    expect(parseExtraHeaders([`X-A: ${longest}`])).toEqual({ 'X-A': longest });
    expect(refused(`X-A: ${longest}x`)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
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
    const asked = make('handler', { ACCEPT: 'c/d' }, own);
    expect(Object.entries(asked).filter(([name]) => /^accept$/i.test(name))).toEqual([['Accept', 'c/d']]);
    expect(make('page')).not.toHaveProperty('From');
    expect(requestHeaders({ userAgent: 'bot', from: 'a@b.example' }, 'robots')['From']).toBe('a@b.example');
  });
});
