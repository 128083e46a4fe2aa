// What a fetcher promises about an answer: that all of it is told, as it was, and that half of it is never told as the whole.

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { must, mustEqual } from './must.js';
import { type Answer, response, writeAndReset, writeEndlessly } from './raw-server.js';
import { bodyText, type FetcherTrial, ROOMY, tell } from './trial.js';

const TEXT = 'Ebbe und Flut. '.repeat(200);
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

const CODED: readonly (readonly [coding: string, bytes: Uint8Array])[] = [
  ['gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
];

/** Answers that are whole, each with the text it must come to. */
const WHOLE: readonly (readonly [what: string, answer: Answer, text: string])[] = [
  ['with a length', (socket) => socket.write(response('abc')), 'abc'],
  ['empty', (socket) => socket.write(response('')), ''],
  [
    'chunked',
    (socket) => socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`),
    'abcde',
  ],
  ['ended by the connection', (socket) => socket.end(`${HEAD}Connection: close\r\n\r\nabc`), 'abc'],
  ['without a reason phrase', (socket) => socket.write('HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx'), 'x'],
  [
    'one byte at a time',
    (socket) => {
      for (const byte of response('slow')) socket.write(Buffer.from([byte]));
    },
    'slow',
  ],
];

/** Answers of which half came: the body is its beginning, and says that it was cut. */
const CUT: readonly (readonly [what: string, answer: Answer])[] = [
  ['shorter than its length', (socket) => socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`)],
  ['ended inside a chunk', (socket) => socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`)],
  ['ended before its last chunk', (socket) => socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`)],
  ['reset on the way', (socket) => writeAndReset(socket, `${HEAD}Content-Length: 10\r\n\r\nabc`)],
];

/** Promises about what comes back. */
export function responseTrials(): readonly FetcherTrial[] {
  return [
    {
      title: 'hands over URL, status line, body and timings',
      async run(trial) {
        const beforeMs = Date.now();
        const { outcome, server } = await trial.response((socket) =>
          socket.write(response('<p>hi', { status: '203 Fine By Me' })),
        );
        const { url, status, statusText, truncated, encodedBytes } = outcome;
        mustEqual(
          [url, status, statusText, truncated, encodedBytes, bodyText(outcome)],
          [`${server.origin}/a?b=c`, 203, 'Fine By Me', null, 5, '<p>hi'],
          'the response',
        );
        const { startedAtMs, headersAtMs, endedAtMs } = outcome.timing;
        const stamps = [beforeMs, startedAtMs, headersAtMs ?? 0, endedAtMs, Date.now()];
        mustEqual(
          stamps,
          [...stamps].sort((a, b) => a - b),
          'timings in order',
        );
      },
    },
    {
      title: 'hands over field lines one by one, in order, as they were sent',
      needs: 'rawHeaders',
      async run(trial) {
        const headers = ['X-B: 1', 'set-cookie: a=1', 'Set-Cookie: b=\xff', 'X-B: 2'];
        const { outcome } = await trial.response((socket) => socket.write(response('x', { headers })));
        mustEqual(
          outcome.headers.slice(1).map(([name, value]) => `${name}: ${value}`),
          headers,
          'field lines',
        );
      },
    },
    {
      title: 'hands over every field, whatever the case of its name',
      async run(trial) {
        const { outcome } = await trial.response((socket) =>
          socket.write(response('x', { headers: ['X-ODD: 1', 'x-even: 2', 'X-Odd: 3'] })),
        );
        const joined = (wanted: string): string =>
          outcome.headers
            .filter(([name]) => name.toLowerCase() === wanted)
            .map(([, value]) => value)
            .join(', ');
        mustEqual([joined('x-odd'), joined('x-even')], ['1, 3', '2'], 'values');
      },
    },
    {
      title: 'tells the address it was connected to',
      needs: 'remoteAddress',
      async run(trial) {
        const { outcome } = await trial.response((socket) => socket.write(response('x')));
        mustEqual(outcome.remoteAddress, '127.0.0.1', 'remoteAddress');
      },
    },
    ...[204, 304, 404, 410, 429, 500, 503].map(
      (status): FetcherTrial => ({
        title: `hands over a response with status ${status}`,
        async run(trial) {
          const hasBody = status !== 204 && status !== 304;
          const { outcome } = await trial.response((socket) =>
            socket.write(
              hasBody ? response('why', { status: `${status} X` }) : `HTTP/1.1 ${status} X\r\nETag: "1"\r\n\r\n`,
            ),
          );
          mustEqual([outcome.status, bodyText(outcome), outcome.truncated], [status, hasBody ? 'why' : '', null], 'it');
        },
      }),
    ),
    ...WHOLE.map(
      ([what, answer, text]): FetcherTrial => ({
        title: `hands over a whole body ${what}`,
        async run(trial) {
          const { outcome } = await trial.response(answer);
          mustEqual([bodyText(outcome), outcome.truncated], [text, null], 'body and truncated');
        },
      }),
    ),
    ...CODED.map(
      ([coding, bytes], index): FetcherTrial => ({
        title: `undoes ${coding}${index === 2 ? ' without its zlib header' : ''}`,
        async run(trial) {
          const { outcome } = await trial.response((socket) =>
            socket.write(response(Buffer.from(bytes), { headers: [`Content-Encoding: ${coding}`] })),
          );
          mustEqual([bodyText(outcome), outcome.truncated], [TEXT, null], 'body and truncated');
        },
      }),
    ),
    {
      title: 'hands over the body as it came beside the decoded one where that is asked for, and its length',
      needs: 'encodedBody',
      async run(trial) {
        for (const [coding, bytes] of [...CODED, ['identity', Buffer.from(TEXT)] as const]) {
          const { outcome } = await trial.response(
            (socket) => socket.write(response(Buffer.from(bytes), { headers: [`Content-Encoding: ${coding}`] })),
            { keepsEncoded: true },
          );
          must(Buffer.from(bytes).equals(outcome.encodedBody ?? Buffer.alloc(0)), `${coding}: other bytes than sent`);
          mustEqual(outcome.encodedBytes, bytes.length, `${coding}: encodedBytes`);
        }
      },
    },
    ...CUT.map(
      ([what, answer]): FetcherTrial => ({
        title: `says truncated: peer of a body ${what}`,
        async run(trial) {
          const { outcome } = await trial.response(answer);
          mustEqual(
            [outcome.truncated, 'abc'.startsWith(bodyText(outcome))],
            ['peer', true],
            'truncated, and its beginning',
          );
        },
      }),
    ),
    {
      title: 'says truncated: peer of a coded body that ends early, or `encoding` where nothing could be had',
      needs: 'encodedBody',
      async run(trial) {
        const text = noise(80_000);
        const whole = gzipSync(text);
        const { outcome } = await trial.get((socket) =>
          socket.write(response(whole.subarray(0, whole.length / 2), { headers: ['Content-Encoding: gzip'] })),
        );
        must(
          outcome.kind === 'response'
            ? outcome.truncated === 'connection' && text.startsWith(bodyText(outcome))
            : outcome.failure === 'encoding',
          tell(outcome),
        );
      },
    },
    {
      title: 'keeps a body of exactly the cap whole, and cuts one of a byte more',
      async run(trial) {
        const limits = { maxBodyBytes: 100 };
        const whole = await trial.response((socket) => socket.write(response('x'.repeat(100))), { limits });
        mustEqual([whole.outcome.body.length, whole.outcome.truncated], [100, null], 'exactly the cap');
        const cut = await trial.response((socket) => socket.write(response('x'.repeat(101))), { limits });
        mustEqual([cut.outcome.body.length, cut.outcome.truncated], [100, 'limit'], 'a byte more');
      },
    },
    {
      title:
        'hands a body to whoever takes it, decoded, in order, as far as it is taken; or leaves it unasked and keeps it',
      async run(trial) {
        const long = noise(300_000);
        for (const maxBytes of [1_000_000, 200_000]) {
          const taken: Uint8Array[] = [];
          let asked = 0;
          const { outcome } = await trial.response(
            (socket) => socket.write(response(gzipSync(long), { headers: ['Content-Encoding: gzip'] })),
            {
              limits: { maxBodyBytes: 400_000, maxEncodedBytes: 1_500_000 },
              consumeBody: ({ status }) => {
                asked = status;
                return { maxBytes, take: (bytes) => taken.push(bytes.slice()) };
              },
            },
          );
          if (asked === 0) {
            mustEqual([bodyText(outcome) === long, outcome.truncated], [true, null], 'the body, kept');
            continue;
          }
          const text = Buffer.concat(taken).toString();
          mustEqual([asked, outcome.body.length], [200, 0], 'status asked with, and bytes kept beside');
          mustEqual(text === long.slice(0, maxBytes), true, 'the bytes taken are the body, up to the taker’s bound');
          mustEqual(outcome.truncated, maxBytes < long.length ? 'cap' : null, 'truncated');
        }
      },
    },
    {
      title: 'cuts an endless body at the cap, and ends its connection',
      async run(trial) {
        const { outcome, server } = await trial.response((socket) => {
          socket.write(`${HEAD}\r\n`);
          writeEndlessly(socket, Buffer.alloc(64_000, 'x'));
        });
        mustEqual([outcome.body.length, outcome.truncated], [ROOMY.maxBodyBytes, 'limit'], 'length and truncated');
        must(server.written() < 50_000_000, `the server wrote ${server.written()} bytes`);
      },
    },
    {
      title: 'cuts what grows when it is decoded at the cap',
      async run(trial) {
        for (const [coding, bytes] of [
          ['gzip', gzipSync(Buffer.alloc(20_000_000))],
          ['br', brotliCompressSync(Buffer.alloc(20_000_000))],
        ] as const) {
          const { outcome } = await trial.response((socket) =>
            socket.write(response(bytes, { headers: [`Content-Encoding: ${coding}`] })),
          );
          mustEqual([outcome.body.length, outcome.truncated], [ROOMY.maxBodyBytes, 'limit'], coding);
        }
      },
    },
    {
      title: 'reads no further than the cap on the wire',
      needs: 'encodedBody',
      async run(trial) {
        const { outcome } = await trial.response(
          (socket) => {
            socket.write(`${HEAD}Content-Encoding: gzip\r\n\r\n`);
            // A member of nothing, again and again: bytes that decode to none.
            writeEndlessly(socket, gzipSync(''));
          },
          { limits: { maxEncodedBytes: 50_000 } },
        );
        mustEqual(outcome.truncated, 'limit', 'truncated');
        must(outcome.encodedBytes < 50_000 + 256 * 1024, `${outcome.encodedBytes} bytes were read`);
      },
    },
  ];
}

/** Text that no coding makes much shorter, always the same. */
function noise(chars: number): string {
  const words = Array.from({ length: chars / 4 }, (_, index) => ((index * 7_919) % 99_991).toString(36));
  return words.join(' ').slice(0, chars).padEnd(chars, '.');
}
