// Scenarios whose response is not HTTP, or ambiguous HTTP.

import { expect } from 'vitest';
import { byPath, HTML_HEAD, responds, sends, sendsAndEnds } from './answers.js';
import type { HostileExpectation, HostileScenario } from './scenario.js';

const BAD: HostileExpectation = { result: 'framing', isRetried: true, status: 'failed', reason: 'framing' };
const WHOLE: HostileExpectation = { result: 200, status: 'fetched', reason: 'fetched', truncated: null };

const withHead = (field: string, body = 'hello'): string => `${HTML_HEAD}${field}\r\n\r\n${body}`;

/** Broken status lines, fields, lengths and chunks. */
export const FRAMING: readonly HostileScenario[] = [
  {
    name: 'speaks-smtp',
    does: 'greets as a mail server does',
    serve: sends('220 mail.example ESMTP ready\r\n'),
    expects: BAD,
  },
  {
    name: 'speaks-http-09',
    does: 'sends HTML without a status line',
    serve: sendsAndEnds('<html><body>hello</body></html>'),
    expects: BAD,
  },
  {
    name: 'status-not-a-number',
    does: 'sends a status of letters',
    serve: sends('HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n'),
    expects: BAD,
  },
  {
    name: 'status-of-four-digits',
    does: 'sends a status of four digits',
    serve: sends('HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'),
    expects: BAD,
  },
  {
    name: 'status-999',
    does: 'sends a status that no one defined',
    serve: responds('no', { status: '999 Request denied' }),
    expects: { result: 999, isRetried: true, status: 'failed', reason: 'status-999' },
  },
  {
    name: 'two-lengths',
    does: 'names two different lengths',
    serve: sends(withHead('Content-Length: 5\r\nContent-Length: 6')),
    expects: BAD,
  },
  {
    name: 'length-and-chunked',
    does: 'names a length and is chunked at the same time',
    serve: sends(withHead('Content-Length: 5\r\nTransfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n')),
    expects: BAD,
  },
  {
    name: 'length-of-letters',
    does: 'names a length that is no number',
    serve: sends(withHead('Content-Length: five')),
    expects: BAD,
  },
  {
    name: 'length-negative',
    does: 'names a negative length',
    serve: sends(withHead('Content-Length: -5')),
    expects: BAD,
  },
  {
    name: 'length-overflows',
    does: 'names a length past 64 bits',
    serve: sends(withHead('Content-Length: 99999999999999999999999')),
    expects: BAD,
  },
  {
    name: 'length-too-long',
    does: 'names a length of a petabyte, sends five bytes and ends',
    serve: sendsAndEnds(withHead('Content-Length: 1000000000000000')),
    expects: { ...WHOLE, isRetried: true, truncated: 'connection' },
  },
  {
    name: 'length-too-short',
    does: 'sends more than the length it named',
    serve: sends(withHead('Content-Length: 5', `hello${'<a href="/behind">x</a>'.repeat(100)}`)),
    expects: WHOLE,
  },
  {
    name: 'answers-twice',
    does: 'sends a second response behind the first, so that it is taken for the answer to the next request',
    serve: byPath({
      '/': (socket, request) => {
        responds('<title>first</title><a href="/next">next</a>')(socket, request);
        responds('<title>smuggled</title>')(socket, request);
      },
      '/next': responds('<title>true</title>'),
    }),
    expects: {
      ...WHOLE,
      paths: ['/', '/next'],
      check: ({ pages }) => expect(pages.map(({ title }) => title)).toEqual(['first', 'true']),
    },
  },
  {
    name: 'chunk-size-of-letters',
    does: 'names a chunk size that is no number',
    serve: sends(withHead('Transfer-Encoding: chunked', 'zz\r\nhello\r\n0\r\n\r\n')),
    expects: BAD,
  },
  {
    name: 'chunk-size-overflows',
    does: 'names a chunk size past 64 bits',
    serve: sends(withHead('Transfer-Encoding: chunked', 'fffffffffffffffffff\r\nhello')),
    expects: BAD,
  },
  {
    name: 'chunk-longer-than-named',
    does: 'sends a chunk that is longer than it says',
    serve: sends(withHead('Transfer-Encoding: chunked', '2\r\nhello\r\n0\r\n\r\n')),
    expects: BAD,
  },
  {
    name: 'space-before-colon',
    does: 'puts a space before the colon of a field',
    serve: sends(withHead('Content-Length : 5')),
    expects: BAD,
  },
  {
    name: 'nul-in-field',
    does: 'puts NUL into a field value',
    serve: sends(withHead('X-Odd: a\0b\r\nContent-Length: 5')),
    expects: BAD,
  },
  {
    name: 'switches-protocols',
    does: 'answers 101 although no one asked for another protocol',
    serve: sends('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    expects: BAD,
  },
  {
    name: 'body-behind-204',
    does: 'sends a body behind a 204',
    serve: sends('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello'),
    expects: { result: 204, status: 'fetched', reason: 'fetched', truncated: null },
  },
  {
    name: 'body-behind-304',
    does: 'answers 304 to a request without conditions, with a body',
    serve: sends('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello'),
    expects: { result: 304, status: 'failed', reason: 'status-304' },
  },
];
