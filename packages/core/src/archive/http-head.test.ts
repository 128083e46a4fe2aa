// The header section is kept as it was on the wire: names, order, bytes. A field that is not true of the kept body is
// marked; otherwise a reader would decode the body a second time.

import { describe, expect, it } from 'vitest';
import { headEnd, originalFields, parseResponseHead, requestHead, responseHead } from './http-head.js';

const HEAD = {
  status: 200,
  statusText: 'OK',
  headers: [
    ['Set-Cookie', 'a=1'],
    ['Content-Encoding', 'gzip'],
    ['set-cookie', 'b=2'],
    ['Transfer-Encoding', 'chunked'],
    ['Content-Length', '17'],
    ['X-Name', 'M\u00fcnchen: \u0080\u00ff'],
    ['X-Empty', ''],
  ] as const,
};

describe('the header section of a response', () => {
  it('keeps field lines in order, and marks the framing that the fetcher undid', () => {
    expect(responseHead(HEAD, false).toString('latin1')).toBe(
      'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Encoding: gzip\r\nset-cookie: b=2\r\nX-Orig-Transfer-Encoding: chunked\r\n' +
        'Content-Length: 17\r\nX-Name: M\u00fcnchen: \u0080\u00ff\r\nX-Empty: \r\n\r\n',
    );
  });

  it('marks fields that are not true of a decoded body', () => {
    const names = responseHead(HEAD, true)
      .toString('latin1')
      .match(/^X-Orig-[\w-]+/gm);
    expect(names).toEqual(['X-Orig-Content-Encoding', 'X-Orig-Transfer-Encoding', 'X-Orig-Content-Length']);
  });

  it.each([true, false])('is read back as it was sent (decoded: %s)', (isDecoded) => {
    const bytes = Buffer.concat([responseHead(HEAD, isDecoded), Buffer.from('body\r\n\r\n')]);
    const end = headEnd(bytes) ?? 0;
    expect(bytes.subarray(end).toString()).toBe('body\r\n\r\n');
    const read = parseResponseHead(bytes.subarray(0, end));
    expect(read).toMatchObject({ status: 200, statusText: 'OK' });
    expect(originalFields(read?.headers ?? [])).toEqual(HEAD.headers);
  });

  it('is one section, whatever its fields contain', () => {
    const odd = { status: 404, statusText: 'No\r\nX: y', headers: [['A', 'b\r\n\r\nc']] as const };
    expect(responseHead(odd, false).toString()).toBe('HTTP/1.1 404 No X: y\r\nA: b c\r\n\r\n');
  });

  it.each(['', 'HTTP/1.1\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', 'HTTP/1.1 99999 x\r\n\r\n'])('is invalid: %j', (text) => {
    expect(parseResponseHead(Buffer.from(text))).toBeNull();
  });
});

it('the header section of a request names path and host as they were sent', () => {
  const head = requestHead('https://example.org:8443/a%20b?c=d', { 'User-Agent': 'bot/1.0 (+https://example.org)' });
  expect(head.toString()).toBe(
    'GET /a%20b?c=d HTTP/1.1\r\nhost: example.org:8443\r\nconnection: keep-alive\r\nUser-Agent: bot/1.0 (+https://example.org)\r\n\r\n',
  );
});
