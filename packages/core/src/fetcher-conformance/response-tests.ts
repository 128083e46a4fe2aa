// What a fetcher guarantees about a response: it is reported as received, and half of it is never reported as complete.

import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import { assert, assertEqual, assertFields } from './assert.js';
import { assertBody, bodyText, DEFAULT_LIMITS, type FetcherTest, summary, test, testNeeding } from './fetcher-test.js';
import {
  type Answer,
  CHUNKED,
  HEAD,
  replying,
  response,
  sending,
  writeAndReset,
  writeEndlessly,
} from './raw-server.js';

const TEXT = 'Ebbe und Flut. '.repeat(200);
/** Long enough that a time taken at the header section would be noticed. */
const LAST_BYTE_AFTER_MS = 100;

const CODED_BODIES: readonly (readonly [what: string, coding: string, bytes: Buffer])[] = [
  ['gzip', 'gzip', gzipSync(TEXT)],
  ['deflate', 'deflate', deflateSync(TEXT)],
  ['deflate without its zlib header', 'deflate', deflateRawSync(TEXT)],
  ['br', 'br', brotliCompressSync(TEXT)],
  ['gzip, br', 'gzip, br', brotliCompressSync(gzipSync(TEXT))],
];

const byteByByte: Answer = (socket) => {
  for (const byte of response('slow')) socket.write(Buffer.of(byte));
};

const WHOLE_BODIES: readonly (readonly [what: string, answer: Answer, text: string])[] = [
  ['with a length', replying('abc'), 'abc'],
  ['empty', replying(''), ''],
  ['chunked', sending(`${CHUNKED}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`), 'abcde'],
  ['ended by the connection', (socket) => socket.end(`${HEAD}Connection: close\r\n\r\nabc`), 'abc'],
  ['without a reason phrase', sending('HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx'), 'x'],
  ['one byte at a time', byteByByte, 'slow'],
];

const CUT_BODIES: readonly (readonly [what: string, answer: Answer])[] = [
  ['shorter than its length', (socket) => socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`)],
  ['ended inside a chunk', (socket) => socket.end(`${CHUNKED}9\r\nabc`)],
  ['ended before its last chunk', (socket) => socket.end(`${CHUNKED}3\r\nabc\r\n`)],
  ['reset on the way', (socket) => writeAndReset(socket, `${HEAD}Content-Length: 10\r\n\r\nabc`)],
];

const coded = (coding: string, bytes: Buffer): Answer => replying(bytes, { headers: [`Content-Encoding: ${coding}`] });

/** The response must be reported with this status and whole body. */
const reports = (title: string, answer: Answer, body: string, status = 200): FetcherTest =>
  test(title, async (t) => {
    const { outcome } = await t.response(answer);
    assertFields(outcome, { status }, 'the response');
    assertBody(outcome, body);
  });

export const RESPONSE_TESTS: readonly FetcherTest[] = [
  test('reports URL, status line, body and timings', async (t) => {
    let beforeMs = 0;
    // So long that a time read before it differs.
    const mayStart = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      beforeMs = Date.now();
      return true;
    };
    const { outcome, server } = await t.response(replying('<p>hi', { status: '203 Fine By Me' }), { mayStart });
    const url = `${server.origin}/a?b=c`;
    assertFields(outcome, { url, status: 203, statusText: 'Fine By Me', encodedBytes: 5 }, 'the response');
    assertBody(outcome, '<p>hi');
    const { startedAtMs, headersAtMs, endedAtMs } = outcome.timing;
    const stamps = [beforeMs, startedAtMs, headersAtMs ?? 0, endedAtMs, Date.now()];
    const inOrder = stamps.toSorted((a, b) => a - b);
    assertEqual(stamps, inOrder, 'mayStart, `timing` (started, headers, ended) and the end of the call, in order');
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
    const earlyMs = lastByteAtMs - outcome.timing.endedAtMs;
    assert(earlyMs <= 0, `\`timing.endedAtMs\` must be the time of the last byte; it is ${earlyMs} ms earlier`);
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
  ...[204, 304].map((status) =>
    reports(`reports a response with status ${status}`, sending(`HTTP/1.1 ${status} X\r\n\r\n`), '', status),
  ),
  ...[404, 410, 429, 500, 503].map((status) =>
    reports(`reports a response with status ${status}`, replying('why', { status: `${status} X` }), 'why', status),
  ),
  ...WHOLE_BODIES.map(([what, answer, text]) => reports(`reports a whole body ${what}`, answer, text)),
  ...CODED_BODIES.map(([what, coding, bytes]) => reports(`undoes ${what}`, coded(coding, bytes), TEXT)),
  testNeeding(
    'encodedBody',
    'reports the body as it came next to the decoded one where that is requested',
    async (t) => {
      for (const [, coding, bytes] of [...CODED_BODIES, ['', 'identity', Buffer.from(TEXT)] as const]) {
        const { outcome } = await t.response(coded(coding, bytes), { keepsEncoded: true });
        const isAsSent = bytes.equals(outcome.encodedBody ?? Buffer.alloc(0));
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
  testNeeding('encodedBody', 'does not report half of a coded body as whole', async (t) => {
    const text = noise(80_000);
    const whole = gzipSync(text);
    const { outcome } = await t.get(coded('gzip', whole.subarray(0, whole.length / 2)));
    const isCut =
      outcome.kind === 'response' && outcome.truncated === 'connection' && text.startsWith(bodyText(outcome));
    const isFailed = outcome.kind === 'failed' && outcome.failure === 'encoding';
    assert(
      isCut || isFailed,
      'half of a gzip body must end as a response with truncated: connection and the beginning of the body, or as a ' +
        `failure encoding; it ended as ${summary(outcome)}`,
    );
  }),
  test('keeps a body of exactly the limit, and cuts one that is a byte longer', async (t) => {
    for (const sent of [100, 101]) {
      const { outcome } = await t.response(replying('x'.repeat(sent)), { limits: { maxBodyBytes: 100 } });
      assertEqual(outcome.body.length, 100, `bytes that are kept of ${sent}, with a limit of 100`);
      assertFields(outcome, { truncated: sent === 100 ? null : 'limit' }, `a body of ${sent} bytes`);
    }
  }),
  test('passes a decoded body to its consumer, in order, up to the consumer’s limit, or keeps it', async (t) => {
    const long = noise(300_000);
    for (const maxBytes of [1_000_000, 200_000]) {
      const chunks: Uint8Array[] = [];
      let passedStatus = 0;
      const { outcome } = await t.response(coded('gzip', gzipSync(long)), {
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
    const written = server.written();
    assert(written < 50_000_000, `a body that is cut must end its connection; the server could write ${written} bytes`);
  }),
  test('cuts a body at the limit that only its decoding exceeds', async (t) => {
    for (const [coding, bytes] of [
      ['gzip', gzipSync(Buffer.alloc(20_000_000), { level: 1 })],
      ['br', brotliCompressSync(Buffer.alloc(20_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ] as const) {
      const { outcome } = await t.response(coded(coding, bytes));
      assertCut(outcome, `a body with the coding ${coding}`);
    }
  }),
  testNeeding('encodedBody', 'reads no further than the limit on the wire', async (t) => {
    const endless: Answer = (socket) => {
      socket.write(`${HEAD}Content-Encoding: gzip\r\n\r\n`);
      // Empty members again and again: bytes that decode to nothing.
      writeEndlessly(socket, gzipSync(''));
    };
    const { outcome } = await t.response(endless, { limits: { maxEncodedBytes: 50_000 } });
    assertFields(outcome, { truncated: 'limit' }, 'the response');
    const { encodedBytes } = outcome;
    const isBounded = encodedBytes < 50_000 + 256 * 1024;
    assert(isBounded, `reading must end at \`limits.maxEncodedBytes\` (50000); ${encodedBytes} bytes were read`);
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
