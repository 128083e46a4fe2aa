// Scenarios in which the server goes away, stays silent or is too slow: no exchange ends cleanly.

import { byPath, drips, HTML_HEAD, resets, responds, sends, sendsAndEnds } from './answers.js';
import type { HostileExpectation, HostileScenario } from './scenario.js';

const failed = (reason: string): HostileExpectation => ({ result: reason, isRetried: true, status: 'failed', reason });

/** A page arrives in part: it is retried, and at last handed to the handler as it is. */
const CUT: HostileExpectation = {
  result: 200,
  isRetried: true,
  status: 'fetched',
  reason: 'fetched',
  truncated: 'connection',
};

/** Resets, early ends, silence and drip-feeding at every stage of an exchange. */
export const ENDINGS: readonly HostileScenario[] = [
  {
    name: 'resets-at-once',
    does: 'resets the connection when it has read the request',
    serve: resets(),
    expects: failed('reset'),
  },
  {
    name: 'resets-in-headers',
    does: 'resets within the header section',
    serve: resets(HTML_HEAD),
    expects: failed('reset'),
  },
  {
    name: 'resets-in-body',
    does: 'announces a length, and resets before it is reached',
    serve: resets(`${HTML_HEAD}Content-Length: 1000\r\n\r\n<p>half`),
    expects: CUT,
  },
  {
    name: 'resets-in-chunk',
    does: 'resets within a chunk',
    serve: resets(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ha\r\nff\r\nhalf`),
    expects: CUT,
  },
  {
    name: 'resets-endless-body',
    does: 'resets a body that has no length, which is not the same as ending it',
    serve: resets(`${HTML_HEAD}\r\n<p>half`),
    expects: CUT,
  },
  {
    name: 'ends-at-once',
    does: 'ends the connection without an answer',
    serve: sendsAndEnds(''),
    expects: failed('closed-early'),
  },
  {
    name: 'ends-in-status-line',
    does: 'ends within the status line',
    serve: sendsAndEnds('HTTP/1.1 20'),
    expects: failed('closed-early'),
  },
  {
    name: 'ends-in-headers',
    does: 'ends within the header section',
    serve: sendsAndEnds(HTML_HEAD),
    expects: failed('closed-early'),
  },
  {
    name: 'ends-in-body',
    does: 'ends before the announced length',
    serve: sendsAndEnds(`${HTML_HEAD}Content-Length: 1000\r\n\r\n<p>half`),
    expects: CUT,
  },
  {
    name: 'ends-before-body',
    does: 'announces a length and ends before the first byte',
    serve: sendsAndEnds(`${HTML_HEAD}Content-Length: 1000\r\n\r\n`),
    expects: CUT,
  },
  {
    name: 'ends-in-chunk',
    does: 'ends within a chunk',
    serve: sendsAndEnds(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\n<p>half`),
    expects: CUT,
  },
  {
    name: 'ends-without-last-chunk',
    does: 'ends between two chunks, the last one missing',
    serve: sendsAndEnds(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ha\r\n`),
    expects: CUT,
  },
  {
    name: 'empty-body',
    does: 'answers 200 with nothing in it',
    serve: responds(''),
    expects: { result: 200, status: 'fetched', reason: 'fetched', truncated: null },
  },
  {
    name: 'silent',
    does: 'reads the request and never answers',
    serve: () => undefined,
    expects: failed('timeout-headers'),
  },
  {
    name: 'silent-in-headers',
    does: 'falls silent within the header section',
    serve: sends(HTML_HEAD),
    expects: failed('timeout-headers'),
  },
  {
    name: 'drips-headers',
    does: 'sends a field value a byte at a time, without end',
    serve: drips('HTTP/1.1 200 OK\r\nX-Slow: ', 'x'),
    expects: failed('timeout-headers'),
  },
  {
    name: 'drips-interim-responses',
    does: 'sends 103 Early Hints over and over, so that each moment brings something',
    serve: drips('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 20),
    expects: failed('timeout-headers'),
  },
  {
    name: 'drips-body',
    does: 'sends a body a byte at a time, without end',
    serve: drips(`${HTML_HEAD}\r\n`, '<p>slow</p>'),
    expects: failed('timeout-exchange'),
  },
  {
    name: 'drips-chunks',
    does: 'sends chunks of one byte, without end',
    serve: drips(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
    expects: failed('timeout-exchange'),
  },
  {
    name: 'drips-chunk-size',
    does: 'sends a chunk size that never ends',
    serve: drips(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n`, '0'),
    expects: failed('timeout-exchange'),
  },
  {
    name: 'stalls-in-body',
    does: 'falls silent before the announced length',
    serve: sends(`${HTML_HEAD}Content-Length: 1000\r\n\r\n<p>half`),
    expects: failed('timeout-exchange'),
  },
  {
    name: 'resets-one-page',
    does: 'resets one of its pages: the others of the host are fetched all the same',
    serve: byPath({
      '/': responds('<a href="/second">second</a><a href="/third">third</a>'),
      '/second': resets(),
      '/third': responds('<p>third'),
    }),
    expects: {
      result: 200,
      status: 'fetched',
      reason: 'fetched',
      truncated: null,
      paths: ['/', '/second', '/third'],
    },
  },
];
