// A crawl ends when only hosts are left that wait longer than `maxIdleMs`, and names each with its reason and time. A
// site that never answers does not keep a process alive for hours.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { createCrawler } from 'mannerly';
import { createFakeWeb, createVirtualClock, runCrawl } from 'mannerly/testing';
import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const OPEN_PAGES = { '/': page('start', ['/a']), '/a': page('a') };
const OPEN: Routes = OPEN_PAGES;

it('ends in state waiting, and lists every host with its reason and its next time', async () => {
  const web = await webForTest({
    hosts: {
      'open.test': OPEN,
      'dark.test': { ...OPEN, '/robots.txt': { status: 503, headers: { 'retry-after': '600' } } },
      'busy.test': { '/': { status: 429, headers: { 'retry-after': '900' } } },
      'slow.test': { ...OPEN, '/robots.txt': text('User-agent: *\nCrawl-delay: 3600\n') },
    },
  });
  const startedAt = Date.now();
  const { report, itemUrls } = await crawl({
    seeds: ['open.test', 'dark.test', 'busy.test', 'slow.test'].map((host) => web.url(host)),
    maxIdleMs: 1_000,
  });
  expect(report.state).toBe('waiting');
  expect(itemUrls).toEqual([web.url('open.test'), web.url('open.test', '/a')]);
  const waits = new Map(report.waiting.map((each) => [each.host, each]));
  expect([...waits.keys()].sort()).toEqual(['busy.test', 'dark.test', 'slow.test']);
  expect(waits.get('dark.test')?.reason).toBe('robots-unreachable');
  expect(waits.get('busy.test')?.reason).toBe('host-paused');
  expect(waits.get('slow.test')?.reason).toBe('crawl-delay');
  expect(waits.get('dark.test')?.untilMs).toBeGreaterThanOrEqual(startedAt + 600_000);
  expect(waits.get('busy.test')?.untilMs).toBeGreaterThanOrEqual(startedAt + 900_000);
  expect(waits.get('slow.test')?.untilMs).toBeGreaterThanOrEqual(startedAt + 3_600_000);
});

it('a process of several waits for the hosts that others hold, whatever its `maxIdleMs`', async () => {
  const web = createFakeWeb({ hosts: { 'a.test': { pages: { '/': '<a href=/a>a</a>', '/a': 'leaf' } } } });
  const clock = createVirtualClock();
  const path = mkdtempSync(join(tmpdir(), 'mannerly-idle-'));
  const makeStore = () => lmdbStore({ path, nowMs: () => clock.nowMs() });
  const run = (pages: number) => {
    const crawler = createCrawler({
      identity: { name: 'tester', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages },
      maxIdleMs: 5_000,
      ...web.fakes(clock),
      store: makeStore(),
    });
    crawler.on('html', (found) => found.follow());
    return runCrawl(crawler, clock, { shared: true });
  };
  const other = makeStore();
  try {
    expect(await run(1)).toMatchObject({ state: 'bounded', queued: 1 });
    await clock.advance(60_000);
    // A process that works on the host renews its lease every few seconds.
    await other.open({ crawl: 'crawl', create: false });
    expect(await other.lease({ maxHosts: 9, entriesPerHost: 1, ttlMs: 30_000 })).toHaveLength(1);
    expect(await run(10)).toMatchObject({ state: 'finished', queued: 0 });
  } finally {
    await other.close();
    clock.end();
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
});

it('waits for a host whose turn comes in time, and not for one that comes later', async () => {
  const crawlWith = (maxIdleMs: number) =>
    crawlVirtually({
      seeds: ['http://slow.test/'],
      hosts: { 'slow.test': { pages: OPEN_PAGES, robots: 'User-agent: *\nCrawl-delay: 600\n' } },
      maxIdleMs,
      bounds: { pages: 10 },
    });
  const patient = await crawlWith(601_000);
  expect(patient.report.state).toBe('finished');
  expect(patient.paths('slow.test')).toEqual(['/robots.txt', '/', '/a']);
  // Waits are lengthened by up to a tenth, so up to a tenth more is waited.
  const hurried = await crawlWith(545_000);
  expect(hurried.report.state).toBe('waiting');
  expect(hurried.paths('slow.test')).toEqual(['/robots.txt']);
});
