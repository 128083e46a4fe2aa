// What a fetcher guarantees if no response can be used: a value with the right code, in time.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { FailureCode } from '../fetch/outcome.js';
import { assert, assertEqual } from './assert.js';
import { assertFailure, assertResponse, type FetcherTest, summary, test } from './fetcher-test.js';
import { type Answer, CHUNKED, drip, HEAD, replying, response, sending, writeEndlessly } from './raw-server.js';

// A key and a self-signed certificate for TLS on loopback: for `secure.test` and 127.0.0.1, 2020 to 2119. Only a test
// that receives this certificate trusts it.

/** The private key, PEM. Public, because it is printed here. */
export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr1ypJqvjIpvDfYwU
n+70nMSST4IoFMlYzRa12Pqp7sahRANCAAQiygoDoS7cELRlIrWd5viai6vN5F3w
6NOCeDp1vkIpCYTnOgcp4tOF6+KkhtH9IhkicsxRuOaKpfDrbftFxfXn
-----END PRIVATE KEY-----
`;

/** The certificate, PEM. */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtzZWN1cmUu
dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLc2VjdXJlLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQiygoDoS7c
ELRlIrWd5viai6vN5F3w6NOCeDp1vkIpCYTnOgcp4tOF6+KkhtH9IhkicsxRuOaK
pfDrbftFxfXno1AwTjAPBgNVHRMBAf8EBTADAQH/MBwGA1UdEQQVMBOCC3NlY3Vy
ZS50ZXN0hwR/AAABMB0GA1UdDgQWBBQuCVR7y8G0hiLGANIgqWtpdEX5nTAKBggq
hkjOPQQDAgNIADBFAiEAxzYQ2j0QzvdpXsRqzxBrte6h0T7k0JJD6D54YtV9w+oC
IFwwqI3CKSefgQRtR2G2gkRLJK+76gj+oRUeoKKX8h9G
-----END CERTIFICATE-----
`;

const MANY_FIELDS = Array.from({ length: 1_200 }, (_, index) => `x-${index}:`);

const endlessHeaders: Answer = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  writeEndlessly(socket, Buffer.from('A: b\r\n'.repeat(1_000)));
};
const drippingHeaders: Answer = (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n');
const drippingBody: Answer = (socket) => {
  socket.write(`${HEAD}\r\n`);
  drip(socket, 'x');
};

const BROKEN_SERVERS: readonly (readonly [what: string, answer: Answer, code: FailureCode])[] = [
  ['ends without an answer', (socket) => socket.end(), 'closed-early'],
  ['resets without an answer', (socket) => socket.resetAndDestroy(), 'reset'],
  ['ends within the header section', (socket) => socket.end(HEAD), 'closed-early'],
  ['speaks another protocol', sending('SSH-2.0-OpenSSH_9.2\r\n'), 'framing'],
  ['names two lengths', sending(`${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`), 'framing'],
  [
    'names a length and chunks',
    sending(`${CHUNKED.replace(HEAD, `${HEAD}Content-Length: 3\r\n`)}3\r\nabc\r\n0\r\n\r\n`),
    'framing',
  ],
  ['sends header lines without end', endlessHeaders, 'headers-too-large'],
  ['sends too many header fields', replying('x', { headers: MANY_FIELDS }), 'headers-too-large'],
  ['codes its body in a way that was not offered', replying('x', { headers: ['Content-Encoding: rot13'] }), 'encoding'],
  ['declares gzip for a body that is not', replying('text', { headers: ['Content-Encoding: gzip'] }), 'encoding'],
];

/** Each must end at this deadline, milliseconds. */
const DEADLINES = { 'timeout-headers': 200, 'timeout-exchange': 300 } as const;

const SLOW_SERVERS: readonly (readonly [what: string, answer: Answer, code: keyof typeof DEADLINES])[] = [
  ['says nothing', () => undefined, 'timeout-headers'],
  ['sends its header section a byte at a time', drippingHeaders, 'timeout-headers'],
  ['sends its body a byte at a time', drippingBody, 'timeout-exchange'],
  ['falls silent within its body', sending(`${HEAD}Content-Length: 10\r\n\r\nabc`), 'timeout-exchange'],
];

export const FAILURE_TESTS: readonly FetcherTest[] = [
  ...BROKEN_SERVERS.map(([what, answer, code]) =>
    test(`reports a server that ${what} as ${code}`, async (t) => {
      assertFailure((await t.get(answer)).outcome, code, true, `an exchange with a server that ${what}`);
    }),
  ),
  ...SLOW_SERVERS.map(([what, answer, code]) =>
    test(`ends with ${code} when a server ${what}`, async (t) => {
      const deadlineMs = DEADLINES[code];
      const limit = code === 'timeout-headers' ? 'headersTimeoutMs' : 'requestTimeoutMs';
      const { outcome } = await t.get(answer, { limits: { [limit]: deadlineMs } });
      assertFailure(outcome, code, true, `an exchange with a server that ${what}`);
      const tookMs = outcome.timing.endedAtMs - outcome.timing.startedAtMs;
      const isInTime = tookMs >= deadlineMs - 5;
      const expected = `must last until its deadline, ${deadlineMs} ms`;
      assert(isInTime, `by its \`timing\`, the exchange ${expected}; it ended after ${tookMs} ms`);
    }),
  ),
  test('reports a port without a listener as refused, and as not sent', async (t) => {
    const server = await t.serve(() => undefined);
    await server.close();
    assertFailure(await t.fetch(`${server.origin}/`), 'refused', false, 'a request to a port without a listener');
  }),
  test('sends nothing to a server whose certificate is not trusted', async (t) => {
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
    const outcome = await t.fetch(`https://127.0.0.1:${port}/`);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    assertFailure(outcome, 'tls', false, 'a request to a server whose certificate is not trusted');
    assertEqual(bytes, 0, 'bytes that reached the server');
  }),
  test('sends the next request after every kind of failure', async (t) => {
    const server = await t.serve((socket, _head, index) => {
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.write(response('well'));
    });
    for (let round = 0; round < 3; round += 1) {
      const reset = await t.fetch(`${server.origin}/`);
      assert(reset?.kind === 'failed', `a request that the server resets must fail; it ended as ${summary(reset)}`);
      assertResponse(await t.fetch(`${server.origin}/`));
    }
  }),
];
