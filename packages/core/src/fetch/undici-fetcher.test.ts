// Whatever a server sends or does not send, an exchange ends once, within its bounds, with a correct value. If this
// breaks, one server stops a crawl, or half a page counts as a page.

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fetchRequest, TEST_LIMITS } from '../../test-support/fetch-request.js';
import { fetcher, HEAD, send, sendAndEnd, serve } from '../../test-support/raw-fetcher.js';
import {
  type Answer,
  drip,
  listenRaw,
  type RawServer,
  response,
  writeAndReset,
  writeEndlessly,
} from '../fetcher-conformance/raw-server.js';
import { encodedLimit } from './body.js';
import type { FetchLimits } from './fetcher.js';
import { MAX_HEADER_BYTES } from './limits.js';
import type { FetchOutcome } from './outcome.js';

async function get(
  answer: Answer,
  limits: Partial<FetchLimits> = {},
): Promise<{ outcome: FetchOutcome; server: RawServer }> {
  const server = await serve(answer);
  const outcome = await fetcher().fetch(fetchRequest(`${server.origin}/a?b=c`, { limits }));
  if (outcome === null) throw new Error('mayStart said yes');
  return { outcome, server };
}

const sendAndReset =
  (part: string): Answer =>
  (socket) =>
    writeAndReset(socket, part);

it('reports the local address of its socket before anything is sent', async () => {
  const server = await serve(() => undefined);
  const reports: unknown[] = [];
  const mayStart = (localAddress?: string | null) => reports.push(localAddress) < 0;
  expect(await fetcher().fetch(fetchRequest(`${server.origin}/`, { mayStart }))).toBeNull();
  expect(reports).toEqual(['127.0.0.1']);
});

describe('a response', () => {
  it('has its status line, its header lines in order and as sent, its body, address and timings', async () => {
    const before = Date.now();
    const { outcome, server } = await get(
      send(
        response('<p>hi', { status: '203 Fine By Me', headers: ['X-B: 1', 'set-cookie: a=1', 'Set-Cookie: b=\xff'] }),
      ),
    );
    expect(outcome).toMatchObject({
      kind: 'response',
      url: `${server.origin}/a?b=c`,
      status: 203,
      statusText: 'Fine By Me',
      headers: [
        ['Content-Length', '5'],
        ['X-B', '1'],
        ['set-cookie', 'a=1'],
        ['Set-Cookie', 'b=\xff'],
      ],
      truncated: null,
      encodedBytes: 5,
      remoteAddress: '127.0.0.1',
    });
    if (outcome.kind === 'response') expect(Buffer.from(outcome.body).toString()).toBe('<p>hi');
    const { startedAtMs, headersAtMs, endedAtMs } = outcome.timing;
    const stamps = [before, startedAtMs, headersAtMs ?? 0, endedAtMs, Date.now()];
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
  });

  it('is requested with the given headers and those that the protocol requires, and no others', async () => {
    const { server } = await get(send(response('x')));
    expect(server.requests).toEqual([
      `GET /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\nUser-Agent: bot/1.0 (+https://example.org/bot)`,
    ]);
  });

  const WHOLE: readonly (readonly [what: string, answer: Answer, status: number, body: string])[] = [
    ['chunked', send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n`), 200, 'abcde'],
    ['without a length, ended by the connection', sendAndEnd(`${HEAD}\r\nabc`), 200, 'abc'],
    ['in HTTP/1.0', sendAndEnd('HTTP/1.0 200 OK\r\n\r\nabc'), 200, 'abc'],
    ['204', send('HTTP/1.1 204 No Content\r\n\r\n'), 204, ''],
    ['304 with a length', send('HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n'), 304, ''],
    ['302, not followed', send(response('', { status: '302 Found', headers: ['Location: /b'] })), 302, ''],
    ['500', send(response('oops', { status: '500 No' })), 500, 'oops'],
    ['after 103', send('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', response('abc')), 200, 'abc'],
    ['gzip', send(response(gzipSync('zipped'), { headers: ['Content-Encoding: gzip'] })), 200, 'zipped'],
    [
      'gzip, br in two lines',
      send(
        response(brotliCompressSync(gzipSync('both')), { headers: ['content-encoding: gzip', 'Content-Encoding: br'] }),
      ),
      200,
      'both',
    ],
    ['an empty body that claims gzip', send(response('', { headers: ['Content-Encoding: gzip'] })), 200, ''],
    ['no body, length 0', send(response('')), 200, ''],
    ['a status line without a reason', send('HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx'), 200, 'x'],
    [
      'byte by byte',
      (socket) => {
        for (const byte of response('slow')) socket.write(Buffer.from([byte]));
      },
      200,
      'slow',
    ],
  ];
  it.each(WHOLE)('%s is complete', async (_what, answer, status, body) => {
    const { outcome, server } = await get(answer);
    expect(outcome).toMatchObject({ kind: 'response', status, truncated: null });
    if (outcome.kind === 'response') expect(Buffer.from(outcome.body).toString()).toBe(body);
    expect(server.requests).toHaveLength(1);
  });

  const CUT: readonly (readonly [what: string, answer: Answer, body: string])[] = [
    ['shorter than its length', sendAndEnd(`${HEAD}Content-Length: 10\r\n\r\nabc`), 'abc'],
    [
      'shorter than its length, with close',
      sendAndEnd(`${HEAD}Connection: close\r\nContent-Length: 10\r\n\r\nabc`),
      'abc',
    ],
    ['ended before its last chunk', sendAndEnd(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`), 'abc'],
    [
      'ended inside a chunk',
      sendAndEnd(`${HEAD}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n9\r\nabc`),
      'abc',
    ],
    ['reset on the way', sendAndReset(`${HEAD}Content-Length: 10\r\n\r\nabc`), 'abc'],
    ['without a length, ended by a reset', sendAndReset(`${HEAD}\r\nabc`), 'abc'],
    [
      'a gzip stream that ends early',
      send(response(gzipSync('x'.repeat(9)).subarray(0, -9), { headers: ['Content-Encoding: gzip'] })),
      'x'.repeat(9),
    ],
  ];
  it.each(CUT)('%s is reported as cut by the server', async (_what, answer, body) => {
    const { outcome } = await get(answer);
    expect(outcome).toMatchObject({ kind: 'response', truncated: 'connection' });
    if (outcome.kind === 'response') expect(body.startsWith(Buffer.from(outcome.body).toString())).toBe(true);
  });
});

describe('a failure', () => {
  const BROKEN: readonly (readonly [what: string, answer: Answer, failure: string])[] = [
    ['no answer at all', (socket) => socket.end(), 'closed-early'],
    ['half a header section', sendAndEnd('HTTP/1.1 200 OK\r\nContent-'), 'closed-early'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'reset'],
    ['another protocol', send('SSH-2.0-OpenSSH_9.2\r\n'), 'framing'],
    ['a status that is no number', send('HTTP/1.1 abc OK\r\n\r\n'), 'framing'],
    ['two lengths', send(`${HEAD}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`), 'framing'],
    ['a negative length', send(`${HEAD}Content-Length: -3\r\n\r\nabc`), 'framing'],
    [
      'a length and chunks',
      send(`${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
      'framing',
    ],
    ['a chunk size that is no number', send(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n`), 'framing'],
    ['a field without a colon', send('HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'), 'framing'],
    [
      'an upgrade that was not requested',
      send('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'framing',
    ],
    ['100 that was not requested', send('HTTP/1.1 100 Continue\r\n\r\n', response('x')), 'framing'],
    [
      'a header section past its bound',
      send(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(MAX_HEADER_BYTES)}\r\n\r\n`),
      'headers-too-large',
    ],
    [
      'endless header lines',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        writeEndlessly(socket, Buffer.from('A: b\r\n'.repeat(1_000)));
      },
      'headers-too-large',
    ],
    ['a coding that was not offered', send(response('x', { headers: ['Content-Encoding: zstd'] })), 'encoding'],
    ['a coding it is not', send(response('plain', { headers: ['Content-Encoding: gzip'] })), 'encoding'],
  ];
  it.each(BROKEN)('%s → %s', async (_what, answer, failure) => {
    const { outcome, server } = await get(answer);
    expect(outcome).toMatchObject({ kind: 'failed', failure: failure ?? '', wasSent: true });
    // The fetcher itself never retries.
    expect(server.requests).toHaveLength(1);
    expect(server.connections()).toBe(1);
  });

  const SLOW: readonly (readonly [what: string, answer: Answer, limits: Partial<FetchLimits>, failure: string])[] = [
    ['silence', () => undefined, { headersTimeoutMs: 80 }, 'timeout-headers'],
    [
      'headers that drip',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n'),
      { headersTimeoutMs: 80 },
      'timeout-headers',
    ],
    [
      'interim responses without end',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
      { headersTimeoutMs: 80 },
      'timeout-headers',
    ],
    [
      'a body that drips',
      (socket) => {
        socket.write(`${HEAD}\r\n`);
        drip(socket, 'x');
      },
      { requestTimeoutMs: 120 },
      'timeout-exchange',
    ],
    [
      'a coded body that drips',
      (socket) => {
        socket.write(`${HEAD}Content-Encoding: gzip\r\n\r\n`);
        drip(socket, gzipSync('x'.repeat(50)).toString('latin1'));
      },
      { requestTimeoutMs: 120 },
      'timeout-exchange',
    ],
    ['a body that stops', send(`${HEAD}Content-Length: 10\r\n\r\nabc`), { requestTimeoutMs: 120 }, 'timeout-exchange'],
    [
      'silence, with both deadlines the same',
      () => undefined,
      { headersTimeoutMs: 80, requestTimeoutMs: 80 },
      'timeout-exchange',
    ],
  ];
  it.each(SLOW)('%s ends at its deadline', async (_what, answer, limits, failure) => {
    const started = performance.now();
    const { outcome, server } = await get(answer, limits);
    expect(outcome).toMatchObject({ kind: 'failed', failure });
    const deadline = limits.headersTimeoutMs ?? limits.requestTimeoutMs ?? 0;
    expect(performance.now() - started).toBeGreaterThanOrEqual(deadline - 2);
    expect(server.connections()).toBe(1);
  });

  it('a port without a listener is refused', async () => {
    const server = await listenRaw(() => undefined);
    await server.close();
    const outcome = await fetcher().fetch(fetchRequest(`${server.origin}/`));
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'refused', wasSent: false });
  });

  it('a TLS connection to a plain http server is a TLS failure', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.requests.length = 0;
    const outcome = await fetcher().fetch(
      fetchRequest(`https://127.0.0.1:${server.port}/`, { limits: { connectTimeoutMs: 300 } }),
    );
    expect(outcome?.kind).toBe('failed');
    expect(server.requests).toEqual([]);
  });

  it('a connection that is not open in time ends at the connect deadline', async () => {
    // The server accepts the connection and sends nothing: TLS never completes.
    const server = await serve(() => undefined);
    const outcome = await fetcher().fetch(
      fetchRequest(`https://127.0.0.1:${server.port}/`, { limits: { connectTimeoutMs: 80 } }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'timeout-connect', wasSent: false });
  });

  it.each([['ftp://127.0.0.1/'], ['nonsense']])('%s is a value too', async (url) => {
    expect(await fetcher().fetch(fetchRequest(url))).toMatchObject({ kind: 'failed', failure: 'scheme-unsupported' });
  });
});

describe('limits', () => {
  const endless =
    (head: string, piece: Buffer): Answer =>
    (socket) => {
      socket.write(`${HEAD}${head}\r\n`);
      writeEndlessly(socket, piece);
    };

  it('an endless body is cut at the limit', async () => {
    const { outcome } = await get(endless('', Buffer.alloc(64_000, 'x')));
    expect(outcome).toMatchObject({ kind: 'response', truncated: 'limit' });
    if (outcome.kind === 'response') {
      expect(outcome.body.length).toBe(TEST_LIMITS.maxBodyBytes);
      expect(outcome.encodedBytes).toBeLessThanOrEqual(TEST_LIMITS.maxBodyBytes + 64 * 1024);
    }
  });

  it('an endless chunked body is cut at the limit', async () => {
    const { outcome } = await get(
      endless('Transfer-Encoding: chunked\r\n', Buffer.from(`400\r\n${'x'.repeat(1024)}\r\n`)),
    );
    expect(outcome).toMatchObject({ kind: 'response', truncated: 'limit' });
  });

  it('a body of exactly the limit is complete, and one byte more is cut', async () => {
    expect((await get(send(response('x'.repeat(100))), { maxBodyBytes: 100 })).outcome).toMatchObject({
      truncated: null,
    });
    expect((await get(send(response('x'.repeat(101))), { maxBodyBytes: 100 })).outcome).toMatchObject({
      truncated: 'limit',
    });
  });

  const zeros = gzipSync(Buffer.alloc(50_000_000));
  it.each([
    ['gzip', zeros, 'gzip'],
    ['gzip in gzip', gzipSync(zeros), 'gzip, gzip'],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000)), 'br'],
  ])('a bomb (%s) is cut at the decoded limit', async (_what, body, coding) => {
    const { outcome } = await get(send(response(body, { headers: [`Content-Encoding: ${coding}`] })));
    expect(outcome).toMatchObject({ kind: 'response', truncated: 'limit' });
    if (outcome.kind === 'response') expect(outcome.body.length).toBe(TEST_LIMITS.maxBodyBytes);
  });

  it('an endless bomb is cut while it arrives', async () => {
    const limits = { maxBodyBytes: 2_000_000, maxEncodedBytes: encodedLimit(2_000_000) };
    const { outcome } = await get(endless('Content-Encoding: gzip\r\n', zeros), limits);
    expect(outcome).toMatchObject({ kind: 'response', truncated: 'limit' });
    if (outcome.kind === 'response') expect(outcome.encodedBytes).toBeLessThan(limits.maxEncodedBytes + 128 * 1024);
  });

  it('holds neither a bomb nor an endless body in memory', async () => {
    const limits = { maxBodyBytes: 10_000_000, maxEncodedBytes: encodedLimit(10_000_000) };
    const before = process.memoryUsage();
    const held: FetchOutcome[] = [];
    for (let round = 0; round < 3; round += 1) {
      held.push((await get(endless('Content-Encoding: gzip\r\n', zeros), limits)).outcome);
    }
    const after = process.memoryUsage();
    expect(held.every((outcome) => outcome.kind === 'response' && outcome.body.length === 10_000_000)).toBe(true);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(100_000_000);
  });
});

describe('a body whose decoding can wait', () => {
  it('is decoded after the caller’s turn, and the exchange has ended before', async () => {
    const server = await serve(
      (socket) => void socket.write(response(gzipSync('hello'), { headers: ['Content-Encoding: gzip'] })),
    );
    let turnAtMs = 0;
    const beforeDecoding = async (): Promise<void> => {
      await new Promise((done) => setTimeout(done, 30));
      turnAtMs = Date.now();
    };
    const outcome = await fetcher().fetch(fetchRequest(server.origin, { beforeDecoding }));
    expect(Buffer.from((outcome as { body: Uint8Array }).body).toString()).toBe('hello');
    expect(turnAtMs).toBeGreaterThan(outcome?.timing.endedAtMs ?? Number.POSITIVE_INFINITY);
  });

  it('is a failure if the turn fails', async () => {
    const server = await serve((socket) => void socket.write(response('hello')));
    const beforeDecoding = () => Promise.reject(new Error('no turn'));
    const outcome = await fetcher().fetch(fetchRequest(server.origin, { beforeDecoding }));
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'internal', detail: 'no turn' });
  });
});
