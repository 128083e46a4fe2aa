// What a fetcher promises when no response can be used: a value with the right word, in time.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { must, mustEqual } from './must.js';
import { type Answer, drip, response, writeEndlessly } from './raw-server.js';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.js';
import { type FetcherTrial, tell } from './trial.js';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

/** Broken answers, each with the words that tell it truly. */
const BROKEN: readonly (readonly [what: string, answer: Answer, words: readonly string[]])[] = [
  ['ends without an answer', (socket) => socket.end(), ['closed-early']],
  ['resets without an answer', (socket) => socket.resetAndDestroy(), ['reset']],
  ['ends within the header section', (socket) => socket.end(HEAD), ['closed-early']],
  ['speaks another protocol', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'), ['framing']],
  [
    'names two lengths',
    (socket) => socket.write(`${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
    ['framing'],
  ],
  [
    'names a length beside chunks',
    (socket) => socket.write(`${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    ['framing'],
  ],
  [
    'sends header lines without end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeEndlessly(socket, Buffer.from('A: b\r\n'.repeat(1_000)));
    },
    ['headers-too-large'],
  ],
  [
    'sends more fields than anybody needs',
    (socket) => socket.write(response('x', { headers: Array.from({ length: 1_200 }, (_, index) => `x-${index}:`) })),
    ['headers-too-large'],
  ],
  [
    'codes its body in a way nobody offered',
    (socket) => socket.write(response('x', { headers: ['Content-Encoding: rot13'] })),
    ['encoding'],
  ],
  [
    'says gzip of what is none',
    (socket) => socket.write(response('plain text', { headers: ['Content-Encoding: gzip'] })),
    ['encoding'],
  ],
];

const SLOW: readonly (readonly [
  what: string,
  answer: Answer,
  limits: { headersTimeoutMs?: number; requestTimeoutMs?: number },
  word: string,
])[] = [
  ['says nothing', () => undefined, { headersTimeoutMs: 200 }, 'timeout-headers'],
  [
    'sends its header section a byte at a time',
    (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n', 10),
    { headersTimeoutMs: 200 },
    'timeout-headers',
  ],
  [
    'sends its body a byte at a time',
    (socket) => {
      socket.write(`${HEAD}\r\n`);
      drip(socket, 'x', 10);
    },
    { requestTimeoutMs: 300 },
    'timeout-exchange',
  ],
  [
    'falls silent within its body',
    (socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`),
    { requestTimeoutMs: 300 },
    'timeout-exchange',
  ],
];

/** Promises about what goes wrong. */
export function failureTrials(): readonly FetcherTrial[] {
  return [
    ...BROKEN.map(
      ([what, answer, words]): FetcherTrial => ({
        title: `tells a server that ${what} as ${words.join(' or ')}`,
        async run(trial) {
          const { outcome } = await trial.failure(answer);
          must(words.includes(outcome.failure), `it was told as ${tell(outcome)}`);
          must(outcome.wasSent, 'the request had left: wasSent must say so');
        },
      }),
    ),
    ...SLOW.map(
      ([what, answer, limits, word]): FetcherTrial => ({
        title: `ends with ${word} when a server ${what}`,
        async run(trial) {
          const startedAt = performance.now();
          const { outcome } = await trial.failure(answer, { limits });
          const tookMs = performance.now() - startedAt;
          mustEqual(outcome.failure, word, 'failure');
          const deadlineMs = Math.min(limits.headersTimeoutMs ?? Infinity, limits.requestTimeoutMs ?? Infinity);
          must(tookMs >= deadlineMs - 5, `it ended after ${tookMs} ms, before its deadline of ${deadlineMs} ms`);
        },
      }),
    ),
    {
      title: 'tells a port at which nobody listens as refused, and as not sent',
      async run(trial) {
        const server = await trial.serve(() => undefined);
        await server.close();
        const outcome = await trial.fetch(`${server.origin}/`);
        must(outcome?.kind === 'failed' && outcome.failure === 'refused' && !outcome.wasSent, tell(outcome));
      },
    },
    {
      title: 'sends nothing to a server whose certificate nobody vouches for',
      async run(trial) {
        let bytes = 0;
        const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => {
          socket.on('data', (chunk) => {
            bytes += chunk.length;
          });
          socket.on('error', () => socket.destroy());
        });
        server.on('tlsClientError', () => undefined);
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const { port } = server.address() as AddressInfo;
        const outcome = await trial.fetch(`https://127.0.0.1:${port}/`);
        await new Promise<void>((resolve) => server.close(() => resolve()));
        must(outcome?.kind === 'failed' && outcome.failure === 'tls' && !outcome.wasSent, tell(outcome));
        mustEqual(bytes, 0, 'bytes that reached it');
      },
    },
    {
      title: 'serves the next request after every kind of failure',
      async run(trial) {
        const server = await trial.serve((socket, _head, index) => {
          if (index % 2 === 0) socket.resetAndDestroy();
          else socket.write(response('well'));
        });
        for (let round = 0; round < 3; round += 1) {
          must((await trial.fetch(`${server.origin}/`))?.kind === 'failed', 'the reset must be a failure');
          const next = await trial.fetch(`${server.origin}/`);
          must(next?.kind === 'response', tell(next));
        }
      },
    },
  ];
}
