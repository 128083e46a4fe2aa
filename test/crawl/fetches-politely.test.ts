// A script that only needs ten pages is as polite as a crawl: `fetch` requests robots.txt first, waits for its host's
// turn, checks each redirect, and says which line of robots.txt disallows a URL. The server's log is checked.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCrawlDirectory, writeReport } from 'mannerly';
import { createPoliteFetch, polite } from 'mannerly/fetch';
import { Agent, Pool, request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { CONTACT, NO_INTERVAL } from '../support/crawl.js';
import { freePort } from '../support/free-port.mjs';
import { proxyForTest } from '../support/proxies.js';
import { page, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

type PoliteFetchOptions = Parameters<typeof createPoliteFetch>[0];

const SITE = {
  '/robots.txt': text('User-agent: *\nDisallow: /private/\nCrawl-delay: 0.3'),
  '/': page('front'),
  '/b': page('b'),
  '/c': page('c'),
  '/moved': redirect('/b'),
  '/astray': redirect('/private/x'),
  '/round': redirect('/round'),
  '/later': redirect('/b', 302, { 'retry-after': '60' }),
  '/odd': redirect('/b', 302, { constructor: 'x' }),
  '/long': text('x'.repeat(5_000)),
  '/silent': { misbehave: 'silent' as const },
  '/cut': { body: 'x', misbehave: 'cut' as const },
  '/private/x': page('never'),
};

async function site(options: Partial<PoliteFetchOptions> = {}) {
  const down = { '/robots.txt': { status: 503 }, '/': page('down') };
  const web = await webForTest({ hosts: { 'a.test': SITE, 'b.test': SITE, 'down.test': down } });
  const given: PoliteFetchOptions = {
    identity: { name: 'test-bot', contact: CONTACT },
    politeness: { profile: NO_INTERVAL },
    network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'], maxBodyBytes: 2_000 },
    ...options,
  };
  const fetch = createPoliteFetch(given);
  onTestFinished(() => fetch.close());
  return { web, fetch, given };
}

/** Status lines that the platform's constructor of responses refuses, and one that it takes. */
const LINES: Readonly<Record<string, string>> = {
  '/999': '999 Request denied',
  '/600': '600 X',
  '/latin': '200 Gr\xfc\xdfe',
  '/control': '200 O\x01K',
  '/usual': '201 Created',
};

const refused = (reason: string, more: object = {}) =>
  expect.objectContaining({ name: 'PoliteFetchError', reason, ...more });

it('requests robots.txt first, keeps the delay of each host, and sends one request at a time', async () => {
  const { web, fetch } = await site();
  const urls = ['/', '/b', '/c'].flatMap((path) => [web.url('a.test', path), web.url('b.test', path)]);
  const titles = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
  expect(titles.map((html) => /<title>(.*?)</.exec(html)?.[1])).toEqual(['front', 'front', 'b', 'b', 'c', 'c']);
  for (const host of ['a.test', 'b.test']) {
    const log = web.log.filter((each) => each.host === host);
    expect(log.map(({ path }) => path).sort()).toEqual(['/', '/b', '/c', '/robots.txt']);
    expect(log[0]?.path).toBe('/robots.txt');
    // From the end of each answer, robots.txt included.
    for (const [at, { startMs }] of log.entries()) {
      if (at > 1) expect(startMs - (log[at - 1]?.endMs ?? 0)).toBeGreaterThanOrEqual(300);
    }
  }
  for (const { userAgent, headers } of web.log) {
    expect(userAgent).toContain(CONTACT);
    expect(headers['cookie'] ?? headers['referer']).toBeUndefined();
  }
});

it('treats responses like the fetch of the platform', async () => {
  const { web, fetch } = await site();
  const moved = await fetch(new URL(web.url('a.test', '/moved#part')), {
    headers: { 'X-Own': '1', 'User-Agent': 'no' },
  });
  expect([moved.status, moved.redirected, moved.url]).toEqual([200, true, web.url('a.test', '/b')]);
  expect(moved.headers.get('content-type')).toContain('text/html');
  const sent = web.log.find(({ path }) => path === '/b');
  expect([sent?.headers['x-own'], sent?.userAgent.includes('test-bot')]).toEqual(['1', true]);
  const missing = await fetch(new Request(web.url('a.test', '/none')));
  expect([missing.status, missing.ok]).toEqual([404, false]);
  const manual = await fetch(web.url('a.test', '/moved'), { redirect: 'manual' });
  expect([manual.status, manual.headers.get('location')]).toEqual([302, '/b']);
});

it('returns odd statuses and reason phrases as the site sent them', async () => {
  const { fetch } = await site();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const path = /^GET (\S+)/.exec(data.toString())?.[1] ?? '';
      const line = Buffer.from(LINES[path] ?? '404 Not Found', 'latin1');
      socket.end(Buffer.concat([Buffer.from('HTTP/1.1 '), line, Buffer.from('\r\nContent-Length: 1\r\n\r\nx')]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [path, line] of Object.entries(LINES)) {
    const response = await fetch(`${base}${path}`);
    const platform = await globalThis.fetch(`${base}${path}`);
    expect([response.status, response.ok, response.statusText, await response.text()], line).toEqual([
      platform.status,
      platform.ok,
      platform.statusText,
      await platform.text(),
    ]);
  }
});

it('clones a response with its URL, and takes `redirect` from a Request, and null for no options', async () => {
  const { web, fetch } = await site();
  const response = await fetch(web.url('a.test', '/moved'), null as unknown as RequestInit);
  const clone = response.clone().clone();
  expect([clone.url, clone.redirected, clone.status, clone.ok]).toEqual([web.url('a.test', '/b'), true, 200, true]);
  expect(await clone.text()).toBe(await response.text());
  const manual = await fetch(new Request(web.url('a.test', '/moved'), { redirect: 'manual' }));
  expect(manual.status).toBe(302);
});

it('refuses what it would ignore: a check of integrity, and hooks that it does not call', async () => {
  const { web, fetch, given } = await site();
  const wrong = expect.objectContaining({ code: 'option-invalid' });
  await expect(fetch(web.url('a.test'), { integrity: 'sha256-x' })).rejects.toThrow(wrong);
  for (const hooks of [{ afterFetch: () => undefined }, { onExclusion: () => undefined }])
    expect(() => createPoliteFetch({ ...given, hooks })).toThrow(wrong);
  expect(web.log).toEqual([]);
});

it('waits for a robots.txt that redirects, even if it may not wait long', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': redirect('/rules'),
        '/rules': { ...text('User-agent: *\nDisallow: /private/'), delayMs: 100 },
        '/': page('front'),
      },
    },
  });
  const { fetch } = await site({ waitMs: 20_000 });
  expect((await fetch(web.url('a.test'))).status).toBe(200);
  await expect(fetch(web.url('a.test', '/private/x'))).rejects.toThrow(refused('robots-rule'));
});

it('says what to do in terms of a single request', async () => {
  const { web, fetch } = await site({ waitMs: 1_000 });
  const hintOf = (path: string, init?: RequestInit, host = 'a.test'): Promise<string> =>
    fetch(web.url(host, path), init).then(
      () => '',
      (error) => error.hint,
    );
  expect(await hintOf('/', {}, 'down.test')).toContain('`host-warning`');
  expect(await hintOf('/long')).toContain('`network.maxBodyBytes`');
  expect(await hintOf('/moved', { redirect: 'error' })).toContain('redirects');
  const closed = hintOf('/b');
  await fetch.close();
  expect(await closed).toContain('`close` was called');
});

it('says that the proxy is down, or that it refuses', async () => {
  const proxy = await proxyForTest('CONNECT', { refusal: 403 });
  const network = { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] };
  const through = (url: string) => site({ waitMs: 1_000, network: { ...network, proxy: url } });
  const refusing = await through(proxy.url);
  const hint = expect.not.stringContaining('retry');
  await expect(refusing.fetch(refusing.web.url('a.test'))).rejects.toThrow(refused('proxy-refused', { hint }));
  const down = await through(`http://127.0.0.1:${await freePort()}`);
  const isDown = { hint: expect.stringContaining('the proxy is down') };
  await expect(down.fetch(down.web.url('a.test'))).rejects.toThrow(refused('not-before', isDown));
});

it('rejects with reason and line, and requests nothing', async () => {
  const { web, fetch } = await site({ waitMs: 1_000 });
  const url = web.url('a.test', '/private/x');
  const rule = { code: 'fetch-refused', line: 2, pattern: '/private/', url };
  await expect(fetch(url)).rejects.toThrow(refused('robots-rule', rule));
  await expect(fetch(url)).rejects.toThrow(/line 2 of its robots\.txt: \/private\//);
  await expect(fetch(web.url('a.test', '/astray'))).rejects.toThrow(refused('robots-rule', { url }));
  await expect(fetch(web.url('down.test'))).rejects.toThrow(refused('robots-unreachable', { code: 'fetch-refused' }));
  const later = { untilMs: expect.any(Number), hint: expect.stringContaining('`untilMs`') };
  await expect(fetch(web.url('b.test', '/later'))).rejects.toThrow(refused('not-before', later));
  expect(web.log.some(({ host, path }) => path === '/private/x' || (host === 'b.test' && path === '/b'))).toBe(false);
  expect(web.log.filter(({ host }) => host === 'down.test').map(({ path }) => path)).toEqual(['/robots.txt']);
});

it('fails with a code if nothing usable arrives', async () => {
  const { web, fetch } = await site();
  await expect(fetch(web.url('a.test', '/long'))).rejects.toThrow(refused('body-too-long'));
  await expect(fetch(web.url('a.test', '/round'))).rejects.toThrow(refused('redirect-limit'));
  await expect(fetch(web.url('a.test', '/moved'), { redirect: 'error' })).rejects.toThrow(refused('redirect'));
  const private_ = createPoliteFetch({ identity: { name: 'test-bot', contact: CONTACT } });
  onTestFinished(() => private_.close());
  await expect(private_('http://127.0.0.1:1/')).rejects.toThrow(expect.objectContaining({ name: 'PoliteFetchError' }));
}, 60_000);

it('accepts only GET and http(s), and ends when it is closed', async () => {
  const { web, fetch } = await site();
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const wrong = expect.objectContaining({ code: 'option-invalid' });
    await expect(fetch(web.url('a.test'), { method })).rejects.toThrow(wrong);
  }
  await expect(fetch('ftp://a.test/')).rejects.toThrow(refused('url-scheme'));
  await expect(fetch(web.url('a.test'), { signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
  const opening = new AbortController();
  const early = fetch(web.url('a.test'), { signal: opening.signal });
  opening.abort();
  await expect(early).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  await fetch(web.url('a.test'));
  // Its turn is 300 ms away.
  const late = fetch(web.url('a.test', '/b'), { signal: AbortSignal.timeout(50) });
  await expect(late).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }));
  const closing = fetch.close();
  expect((await fetch(web.url('a.test', '/c'))).status).toBe(200);
  await closing;
  await fetch.close();
  expect((await fetch(web.url('a.test', '/c'))).status).toBe(200);
});

it('a request that is aborted, in flight or waiting for its turn, does not keep its host from the next', async () => {
  const { web, fetch } = await site();
  const [inFlight, waiting] = [new AbortController(), new AbortController()];
  const aborted = [
    fetch(web.url('a.test', '/silent'), { signal: inFlight.signal }),
    fetch(web.url('a.test', '/b'), { signal: waiting.signal }),
  ];
  const ends = Promise.allSettled(aborted);
  await expect.poll(() => web.log.length, { timeout: 300_000 }).toBe(2);
  waiting.abort('mine');
  inFlight.abort('mine');
  expect(await ends).toEqual(aborted.map(() => ({ status: 'rejected', reason: 'mine' })));
  expect((await fetch(web.url('a.test', '/c'))).status).toBe(200);
  expect(web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/silent', '/c']);
});

it('a call during close can be aborted while another exchange is still under way', async () => {
  const { web, fetch } = await site();
  const [inFlight, next] = [new AbortController(), new AbortController()];
  const silent = fetch(web.url('a.test', '/silent'), { signal: inFlight.signal }).catch((reason) => reason);
  await expect.poll(() => web.log.length, { timeout: 300_000 }).toBe(2);
  const ends: string[] = [];
  const closing = fetch.close().then(() => ends.push('closed'));
  const late = fetch(web.url('a.test', '/b'), { signal: next.signal }).finally(() => ends.push('aborted'));
  next.abort('mine');
  await expect(late).rejects.toBe('mine');
  inFlight.abort('mine too');
  expect(await silent).toBe('mine too');
  await closing;
  expect(ends).toEqual(['aborted', 'closed']);
});

it('sends HEAD requests if told to, and logs them as such', async () => {
  const { web, fetch } = await site();
  const logged: (string | undefined)[] = [];
  fetch.events.on('request', ({ method }) => void logged.push(method));
  const head = await fetch(web.url('a.test', '/long'), { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    '',
  ]);
  expect((await fetch(web.url('a.test', '/moved'), { method: 'HEAD' })).url).toBe(web.url('a.test', '/b'));
  expect((await fetch(web.url('a.test', '/b'))).status).toBe(200);
  const requests = web.log.map(({ path, method }) => `${method} ${path}`);
  expect(requests).toEqual(['GET /robots.txt', 'HEAD /long', 'HEAD /moved', 'HEAD /b', 'GET /b']);
  expect(logged).toEqual([undefined, 'HEAD', 'HEAD', 'HEAD', undefined]);
});

it('keeps copies, clocks and the log of requests in a directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mannerly-fetch-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const { web, fetch, given } = await site({ directory });
  await fetch(web.url('a.test'));
  await fetch.close();
  const next = createPoliteFetch({ ...given });
  await next(web.url('a.test', '/b'));
  await next.close();
  // robots.txt and its delay were stored.
  expect(web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/b']);
  expect((web.log[2]?.startMs ?? 0) - (web.log[1]?.endMs ?? 0)).toBeGreaterThanOrEqual(300);
  const lines = readFileSync(join(directory, 'requests.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => new URL(JSON.parse(line).url).pathname)).toEqual(['/robots.txt', '/', '/b']);
  // The report does not mention seeds.
  const { data } = await writeReport(await readCrawlDirectory(directory));
  expect(data.methods).toMatch(/^We requested single URLs between .*, making 3 HTTP requests/);
});

it('makes any program on undici polite', async () => {
  const { web, given } = await site();
  const interceptor = polite(given);
  onTestFinished(() => interceptor.close());
  const dispatcher = new Agent().compose(interceptor);
  const first = await request(web.url('a.test'), { dispatcher, headers: { accept: 'text/html' } });
  expect([first.statusCode, (await first.body.text()).includes('front')]).toEqual([200, true]);
  const viaFetch = await globalThis.fetch(web.url('a.test', '/moved'), { dispatcher } as RequestInit);
  expect([viaFetch.status, viaFetch.url]).toEqual([200, web.url('a.test', '/b')]);
  await expect(request(web.url('a.test', '/private/x'), { dispatcher })).rejects.toThrow(refused('robots-rule'));
  await expect(request(web.url('a.test'), { dispatcher, method: 'POST', body: 'x' })).rejects.toThrow(/GET/);
  expect(web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/moved', '/b']);
});

it('gives a program on undici a field with a name that every object has', async () => {
  const { web, given } = await site();
  const interceptor = polite(given);
  onTestFinished(() => interceptor.close());
  const { headers } = await request(web.url('a.test', '/odd'), { dispatcher: new Agent().compose(interceptor) });
  expect(headers).toMatchObject({ constructor: 'x', location: '/b' });
});

it('requests the query that a program on undici gives apart from the path', async () => {
  const { web, given } = await site();
  const interceptor = polite(given);
  onTestFinished(() => interceptor.close());
  const dispatcher = new Agent().compose(interceptor);
  await request(web.url('a.test', '/b'), { dispatcher, query: { q: 'a b', n: [1, 2] } });
  expect(web.log.at(-1)?.path).toBe('/b?q=a%20b&n=1&n=2');
  await request(web.url('a.test', '//b.test/x'), { dispatcher });
  expect(web.log.at(-1)).toMatchObject({ host: 'a.test', path: '//b.test/x' });
  const twice = request({ origin: web.url('a.test').slice(0, -1), path: '/b?x' } as never, {
    dispatcher,
    query: { q: 1 },
  });
  await expect(twice).rejects.toThrow();
  const pool = new Pool(web.url('a.test').slice(0, -1)).compose(interceptor);
  const hint = expect.objectContaining({ code: 'option-invalid', hint: expect.stringContaining('compose an Agent') });
  await expect(pool.request({ path: '/', method: 'GET' })).rejects.toThrow(hint);
});
