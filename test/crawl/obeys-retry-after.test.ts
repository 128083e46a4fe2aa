// A server that says "later" gets no request until then: 429 and 503 pause the whole host, and Retry-After extends the
// pause, never shortens it. At a loopback server with a clock that runs 20 times faster, so that a minute takes three
// seconds; and case by case in virtual time.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditCrawl, readCrawlDirectory } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { createFastClock } from '../support/test-clocks.js';
import { crawlVirtually, type VirtualCrawlOptions } from '../support/virtual-crawl.js';
import { page, type ReplyParts, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** Asks for a pause of 500 seconds. */
const LATER: ReplyParts = { status: 503, headers: { 'retry-after': '500' } };
const FASTER = 20;
const HOUR = 3_600_000;

describe('a server that says later', () => {
  it('gets no request, and is requested again afterwards (access §10)', async () => {
    const clock = createFastClock(FASTER);
    const refusal: ReplyParts = { status: 503, headers: { 'retry-after': '45' } };
    const web = await webForTest({
      nowMs: clock.exactMs,
      hosts: {
        'busy.test': {
          '/': page('start', ['/busy', '/other']),
          '/busy': ({ before }) => (before === 0 ? refusal : page('busy no more')),
          '/other': page('other'),
        },
      },
    });
    const { itemUrls } = await crawl({
      seeds: [web.url('busy.test')],
      clock,
      maxIdleMs: HOUR,
      bounds: { pages: 20, minutes: 60 },
    });
    const at = web.log.findIndex((exchange) => exchange.path === '/busy');
    expect((web.log[at + 1]?.startMs ?? 0) - (web.log[at]?.endMs ?? 0)).toBeGreaterThanOrEqual(45_000);
    expect(itemUrls).toHaveLength(3);
    expect(judge(web.log, { contact: CONTACT })).toEqual(POLITE);
  });

  it('does not stop the others', async () => {
    const web = await webForTest({
      hosts: {
        'busy.test': { '/': { status: 503, headers: { 'retry-after': '3600' } } },
        'open.test': { '/': page('open', ['/a', '/b']), '/a': page('a'), '/b': page('b') },
      },
    });
    const { report } = await crawl({ seeds: [web.url('busy.test'), web.url('open.test')] });
    expect(report.state).toBe('waiting');
    expect(web.paths('busy.test')).toEqual(['/robots.txt', '/']);
    expect(web.paths('open.test').sort()).toEqual(['/', '/a', '/b', '/robots.txt']);
  });
});

/** Replaced by the date that is two minutes after the answer. */
const DATE = 'in two minutes, as a date';

/** First answer of the page → pause of the host, milliseconds, from the end of the answer; for a date, the minimum. */
const CASES: readonly (readonly [title: string, status: number, retryAfter: string | null, pauseMs: number])[] = [
  ['429 with seconds', 429, '45', 45_000],
  ['503 with seconds', 503, '45', 45_000],
  ['503 with an hour', 503, '3600', HOUR],
  ['429 with a date', 429, DATE, 30_000],
  ['503 with a date', 503, DATE, 30_000],
  ['429 without', 429, null, 30_000],
  ['503 without', 503, null, 30_000],
  ['429 with one second, which shortens nothing', 429, '1', 30_000],
  ['503 with a date that has passed', 503, 'Thu, 01 Jan 1998 00:00:00 GMT', 30_000],
  ['503 with nonsense', 503, 'soon', 30_000],
  ['429 with a negative number', 429, '-45', 30_000],
  ['502 with seconds', 502, '45', 45_000],
];

describe('case by case, a host that says later', () => {
  it.each(CASES)('%s (access §10)', async (_title, status, retryAfter, pauseMs) => {
    let requiredMs = 0;
    const refuse = (atMs: number): ReplyParts => {
      if (retryAfter !== DATE) return { status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } };
      requiredMs = Math.floor((atMs + 120_000) / 1_000) * 1_000;
      return { status, headers: { 'retry-after': new Date(requiredMs).toUTCString() } };
    };
    const { report, itemUrls, requests, notices, log } = await crawlVirtually({
      seeds: ['http://busy.test/'],
      delayMs: 70,
      hosts: {
        'busy.test': {
          pages: {
            '/': page('start', ['/busy', '/other']),
            '/busy': ({ before, atMs }) => (before === 0 ? refuse(atMs) : page('busy no more')),
            '/other': page('other'),
          },
        },
      },
      maxIdleMs: 2 * HOUR,
      bounds: { pages: 20 },
    });
    // The pause is planned in whole milliseconds, from the end of the millisecond in which the answer ended.
    const endedMs = (requests.find((request) => request.status === status)?.endedAtMs ?? 0) + 1;
    const pauses = notices.filter(({ code }) => code === 'host-paused');
    expect(pauses.map(({ untilMs }) => untilMs)).toEqual([Math.max(endedMs + pauseMs, requiredMs)]);
    const at = log.findIndex((exchange) => exchange.path === '/busy');
    const next = log[at + 1]?.startMs ?? 0;
    expect(next - (log[at]?.endMs ?? 0)).toBeGreaterThanOrEqual(pauseMs);
    expect(next).toBeGreaterThanOrEqual(requiredMs);
    expect(next - (pauses[0]?.untilMs ?? 0)).toBeLessThanOrEqual(25);
    expect([...itemUrls].sort()).toEqual(['http://busy.test/', 'http://busy.test/busy', 'http://busy.test/other']);
    expect(judge(log, { contact: CONTACT })).toEqual(POLITE);
    // The report counts from the time of the notice.
    expect(report.politeness[0]?.longestPauseMs).toBe((pauses[0]?.untilMs ?? 0) - (pauses[0]?.atMs ?? 0));
  });

  it('gives up a URL after three retries, each later than the one before', async () => {
    const { decisions, log } = await crawlVirtually({
      seeds: ['http://busy.test/'],
      hosts: { 'busy.test': { pages: { '/': { status: 503 } } } },
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
    });
    const attempts = log.filter((exchange) => exchange.path === '/');
    expect(attempts).toHaveLength(4);
    const pauses = attempts.slice(1).map((each, index) => each.startMs - (attempts[index]?.endMs ?? 0));
    for (const [index, minMs] of [30_000, 60_000, 120_000].entries())
      expect(pauses[index]).toBeGreaterThanOrEqual(minMs);
    expect(decisions.filter((each) => each.status === 'failed').map((each) => each.reason)).toEqual([
      'retries-exhausted',
    ]);
  });

  it('follows a redirect with Retry-After at that time', async () => {
    const { log, paths } = await crawlVirtually({
      seeds: ['http://busy.test/'],
      hosts: {
        'busy.test': { pages: { '/': redirect('/later', 302, { 'retry-after': '40' }), '/later': page('later') } },
      },
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
    });
    expect(paths('busy.test')).toEqual(['/robots.txt', '/', '/later']);
    expect((log[2]?.startMs ?? 0) - (log[1]?.endMs ?? 0)).toBeGreaterThanOrEqual(40_000);
  });

  it('follows such a redirect of a sitemap, data.txt or tdmrep.json at that time, too', async () => {
    const files = ['/sitemap.xml', '/data.txt', '/.well-known/tdmrep.json'];
    const later = Object.fromEntries(
      files.map((path) => [path, redirect(`/later${path}`, 302, { 'retry-after': '40' })]),
    );
    const { log } = await crawlVirtually({
      seeds: ['http://busy.test/'],
      hosts: {
        'busy.test': { robots: 'Sitemap: http://busy.test/sitemap.xml\n', pages: { '/': page('start'), ...later } },
      },
      discover: { sitemaps: true, dataTxt: true },
      purposes: ['tdm'],
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
    });
    for (const path of files) {
      const endMs = log.find((exchange) => exchange.path === path)?.endMs ?? Number.NaN;
      const startMs = log.find((exchange) => exchange.path === `/later${path}`)?.startMs ?? Number.NaN;
      expect(startMs - endMs, path).toBeGreaterThanOrEqual(40_000);
    }
  });

  it('follows such a redirect of a robots.txt at that time, and requests nothing else meanwhile', async () => {
    const { log, paths } = await crawlVirtually({
      seeds: ['http://busy.test/'],
      hosts: {
        'busy.test': {
          robots: redirect('http://other.test/rules', 302, { 'retry-after': '600' }),
          pages: { '/': page('start', ['/closed']), '/closed': page('closed') },
        },
        'other.test': { pages: { '/rules': text('User-agent: *\nDisallow: /closed\n') } },
      },
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
    });
    expect(log.map(({ host, path }) => host + path)).toEqual([
      'busy.test/robots.txt',
      'other.test/rules',
      'busy.test/',
    ]);
    expect((log[1]?.startMs ?? 0) - (log[0]?.endMs ?? 0)).toBeGreaterThanOrEqual(600_000);
    expect(paths('busy.test')).toEqual(['/robots.txt', '/']);
  });

  const ROBOTS: readonly (readonly [title: string, hosts: VirtualCrawlOptions['hosts']])[] = [
    ['on the robots.txt of another port', { 'busy.test:8080': { robots: LATER, pages: { '/': page('held') } } }],
    [
      'on a hop of the robots.txt of another host',
      { 'held.test': { robots: redirect('http://busy.test/rules'), pages: { '/': page('held') } } },
    ],
  ];
  it.each(ROBOTS)('pauses the whole host for a 503 %s', async (_title, hosts) => {
    const links = Array.from({ length: 5 }, (_, at) => `/${at}`);
    const pages = { '/': page('start', links), '/rules': LATER, '*': page('leaf') };
    const [held] = Object.keys(hosts);
    const { log, report } = await crawlVirtually({
      seeds: ['http://busy.test/', `http://${held}/`],
      hosts: { ...hosts, 'busy.test': { pages } },
      delayMs: 20,
      politeness: { profile: { factor: 0, minMs: 1_000, maxMs: 1_000 } },
      maxIdleMs: 550_000,
      bounds: { pages: 20 },
    });
    const at = log.findIndex(({ host, status }) => host === 'busy.test' && status === 503);
    const next = log.slice(at + 1).find(({ host }) => host === 'busy.test');
    expect((next?.startMs ?? 0) - (log[at]?.endMs ?? Number.NaN)).toBeGreaterThanOrEqual(500_000);
    expect(report.outcomes['fetched']).toMatchObject({ fetched: 6 });
  });

  it('waits as long as a date says by the server’s clock, which is behind', async () => {
    const behindMs = 600_000;
    const date = (ms: number): string => new Date(ms - behindMs).toUTCString();
    const busy = (atMs: number): ReplyParts => ({
      status: 503,
      headers: { date: date(atMs), 'retry-after': date(atMs + 300_000) },
    });
    const { log } = await crawlVirtually({
      seeds: ['http://busy.test/'],
      hosts: { 'busy.test': { pages: { '/': ({ before, atMs }) => (before === 0 ? busy(atMs) : page('start')) } } },
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
    });
    expect((log[2]?.startMs ?? 0) - (log[1]?.endMs ?? 0)).toBeGreaterThanOrEqual(300_000);
  });

  it('pauses for a 503 with a challenge, and the audit says the same', async () => {
    const out = await mkdtemp(join(tmpdir(), 'mannerly-later-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const challenge = { status: 503, headers: { 'cf-mitigated': 'challenge', 'retry-after': '90' } };
    const { log, decisions } = await crawlVirtually({
      seeds: ['http://busy.test/'],
      hosts: { 'busy.test': { pages: { '/': page('start', ['/busy', '/a']), '/busy': challenge, '/a': page('a') } } },
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
      out,
    });
    const at = log.findIndex(({ path }) => path === '/busy');
    expect((log[at + 1]?.startMs ?? 0) - (log[at]?.endMs ?? 0)).toBeGreaterThanOrEqual(90_000);
    expect(log).toHaveLength(4);
    expect(decisions.find(({ url }) => url.endsWith('/busy'))?.reason).toBe('challenged');
    expect((await auditCrawl(await readCrawlDirectory(out))).violations).toEqual([]);
  });
});
