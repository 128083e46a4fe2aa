// If a fake web behaved like no real server, tests would pass for crawlers that fail. It keeps the contract of
// fetchers, tested with the suite as far as possible without a network.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fetcherSuite } from 'mannerly/fetcher-conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchRequest } from '../../test-support/fetch-request.js';
import type { Fetcher } from '../fetch/fetcher.js';
import type { FailureCode, FetchOutcome } from '../fetch/outcome.js';
import type { FakeAnswerParts, FakeRequest } from './fake-answer.js';
import { fakePage, fakeRedirect } from './fake-answer.js';
import { createFakeWeb, type FakeHost, type FakeWeb } from './fake-web.js';
import { createVirtualClock } from './virtual-clock.js';

/** The outcome of a request to a fake web. */
function ask(web: FakeWeb, ...request: Parameters<typeof fetchRequest>) {
  return web.fakes().fetcher.fetch(fetchRequest(...request));
}

/** Status and body, or the failure code. */
function resultOf(outcome: FetchOutcome | null): string {
  if (outcome === null) return 'nothing';
  return outcome.kind === 'response' ? `${outcome.status} ${Buffer.from(outcome.body).toString()}` : outcome.failure;
}

/** Guarantees about connections, framing and endless bodies, which a fake web does not have. */
const OF_THE_NETWORK =
  /connection made|no connection|whatever the name|endless body|on the wire|as (?:closed-early|framing|headers-too-large)$|without a listener|certificate/;

describe('by the conformance suite, the fake web', () => {
  let left = 0;
  fetcherSuite({
    test(title, run) {
      if (OF_THE_NETWORK.test(title)) left += 1;
      else it(title, run);
    },
    makeFetcher: bridgedFetcher,
    capabilities: createFakeWeb({ hosts: {} }).fakes().fetcher.capabilities,
  });

  it('leaves out only what has no meaning without a network', () => {
    expect(left).toBe(14);
  });
});

const HOST: FakeHost = {
  robots: 'User-agent: *\nDisallow: /no\n',
  pages: {
    '/': fakePage('start', ['/a&b', '"x"']),
    '/a': { status: 203, body: 'a', headers: { 'X-Odd': ['1', '2'] } },
    '/a?b=1': 'ab',
    '/data.json': '{}',
    '/moved': fakeRedirect('/a', 301),
    '/counted': ({ before, headers }) => `${before} ${headers['User-Agent']?.slice(0, 3)}`,
    '/none': () => null,
    '/empty': { status: 204, body: 'never sent' },
  },
};

describe('a fake web', () => {
  const web = () =>
    createFakeWeb({
      hosts: {
        'a.test': HOST,
        'a.test:8080': { pages: { '*': 'by port' } },
        'https://a.test': { pages: (request) => `by origin ${request.path}` },
        'Ünicode.test': { pages: { '*': 'by name' } },
      },
    });

  it.each([
    ['http://a.test/robots.txt', '200 User-agent: *\nDisallow: /no\n'],
    ['http://a.test/a', '203 a'],
    ['http://a.test/a?b=1', '200 ab'],
    ['http://a.test/a?c', '203 a'],
    ['http://a.test/moved', '301 '],
    ['http://a.test/counted', '200 0 bot'],
    ['http://a.test/none', '404 not here'],
    ['http://a.test/elsewhere', '404 not here'],
    ['http://a.test/empty', '204 '],
    ['http://a.test:8080/x', '200 by port'],
    ['http://a.test:8080/robots.txt', '404 not here'],
    ['https://a.test/x?y', '200 by origin /x?y'],
    ['https://a.test/robots.txt', '404 not here'],
    ['http://xn--nicode-2ya.test/', '200 by name'],
    ['http://b.test/', 'dns'],
  ])('%s → %j', async (url, answer) => {
    expect(resultOf(await ask(web(), url))).toBe(answer);
  });

  it('sends the fields that a server would', async () => {
    const fields = async (path: string) => {
      const outcome = await ask(web(), `http://a.test${path}`);
      return outcome?.kind === 'response' ? outcome.headers.map(([name, value]) => `${name}: ${value}`) : [];
    };
    expect(await fields('/a')).toEqual([
      'Content-Type: text/html; charset=utf-8',
      'Content-Length: 1',
      'X-Odd: 1',
      'X-Odd: 2',
    ]);
    expect(await fields('/data.json')).toContain('Content-Type: application/json');
    expect(await fields('/robots.txt')).toContain('Content-Type: text/plain; charset=utf-8');
    expect(await fields('/moved')).toEqual(['Content-Length: 0', 'Location: /a']);
    expect(await fields('/empty')).toEqual([]);
  });

  it('gives every name its own address, and none to unknown names', async () => {
    const named = createFakeWeb({
      hosts: {
        'a.test': {},
        'a.test:8080': {},
        'b.test': {},
        'c.test': { address: '10.0.0.7' },
        'gone.test': { failure: 'dns' },
      },
    });
    const resolve = async (name: string) => named.fakes().network.resolve?.(name);
    expect(await Promise.all(['a.test', 'b.test', 'c.test', 'gone.test', 'd.test'].map(resolve))).toEqual([
      ['198.18.0.0'],
      ['198.18.0.1'],
      ['10.0.0.7'],
      [],
      [],
    ]);
  });

  it('refuses keys that do not name a host', () => {
    for (const key of ['a.test/path', 'https://a.test/x', '', 'a b'])
      expect(() => createFakeWeb({ hosts: { [key]: {} } })).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      );
  });

  it('refuses a body that is neither text nor bytes, and names its page', () => {
    const pages = { '/api.json': { body: { price: 1 } } } as never;
    expect(() => createFakeWeb({ hosts: { 'a.test': { pages } } })).toThrow(
      /`hosts\['a\.test'\]\.pages\['\/api\.json'\]\.body` to be a text or bytes, such as JSON\.stringify/,
    );
  });

  it('records what arrived and when, and what routes threw', async () => {
    const thrown = new Error('in a route');
    const kept = createFakeWeb({
      hosts: {
        'a.test': {
          pages: {
            '/throws': () => {
              throw thrown;
            },
            '/a': 'a',
            '/misspelt': () => ({ stauts: 404 }) as object,
          },
        },
      },
    });
    expect(resultOf(await ask(kept, 'http://a.test/misspelt'))).toBe('internal');
    expect(kept.errors).toEqual([expect.objectContaining({ code: 'option-unknown' })]);
    kept.forget();
    expect(resultOf(await ask(kept, 'http://a.test/throws'))).toBe('internal');
    await ask(kept, 'http://a.test/a');
    expect(await ask(kept, 'http://a.test/a', { mayStart: () => false })).toBeNull();
    expect(kept.errors).toEqual([thrown]);
    expect(kept.requested('a.test')).toEqual(['http://a.test/throws', 'http://a.test/a']);
    expect(kept.exchanges.map(({ path, status }) => `${path} ${status}`)).toEqual(['/throws null', '/a 200']);
    for (const { startMs, endMs } of kept.exchanges) expect(endMs).toBeGreaterThanOrEqual(startMs);
    kept.forget();
    expect([kept.requested(), kept.errors]).toEqual([[], []]);
  });

  it('serves a folder as it is, and nothing next to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-fake-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'site/docs'), { recursive: true });
    for (const name of [
      'secret.txt',
      'site/index.html',
      'site/docs/index.html',
      'site/docs/a b.css',
      'site/robots.txt',
    ])
      await writeFile(join(folder, name), name);
    const site = createFakeWeb({
      hosts: {
        'a.test': { folder: join(folder, 'site'), pages: { '/docs/': 'mine' } },
        'b.test': { folder: join(folder, 'site') },
      },
    });
    const cases = [
      ['http://a.test/', '200 site/index.html'],
      ['http://a.test/docs/', '200 mine'],
      ['http://b.test/docs/', '200 site/docs/index.html'],
      ['http://b.test/docs/a%20b.css?v=2', '200 site/docs/a b.css'],
      ['http://b.test/robots.txt', '200 site/robots.txt'],
      ['http://b.test/..%2fsecret.txt', '404 not here'],
      ['http://b.test/%zz', '404 not here'],
      ['http://b.test/docs', '404 not here'],
    ] as const;
    for (const [url, answer] of cases) expect(`${url} ${resultOf(await ask(site, url))}`).toBe(`${url} ${answer}`);
    expect(() => createFakeWeb({ hosts: { 'a.test': { folder: join(folder, 'none') } } })).toThrow(/to be a folder/);
  });
});

/** Failure → its duration with the timeouts below, and whether the request was sent. */
const FAILURES: readonly (readonly [failure: FailureCode, tookMs: number, wasSent: boolean])[] = [
  ['dns', 0, false],
  ['refused', 0, false],
  ['unreachable-network', 0, false],
  ['tls', 0, false],
  ['timeout-connect', 1_000, false],
  ['reset', 50, true],
  ['closed-early', 50, true],
  ['framing', 50, true],
  ['headers-too-large', 50, true],
  ['encoding', 50, true],
  ['internal', 50, true],
  ['timeout-headers', 3_000, true],
  ['timeout-exchange', 7_000, true],
];

describe('on virtual time, a fake web', () => {
  const limits = { connectTimeoutMs: 1_000, headersTimeoutMs: 3_000, requestTimeoutMs: 7_000 };

  async function timed(host: FakeHost, path = '/', more: Parameters<typeof fetchRequest>[1] = {}) {
    const clock = createVirtualClock();
    try {
      const web = createFakeWeb({ delayMs: 50, hosts: { 'a.test': host } });
      const startMs = clock.nowMs();
      const outcome = await clock.finish(ask(web, `http://a.test${path}`, { ...more, limits }));
      return { outcome, tookMs: clock.nowMs() - startMs, web };
    } finally {
      clock.end();
    }
  }

  it.each(FAILURES)('fails as %s after %d ms, sent: %s', async (failure, ms, wasSent) => {
    for (const host of [{ failure }, { pages: { '/': { failure } } }]) {
      const { outcome, tookMs, web } = await timed(host);
      expect(outcome).toMatchObject({ kind: 'failed', failure, wasSent });
      expect(tookMs).toBe(ms);
      expect(web.exchanges).toHaveLength(wasSent ? 1 : 0);
    }
  });

  it.each<[string, FakeHost, string, number]>([
    ['an answer that takes its time', { pages: { '/': { body: 'x', delayMs: 2_000, bodyMs: 4_000 } } }, '200 x', 6_000],
    ['the delay of the host', { pages: { '/': 'x' }, delayMs: 700 }, '200 x', 700],
    ['the delay of the web', { pages: { '/': 'x' } }, '200 x', 50],
    ['a delay beyond the deadline', { pages: { '/': { delayMs: 3_000 } } }, 'timeout-headers', 3_000],
    ['a body beyond the deadline', { pages: { '/': { delayMs: 2_000, bodyMs: 5_000 } } }, 'timeout-exchange', 7_000],
    [
      'a route that takes its time',
      { pages: () => new Promise((over) => setTimeout(over, 2_500, 'x')) },
      '200 x',
      2_500,
    ],
    ['a route that takes too long', { pages: () => new Promise(() => undefined) }, 'timeout-headers', 3_000],
    ['a body that breaks off', { pages: { '/': { body: 'abcdef', isCut: true } } }, '200 abc', 50],
  ])('keeps the time of %s', async (_what, host, answer, ms) => {
    const { outcome, tookMs } = await timed(host);
    expect([resultOf(outcome), tookMs]).toEqual([answer, ms]);
    if (answer === '200 abc') expect(outcome).toMatchObject({ truncated: 'connection' });
  });

  it('aborts when the crawl gives up', async () => {
    const control = new AbortController();
    const { outcome, tookMs } = await timed(
      {
        pages: () => {
          setTimeout(() => control.abort(), 100);
          return { delayMs: 1_000 };
        },
      },
      '/',
      { signal: control.signal },
    );
    expect(outcome).toMatchObject({ failure: 'aborted', wasSent: true });
    expect(tookMs).toBe(100);
  });

  it('stands still while a large coded body is decoded', async () => {
    const body = gzipSync(Buffer.alloc(5_000_000, 'x'));
    const { outcome, tookMs } = await timed({
      pages: { '/': { body, headers: { 'Content-Encoding': 'gzip' }, isCut: true } },
    });
    expect(outcome).toMatchObject({ kind: 'response', truncated: expect.stringMatching(/connection|limit/) });
    expect(tookMs).toBe(50);
  });
});

/** A fetcher of a fake web that forwards to every loopback server. */
function bridgedFetcher(): Fetcher {
  return createFakeWeb({ hosts: { '127.0.0.1': { pages: askServer } } }).fakes().fetcher;
}

function askServer({ url, headers, body }: FakeRequest): Promise<FakeAnswerParts> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { headers, agent: false, method: body === undefined ? 'GET' : 'POST' }).end(body);
    const fail = (): void => resolve({ failure: 'reset' });
    request.on('error', fail);
    request.on('response', (response) => {
      // A later error cuts the body.
      request.off('error', fail).on('error', () => response.destroy());
      read(response).then(resolve, fail);
    });
  });
}

async function read(response: IncomingMessage): Promise<FakeAnswerParts> {
  const chunks: Buffer[] = [];
  let isCut = false;
  try {
    for await (const piece of response) chunks.push(piece as Buffer);
  } catch {
    isCut = true;
  }
  const headers = response.rawHeaders.flatMap((name, at, all): [string, string][] =>
    at % 2 === 0 ? [[name, all[at + 1] ?? '']] : [],
  );
  // A fake web sends half of a cut body, so the bytes are doubled here.
  const body = Buffer.concat(isCut ? [...chunks, ...chunks] : chunks);
  return { status: response.statusCode ?? 0, statusText: response.statusMessage ?? '', headers, body, isCut };
}
