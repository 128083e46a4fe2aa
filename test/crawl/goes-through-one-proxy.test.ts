// With a proxy, only the path of requests changes: addresses are judged here, the proxy gets the judged one, TLS goes
// to the site's own name, and a failing proxy is not the fault of a site. If this breaks, a name can lead a proxy into
// its operator's network, or a site is blamed and requested again for a fault of ours.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUndiciFetcher, type Fetcher } from 'mannerly';
import { createFakeWeb, createVirtualClock } from 'mannerly/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { crawl, makeCrawler } from '../support/crawl.js';
import { freePort } from '../support/free-port.mjs';
import { proxyForTest } from '../support/proxies.js';
import { SITE, SITE_CA, SITE_TLS } from '../support/signature-witness.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const KINDS = ['CONNECT', 'SOCKS5'] as const;
const ROUTES = { '/robots.txt': text('User-agent: *\nDisallow: /no'), '/': page('a', ['/b', '/no']), '/b': page('b') };
const NO_RETRIES = { failureWaitsMs: [] };

describe.each(KINDS)('a crawl through a proxy of %s', (kind) => {
  it('gives it the judged address and never a name, and uses one connection for all requests to a host', async () => {
    const [web, proxy] = [await webForTest({ hosts: { 'a.test': ROUTES } }), await proxyForTest(kind)];
    const { report, requests } = await crawl({ seeds: [web.url('a.test')], network: { proxy: proxy.url } });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/b']);
    expect(proxy.targets).toEqual([`127.0.0.1:${web.port}`]);
    expect(proxy.received.join()).not.toContain('a.test');
    expect(report).toMatchObject({ state: 'finished', pages: 2 });
    expect(new Set(requests.map(({ remoteAddress }) => remoteAddress))).toEqual(new Set(['127.0.0.1']));
    expect(Object.keys(web.log[0]?.headers ?? {}).filter((name) => /via|forwarded|proxy/.test(name))).toEqual([]);
  });

  it('speaks TLS with the site itself, by its name', async () => {
    const web = await webForTest({ hosts: { [SITE]: ROUTES }, tls: SITE_TLS });
    const proxy = await proxyForTest(kind);
    const through = (): Fetcher => createUndiciFetcher({ ca: SITE_CA, proxy: proxy.url });
    const { report } = await crawl({ seeds: [web.url(SITE)], fetcher: through() });
    expect([report.pages, web.paths(SITE), proxy.targets.length]).toEqual([2, ['/robots.txt', '/', '/b'], 1]);
    const other = await crawl({ seeds: [web.url('other.example')], fetcher: through(), maxIdleMs: 0 });
    expect(other.notices).toContainEqual(expect.objectContaining({ detail: expect.stringMatching(/tls/) }));
    expect(web.log.length).toBe(3);
  });

  it('never names an address to it that the guard refuses', async () => {
    const proxy = await proxyForTest(kind);
    const { decisions } = await crawl({
      seeds: ['http://inside.test/'],
      network: { proxy: proxy.url, resolve: async () => ['10.0.0.1'] },
    });
    const detail = expect.stringContaining('10.0.0.1');
    expect(decisions).toMatchObject([{ status: 'dropped', reason: 'address-forbidden', detail }]);
    expect(proxy.targets).toEqual([]);
  });

  it('reaches an IPv6 address', async () => {
    const server = createServer((_, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const proxy = await proxyForTest(kind);
    const { report } = await crawl({
      seeds: [`http://six.test:${port}/`],
      network: { proxy: proxy.url, allowAddresses: ['::1/128'], resolve: async () => ['::1'] },
    });
    expect(report.pages).toBe(1);
    expect(proxy.targets).toEqual([kind === 'CONNECT' ? `[::1]:${port}` : `[0:0:0:0:0:0:0:1]:${port}`]);
  });

  it('sends it the name and the password from a variable, and sends them nowhere else', async () => {
    const web = await webForTest({ hosts: { 'a.test': ROUTES } });
    const proxy = await proxyForTest(kind, { password: 'me:s3cret%' });
    vi.stubEnv('TEST_PROXY', proxy.url.replace('//', '//me:s3cret%25@'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { report, requests } = await crawl({ seeds: [web.url('a.test')], network: { proxy: 'env:TEST_PROXY' } });
    expect(report.pages).toBe(2);
    expect(JSON.stringify([report, requests, web.log])).not.toMatch(/s3cret|bWU6czNjcmV0/);
  });

  it('waits if it needs a password that is missing, and sends no site a request', async () => {
    const web = await webForTest({ hosts: { 'a.test': ROUTES } });
    const proxy = await proxyForTest(kind, { password: 'me:s3cret' });
    const { report, notices } = await crawl({ seeds: [web.url('a.test')], network: { proxy: proxy.url } });
    expect(report).toMatchObject({ state: 'waiting', pages: 0, requests: 0, queued: 1 });
    expect(notices).toMatchObject([{ code: 'proxy-down', detail: expect.stringMatching(/407|authentication/) }]);
    expect(web.log).toEqual([]);
  });

  it('waits if nothing listens, and neither the URL nor its host has failed', async () => {
    const web = await webForTest({ hosts: { 'a.test': ROUTES } });
    const scheme = kind === 'CONNECT' ? 'http' : 'socks5';
    const proxy = `${scheme}://127.0.0.1:${await freePort()}`;
    const { report, notices, decisions } = await crawl({ seeds: [web.url('a.test')], network: { proxy } });
    expect(report).toMatchObject({ state: 'waiting', pages: 0, requests: 0, queued: 1 });
    expect(report.politeness).toMatchObject([{ failed: 0, held: 1, longestPauseMs: 0 }]);
    expect(notices).toMatchObject([
      { code: 'proxy-down', detail: expect.stringMatching(/cannot be reached: .*REFUSED/) },
    ]);
    expect(decisions).toMatchObject([{ status: 'held' }]);
    expect(web.log).toEqual([]);
  });

  it.each([
    ['a rule of the proxy', kind === 'CONNECT' ? 403 : 2, 'dropped', 'proxy-refused'],
    ['a site that it cannot reach', kind === 'CONNECT' ? 502 : 4, 'held', 'robots-unreachable'],
  ])('classifies %s correctly', async (_what, refuses, status, reason) => {
    const web = await webForTest({ hosts: { 'a.test': ROUTES } });
    const proxy = await proxyForTest(kind, { refusal: refuses });
    const seeds = [web.url('a.test')];
    const { decisions, requests } = await crawl({ seeds, network: { proxy: proxy.url }, retries: NO_RETRIES });
    expect(decisions).toMatchObject([{ status, reason }]);
    if (status === 'dropped') expect(decisions[0]?.detail).toContain(`the proxy ${proxy.url}`);
    expect([web.log, requests]).toEqual([[], []]);
  });

  it('requests what the proxy refused, when it allows it and a retry is asked for', async () => {
    const web = await webForTest({ hosts: { 'a.test': ROUTES } });
    const out = await mkdtemp(join(tmpdir(), 'mannerly-proxy-'));
    onTestFinished(() => rm(out, { recursive: true }));
    const port = await freePort();
    const run = async (pages: number, refusal: number | null, retry?: { reason: string }) => {
      const proxy = await proxyForTest(kind, refusal === null ? { port } : { port, refusal });
      const crawler = makeCrawler({ seeds: [web.url('a.test')], network: { proxy: proxy.url }, bounds: { pages } });
      const { outcomes } = await crawler.run(retry === undefined ? { out } : { out, retry });
      await proxy.close();
      return outcomes;
    };
    await run(1, null);
    expect(await run(9, kind === 'CONNECT' ? 403 : 2)).toMatchObject({ dropped: { 'proxy-refused': 1 } });
    const fetched = await run(9, null, { reason: 'proxy-refused' });
    expect(fetched).toEqual({ fetched: { fetched: 2 }, excluded: { 'robots-rule': 1 } });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/b']);
  });

  it('treats a site for which the proxy waits in vain as one that does not answer', async () => {
    const proxy = await proxyForTest(kind, { isSilent: true });
    const { notices } = await crawl({
      seeds: ['http://a.test/'],
      network: { proxy: proxy.url, connectTimeoutMs: 1_000 },
    });
    expect(notices.map(({ code }) => code)).toEqual(['robots-unreachable']);
    expect(proxy.targets).toEqual(['127.0.0.1:80']);
  });
});

describe('a proxy that is down', () => {
  const downUntil = async (untilMs: number) => {
    const clock = createVirtualClock();
    onTestFinished(() => clock.end());
    const web = createFakeWeb({ hosts: { 'a.test': { pages: { '/': page('a') } } } });
    const { fetcher, network } = web.fakes(clock);
    const startMs = clock.nowMs();
    const broken: Fetcher = {
      ...fetcher,
      async fetch(request) {
        const nowMs = clock.nowMs();
        if (nowMs - startMs >= untilMs) return fetcher.fetch(request);
        const timing = { startedAtMs: nowMs, headersAtMs: null, endedAtMs: nowMs };
        const { url } = request;
        return { kind: 'failed', url, failure: 'proxy', detail: 'no', remoteAddress: null, wasSent: false, timing };
      },
    };
    const story = await clock.finish(
      crawl({ seeds: ['http://a.test/'], clock, fetcher: broken, network, maxIdleMs: 720_000, retries: NO_RETRIES }),
    );
    return { ...story, tookMs: clock.nowMs() - startMs, requests: web.exchanges.length };
  };

  it('costs no retry, and the crawl continues when it is back', async () => {
    const { report, notices, requests, tookMs } = await downUntil(100_000);
    expect(report).toMatchObject({ state: 'finished', pages: 1 });
    expect(notices.map(({ code }) => code)).toEqual(['proxy-down', 'robots-read']);
    expect(requests).toBe(2);
    expect(tookMs).toBeLessThan(140_000);
  });

  it('stops the run after five minutes, and the queue is kept', async () => {
    const { report, requests, tookMs } = await downUntil(Number.POSITIVE_INFINITY);
    expect(report).toMatchObject({ state: 'stopped', stopReason: 'proxy-down: no', queued: 1 });
    expect(requests).toBe(0);
    expect(tookMs).toBeGreaterThanOrEqual(300_000);
    expect(tookMs).toBeLessThan(400_000);
  });
});
