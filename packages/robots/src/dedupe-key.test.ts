/** The keys of known URLs. A wrong key loses pages. */
import { describe, expect, it } from 'vitest';
import { dedupeKey } from './dedupe-key.js';
import { parseRobots } from './parse.js';

const document = parseRobots('Clean-param: sid&ref /shop\nClean-param: utm_source\n');

describe('a dedupe key', () => {
  it.each([
    ['https://example.com/shop?sid=1&id=2', 'https://example.com/shop?id=2'],
    ['https://example.com/shop/x?id=2&ref=a&sid', 'https://example.com/shop/x?id=2'],
    ['https://example.com/shop?sid=1', 'https://example.com/shop'],
    ['https://example.com/shop?sid=1#part', 'https://example.com/shop#part'],
    ['https://example.com/other?sid=1&utm_source=x', 'https://example.com/other?sid=1'],
    ['https://example.com/shop?SID=1', 'https://example.com/shop?SID=1'],
    ['https://example.com/shop?b=1&sid=2&a=3', 'https://example.com/shop?b=1&a=3'],
    ['https://example.com/shop', 'https://example.com/shop'],
    ['https://example.com/shop#?sid=1', 'https://example.com/shop#?sid=1'],
  ])('of %s is %s (robots §9.8, R47)', (url, key) => {
    expect(dedupeKey(document, url)).toBe(key);
  });

  it.each([
    [{ host: 'canonicalise' }, 'option-invalid'],
    [{ cleanParams: 'expose' }, 'option-unknown'],
  ])('refuses %j, which would have no effect', (options, code) => {
    expect(() => dedupeKey(document, 'https://example.com/', options as never)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('is the URL if the file names no parameters', () => {
    expect(dedupeKey(parseRobots(''), 'https://example.com/?a=1')).toBe('https://example.com/?a=1');
  });
});

describe('the preferred mirror (robots §9.7)', () => {
  const key = (host: string, url: string) =>
    dedupeKey(parseRobots(`Host: ${host}\nClean-param: sid`), url, { host: 'canonicalize' });

  it.each([
    ['www.example.com', 'https://example.com/a?b=c&sid=1', 'https://www.example.com/a?b=c'],
    ['www.example.com:8080', 'http://example.com/a', 'http://www.example.com:8080/a'],
    ['https://www.example.com', 'http://example.com:80/a?sid=1#x', 'https://www.example.com/a#x'],
    ['WWW.example.com/', 'https://example.com', 'https://www.example.com'],
    ['not a host', 'https://example.com/a', 'https://example.com/a'],
    ['www.example.com', '/a', '/a'],
  ])('%s: %s is known as %s', (host, url, expected) => {
    expect(key(host, url)).toBe(expected);
  });

  it('is only exposed by default, and parameters are if an option says so', () => {
    const document = parseRobots('Host: www.example.com\nClean-param: sid');
    expect(dedupeKey(document, 'https://example.com/?sid=1')).toBe('https://example.com/');
    expect(dedupeKey(document, 'https://example.com/?sid=1', { cleanParam: 'expose' })).toBe(
      'https://example.com/?sid=1',
    );
  });
});
