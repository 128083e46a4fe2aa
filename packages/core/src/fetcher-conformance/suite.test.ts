// The suite finds faults: a fetcher with one fault fails the test of that guarantee. If this breaks, a fetcher that
// makes a crawl impolite passes the suite.

import { describe, expect, it, vi } from 'vitest';
import type { Fetcher, FetchRequest } from '../fetch/fetcher.js';
import type { FetchOutcome, ResponseOutcome } from '../fetch/outcome.js';
import { createUndiciFetcher } from '../fetch/undici-fetcher.js';
import { fetcherSuite } from './suite.js';

type Fetch = (request: FetchRequest) => Promise<FetchOutcome | null>;

/** The undici fetcher with one fault. */
function broken(fault: (fetch: Fetch) => Fetch): Fetcher {
  const fetcher = createUndiciFetcher();
  return {
    capabilities: fetcher.capabilities,
    fetch: fault((request) => fetcher.fetch(request)),
    close: () => fetcher.close(),
  };
}

const responses =
  (change: (outcome: ResponseOutcome) => Partial<ResponseOutcome>) =>
  (fetch: Fetch): Fetch =>
  async (request) => {
    const outcome = await fetch(request);
    return outcome?.kind === 'response' ? { ...outcome, ...change(outcome) } : outcome;
  };

const requests =
  (change: (request: FetchRequest) => Partial<FetchRequest>) =>
  (fetch: Fetch): Fetch =>
  (request) =>
    fetch({ ...request, ...change(request) });

const FAULTS: readonly (readonly [fault: string, make: (fetch: Fetch) => Fetch, found: RegExp])[] = [
  ['never asks mayStart', requests(() => ({ mayStart: () => true })), /asks mayStart once/],
  ['ignores mayStart', requests((r) => ({ mayStart: () => [r.mayStart()].length > 0 })), /sends nothing and resolves/],
  ['asks mayStart twice', requests((r) => ({ mayStart: () => r.mayStart() && r.mayStart() })), /asks mayStart once/],
  [
    'asks mayStart before it connects',
    (fetch) => async (r) => (r.mayStart() ? fetch({ ...r, mayStart: () => true }) : null),
    /with the connection made/,
  ],
  [
    'follows redirects',
    (fetch) => async (r) => {
      const outcome = await fetch(r);
      const to = outcome?.kind === 'response' ? outcome.headers.find(([name]) => name === 'Location')?.[1] : undefined;
      return to === undefined ? outcome : fetch({ ...r, url: new URL(to, r.url).href });
    },
    /follows no redirect/,
  ],
  [
    'tries again',
    (fetch) => async (r) => {
      const outcome = await fetch(r);
      return outcome?.kind === 'failed' ? fetch(r) : outcome;
    },
    /a second time/,
  ],
  [
    'asks a busy server again',
    (fetch) => async (r) => {
      const outcome = await fetch(r);
      return outcome?.kind === 'response' && outcome.status === 503 ? fetch(r) : outcome;
    },
    /a second time/,
  ],
  ['connects after the signal', requests(() => ({ signal: new AbortController().signal })), /if no connection is made/],
  ['adds a field', requests((r) => ({ headers: { ...r.headers, 'X-Mine': '1' } })), /adds no field/],
  ['drops the fields', requests(() => ({ headers: {} })), /the given fields/],
  [
    'ignores the signal',
    requests(() => ({ signal: new AbortController().signal, limits: SHORT })),
    /signal is aborted/,
  ],
  ['takes cut bodies for whole', responses(() => ({ truncated: null })), /truncated: connection of a body shorter/],
  ['sorts field lines', responses(({ headers }) => ({ headers: [...headers].sort() })), /one by one, in order/],
  [
    'ends the exchange with the header section',
    responses(({ timing }) => ({ timing: { ...timing, endedAtMs: timing.headersAtMs ?? timing.endedAtMs } })),
    /the end at the last byte/,
  ],
  [
    'tells a start from before mayStart',
    (fetch) => async (r) => {
      const startedAtMs = Date.now();
      const outcome = await fetch(r);
      return outcome === null ? null : { ...outcome, timing: { ...outcome.timing, startedAtMs } };
    },
    /line, body and timings/,
  ],
  [
    'ends a failure when it began',
    (fetch) => async (r) => {
      const outcome = await fetch(r);
      if (outcome?.kind !== 'failed') return outcome;
      return { ...outcome, timing: { ...outcome.timing, endedAtMs: outcome.timing.startedAtMs } };
    },
    /timeout-headers when a server says nothing/,
  ],
  ['loses the address', responses(() => ({ remoteAddress: null })), /the address it was connected to/],
  ['decodes what it hands over as it came', responses(({ body }) => ({ encodedBody: body })), /the body as it came/],
  [
    'keeps more than the limit',
    requests((r) => ({ limits: { ...r.limits, maxBodyBytes: 1_000_000 } })),
    /exactly the limit/,
  ],
  [
    'knows no deadline for the header section',
    requests((r) => ({
      limits: { ...r.limits, headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 },
    })),
    /timeout-headers when a server says nothing/,
  ],
  [
    'rejects',
    (fetch) => async (r) => {
      const outcome = await fetch(r);
      if (outcome?.kind === 'failed') throw new Error(outcome.detail);
      return outcome;
    },
    /as reset$/,
  ],
  [
    'says that nothing was sent',
    (fetch) => async (r) => {
      const outcome = await fetch(r);
      return outcome?.kind === 'failed' ? { ...outcome, wasSent: false } : outcome;
    },
    /as reset$/,
  ],
];

const SHORT = {
  connectTimeoutMs: 500,
  headersTimeoutMs: 500,
  requestTimeoutMs: 500,
  maxBodyBytes: 1_000,
  maxEncodedBytes: 1_000,
};

/** The only test with this title, not yet run. */
function testOf(title: RegExp, makeFetcher: () => Fetcher): () => Promise<void> {
  const found: (() => Promise<void>)[] = [];
  fetcherSuite({
    test: (name, run) => {
      if (title.test(name)) found.push(run);
    },
    makeFetcher,
    capabilities: createUndiciFetcher().capabilities,
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`${title} names ${found.length} tests`);
  return only;
}

describe('a fetcher that', () => {
  it.each(FAULTS)('%s fails', async (_fault, make, title) => {
    await testOf(title, () => createUndiciFetcher())();
    // A sentence about the fetcher, not an error from somewhere inside the suite.
    await expect(testOf(title, () => broken(make))()).rejects.toMatchObject({
      name: 'ContractBroken',
      message: expect.stringMatching(/must|may|expected .* got/),
    });
  });
});

describe('a message says what was expected of the fetcher, and what it returned:', () => {
  const failureOf = (title: RegExp, make: () => Fetcher): Promise<unknown> =>
    testOf(title, make)().catch((error: unknown) => String(error));
  const answering = (answer: unknown) => () => ({
    ...broken((fetch) => fetch),
    fetch: (async () => answer) as Fetcher['fetch'],
  });
  const closing = (fetch: (own: Fetch) => Fetch) => () => ({
    ...broken(fetch),
    close: () => Promise.reject(new TypeError('no socket')),
  });

  it.each<[what: string, title: RegExp, make: () => Fetcher, message: string]>([
    [
      'no outcome',
      /as reset$/,
      answering(undefined),
      'ContractBroken: `fetch` answered with neither a `FetchOutcome` nor `null`: it is undefined',
    ],
    [
      'null for a request that may start',
      /the given fields/,
      answering(null),
      'ContractBroken: mayStart said yes, so `fetch` must resolve to an outcome; it resolved to null',
    ],
    [
      'a rejection of `close`',
      /the given fields/,
      closing((fetch) => fetch),
      'ContractBroken: `close` must not reject; it rejected with TypeError: no socket',
    ],
    [
      'a fault, before a rejection of `close`',
      /the given fields/,
      closing(requests(() => ({ headers: { 'X-Own': 'a b' } }))),
      'ContractBroken: the field "user-agent: tide/1.0" must be sent; the request had "host: 127.0.0.1:PORT", ' +
        '"connection: keep-alive", "x-own: a b"',
    ],
    [
      'another failure',
      /signal is aborted/,
      () => broken(requests(() => ({ signal: new AbortController().signal, limits: SHORT }))),
      'ContractBroken: a request whose signal is already aborted must end as a failure aborted, not sent; it ended as ' +
        'a failure timeout-exchange, sent (not ended within 500 ms)',
    ],
    [
      'a body that is too long',
      /exactly the limit/,
      () => broken(requests((r) => ({ limits: { ...r.limits, maxBodyBytes: 1_000_000 } }))),
      'ContractBroken: bytes that are kept of 101, with a limit of 100: expected 100, got 101',
    ],
  ])('%s', async (_what, title, make, text) => {
    expect(String(await failureOf(title, make)).replace(/127\.0\.0\.1:\d+/, '127.0.0.1:PORT')).toBe(text);
  });
});

it('a call that never ends fails', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const running = testOf(/neither http nor https/, () => broken(() => () => new Promise(() => undefined)))();
  const failed = expect(running).rejects.toThrow('`fetch` must end; it had not ended after 140000 ms');
  await vi.advanceTimersByTimeAsync(140_000);
  vi.useRealTimers();
  await failed;
});

it('leaves out what needs a capability that is not declared', () => {
  const titles = (capabilities: Fetcher['capabilities']): string[] => {
    const names: string[] = [];
    fetcherSuite({
      test: (name) => names.push(name),
      makeFetcher: () => createUndiciFetcher(),
      capabilities,
    });
    return names;
  };
  const { capabilities } = createUndiciFetcher();
  const whole = titles(capabilities).length;
  for (const cap of Object.keys(capabilities))
    expect(titles({ ...capabilities, [cap]: false }).length, cap).toBeLessThan(whole);
});
