// Every request goes through egress: with the crawl's identity, to a judged address, if second lock and frontier agree.
// If this breaks, a forbidden request is sent, or one that does not identify the crawler.

import type { HostRequirements, StartAnswer, Work } from '@mannerly/frontier';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, listenRaw, type RawServer, response, writeEndlessly } from '../fetcher-conformance/raw-server.js';
import { ROBOTS_BODY_BYTES } from '../limits.js';
import type { RequestRecord } from '../report/decision.js';
import { createAddressGuard } from './address-guard.js';
import { ACCEPT_ENCODING } from './content-coding.js';
import { Egress } from './egress.js';
import type { EgressRequest } from './egress-request.js';
import { checkedFetcher } from './fetch-call.js';
import { ALL_CAPABILITIES, type Fetcher } from './fetcher.js';
import { resolveIdentity } from './identity.js';
import { RequestLimiter } from './request-limiter.js';
import { createUndiciFetcher } from './undici-fetcher.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface TestEgress {
  readonly server: RawServer;
  readonly egress: Egress;
  readonly records: RequestRecord[];
  readonly calls: string[];
  send(path: string, more?: TestRequest): ReturnType<Egress['send']>;
}

/** A request, with what the frontier hands out and says about it. */
type TestRequest = Partial<EgressRequest> & {
  readonly host?: string;
  readonly requirements?: HostRequirements;
  readonly mayStart?: () => StartAnswer;
};

const NOTHING: HostRequirements = { crawlDelayMs: null, requestIntervalMs: null, bucket: null };
const GO: StartAnswer = { kind: 'go' };
const NO_JOURNAL = { request: () => undefined, hookError: () => undefined, warning: () => undefined };

/** A frontier that lets every request start, except where a test has another answer. */
function createGate() {
  const answers = new Map<Work, () => StartAnswer>();
  return {
    mayConnect: async () => GO,
    mayStart: (work: Work) => answers.get(work)?.() ?? GO,
    workOf(url: string, { host = 'a.example', requirements = NOTHING, mayStart }: TestRequest): Work {
      const record = { url, from: null };
      const work = { kind: 'page', url, record, lease: { host, requirements }, robots: null } as unknown as Work;
      if (mayStart !== undefined) answers.set(work, mayStart);
      return work;
    },
  };
}

async function open(
  answer: Answer,
  more: {
    contact?: string;
    allowAddresses?: readonly string[];
    resolve?: (name: string) => Promise<readonly string[]>;
    fetch?: Fetcher['fetch'];
  } = {},
): Promise<TestEgress> {
  const server = await listenRaw(answer);
  const ours = createUndiciFetcher();
  const fetcher = { ...ours, fetch: more.fetch ?? ours.fetch };
  const records: RequestRecord[] = [];
  const calls: string[] = [];
  const resolve = (name: string): Promise<readonly string[]> => {
    calls.push(name);
    return more.resolve?.(name) ?? Promise.resolve(['127.0.0.1']);
  };
  const frontier = createGate();
  const egress = new Egress({
    fetcher,
    frontier,
    identity: resolveIdentity({ name: 'tide', contact: more.contact ?? 'https://example.org/bot' }),
    guard: createAddressGuard({
      allowAddresses: more.allowAddresses ?? ['127.0.0.0/8'],
      ports: [],
      resolve,
      nowMs: Date.now,
    }),
    limiter: new RequestLimiter(null),
    network: { connectTimeoutMs: 60_000, headersTimeoutMs: 60_000, requestTimeoutMs: 60_000, maxBodyBytes: 50_000 },
    nowMs: Date.now,
    journal: { ...NO_JOURNAL, request: (record) => void records.push(record) },
  });
  closing.push(
    () => server.close(),
    () => fetcher.close(),
    () => egress.close(),
  );
  return {
    server,
    egress,
    records,
    calls,
    send: (path, request = {}) => {
      const url = path.startsWith('/') ? `http://a.example:${server.port}${path}` : path;
      const work = frontier.workOf(url, request);
      return egress.send({ work, purpose: 'page', signal: new AbortController().signal, ...request });
    },
  };
}

const ok: Answer = (socket) => socket.write(response('<p>hi'));

describe('a request that is sent', () => {
  it('has the name, the contact and the purpose, and no browser’s fields', async () => {
    const { server, send } = await open(ok, { contact: 'ann@example.org' });
    await send('/a');
    await send('/robots.txt', { purpose: 'robots', headers: { 'If-None-Match': '"x"' } });
    expect(server.requests).toEqual([
      [
        'GET /a HTTP/1.1',
        `host: a.example:${server.port}`,
        'connection: keep-alive',
        'User-Agent: tide/1.0 (+ann@example.org)',
        'From: ann@example.org',
        'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        `Accept-Encoding: ${ACCEPT_ENCODING}`,
      ].join('\r\n'),
      [
        'GET /robots.txt HTTP/1.1',
        `host: a.example:${server.port}`,
        'connection: keep-alive',
        'User-Agent: tide/1.0 (+ann@example.org)',
        'From: ann@example.org',
        'Accept: text/plain, */*;q=0.5',
        `Accept-Encoding: ${ACCEPT_ENCODING}`,
        'If-None-Match: "x"',
      ].join('\r\n'),
    ]);
  });

  it('never has credentials or the fragment of the URL, or fields that the caller may not set', async () => {
    const { server, send } = await open(ok);
    const outcome = await send(`http://user:secret@a.example:${server.port}/a?b#c`, {
      headers: {
        'user-agent': 'Mozilla/5.0',
        Cookie: 'a=b',
        AUTHORIZATION: 'Basic x',
        Host: 'b.example',
        Referer: '/',
        accept: 'x/y',
      },
    });
    expect(outcome).toMatchObject({ kind: 'response', url: `http://a.example:${server.port}/a?b` });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toContain('GET /a?b HTTP/1.1');
    expect(server.requests[0]).toContain('Accept: x/y');
    expect(server.requests[0]).not.toMatch(/secret|Mozilla|cookie|authorization|b\.example|referer|dXNlc/i);
  });

  it('is logged once, with its times, its gap and what the host asked for', async () => {
    const { records, send } = await open(ok);
    await send('/a');
    await send('/b', { requirements: { ...NOTHING, crawlDelayMs: 20 } });
    expect(records).toHaveLength(2);
    const [first, second] = records;
    expect(first).toMatchObject({
      host: 'a.example',
      purpose: 'page',
      status: 200,
      failure: null,
      encodedBytes: 5,
      gapMs: null,
    });
    expect(first).toMatchObject({
      userAgent: 'tide/1.0 (+https://example.org/bot)',
      remoteAddress: '127.0.0.1',
      crawlDelayMs: null,
    });
    expect(second).toMatchObject({ crawlDelayMs: 20, gapMs: (second?.startedAtMs ?? 0) - (first?.endedAtMs ?? 0) });
  });

  it('has its own limit for robots.txt, one byte more than the reader reads', async () => {
    const { send } = await open((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      writeEndlessly(socket, Buffer.alloc(64_000, 'x'));
    });
    const robots = await send('/robots.txt', { purpose: 'robots' });
    expect(robots).toMatchObject({ kind: 'response', truncated: 'limit' });
    if (robots.kind === 'response') expect(robots.body.length).toBe(ROBOTS_BODY_BYTES);
    const page = await send('/page');
    if (page.kind === 'response') expect(page.body.length).toBe(50_000);
  });
});

describe('a request that is not sent', () => {
  it.each([
    ['http://10.0.0.1/', 'address-forbidden'],
    ['http://[::ffff:127.0.0.1]/', 'address-forbidden'],
    ['ftp://a.example/', 'scheme-unsupported'],
    ['relative', 'scheme-unsupported'],
    ['http://93.184.215.14:8080/', 'port-forbidden'],
  ])('%s: %s, without a connection or a record', async (url, failure) => {
    const { server, records, send } = await open(ok);
    let calls = 0;
    const mayStart = (): StartAnswer => {
      calls += 1;
      return GO;
    };
    const outcome = await send(url, { purpose: 'handler', mayStart });
    expect(outcome).toMatchObject({ kind: 'failed', failure, wasSent: false });
    expect([calls, server.connections(), records.length]).toEqual([0, 0, 0]);
  });

  it.each(['page', 'robots', 'sitemap', 'data-txt', 'well-known', 'handler'] as const)(
    'as %s to a name with an internal address, does not reach the server there',
    async (purpose) => {
      const { server, send } = await open(ok, { allowAddresses: ['127.0.0.2/32'] });
      for (const host of ['inside.example', 'localhost', '127.0.0.1', '127.1', '0x7f000001', '[::1]', 'localhost.']) {
        const outcome = await send(`http://${host}:${server.port}/`, { purpose });
        expect(outcome).toMatchObject({ kind: 'failed', failure: 'address-forbidden' });
      }
      expect(server.connections()).toBe(0);
    },
  );

  it('is refused if a name changes between judging and connecting (rebinding)', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.9'], ['10.0.0.1']];
    const { calls, send } = await open(ok, { resolve: () => Promise.resolve(answers.shift() ?? []) });
    for (const path of ['/1', '/2', '/3']) expect(await send(path)).toMatchObject({ remoteAddress: '127.0.0.1' });
    expect(calls).toEqual(['a.example']);
  });

  it.each([
    [{ kind: 'wait', untilMs: 123 } as const, 123],
    [{ kind: 'lost' } as const, null],
  ])('when the frontier says %j', async (said, untilMs) => {
    const { server, records, send } = await open(ok);
    expect(await send('/', { mayStart: () => said })).toEqual({ kind: 'not-sent', untilMs });
    expect([server.requests.length, records.length]).toEqual([0, 0]);
  });

  it('when the second lock says wait, even if the frontier says go', async () => {
    const { server, records, send } = await open(ok);
    const requirements = { ...NOTHING, crawlDelayMs: 5_000 };
    expect(await send('/1', { requirements })).toMatchObject({ kind: 'response' });
    let calls = 0;
    const mayStart = (): StartAnswer => {
      calls += 1;
      return GO;
    };
    const second = await send('/2', { requirements, mayStart });
    expect(second).toEqual({ kind: 'not-sent', untilMs: (records[0]?.endedAtMs ?? 0) + 5_000 });
    expect([server.requests.length, calls]).toEqual([1, 0]);
  });

  it('starts no wait at the second lock', async () => {
    const { send } = await open(ok);
    const requirements = { ...NOTHING, crawlDelayMs: 5_000 };
    await send('/1', { requirements, mayStart: () => ({ kind: 'wait', untilMs: 1 }) });
    expect(await send('/1', { requirements })).toMatchObject({ kind: 'response' });
  });
});

describe('failures', () => {
  it('of a resolver are values', async () => {
    const { send } = await open(ok, { resolve: () => Promise.reject(new Error('SERVFAIL')) });
    expect(await send('/')).toMatchObject({ kind: 'failed', failure: 'dns', detail: 'SERVFAIL' });
  });

  const timing = { startedAtMs: 1, headersAtMs: 1, endedAtMs: 1 };
  const page = { kind: 'response', status: 200, headers: [], body: new Uint8Array(), encodedBytes: 0 };
  const timed = (startedAtMs: number, endedAtMs: number) => ({
    ...page,
    timing: { ...timing, startedAtMs, endedAtMs },
  });
  it.each<[string, () => Promise<unknown>, string]>([
    ['rejects', () => Promise.reject(new Error('broken')), 'broken'],
    ['answers nothing', async () => undefined, 'neither a `FetchOutcome` nor `null`: it is undefined'],
    ['answers as the platform does', async () => new Response('x'), '`kind` is undefined, not one of response, failed'],
    ['gives no time', async () => ({ kind: 'failed', failure: 'dns' }), '`timing` is undefined, not `startedAtMs` and'],
    [
      'gives a status as text',
      async () => ({ ...page, status: '200', timing }),
      '`status` is "200", not a whole number',
    ],
    [
      'gives times of another clock',
      async () => timed(performance.now(), performance.now()),
      'takes epoch milliseconds',
    ],
    ['gives an end before the call', async () => timed(Date.now(), Date.now() - 60_000), 'takes epoch milliseconds'],
    ['gives a start after its answer', async () => timed(Date.now() + 60_000, Date.now()), 'takes epoch milliseconds'],
    ['gives seconds', async () => timed(Date.now() / 1_000, Date.now() / 1_000), 'takes epoch milliseconds'],
    [
      'does not say whether the request was sent',
      async () => ({ kind: 'failed', failure: 'reset', timing }),
      '`wasSent` is undefined, not true or false',
    ],
    [
      'counts no bytes',
      async () => ({ ...page, encodedBytes: undefined, timing }),
      '`encodedBytes` is undefined, not a whole number from 0',
    ],
    [
      'counts less than no bytes',
      async () => ({ ...page, encodedBytes: -1, timing }),
      '`encodedBytes` is -1, not a whole number from 0',
    ],
    ['gives a body as text', async () => ({ ...page, body: 'x', timing }), '`body` is "x", not the bytes of the body'],
  ])('of a fetcher that %s are values, and reported', async (_what, fetch, detail) => {
    const notices: string[] = [];
    const frontier = createGate();
    const broken = new Egress({
      frontier,
      fetcher: checkedFetcher(
        { capabilities: ALL_CAPABILITIES, fetch: fetch as Fetcher['fetch'], close: () => Promise.resolve() },
        Date.now,
      ),
      identity: resolveIdentity({ name: 'tide', contact: 'ann@example.org' }),
      guard: createAddressGuard({ allowAddresses: ['127.0.0.0/8'], ports: [], resolve: null, nowMs: Date.now }),
      limiter: new RequestLimiter(null),
      network: { connectTimeoutMs: 1, headersTimeoutMs: 1, requestTimeoutMs: 1, maxBodyBytes: 1 },
      nowMs: Date.now,
      journal: { ...NO_JOURNAL, hookError: (_hook, url, error) => void notices.push(`${url} ${error}`) },
    });
    const work = frontier.workOf('http://127.0.0.1/', {});
    const outcome = await broken.send({ work, purpose: 'page', signal: new AbortController().signal });
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'internal', detail: expect.stringContaining(detail) });
    expect(notices).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1\/ (?:Type|Range)?Error: /)]);
  });

  it('count for the second lock from the end of the exchange', async () => {
    const { send, records } = await open((socket) => socket.destroy());
    const requirements = { ...NOTHING, crawlDelayMs: 5_000 };
    expect(await send('/', { requirements })).toMatchObject({ kind: 'failed', wasSent: true });
    expect(await send('/', { requirements })).toMatchObject({
      kind: 'not-sent',
      untilMs: (records[0]?.endedAtMs ?? 0) + 5_000,
    });
  });
});

it('do not make an immediate stop wait for a look-up', async () => {
  const stop = new AbortController();
  const { server, send } = await open(ok, { resolve: () => new Promise(() => undefined) });
  const sending = send('/a', { signal: stop.signal });
  stop.abort();
  expect(await sending).toMatchObject({ kind: 'failed', failure: 'aborted', wasSent: false });
  expect(await send('/b', { signal: stop.signal })).toMatchObject({ kind: 'failed', failure: 'aborted' });
  expect(server.requests).toEqual([]);
});

describe('requests under way', () => {
  it('are listed from their start to their end, the oldest first, within the limit', async () => {
    const ends: (() => void)[] = [];
    const { egress, send, server } = await open((socket) => ends.push(() => socket.write(response('x'))));
    const { port } = server;
    const startedAtMs = Date.now();
    const first = send('/1');
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    const second = send('/2', { host: 'b.example', purpose: 'handler' });
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    expect(egress.inFlight(10)).toEqual([
      { url: `http://a.example:${port}/1`, host: 'a.example', purpose: 'page', sinceMs: expect.any(Number) },
      { url: `http://a.example:${port}/2`, host: 'b.example', purpose: 'handler', sinceMs: expect.any(Number) },
    ]);
    expect(egress.inFlight(10)[0]?.sinceMs).toBeGreaterThanOrEqual(startedAtMs);
    expect(egress.inFlight(1)).toHaveLength(1);
    ends[0]?.();
    await first;
    expect(egress.inFlight(10).map(({ host }) => host)).toEqual(['b.example']);
    ends[1]?.();
    await second;
    expect(egress.inFlightCount).toBe(0);
  });

  it('leave out those that wait, and those that failed', async () => {
    const { egress, send } = await open((socket) => socket.destroy());
    await send('/', { mayStart: () => ({ kind: 'wait', untilMs: 5 }) });
    await send('/');
    expect(egress.inFlightCount).toBe(0);
  });
});

it('a fetcher that rejects when it is aborted leaves its page for later', async () => {
  const stop = new AbortController();
  const fetch: Fetcher['fetch'] = async ({ mayStart, signal }) => {
    mayStart();
    stop.abort();
    signal.throwIfAborted();
    return null;
  };
  const { send } = await open(() => undefined, { fetch });
  expect(await send('/', { signal: stop.signal })).toMatchObject({ kind: 'failed', failure: 'aborted', wasSent: true });
});
