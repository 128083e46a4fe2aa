// What a fetcher guarantees about a response: it is reported as received, and half of it is never reported as complete.

import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import { assert, assertEqual, assertFields } from './assert.js';
import { assertBody, bodyText, DEFAULT_LIMITS, type FetcherTest, summary, test, testNeeding } from './fetcher-test.js';
import { type Answer, replying, response, sending, writeAndReset, writeEndlessly } from './raw-server.js';

const TEXT = 'Ebbe und Flut. '.repeat(200);
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

/** Long enough that a time taken at the header section would be noticed. */
const LAST_BYTE_AFTER_MS = 100;

const CODED_BODIES: readonly (readonly [coding: string, bytes: Uint8Array])[] = [
  ['gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
];

const COMPLETE_BODIES: readonly (readonly [what: string, answer: Answer, text: string])[] = [
  ['with a length', replying('abc'), 'abc'],
  ['empty', replying(''), ''],
  ['chunked', sending(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`), 'abcde'],
  ['ended by the connection', (socket) => socket.end(`${HEAD}Connection: close\r\n\r\nabc`), 'abc'],
  ['without a reason phrase', sending('HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx'), 'x'],
  [
    'one byte at a time',
    (socket) => {
      for (const byte of response('slow')) socket.write(Buffer.from([byte]));
    },
    'slow',
  ],
];

const CUT_BODIES: readonly (readonly [what: string, answer: Answer])[] = [
  ['shorter than its length', (socket) => socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`)],
  ['ended inside a chunk', (socket) => socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`)],
  ['ended before its last chunk', (socket) => socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`)],
  ['reset on the way', (socket) => writeAndReset(socket, `${HEAD}Content-Length: 10\r\n\r\nabc`)],
];

export const RESPONSE_TESTS: readonly FetcherTest[] = [
  test('reports URL, status line, body and timings', async (t) => {
    const beforeMs = Date.now();
    const { outcome, server } = await t.response(replying('<p>hi', { status: '203 Fine By Me' }));
    const url = `${server.origin}/a?b=c`;
    assertFields(outcome, { url, status: 203, statusText: 'Fine By Me', encodedBytes: 5 }, 'the response');
    assertBody(outcome, '<p>hi');
    const { startedAtMs, headersAtMs, endedAtMs } = outcome.timing;
    const stamps = [beforeMs, startedAtMs, headersAtMs ?? 0, endedAtMs, Date.now()];
    const sorted = [...stamps].sort((a, b) => a - b);
    assertEqual(stamps, sorted, 'the call, `timing` (started, headers, ended) and its end, in order');
  }),
  test('reports the end at the last byte: the pauses of a host are measured from it', async (t) => {
    let lastByteAtMs = Number.POSITIVE_INFINITY;
    const { outcome } = await t.response((socket) => {
      socket.write(`${HEAD}Content-Length: 2\r\n\r\na`);
      setTimeout(() => {
        lastByteAtMs = Date.now();
        socket.write('b');
      }, LAST_BYTE_AFTER_MS);
    });
    assertBody(outcome, 'ab');
    const { endedAtMs } = outcome.timing;
    assert(
      endedAtMs >= lastByteAtMs,
      `\`timing.endedAtMs\` must be the time of the last byte; it is ${lastByteAtMs - endedAtMs} ms before it was sent`,
    );
  }),
  testNeeding('rawHeaders', 'reports header lines one by one, in order, as they were sent', async (t) => {
    const headers = ['X-B: 1', 'set-cookie: a=1', 'Set-Cookie: b=\xff', 'X-B: 2'];
    const { outcome } = await t.response(replying('x', { headers }));
    const lines = outcome.headers.slice(1).map(([name, value]) => `${name}: ${value}`);
    assertEqual(lines, headers, 'the field lines of the response');
  }),
  test('reports every field, whatever the case of its name', async (t) => {
    const { outcome } = await t.response(replying('x', { headers: ['X-ODD: 1', 'x-even: 2', 'X-Odd: 3'] }));
    assertEqual(headerValue(outcome.headers, 'x-odd'), '1, 3', 'the values of X-Odd');
    assertEqual(headerValue(outcome.headers, 'x-even'), '2', 'the value of X-Even');
  }),
  testNeeding('remoteAddress', 'reports the address it was connected to', async (t) => {
    const { outcome } = await t.response(replying('x'));
    assertFields(outcome, { remoteAddress: '127.0.0.1' }, 'the response');
  }),
  ...[204, 304, 404, 410, 429, 500, 503].map((status) =>
    test(`reports a response with status ${status}`, async (t) => {
      const hasBody = status !== 204 && status !== 304;
      const { outcome } = await t.response((socket) =>
        socket.write(
          hasBody ? response('why', { status: `${status} X` }) : `HTTP/1.1 ${status} X\r\nETag: "1"\r\n\r\n`,
        ),
      );
      assertFields(outcome, { status }, 'the response');
      assertBody(outcome, hasBody ? 'why' : '');
    }),
  ),
  ...COMPLETE_BODIES.map(([what, answer, text]) =>
    test(`reports a whole body ${what}`, async (t) => {
      const { outcome } = await t.response(answer);
      assertBody(outcome, text);
    }),
  ),
  ...CODED_BODIES.map(([coding, bytes], index) =>
    test(`undoes ${coding}${index === 2 ? ' without its zlib header' : ''}`, async (t) => {
      const { outcome } = await t.response(replying(Buffer.from(bytes), { headers: [`Content-Encoding: ${coding}`] }));
      assertBody(outcome, TEXT);
    }),
  ),
  testNeeding(
    'encodedBody',
    'reports the body as it came next to the decoded one where that is requested, and its length',
    async (t) => {
      for (const [coding, bytes] of [...CODED_BODIES, ['identity', Buffer.from(TEXT)] as const]) {
        const { outcome } = await t.response(
          replying(Buffer.from(bytes), { headers: [`Content-Encoding: ${coding}`] }),
          { keepsEncoded: true },
        );
        const isAsSent = Buffer.from(bytes).equals(outcome.encodedBody ?? Buffer.alloc(0));
        assert(isAsSent, `\`encodedBody\` of a body with the coding ${coding} must have the bytes as they were sent`);
        assertFields(outcome, { encodedBytes: bytes.length }, `a body with the coding ${coding}`);
      }
    },
  ),
  ...CUT_BODIES.map(([what, answer]) =>
    test(`says truncated: connection of a body ${what}`, async (t) => {
      const { outcome } = await t.response(answer);
      assertFields(outcome, { truncated: 'connection' }, `a body ${what}`);
      const text = bodyText(outcome);
      assert('abc'.startsWith(text), `the body must be the beginning of "abc", which was sent; it is "${text}"`);
    }),
  ),
  testNeeding(
    'encodedBody',
    'says truncated: connection of a coded body that ends early, or `encoding` where nothing could be decoded',
    async (t) => {
      const text = noise(80_000);
      const whole = gzipSync(text);
      const { outcome } = await t.get(
        replying(whole.subarray(0, whole.length / 2), { headers: ['Content-Encoding: gzip'] }),
      );
      assert(
        outcome.kind === 'response'
          ? outcome.truncated === 'connection' && text.startsWith(bodyText(outcome))
          : outcome.failure === 'encoding',
        'half of a gzip body must end as a response with truncated: connection and the beginning of the body, or as a ' +
          `failure encoding; it ended as ${summary(outcome)}`,
      );
    },
  ),
  test('keeps a body of exactly the limit, and cuts one that is a byte longer', async (t) => {
    const limits = { maxBodyBytes: 100 };
    const whole = await t.response(replying('x'.repeat(100)), { limits });
    assertEqual(whole.outcome.body.length, 100, 'bytes that are kept of 100, with a limit of 100');
    assertFields(whole.outcome, { truncated: null }, 'a body of exactly the limit');
    const cut = await t.response(replying('x'.repeat(101)), { limits });
    assertEqual(cut.outcome.body.length, 100, 'bytes that are kept of 101, with a limit of 100');
    assertFields(cut.outcome, { truncated: 'limit' }, 'a body that is a byte longer than the limit');
  }),
  test('passes a decoded body to its consumer, in order, up to the consumer’s limit, or keeps it', async (t) => {
    const long = noise(300_000);
    for (const maxBytes of [1_000_000, 200_000]) {
      const chunks: Uint8Array[] = [];
      let passedStatus = 0;
      const { outcome } = await t.response(replying(gzipSync(long), { headers: ['Content-Encoding: gzip'] }), {
        limits: { maxBodyBytes: 400_000, maxEncodedBytes: 1_500_000 },
        consumeBody: ({ status }) => {
          passedStatus = status;
          return { maxBytes, take: (bytes) => chunks.push(bytes.slice()) };
        },
      });
      if (passedStatus === 0) {
        assertBody(outcome, long);
        continue;
      }
      const text = Buffer.concat(chunks).toString();
      assertEqual(passedStatus, 200, 'the status that `consumeBody` got');
      assertEqual(outcome.body.length, 0, 'bytes that are kept although a consumer took the body');
      assertEqual(text, long.slice(0, maxBytes), 'what the consumer took, up to its limit');
      assertFields(outcome, { truncated: maxBytes < long.length ? 'limit' : null }, 'the response');
    }
  }),
  test('cuts an endless body at the limit, and ends its connection', async (t) => {
    const { outcome, server } = await t.response((socket) => {
      socket.write(`${HEAD}\r\n`);
      writeEndlessly(socket, Buffer.alloc(64_000, 'x'));
    });
    assertCut(outcome, 'an endless body');
    assert(
      server.written() < 50_000_000,
      `the connection must end with a body that is cut; the server could write ${server.written()} bytes`,
    );
  }),
  test('cuts a body at the limit that only its decoding exceeds', async (t) => {
    for (const [coding, bytes] of [
      ['gzip', gzipSync(Buffer.alloc(20_000_000), { level: 1 })],
      ['br', brotliCompressSync(Buffer.alloc(20_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ] as const) {
      const { outcome } = await t.response(replying(bytes, { headers: [`Content-Encoding: ${coding}`] }));
      assertCut(outcome, `a body with the coding ${coding}`);
    }
  }),
  testNeeding('encodedBody', 'reads no further than the limit on the wire', async (t) => {
    const { outcome } = await t.response(
      (socket) => {
        socket.write(`${HEAD}Content-Encoding: gzip\r\n\r\n`);
        // Empty members again and again: bytes that decode to nothing.
        writeEndlessly(socket, gzipSync(''));
      },
      { limits: { maxEncodedBytes: 50_000 } },
    );
    assertFields(outcome, { truncated: 'limit' }, 'the response');
    assert(
      outcome.encodedBytes < 50_000 + 256 * 1024,
      `reading must end at \`limits.maxEncodedBytes\` (50000); ${outcome.encodedBytes} bytes were read`,
    );
  }),
];

/** @throws ContractBroken unless a body was cut at the limit of decoded bytes. */
function assertCut(outcome: ResponseOutcome, what: string): void {
  assertEqual(outcome.body.length, DEFAULT_LIMITS.maxBodyBytes, `bytes that are kept of ${what}`);
  assertFields(outcome, { truncated: 'limit' }, what);
}

/** Text that no coding compresses much, always the same. */
function noise(chars: number): string {
  const words = Array.from({ length: chars / 4 }, (_, index) => ((index * 7_919) % 99_991).toString(36));
  return words.join(' ').slice(0, chars).padEnd(chars, '.');
}
