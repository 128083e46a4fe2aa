// At stake: a browser that gets a cookie, a report address or a wrong length acts on it.

import type { ResponseOutcome } from 'mannerly';
import { expect, it } from 'vitest';
import { toFulfillment } from './tab-requests.js';

const fieldsOf = (headers: ResponseOutcome['headers']) =>
  toFulfillment({ status: 200, headers, body: new Uint8Array() } as unknown as ResponseOutcome).headers;

it('an answer keeps fields about its content, and none about transport or storage', () => {
  const fields = fieldsOf([
    ['Content-Type', 'text/html'],
    ['Content-Security-Policy', "default-src 'self'"],
    ['Vary', 'a'],
    ['vary', 'b'],
    ['Content-Encoding', 'gzip'],
    ['Content-Length', '3'],
    ['Set-Cookie', 'a=b'],
    ['Report-To', '{}'],
    ['Link', '</x>; rel=preload'],
    ['Refresh', '0; url=/x'],
    ['X-Odd', 'na\u00efve'],
    ['bad name', 'x'],
    ['__proto__', 'x'],
  ]);
  expect(Object.entries(fields)).toEqual([
    ['content-type', 'text/html'],
    ['content-security-policy', "default-src 'self'"],
    ['vary', 'a, b'],
    ['__proto__', 'x'],
    ['access-control-allow-origin', 'none'],
  ]);
});

it('other origins can read what the site permits', () => {
  expect(fieldsOf([['Access-Control-Allow-Origin', '*']])).toEqual({ 'access-control-allow-origin': '*' });
});
