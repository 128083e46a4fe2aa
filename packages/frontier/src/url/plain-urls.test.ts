// A regular expression splits plain URLs. At stake: if it and the platform's parser differ, two names of one page count
// as two, or a host is spaced under a wrong name.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatUrlParts, parsedParts, parseUrlParts } from './url.js';

const SEED = 20_261_120;
/** Parts of URLs, some of them unusual. */
const PIECES = [
  'http',
  'https',
  'HTTP',
  'ftp',
  '://',
  ':',
  '/',
  '//',
  '?',
  '#',
  '@',
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '%zz',
  '\\',
  ' ',
  '\t',
  '\n',
  '^',
  '|',
  "'",
  '"',
  '<',
  '{',
  'a',
  'example',
  'EXAMPLE',
  '.org',
  '.test',
  'xn--bcher-kva',
  'xn--',
  'ü',
  '-',
  '_',
  '0x7f',
  '127.0.0.1',
  '127.1',
  '256.1.1.1',
  '01.2.3.4',
  '1',
  '[::1]',
  '.0x',
  '.9',
  ':80',
  ':443',
  ':8080',
  ':59999',
  ':60000',
  ':0',
  ':65536',
  ':08',
  '&',
  '=',
  'utm_source=x',
  '~',
  '!',
  '$',
  '(',
  ')',
  '*',
  '+',
  ',',
  ';',
  '%41',
  '\u00e9',
  '😀',
];

const PLAIN = 'https://a-1.example.org:8080/x/y.html?a=1&b=/2';

it('the expression answers as the parser does, or leaves the URL to the parser', () => {
  let plain = 0;
  const odd = fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTP://', 'http:/', ''),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
    )
    .map(([start, rest]) => start + rest);
  // A plain URL with one part inserted, or none.
  const nearlyPlain = fc
    .tuple(fc.constantFrom('', '', ...PIECES), fc.nat({ max: 40 }))
    .map(([piece, at]) => `${PLAIN.slice(0, at)}${piece}${PLAIN.slice(at)}`);
  const url = fc.oneof(odd, nearlyPlain);
  fc.assert(
    fc.property(url, (text) => {
      const parts = parseUrlParts(text);
      if (parts !== null && formatUrlParts(parts) === text) plain += 1;
      expect(parts).toEqual(parsedParts(text));
    }),
    { seed: SEED, numRuns: 20_000 },
  );
  expect(plain).toBeGreaterThan(200);
});

it.each([
  'http://127.0.1.1:8981/news/2014/a-b-13.html',
  'https://example.org/',
  'https://a-b.c9.example.org:8443/x/~y/?a=1&b=/2?',
])('%s is itself', (url) => {
  const parts = parseUrlParts(url);
  expect(parts).toEqual(parsedParts(url));
  expect(parts === null ? null : formatUrlParts(parts)).toBe(url);
});

it('takes linear time on what nearly matches', () => {
  const long = `http://${'a.'.repeat(4_000)}1/${'a/'.repeat(2_000)} `;
  const began = process.cpuUsage().user;
  for (let round = 0; round < 50; round += 1) parseUrlParts(long);
  expect(process.cpuUsage().user - began).toBeLessThan(2_000_000);
});
