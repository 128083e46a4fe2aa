// The test kit together with nock: a crawl of half a day in virtual time, answered by nock. A second test shows what
// nock does not see: the fetcher on undici's own connections.

import { createCrawler, createPlatformFetcher, createUndiciFetcher, type Fetcher } from 'mannerly';
import {
  assertKeepsGap,
  assertNotRequested,
  assertRobotsFirst,
  createVirtualClock,
  runCrawl,
  type SeenRequest,
} from 'mannerly/testing';
import nock from 'nock';
import { afterEach, beforeEach, expect, it } from 'vitest';

const HOUR = 3_600_000;

beforeEach(() => {
  nock.disableNetConnect();
});

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
  nock.activate();
});

function crawlerOf(seed: string, fetcher: Fetcher, clock?: ReturnType<typeof createVirtualClock>) {
  return createCrawler({
    identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
    scope: { seeds: [seed] },
    bounds: { pages: 20 },
    maxIdleMs: 4 * HOUR,
    fetcher,
    // Nothing listens on the last port of the last loopback address.
    network: { allowUnpinnedDns: true, resolve: async () => ['127.255.255.254'], allowAddresses: ['127.0.0.0/8'] },
    ...(clock === undefined ? {} : { clock }),
  }).on('html', async (page) => page.follow());
}

it('a crawl of hours takes none, and is judged by the same assertions', async () => {
  const html = { 'Content-Type': 'text/html' };
  const site = nock('http://nocked.test');
  site.get('/robots.txt').reply(200, 'User-agent: *\nCrawl-delay: 10800\nDisallow: /closed\n');
  site.get('/').reply(200, '<a href="/a">a</a><a href="/closed">c</a><a href="/b">b</a>', html);
  site.get('/a').reply(302, '', { Location: '/new' });
  site.get('/b').reply(200, '<p>b', html);
  site.get('/new').reply(200, '<p>new', html);
  const clock = createVirtualClock();
  try {
    const startMs = clock.nowMs();
    // nock answers in real turns of the event loop, during which no virtual time passes.
    const platform = createPlatformFetcher();
    const fetcher: Fetcher = {
      ...platform,
      fetch: (request) => clock.standStill(() => platform.fetch(request)),
    };
    const crawler = crawlerOf('http://nocked.test/', fetcher, clock);
    const seen: SeenRequest[] = [];
    crawler.events.on('request', ({ url, host, startedAtMs, endedAtMs }) => {
      seen.push({ url, host, startMs: startedAtMs, endMs: endedAtMs });
    });
    const report = await runCrawl(crawler, clock);
    expect(report).toMatchObject({ state: 'finished', requests: 5 });
    assertKeepsGap(seen, 'nocked.test', 3 * HOUR);
    assertRobotsFirst(seen, 'nocked.test');
    assertNotRequested(seen, /closed/);
    expect(clock.nowMs() - startMs).toBeGreaterThanOrEqual(12 * HOUR);
    expect(nock.pendingMocks()).toEqual([]);
  } finally {
    clock.end();
  }
});

it('nock does not replace undici: its fetcher uses the network in spite of mocks', async () => {
  nock('http://nocked.test:9').get('/').reply(200, 'mocked');
  const fetcher = createUndiciFetcher();
  const outcome = await fetcher.fetch({
    url: 'http://nocked.test:9/',
    method: 'GET',
    headers: { 'User-Agent': 'test-bot/1.0 (+https://example.org/bot)' },
    address: { address: '127.255.255.254', family: 4 },
    limits: {
      connectTimeoutMs: 60_000,
      headersTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
      maxBodyBytes: 1_000,
      maxEncodedBytes: 2_000,
    },
    mayStart: () => true,
    signal: new AbortController().signal,
  });
  await fetcher.close();
  expect(outcome).toMatchObject({ kind: 'failed', failure: 'refused' });
  expect(nock.pendingMocks()).toHaveLength(1);
});
