// The rules of another authority would be right only by chance.
import { describe, expect, it } from 'vitest';
import { robotsUrl, rootUrl } from './robots-url.js';

describe('the URL of robots.txt (specification, access §1)', () => {
  const cases: [string, string | null][] = [
    ['HTTPS://Example.COM/a', 'https://example.com/robots.txt'],
    ['https://example.com.:8443/a', 'https://example.com:8443/robots.txt'],
    ['https://example.com../a', 'https://example.com./robots.txt'],
    ['http://./a', 'http://./robots.txt'],
    ['http://example.com:443/', 'http://example.com:443/robots.txt'],
    ['http://[2001:DB8::1]/x', 'http://[2001:db8::1]/robots.txt'],
    ['https://user@example.com/?q#f', 'https://example.com/robots.txt'],
    ['/relative', null],
    ['javascript:alert(1)', null],
    ['http://', null],
  ];
  it.each(cases)('%s', (url, expected) => {
    expect(robotsUrl(url)).toBe(expected);
  });

  it('gives other files at the root in the same way', () => {
    expect(rootUrl('https://example.com/x', '/data.txt')).toBe('https://example.com/data.txt');
  });
});
