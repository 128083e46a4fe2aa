// If this breaks, a request of the browser leaves without robots.txt and without our identity.

import type { Route } from 'playwright-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ResponseOutcome } from '../fetch/outcome.js';
import type { Subresource, SubresourceAnswer } from '../fetch/renderer.js';
import { createTabRequests, type RequestPlace, type RequestSettings } from './tab-requests.js';

const SETTINGS: RequestSettings = {
  loads: new Set(['script', 'fetch', 'frame']),
  anywhere: false,
  requests: 3,
  bytes: 100,
  quietMs: 50,
};

function response(url: string, body = 'x', more: Partial<ResponseOutcome> = {}): ResponseOutcome {
  return {
    kind: 'response',
    url,
    status: 200,
    statusText: 'OK',
    headers: [],
    body: new TextEncoder().encode(body),
    truncated: null,
    encodedBytes: body.length,
    remoteAddress: null,
    timing: { startedAtMs: 0, headersAtMs: 0, endedAtMs: 0 },
    ...more,
  };
}

/** A route of the browser, and what was done with it. */
function route(url: string, type = 'script', method = 'GET', headers: Record<string, string> = {}) {
  const fate: string[] = [];
  const made = {
    request: () => ({ url: () => url, resourceType: () => type, method: () => method, headers: () => headers }),
    fulfill: async ({ status, body }: { status: number; body: Buffer }) => void fate.push(`${status} ${body}`),
    abort: async (code: string) => void fate.push(code),
    continue: () => expect.unreachable(),
    fallback: () => expect.unreachable(),
    fetch: () => expect.unreachable(),
  };
  return { route: made as unknown as Route, fate };
}

function scene(settings: Partial<RequestSettings> = {}, load?: (wanted: Subresource) => Promise<SubresourceAnswer>) {
  const wanted: Subresource[] = [];
  const requests = createTabRequests(
    {
      document: response('https://a.test/', 'document'),
      load: async (each) => {
        wanted.push(each);
        return load === undefined ? response(each.url) : load(each);
      },
    },
    { ...SETTINGS, ...settings },
    performance.now() + 60_000,
  );
  onTestFinished(() => requests.end());
  const ask = async (url: string, place: RequestPlace = 'page', type?: string, method?: string) => {
    const { route: made, fate } = route(url, type, method);
    await requests.answer(made, place);
    return fate.join();
  };
  return { requests, wanted, ask };
}

describe('the requests of a page', () => {
  it('give the main frame the document that came, once, and keep it there', async () => {
    const { requests, wanted, ask } = scene();
    expect(await ask('https://a.test/', 'main', 'document')).toBe('200 document');
    expect(await ask('https://a.test/next', 'main', 'document')).toBe('aborted');
    expect(wanted).toEqual([]);
    expect(requests.account()).toEqual({
      loaded: 0,
      bytes: 0,
      refused: { navigation: 1 },
      refusals: [{ url: 'https://a.test/next', type: 'document', reason: 'navigation' }],
    });
  });

  it.each<[string, Parameters<ReturnType<typeof scene>['ask']>, string]>([
    ['a picture, which is not loaded', ['https://a.test/x.png', 'page', 'image'], 'type'],
    ['a beacon', ['https://a.test/x', 'page', 'ping', 'POST'], 'method'],
    ['a form of a script', ['https://a.test/x', 'page', 'fetch', 'POST'], 'method'],
    ['what a window of its own wants', ['https://a.test/x', 'elsewhere', 'script'], 'window'],
    ['another scheme', ['ftp://a.test/x', 'page', 'script'], 'url-scheme'],
  ])('refuse %s, without asking the crawl', async (_what, request, reason) => {
    const { requests, wanted, ask } = scene();
    expect(await ask(...request)).toBe('aborted');
    expect(wanted).toEqual([]);
    expect(requests.account().refused).toEqual({ [reason]: 1 });
  });

  it('ask the crawl for the rest, a frame among it, with fields that say what is wanted and nothing else', async () => {
    const { requests, wanted, ask } = scene({ anywhere: true });
    const fields = {
      accept: '*/*',
      'user-agent': 'Mozilla',
      cookie: 'a=b',
      referer: 'https://a.test/',
      'sec-ch-ua': '"x"',
    };
    const { route: made, fate } = route('https://b.test/x.js', 'script', 'GET', fields);
    await requests.answer(made, 'page');
    expect(fate).toEqual(['200 x']);
    expect(await ask('https://a.test/frame', 'frame', 'document')).toBe('200 x');
    expect(wanted).toMatchObject([
      { url: 'https://b.test/x.js', type: 'script', headers: { accept: '*/*' }, anywhere: true, maxBodyBytes: 100 },
      { url: 'https://a.test/frame', type: 'frame', maxBodyBytes: 99 },
    ]);
    expect(Object.keys(wanted[0]?.headers ?? {})).toEqual(['accept']);
    expect(requests.account()).toMatchObject({ loaded: 2, bytes: 2, refused: {} });
  });

  it.each<[string, SubresourceAnswer, string]>([
    ['what robots.txt closes', { kind: 'excluded', url: 'u', reason: 'robots-rule' }, 'robots-rule'],
    ['what did not come in time', { kind: 'held', url: 'u', reason: 'crawl-delay' }, 'crawl-delay'],
    [
      'a failure',
      {
        kind: 'failed',
        url: 'u',
        failure: 'address-forbidden',
        detail: '',
        remoteAddress: null,
        wasSent: false,
        timing: { startedAtMs: 0, headersAtMs: null, endedAtMs: 0 },
      },
      'address-forbidden',
    ],
    ['half a script, cut by us', response('u', 'x', { truncated: 'limit' }), 'byte-limit'],
    ['half a script, cut by its server', response('u', 'x', { truncated: 'connection' }), 'closed-early'],
    ['a redirect to nowhere, which the browser would follow', response('u', '', { status: 304 }), 'redirect-invalid'],
  ])('keep %s from the browser', async (_what, answer, reason) => {
    const { requests, ask } = scene({}, async () => answer);
    expect(await ask('https://a.test/x.js')).toBe('blockedbyclient');
    expect(requests.account()).toMatchObject({ loaded: 0, refused: { [reason]: 1 } });
  });

  it('are bounded in number and bytes', async () => {
    const few = scene({ requests: 1 });
    expect([await few.ask('https://a.test/1'), await few.ask('https://a.test/2')]).toEqual(['200 x', 'aborted']);
    expect(few.requests.account().refused).toEqual({ 'request-limit': 1 });
    const small = scene({ bytes: 1 });
    expect([await small.ask('https://a.test/1'), await small.ask('https://a.test/2')]).toEqual(['200 x', 'aborted']);
    expect(small.requests.account().refused).toEqual({ 'byte-limit': 1 });
    const many = scene({ requests: 0 });
    for (let at = 0; at < 150; at += 1) await many.ask(`https://a.test/${at}`);
    expect(many.requests.account()).toMatchObject({ refused: { 'request-limit': 150 } });
    expect(many.requests.account().refusals).toHaveLength(100);
  });

  it('are quiet when the document has been read and nothing has been pending for a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let answer = (): void => undefined;
    const { requests, ask } = scene(
      {},
      (each) => new Promise((resolve) => (answer = () => resolve(response(each.url)))),
    );
    let isQuiet = false;
    const listen = (): void => {
      isQuiet = false;
      requests.untilQuiet().then(() => {
        isQuiet = true;
      });
    };
    listen();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isQuiet).toBe(false);
    requests.documentRead();
    await vi.advanceTimersByTimeAsync(49);
    const asking = ask('https://a.test/x.js');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isQuiet).toBe(false);
    answer();
    await asking;
    await vi.advanceTimersByTimeAsync(49);
    expect(isQuiet).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isQuiet).toBe(true);
    // After a step it becomes quiet again.
    listen();
    await vi.advanceTimersByTimeAsync(49);
    expect(isQuiet).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isQuiet).toBe(true);
    // When the page is closed, no wait continues.
    listen();
    requests.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(isQuiet).toBe(true);
  });

  it('are quiet after a navigation too, after which Chromium reads no more of the document', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { requests, ask } = scene();
    await ask('https://a.test/', 'main', 'document');
    let isQuiet = false;
    requests.untilQuiet().then(() => {
      isQuiet = true;
    });
    await ask('https://a.test/next', 'main', 'document');
    await vi.advanceTimersByTimeAsync(49);
    expect(isQuiet).toBe(false);
    // A script that tries again and again does not keep the page open.
    await ask('https://a.test/next', 'main', 'document');
    await vi.advanceTimersByTimeAsync(1);
    expect(isQuiet).toBe(true);
  });

  it('give up what is pending when the page is over, and count nothing after', async () => {
    const { requests, wanted, ask } = scene({}, () => new Promise(() => undefined));
    ask('https://a.test/x.js');
    requests.end();
    expect(wanted[0]?.signal.aborted).toBe(true);
    expect(await ask('https://a.test/late.js')).toBe('aborted');
    expect(wanted).toHaveLength(1);
    expect(requests.account()).toMatchObject({ loaded: 0, refused: { 'page-over': 1 } });
  });
});
