// What a fetcher guarantees if no response can be used: a value with the right code, in time.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { FetchLimits } from '../fetch/fetcher.js';
import type { FailureCode } from '../fetch/outcome.js';
import { assert, assertEqual } from './assert.js';
import { assertFailure, type FetcherTest, summary, test } from './fetcher-test.js';
import { type Answer, drip, replying, response, sending, writeEndlessly } from './raw-server.js';

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

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const CUT_SHORT = `${HEAD}Content-Length: 10\r\n\r\nabc`;
const MANY_FIELDS = Array.from({ length: 1_200 }, (_, index) => `x-${index}:`);

const endlessHeaders: Answer = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  writeEndlessly(socket, Buffer.from('A: b\r\n'.repeat(1_000)));
};
const drippingHeaders: Answer = (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n', 10);
const drippingBody: Answer = (socket) => {
  socket.write(`${HEAD}\r\n`);
  drip(socket, 'x', 10);
};

const BROKEN_SERVERS: readonly (readonly [what: string, answer: Answer, code: FailureCode])[] = [
  ['ends without an answer', (socket) => socket.end(), 'closed-early'],
  ['resets without an answer', (socket) => socket.resetAndDestroy(), 'reset'],
  ['ends within the header section', (socket) => socket.end(HEAD), 'closed-early'],
  ['speaks another protocol', sending('SSH-2.0-OpenSSH_9.2\r\n'), 'framing'],
  ['names two lengths', sending(`${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`), 'framing'],
  ['names a length and chunks', sending(`${HEAD}Content-Length: 3\r\n${CHUNKED}3\r\nabc\r\n0\r\n\r\n`), 'framing'],
  ['sends header lines without end', endlessHeaders, 'headers-too-large'],
  ['sends too many header fields', replying('x', { headers: MANY_FIELDS }), 'headers-too-large'],
  ['codes its body in a way that was not offered', replying('x', { headers: ['Content-Encoding: rot13'] }), 'encoding'],
  ['declares gzip for a body that is not', replying('text', { headers: ['Content-Encoding: gzip'] }), 'encoding'],
];

const SLOW_SERVERS: readonly (readonly [
  what: string,
  answer: Answer,
  limits: Partial<FetchLimits>,
  code: FailureCode,
])[] = [
  ['says nothing', () => undefined, { headersTimeoutMs: 200 }, 'timeout-headers'],
  ['sends its header section a byte at a time', drippingHeaders, { headersTimeoutMs: 200 }, 'timeout-headers'],
  ['sends its body a byte at a time', drippingBody, { requestTimeoutMs: 300 }, 'timeout-exchange'],
  ['falls silent within its body', sending(CUT_SHORT), { requestTimeoutMs: 300 }, 'timeout-exchange'],
];

export const FAILURE_TESTS: readonly FetcherTest[] = [
  ...BROKEN_SERVERS.map(([what, answer, code]) =>
    test(`reports a server that ${what} as ${code}`, async (t) => {
      assertFailure((await t.get(answer)).outcome, code, true, `an exchange with a server that ${what}`);
    }),
  ),
  ...SLOW_SERVERS.map(([what, answer, limits, code]) =>
    test(`ends with ${code} when a server ${what}`, async (t) => {
      const startedAt = performance.now();
      const { outcome } = await t.get(answer, { limits });
      const tookMs = performance.now() - startedAt;
      assertFailure(outcome, code, true, `an exchange with a server that ${what}`);
      const deadlineMs = Math.min(limits.headersTimeoutMs ?? Infinity, limits.requestTimeoutMs ?? Infinity);
      assert(
        tookMs >= deadlineMs - 5,
        `the exchange must last until its deadline, ${deadlineMs} ms; it ended after ${tookMs} ms`,
      );
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
      const next = await t.fetch(`${server.origin}/`);
      assert(next?.kind === 'response', `the next request must end as a response; it ended as ${summary(next)}`);
    }
  }),
];
