// The HTTP API as a program in another language uses it, over real sockets. If this breaks, a team without JavaScript
// loses control of its crawl, or a stranger gets it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type FakeCrawl, fakeCrawl } from '../../test-support/fake-crawl.js';
import { MannerlyError } from '../errors.js';
import { createDashboard } from './dashboard.js';
import type { DashboardOptions } from './dashboard-options.js';
import { MAX_API_BODY_BYTES } from './limits.js';

type Call = (
  target: string,
  init?: RequestInit,
) => Promise<{ status: number; type: string | null; body: unknown; response: Response }>;

/** A crawl with its API, and the calls of a program that has the token. */
async function open(options: DashboardOptions = { api: {} }, crawl: FakeCrawl = fakeCrawl()) {
  const dashboard = await createDashboard(crawl, options);
  onTestFinished(() => dashboard.close());
  const origin = `http://127.0.0.1:${dashboard.port}`;
  const call: Call = async (target, init = {}) => {
    const headers = { authorization: `Bearer ${dashboard.token}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${origin}${target}`, { ...init, headers });
    const text = await response.text();
    const type = response.headers.get('content-type');
    return { status: response.status, type, body: /json/.test(type ?? '') ? JSON.parse(text) : text, response };
  };
  const post = (target: string, value?: unknown, type = 'application/json') =>
    call(target, {
      method: 'POST',
      ...(value === undefined
        ? {}
        : { headers: { 'content-type': type }, body: typeof value === 'string' ? value : JSON.stringify(value) }),
    });
  return { crawl, dashboard, origin, call, post };
}

it('adds URLs with all their fields, and answers for each', async () => {
  const { crawl, post } = await open();
  const more = { label: 'page', userData: { id: 7 }, priority: 0, depth: 1, allowDuplicate: true };
  const { status, type, body } = await post('/api/urls', { urls: ['http://a.test/1', 'http://a.test/2'], ...more });
  expect({ status, type }).toEqual({ status: 200, type: 'application/json' });
  const queued = { kind: 'queued', reason: null };
  expect(body).toEqual({
    urls: [
      { url: 'http://a.test/1', ...queued },
      { url: 'http://a.test/2', ...queued },
    ],
  });
  expect(crawl.calls).toEqual([`add ${JSON.stringify([['http://a.test/1', 'http://a.test/2'], more])}`]);
});

it('returns the status, and pauses, resumes and stops', async () => {
  const { crawl, call, post } = await open({ api: {} }, fakeCrawl({ pages: 3, queued: 4 }));
  expect(await call('/api/status')).toMatchObject({
    status: 200,
    body: { phase: 'running', name: 'tester', progress: { pages: 3, queued: 4 } },
  });
  expect(await post('/api/pause')).toMatchObject({ status: 200, body: { phase: 'paused' } });
  expect(await post('/api/resume')).toMatchObject({ status: 200, body: { phase: 'running' } });
  expect(await post('/api/stop')).toMatchObject({ status: 200, body: { phase: 'stopping' } });
  // A second stop would cut off requests in flight.
  await post('/api/stop');
  expect(crawl.calls).toEqual(['pause', 'resume', 'stop']);
});

it('explains a URL', async () => {
  const { crawl, call } = await open();
  const of = encodeURIComponent('http://a.test/?x=1&y');
  expect((await call(`/api/explain?of=${of}`)).body).toMatchObject({ url: 'http://a.test/?x=1&y' });
  expect(crawl.calls).toEqual(['explain http://a.test/?x=1&y']);
  expect(await call('/api/explain')).toMatchObject({ status: 400, body: { detail: expect.stringContaining('`of`') } });
});

it.each([
  ['no JSON', '{"urls":', 400, /not JSON/],
  ['a list', [], 400, /needs `urls`/],
  ['no urls', { url: 'http://a.test/' }, 400, /needs `urls`/],
  ['an unknown field', { urls: [], lable: 'x' }, 400, /unknown field `lable`/],
])('refuses %s', async (_, value, status, says) => {
  const { crawl, post } = await open();
  const answer = await post('/api/urls', value);
  expect(answer).toMatchObject({ status, type: 'application/problem+json' });
  expect((answer.body as { detail: string }).detail).toMatch(says);
  expect(crawl.calls).toEqual([]);
});

it('refuses what a form could send, and what is too long, whether or not its length is declared', async () => {
  const { crawl, call, post } = await open();
  expect(await post('/api/urls', { urls: ['http://a.test/'] }, 'text/plain')).toMatchObject({ status: 415 });
  const long = new TextEncoder().encode('x'.repeat(MAX_API_BODY_BYTES + 1));
  const headers = { 'content-type': 'application/json' };
  const response = await call('/api/urls', { method: 'POST', headers, body: long });
  const detail = expect.stringContaining('more than 8388608 bytes');
  expect(response).toMatchObject({ status: 413, body: { detail } });
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(long);
      controller.close();
    },
  });
  const untold = call('/api/urls', { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit);
  expect((await untold).status).toBe(413);
  expect(crawl.calls).toEqual([]);
});

it('keeps the connection of a program that adds again and again', async () => {
  const { post } = await open();
  const { response } = await post('/api/urls', { urls: ['http://a.test/'] });
  expect(response.headers.get('connection')).toBe('keep-alive');
});

it.each([
  ['option-invalid', 400],
  ['item-invalid', 400],
  ['not-running', 409],
  ['store-failed', 500],
] as const)('an error %s of the crawl is %i, with what to do', async (code, status) => {
  const crawl = fakeCrawl();
  crawl.add = async () => {
    throw new MannerlyError(code, 'it cannot', { hint: 'Do this.' });
  };
  const { post } = await open({ api: {} }, crawl);
  const { type, ...answer } = await post('/api/urls', { urls: [] });
  expect(answer).toMatchObject({ status, body: { status, code, detail: 'it cannot', hint: 'Do this.' } });
  expect(type).toBe('application/problem+json');
});

it('says about an internal fault only that there is one', async () => {
  const crawl = fakeCrawl();
  crawl.explain = async () => {
    throw new Error('the words of a fault');
  };
  const { call } = await open({ api: {} }, crawl);
  const { status, body } = await call('/api/explain?of=a.test');
  expect({ status, body }).toEqual({ status: 500, body: { status: 500, detail: 'This could not be read.' } });
});

it('has no report without a directory, or for a directory without a crawl', async () => {
  const { call } = await open();
  expect(await call('/api/report')).toMatchObject({ status: 404 });
  const out = mkdtempSync(join(tmpdir(), 'mannerly-api-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  const other = await open({ api: { out } });
  expect(await other.call('/api/report')).toMatchObject({ status: 409, body: { code: 'directory-taken' } });
});

it('admits no request without the token, and none from a page of another site', async () => {
  const { crawl, origin, call, post } = await open();
  const strangers: RequestInit[] = [{}, { headers: { authorization: 'Bearer wrong' } }];
  for (const init of strangers) {
    for (const path of ['/api', '/api/status', '/api/openapi.json', '/api/report', '/api/nothing']) {
      expect((await fetch(`${origin}${path}`, init)).status).toBe(401);
    }
    const add = { ...init, method: 'POST', body: '{"urls":["http://a.test/"]}' };
    expect((await fetch(`${origin}/api/urls`, add)).status).toBe(401);
  }
  const headers = { origin: 'http://evil.example', 'content-type': 'application/json' };
  const evil = await call('/api/urls', { method: 'POST', headers, body: '{"urls":["http://a.test/"]}' });
  expect(evil.status).toBe(403);
  const preflight = await fetch(`${origin}/api/urls`, {
    method: 'OPTIONS',
    headers: { origin: 'http://evil.example' },
  });
  expect(preflight.status).toBe(401);
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  // Programs may only use the API.
  expect((await post('/stop')).status).toBe(403);
  expect(crawl.calls).toEqual([]);
});

it('does not exist unless it is enabled, and controls nothing if controls are off', async () => {
  const without = await open({});
  expect((await without.call('/api/status')).status).toBe(404);
  expect((await without.post('/api/urls', { urls: [] })).status).toBe(413);
  const { crawl, call, post } = await open({ api: {}, controls: false });
  expect((await post('/api/stop')).status).toBe(404);
  expect((await call('/api/status')).status).toBe(200);
  expect((await post('/api/urls', { urls: ['http://a.test/'] })).status).toBe(200);
  expect(crawl.calls).toHaveLength(1);
});

it('describes exactly what it does', async () => {
  const { call } = await open();
  const { body } = await call('/api/openapi.json');
  const { openapi, paths, components } = body as {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string }>>;
    components: Record<string, Record<string, unknown>>;
  };
  expect(openapi).toBe('3.1.0');
  expect(Object.entries(paths).map(([path, by]) => `${Object.keys(by)} ${path}`)).toEqual([
    'post /api/urls',
    'get /api/status',
    'post /api/pause',
    'post /api/resume',
    'post /api/stop',
    'get /api/explain',
    'get /api/report',
    'get /api/openapi.json',
  ]);
  for (const [path, by] of Object.entries(paths)) {
    const isPost = Object.hasOwn(by, 'post');
    const other = await call(path, { method: isPost ? 'GET' : 'POST' });
    expect({ path, status: other.status, allow: other.response.headers.get('allow') }).toEqual({
      path,
      status: 405,
      allow: isPost ? 'POST' : 'GET',
    });
  }
  const named = [...JSON.stringify(body).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)];
  expect(named.length).toBeGreaterThan(10);
  for (const [, kind = '', name = ''] of named) expect(components[kind]?.[name]).toBeDefined();
  const page = await call('/api');
  expect(page.type).toBe('text/html; charset=utf-8');
  for (const path of Object.keys(paths)) expect(page.body).toContain(path);
  expect(page.body).not.toMatch(/<script|src=|href=/);
});

it.each([
  [{ api: { dir: 'x' } }, /api/],
  [{ api: true }, /api/],
  [{ api: { out: 7 } }, /api/],
])('takes no options such as %j', async (options, says) => {
  await expect(createDashboard(fakeCrawl(), options as DashboardOptions)).rejects.toThrow(says);
});
