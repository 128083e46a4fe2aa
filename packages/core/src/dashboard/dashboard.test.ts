// The dashboard as a stranger and as the operator use it, over real sockets, field by field.

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FakeCrawl, fakeCrawl, requestRecord } from '../../test-support/fake-crawl.js';
import { createDashboard, type Dashboard } from './dashboard.js';
import type { DashboardOptions } from './dashboard-options.js';
import type { DashboardView } from './view.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function open(
  crawl: FakeCrawl = fakeCrawl(),
  options: DashboardOptions = {},
): Promise<{ crawl: FakeCrawl; dashboard: Dashboard }> {
  const dashboard = await createDashboard(crawl, options);
  onTestFinished(() => dashboard.close());
  return { crawl, dashboard };
}

/** One exchange; reads the whole body. */
function ask(
  { port }: Dashboard,
  path: string,
  more: RequestOptions & { readonly body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { body: sent, ...options } = more;
    const request = httpRequest({ host: '127.0.0.1', port, path, agent: false, ...options }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', reject);
    request.end(sent);
  });
}

const inQuery = ({ token }: Dashboard, path: string): string => `${path}?token=${token}`;

/** What the page sends when a button is pressed. */
const asPage = ({ token, port }: Dashboard): RequestOptions => ({
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, origin: `http://127.0.0.1:${port}` },
});

/** The events of a stream as they arrive. */
function listen(dashboard: Dashboard): { next(event: string): Promise<string>; closed: Promise<void>; leave(): void } {
  let text = '';
  let wake = (): void => undefined;
  let leave = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: dashboard.port, path: inQuery(dashboard, '/events'), agent: false },
      (response) => {
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          wake();
        });
        response.on('close', () => {
          resolve();
          wake();
        });
      },
    );
    request.on('error', () => resolve());
    leave = () => request.destroy();
    request.end();
  });
  onTestFinished(() => leave());
  return {
    closed,
    leave: () => leave(),
    async next(event) {
      for (;;) {
        const found = new RegExp(`event: ${event}\\ndata: (.*)\\n\\n`).exec(text);
        if (found !== null) {
          text = text.slice(found.index + found[0].length);
          return found[1] ?? '';
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

describe('admission', () => {
  it.each(['/', '/view', '/events', '/metrics', '/nothing', '/favicon.ico'])(
    'is refused without the token: %s',
    async (path) => {
      const { dashboard } = await open();
      for (const target of [path, `${path}?token=`, `${path}?token=${'x'.repeat(43)}`]) {
        const { status, body, headers } = await ask(dashboard, target);
        expect({ status, options: target }).toEqual({ status: 401, options: target });
        expect(body).not.toContain('tester');
        expect(headers['access-control-allow-origin']).toBeUndefined();
      }
    },
  );

  it('is granted to the operator, with the printed address', async () => {
    const { dashboard } = await open();
    expect(dashboard.url).toBe(`http://127.0.0.1:${dashboard.port}/?token=${dashboard.token}`);
    expect(dashboard.token).toMatch(/^[\w-]{43}$/);
    const { status, headers, body } = await ask(dashboard, inQuery(dashboard, '/'));
    expect(status).toBe(200);
    expect(body).toMatch(/^<!doctype html>/);
    expect(body).not.toContain(dashboard.token);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it('is refused for a page under a name that was rebound to this machine, with or without the token', async () => {
    const { dashboard } = await open();
    const headers = { host: `evil.example:${dashboard.port}` };
    expect((await ask(dashboard, inQuery(dashboard, '/'), { headers })).status).toBe(421);
    const tunnel = { host: 'localhost:8080' };
    expect((await ask(dashboard, inQuery(dashboard, '/'), { headers: tunnel })).status).toBe(200);
  });

  it('needs the token of this dashboard, which is random unless it is given', async () => {
    const { dashboard: one } = await open();
    const { dashboard: other } = await open();
    expect(one.token).not.toBe(other.token);
    const token = 'given-token-0123456789-0123456789';
    const { dashboard } = await open(fakeCrawl(), { token });
    expect((await ask(dashboard, `/view?token=${token}`)).status).toBe(200);
  });

  // Other systems need configuration for a second loopback address.
  it.runIf(process.platform === 'linux')('is refused from outside the machine', async () => {
    const { dashboard } = await open();
    const server = createServer();
    onTestFinished(() => void server.close());
    // The dashboard takes its port at one address only, so the same port is free at another one.
    await new Promise<void>((resolve) => server.listen(dashboard.port, '127.0.0.2', resolve));
    expect((server.address() as AddressInfo).port).toBe(dashboard.port);
  });
});

describe('controls', () => {
  it('pause, resume and stop the crawl from its own page', async () => {
    const { crawl, dashboard } = await open();
    for (const [verb, phase] of [
      ['pause', 'paused'],
      ['resume', 'running'],
      ['stop', 'stopping'],
    ] as const) {
      const { status, body } = await ask(dashboard, `/${verb}`, asPage(dashboard));
      expect({ status, phase: (JSON.parse(body) as DashboardView).activity.phase }).toEqual({ status: 200, phase });
    }
    // A second stop would cut off requests in flight.
    await ask(dashboard, '/stop', asPage(dashboard));
    expect(crawl.calls).toEqual(['pause', 'resume', 'stop']);
  });

  it.each<[string, (options: RequestOptions) => RequestOptions, number]>([
    [
      'another origin',
      (options) => ({ ...options, headers: { ...options.headers, origin: 'http://evil.example' } }),
      403,
    ],
    [
      'no origin',
      ({ headers }) => ({
        method: 'POST',
        headers: { authorization: (headers as { authorization: string }).authorization },
      }),
      403,
    ],
    ['a form', (options) => ({ ...options, headers: { origin: (options.headers as { origin: string }).origin } }), 401],
    ['a link', (options) => ({ ...options, method: 'GET' }), 404],
    ['a preflight', (options) => ({ ...options, method: 'OPTIONS' }), 405],
    ['another method', (options) => ({ ...options, method: 'DELETE' }), 405],
    ['a body', (options) => ({ ...options, headers: { ...options.headers, 'content-length': '1000000' } }), 413],
  ])('do not work from %s', async (_, change, status) => {
    const { crawl, dashboard } = await open();
    expect((await ask(dashboard, '/stop', change(asPage(dashboard)))).status).toBe(status);
    expect(crawl.calls).toEqual([]);
  });

  it('do nothing if they are off', async () => {
    const { crawl, dashboard } = await open(fakeCrawl(), { controls: false });
    expect((await ask(dashboard, '/pause', asPage(dashboard))).status).toBe(405);
    const { body } = await ask(dashboard, inQuery(dashboard, '/view'));
    expect((JSON.parse(body) as DashboardView).hasControls).toBe(false);
    expect(crawl.calls).toEqual([]);
  });
});

describe('the stream', () => {
  it('sends the view at once, again after each action, and its end', async () => {
    const { dashboard } = await open();
    const stream = listen(dashboard);
    expect((JSON.parse(await stream.next('view')) as DashboardView).activity.phase).toBe('running');
    await ask(dashboard, '/pause', asPage(dashboard));
    expect((JSON.parse(await stream.next('view')) as DashboardView).activity.phase).toBe('paused');
    await dashboard.close();
    await stream.next('end');
    await stream.closed;
    await expect(ask(dashboard, inQuery(dashboard, '/'))).rejects.toThrow();
  });

  it('is open to a few readers at a time', async () => {
    const { dashboard } = await open();
    const streams = Array.from({ length: 16 }, () => listen(dashboard));
    for (const stream of streams) await stream.next('view');
    expect((await ask(dashboard, inQuery(dashboard, '/events'))).status).toBe(503);
    streams[0]?.leave();
    await streams[0]?.closed;
    // The slot is free once the server has noticed that the reader left.
    for (;;) {
      const late = listen(dashboard);
      const event = await Promise.race([late.next('view'), late.closed]);
      if (event !== undefined) break;
    }
  });
});

describe('metrics', () => {
  const metrics = { contentType: 'text/plain; version=0.0.4', metrics: async () => 'mannerly_pages_total 12\n' };

  it('are served with the token, if they are collected', async () => {
    const { dashboard } = await open(fakeCrawl(), { metrics });
    const bearer = { authorization: `Bearer ${dashboard.token}` };
    const { status, headers, body } = await ask(dashboard, '/metrics', { headers: bearer });
    expect({ status, type: headers['content-type'], body }).toEqual({
      status: 200,
      type: metrics.contentType,
      body: 'mannerly_pages_total 12\n',
    });
    expect((await ask((await open()).dashboard, '/metrics')).status).toBe(401);
    const { dashboard: without } = await open();
    expect((await ask(without, inQuery(without, '/metrics'))).status).toBe(404);
  });

  it('that cannot be read fail their request, not the crawl', async () => {
    const broken = { ...metrics, metrics: () => Promise.reject(new Error('of mine')) };
    const { dashboard } = await open(fakeCrawl(), { metrics: broken });
    const { status, body } = await ask(dashboard, inQuery(dashboard, '/metrics'));
    expect({ status, leaks: body.includes('of mine') }).toEqual({ status: 500, leaks: false });
  });
});

describe('hostile requests', () => {
  it.each([
    [
      'a target that is not a path',
      'GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 401/,
    ],
    [
      'a target that is no URL',
      'GET //:x@[ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 401/,
    ],
    [
      'two hosts',
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 4/,
    ],
    ['a field without end', `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400/],
  ])('%s', async (_, sent, expected) => {
    const { dashboard } = await open();
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(dashboard.port, '127.0.0.1', () => socket.write(sent));
      let text = '';
      socket.setEncoding('latin1');
      socket.on('data', (chunk: string) => {
        text += chunk;
      });
      socket.on('error', () => resolve(text));
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(expected);
  });
});

describe('options', () => {
  it.each<[DashboardOptions, string]>([
    [{ port: 65_536 }, 'port'],
    [{ port: 1.5 }, 'port'],
    [{ host: 'localhost' }, 'host'],
    [{ hostNames: ['a b'] }, 'hostNames'],
    [{ hostNames: ['example.org:80'] }, 'hostNames'],
    [{ token: 'short' }, 'token'],
    [{ metrics: {} as never }, 'metrics'],
    [{ token: `${'x'.repeat(40)} y` }, 'token'],
  ])('%j is refused', async (options, name) => {
    await expect(createDashboard(fakeCrawl(), options)).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringContaining(`\`${name}\``),
    });
  });

  it.each([undefined, null, {}] as never[])('%j in place of a crawler is refused', async (none) => {
    await expect(createDashboard(none)).rejects.toMatchObject({ code: 'option-invalid' });
  });

  it('an unknown option is refused, and a token that is too short is not repeated in the message', async () => {
    await expect(createDashboard(fakeCrawl(), { open: true } as DashboardOptions)).rejects.toMatchObject({
      code: 'option-unknown',
    });
    const refused = await createDashboard(fakeCrawl(), { token: 'my-secret' }).catch((error: Error) => error);
    expect(String(refused)).not.toContain('my-secret');
  });

  it('a port that is in use is reported, and nothing stays open', async () => {
    const { dashboard } = await open();
    const crawl = fakeCrawl();
    await expect(createDashboard(crawl, { port: dashboard.port })).rejects.toMatchObject({
      code: 'dashboard-failed',
      hint: expect.stringContaining('another port'),
    });
    expect(crawl.listeners()).toBe(0);
  });

  it('connections that send nothing block neither the operator nor open pages', async () => {
    const { dashboard } = await open();
    const page = listen(dashboard);
    await page.next('view');
    const idle = Array.from({ length: 200 }, () => connect(dashboard.port, '127.0.0.1').on('error', () => undefined));
    onTestFinished(() => {
      for (const socket of idle) socket.destroy();
      page.leave();
    });
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect((await ask(dashboard, inQuery(dashboard, '/view'))).status).toBe(200);
    await page.next('view');
  });

  it('a closed dashboard listens to nothing any more', async () => {
    const { crawl, dashboard } = await open();
    expect(crawl.listeners()).toBeGreaterThan(0);
    await dashboard.close();
    await dashboard.close();
    expect(crawl.listeners()).toBe(0);
    crawl.emit('request', requestRecord());
  });
});
