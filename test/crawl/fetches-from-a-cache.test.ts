// A polite fetch that keeps responses sends fewer requests, and never against robots.txt. A fresh response costs no
// request and no turn; a stale one is requested conditionally, in its host’s turn. The server’s log is checked.

import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@mannerly/frontier';
import { createPoliteFetch } from 'mannerly/fetch';
import { expect, it, onTestFinished } from 'vitest';
import { CONTACT, NO_INTERVAL } from '../support/crawl.js';
import { type Route, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

type PoliteFetchOptions = Parameters<typeof createPoliteFetch>[0];

/** A page with an ETag; it answers 304 if the request names the tag. */
const page = (headers: Readonly<Record<string, string>>, body: string): Route => {
  return ({ headers: asked, before }) =>
    headers['etag'] !== undefined && asked['if-none-match'] === headers['etag']
      ? { status: 304, headers }
      : { headers: { 'content-type': 'text/html', ...headers }, body: `${body} ${before}` };
};

const DELAY_MS = 300;
const ROUTES = {
  '/robots.txt': text('User-agent: *\nCrawl-delay: 0.3'),
  '/fresh': page({ 'cache-control': 'private, max-age=3600' }, 'fresh'),
  '/checked': page({ 'cache-control': 'no-cache', etag: '"1"' }, 'checked'),
  '/silent': page({}, 'silent'),
  '/secret': page({ 'cache-control': 'no-store, max-age=60' }, 'secret'),
  '/tongue': (({ headers }) => ({
    headers: { 'cache-control': 'max-age=3600', vary: 'Accept-Language' },
    body: headers['accept-language'] ?? 'none',
  })) satisfies Route,
  '/moved': { status: 301, headers: { location: '/fresh', 'cache-control': 'max-age=3600' } },
  '/large': { headers: { 'cache-control': 'max-age=3600' }, body: 'x'.repeat(1_100_000) },
};

async function site(options: Partial<PoliteFetchOptions> = {}, routes: Readonly<Record<string, Route>> = ROUTES) {
  const web = await webForTest({ hosts: { 'a.test': routes } });
  const given: PoliteFetchOptions = {
    identity: { name: 'test-bot', contact: CONTACT },
    politeness: { profile: NO_INTERVAL },
    network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
    cache: true,
    ...options,
  };
  const fetch = createPoliteFetch(given);
  onTestFinished(() => fetch.close());
  const read = async (path: string, init: RequestInit = {}) => (await fetch(web.url('a.test', path), init)).text();
  return { web, fetch, read, given };
}

const pathsOf = (web: Awaited<ReturnType<typeof site>>['web']) => web.paths('a.test').slice(1);

it('a fresh response costs no request and no turn, redirects included', async () => {
  const { web, read, fetch } = await site();
  expect(await read('/fresh')).toBe('fresh 0');
  const again = await fetch(web.url('a.test', '/fresh'));
  expect(await again.text()).toBe('fresh 0');
  expect([again.status, again.headers.get('content-type')]).toEqual([200, 'text/html']);
  expect(again.headers.get('age')).toMatch(/^\d$/);
  expect(pathsOf(web)).toEqual(['/fresh']);
  const moved = await fetch(web.url('a.test', '/moved'));
  expect([moved.url, moved.redirected, await moved.text()]).toEqual([web.url('a.test', '/fresh'), true, 'fresh 0']);
  expect(await read('/moved')).toBe('fresh 0');
  expect(pathsOf(web)).toEqual(['/fresh', '/moved']);
});

it('a stale response is requested conditionally, in its host’s turn', async () => {
  const { web, read } = await site();
  expect([await read('/checked'), await read('/checked')]).toEqual(['checked 0', 'checked 0']);
  const [first, second] = web.log.filter(({ path }) => path === '/checked');
  expect([first?.status, second?.status, second?.headers['if-none-match']]).toEqual([200, 304, '"1"']);
  expect((second?.startMs ?? 0) - (first?.endMs ?? 0)).toBeGreaterThanOrEqual(DELAY_MS);
  expect(second?.userAgent).toContain(CONTACT);
});

it('what may not be kept, is too large, or should not be kept, is requested each time', async () => {
  const { web, read, fetch } = await site();
  for (const path of ['/silent', '/secret']) expect([await read(path), await read(path)]).toHaveLength(2);
  expect((await read('/large')).length + (await read('/large')).length).toBe(2_200_000);
  await read('/fresh');
  expect(await read('/fresh', { cache: 'no-store' })).toBe('fresh 1');
  await fetch(web.url('a.test', '/fresh'), { method: 'HEAD' });
  expect(await read('/fresh', { headers: { 'Cache-Control': 'only-if-cached' } })).toMatch(/^fresh \d$/);
  const twice = ['/silent', '/silent', '/secret', '/secret', '/large', '/large'];
  expect(pathsOf(web)).toEqual([...twice, '/fresh', '/fresh', '/fresh', '/fresh']);
});

it('one response is kept for each value of the fields by which it varies, including those of the options', async () => {
  const { web, read } = await site({ hosts: [{ match: 'a.test', headers: ['Accept-Language: fr'] }] });
  const german = { headers: { 'Accept-Language': 'de' } };
  expect([await read('/tongue'), await read('/tongue', german)]).toEqual(['fr', 'de']);
  expect([await read('/tongue'), await read('/tongue', german)]).toEqual(['fr', 'de']);
  expect(pathsOf(web)).toEqual(['/tongue', '/tongue']);
});

it('robots.txt is checked before a kept response is returned', async () => {
  const system = systemClock();
  let laterMs = 0;
  let rules = 'User-agent: *\nDisallow: /none';
  const routes = { ...ROUTES, '/robots.txt': () => text(rules) };
  const clock = { nowMs: () => system.nowMs() + laterMs, after: system.after };
  const { web, read } = await site({ clock }, routes);
  expect(await read('/fresh')).toBe('fresh 0');
  // The response is fresh for an hour of the machine's clock. By the crawl's clock, the rules are a day old.
  laterMs = 25 * 3_600_000;
  rules = 'User-agent: *\nDisallow: /fresh';
  const refused = expect.objectContaining({ name: 'PoliteFetchError', reason: 'robots-rule', line: 2 });
  await expect(read('/fresh')).rejects.toThrow(refused);
  await expect(read('/fresh')).rejects.toThrow(refused);
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/fresh', '/robots.txt']);
});

it('with purposes, each response is judged again and requested again', async () => {
  const { web, read } = await site({ purposes: ['search'] });
  expect([await read('/fresh'), await read('/fresh')]).toEqual(['fresh 0', 'fresh 1']);
  expect(pathsOf(web)).toEqual(['/fresh', '/fresh']);
});

it('nothing is kept by default, and nothing with cookies', async () => {
  const { web, read, given } = await site({ cache: false });
  expect([await read('/fresh'), await read('/fresh')]).toEqual(['fresh 0', 'fresh 1']);
  expect(pathsOf(web)).toEqual(['/fresh', '/fresh']);
  const make = () => createPoliteFetch({ ...given, cache: true, network: { ...given.network, cookies: true } });
  expect(make).toThrow(/`cache` to be false with `network\.cookies`/);
});

const inSqlite = isBuiltin('node:sqlite') ? 'in cache.sqlite' : 'in memory: this Node.js has no node:sqlite';

it(`with a directory, responses survive the process if Node.js can store them (${inSqlite})`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mannerly-cache-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const { web, read, fetch, given } = await site({ directory });
  expect(await read('/fresh')).toBe('fresh 0');
  await fetch.close();
  const next = createPoliteFetch({ ...given });
  const response = await next(web.url('a.test', '/fresh'));
  expect(await response.text()).toBe(isBuiltin('node:sqlite') ? 'fresh 0' : 'fresh 1');
  await next.close();
});
