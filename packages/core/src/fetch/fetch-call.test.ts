// At stake: a fetcher that never answers must not block its host, nor delay a run that was stopped at once.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callFetcher, checkedOutcome, closeFetcher, fetchCallMs } from './fetch-call.js';
import { ALL_CAPABILITIES, type Fetcher, type FetchRequest } from './fetcher.js';
import { FETCHER_CLOSE_MS, FETCHER_STOP_MS, MAX_TIME_ERROR_MS, RENDERER_STOP_MS } from './limits.js';

const never = (): Promise<never> => new Promise(() => undefined);
const limits = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  maxBodyBytes: 1,
  maxEncodedBytes: 1,
};
const LIMIT_MS = fetchCallMs(limits);

const fetcherOf = (more: Partial<Fetcher>): Fetcher => ({
  capabilities: ALL_CAPABILITIES,
  fetch: never,
  close: never,
  ...more,
});
const requestOf = (more: Partial<FetchRequest> = {}): FetchRequest => ({
  url: 'http://a.example/',
  method: 'GET',
  headers: {},
  address: { address: '127.0.0.1', family: 4 },
  limits,
  mayStart: () => true,
  signal: new AbortController().signal,
  ...more,
});
/** A fetcher that stores its request. */
function keeping(fetch: () => Promise<unknown> = never) {
  const requests: FetchRequest[] = [];
  const fetcher = fetcherOf({
    fetch: (request) => {
      requests.push(request);
      return fetch() as ReturnType<Fetcher['fetch']>;
    },
  });
  return { fetcher, requests };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a fetcher that does not answer', () => {
  it.each([
    ['before', true],
    ['after', false],
  ])('is given up after a stop, where the abort came %s the call', async (_when, isAborted) => {
    const stop = new AbortController();
    if (isAborted) stop.abort();
    const { fetcher, requests } = keeping();
    const answer = callFetcher(fetcher, requestOf({ signal: stop.signal }));
    const refused = expect(answer).rejects.toThrow('`fetch` of the fetcher did not end 5 s after its abort');
    stop.abort();
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(FETCHER_STOP_MS);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is given up after the time-outs of its request and a minute, without a stop', async () => {
    const { fetcher, requests } = keeping();
    const answer = callFetcher(fetcher, requestOf());
    const refused = expect(answer).rejects.toThrow('`fetch` of the fetcher did not end within 130 s');
    vi.advanceTimersByTime(LIMIT_MS - 1);
    expect(requests[0]?.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    await refused;
    expect([requests[0]?.signal.aborted, vi.getTimerCount()]).toEqual([true, 0]);
  });

  it('neither sends its request nor passes on a body once it is given up', async () => {
    const called: string[] = [];
    const mayStart = () => called.push('mayStart') > 0;
    const consumeBody = () => {
      called.push('consumeBody');
      return { maxBytes: 1, take: () => undefined };
    };
    const { fetcher, requests } = keeping();
    const refused = expect(callFetcher(fetcher, requestOf({ mayStart, consumeBody }))).rejects.toThrow('130 s');
    vi.advanceTimersByTime(LIMIT_MS);
    await refused;
    expect(requests[0]?.mayStart()).toBe(false);
    expect(requests[0]?.consumeBody?.({ status: 200, headers: [] })).toBeNull();
    expect(called).toEqual([]);
  });

  it('may answer at once after its process was suspended', async () => {
    let answered = (_text: string): void => undefined;
    const { fetcher } = keeping(
      () =>
        new Promise((resolve) => {
          answered = resolve;
        }),
    );
    const answer = callFetcher(fetcher, requestOf());
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersToNextTimer();
    answered('a page');
    expect(await answer).toBe('a page');
  });
});

it('a wait for the crawl, before a body is decoded, is not the time of the fetcher', async () => {
  let turn = (): void => undefined;
  const beforeDecoding = (): Promise<void> =>
    new Promise((resolve) => {
      turn = resolve;
    });
  const { fetcher, requests } = keeping();
  const answer = callFetcher(fetcher, requestOf({ beforeDecoding }));
  const refused = expect(answer).rejects.toThrow('130 s');
  const waited = requests[0]?.beforeDecoding?.();
  expect(vi.getTimerCount()).toBe(0);
  turn();
  await waited;
  vi.advanceTimersByTime(LIMIT_MS);
  await refused;
});

it('a wait for the crawl is limited by a stop', async () => {
  const stop = new AbortController();
  const { fetcher, requests } = keeping();
  const answer = callFetcher(fetcher, requestOf({ signal: stop.signal, beforeDecoding: never }));
  const refused = expect(answer).rejects.toThrow('5 s after its abort');
  stop.abort();
  void requests[0]?.beforeDecoding?.();
  vi.advanceTimersByTime(FETCHER_STOP_MS);
  await refused;
});

it('what comes in time is passed on, and no timer is left', async () => {
  const stop = new AbortController();
  stop.abort();
  const page = keeping(() => Promise.resolve('a page'));
  expect(await callFetcher(page.fetcher, requestOf({ signal: stop.signal }))).toBe('a page');
  const gone = keeping(() => Promise.reject(new Error('gone')));
  await expect(callFetcher(gone.fetcher, requestOf())).rejects.toThrow('gone');
  expect(await callFetcher(page.fetcher, requestOf())).toBe('a page');
  expect(page.requests[1]?.signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['without a stop', FETCHER_CLOSE_MS, '180 s'],
  ['before it', RENDERER_STOP_MS, '20 s'],
  ['after it began', RENDERER_STOP_MS, '20 s'],
])('`close` that does not end is given up: stopped %s', async (stops, ms, message) => {
  const stop = new AbortController();
  if (stops === 'before it') stop.abort();
  const refused = expect(closeFetcher(fetcherOf({}), stop.signal)).rejects.toThrow(
    `\`close\` of the fetcher did not end within ${message}`,
  );
  if (stops === 'after it began') stop.abort();
  vi.advanceTimersByTime(ms);
  await refused;
  await closeFetcher(fetcherOf({ close: async () => undefined }), stop.signal);
  expect(vi.getTimerCount()).toBe(0);
});

describe('an answer', () => {
  const T = 1_000_000_000;
  const failed = (startedAtMs: number, endedAtMs: number) => ({
    kind: 'failed',
    failure: 'dns',
    wasSent: false,
    timing: { startedAtMs, endedAtMs },
  });

  it.each([
    ['during the call', T, T + 500, T + 100, T + 400, true],
    ['a little early and late', T, T + 500, T - MAX_TIME_ERROR_MS, T + 500 + MAX_TIME_ERROR_MS, true],
    ['too early', T, T + 500, T - MAX_TIME_ERROR_MS - 1, T + 500, false],
    ['too late', T, T + 500, T, T + 501 + MAX_TIME_ERROR_MS, false],
    ['around a clock that was set back', T, T - 3_600_000, T, T - 3_600_000, true],
    ['around one that was set forward', T, T + 3_600_000, T, T + 3_600_000, true],
    ['before one that was set back', T, T - 3_600_000, T - 3_600_001 - MAX_TIME_ERROR_MS, T, false],
    ['of another clock', T, T + 500, 100, 400, false],
  ])('%s', (_when, calledAtMs, answeredAtMs, startedAtMs, endedAtMs, isTaken) => {
    const answer = failed(startedAtMs, endedAtMs);
    const check = () => checkedOutcome(answer, calledAtMs, answeredAtMs);
    if (isTaken) expect(check()).toBe(answer);
    else expect(check).toThrow(RangeError);
  });

  it.each([
    undefined,
    'text',
    {},
    { ...failed(T, T), kind: 'constructor' },
    { ...failed(T, T), failure: undefined },
    failed(T, Number.NaN),
    failed(Number.NaN, T),
    { kind: 'failed', failure: 'dns' },
  ])('%j is no outcome', (answer) => {
    expect(() => checkedOutcome(answer, T, T)).toThrow(TypeError);
  });
});
