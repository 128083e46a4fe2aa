// A robots.txt that cannot be fetched is not a permission. Only robots.txt itself is requested from such a host, its
// URLs are held, and the rest of the crawl continues. Most crawlers turn these answers into "allowed".

import type { FakeRoute } from 'mannerly/testing';
import { describe, expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, type Reply, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const SITE = { '/': page('start', ['/a']), '/a': page('a') } satisfies Routes;
const RULES = text('User-agent: *\nAllow: /\n');

/** The outcome of a held host, on every web. */
const HELD = ['held robots-unreachable', 'held robots-unreachable'];

describe('at a server, a host whose robots.txt cannot be fetched', () => {
  it.each<[string, Reply]>([
    ['500', { status: 500, body: 'oops' }],
    ['a reset', { misbehave: 'reset' }],
    ['a cut body', { ...RULES, misbehave: 'cut' }],
  ])('is held: %s (access §4, §5)', async (_title, robots) => {
    const web = await webForTest({ hosts: { 'dark.test': { ...SITE, '/robots.txt': robots }, 'open.test': SITE } });
    const { report, decisions, itemUrls } = await crawl({
      seeds: [web.url('dark.test'), web.url('dark.test', '/a'), web.url('open.test')],
    });
    expect(web.paths('dark.test')).toEqual(['/robots.txt']);
    expect(itemUrls).toEqual([web.url('open.test'), web.url('open.test', '/a')]);
    expect(report.state).toBe('waiting');
    const held = decisions.filter((each) => each.url.includes('dark.test'));
    expect(held.map((each) => `${each.status} ${each.reason}`)).toEqual(HELD);
    expect(judge(web.log, { contact: CONTACT })).toEqual(POLITE);
  });

  it('is held when its name does not resolve, without a request', async () => {
    const web = await webForTest({ hosts: { 'open.test': SITE } });
    const { report } = await crawl({
      seeds: [web.url('gone.test'), web.url('open.test')],
      network: { resolve: async (name) => (name === 'gone.test' ? [] : ['127.0.0.1']) },
    });
    expect(web.paths('gone.test')).toEqual([]);
    expect(web.paths('open.test')).toHaveLength(3);
    expect(report.waiting.map((each) => `${each.host} ${each.reason}`)).toEqual(['gone.test robots-unreachable']);
  });
});

/** How robots.txt answers → for how long the host gets no request at least, milliseconds. */
const CASES: readonly (readonly [title: string, robots: FakeRoute, minMs: number])[] = [
  ['500', { status: 500, body: 'oops' }, 60_000],
  ['502 with rules in its body', { ...RULES, status: 502 }, 60_000],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '3600' } }, 3_600_000],
  ['503 with a short Retry-After', { status: 503, headers: { 'retry-after': '1' } }, 60_000],
  ['429', { status: 429 }, 60_000],
  ['429 with Retry-After', { status: 429, headers: { 'retry-after': '120' } }, 120_000],
  ['408', { status: 408 }, 60_000],
  ['425', { status: 425 }, 60_000],
  ['206', { ...RULES, status: 206 }, 60_000],
  ['304 that was not requested', { status: 304 }, 60_000],
  ['300', { status: 300 }, 60_000],
  ['a refused connection', { failure: 'refused' }, 60_000],
  ['a certificate no one vouches for', { failure: 'tls' }, 60_000],
  ['a connection that is never made', { failure: 'timeout-connect' }, 60_000],
  ['a reset', { failure: 'reset' }, 60_000],
  ['what is no HTTP', { failure: 'framing' }, 60_000],
  ['silence until the deadline', { failure: 'timeout-headers' }, 60_000],
  ['a body that never ends', { failure: 'timeout-exchange' }, 60_000],
  ['a cut body', { ...RULES, isCut: true }, 60_000],
  ['a redirect without Location', { status: 302 }, 60_000],
  ['a redirect to another scheme', redirect('ftp://files.test/robots.txt'), 60_000],
];

describe('case by case, a host whose robots.txt cannot be fetched', () => {
  it.each(CASES)('is held: %s (access §4, §5)', async (_title, robots, minMs) => {
    const { report, decisions, itemUrls, log, paths } = await crawlVirtually({
      seeds: ['http://dark.test/', 'http://dark.test/a', 'http://open.test/'],
      hosts: { 'dark.test': { pages: SITE, robots }, 'open.test': { pages: SITE } },
    });
    expect(paths('dark.test').filter((path) => path !== '/robots.txt')).toEqual([]);
    expect(paths('open.test')).toEqual(['/robots.txt', '/', '/a']);
    expect(itemUrls).toEqual(['http://open.test/', 'http://open.test/a']);
    expect(report.state).toBe('waiting');
    const wait = report.waiting.find((each) => each.host === 'dark.test');
    expect(wait).toMatchObject({ reason: 'robots-unreachable', queued: 2 });
    const requests = log.filter(({ host }) => host === 'dark.test');
    expect(requests.length).toBeLessThanOrEqual(1);
    expect(wait?.untilMs).toBeGreaterThanOrEqual((requests[0]?.endMs ?? report.startedAtMs) + minMs);
    const held = decisions.filter((each) => each.url.includes('dark.test'));
    expect(held.map((each) => `${each.status} ${each.reason}`)).toEqual(HELD);
    expect(judge(log, { contact: CONTACT })).toEqual(POLITE);
  });

  it('is crawled as soon as its robots.txt can be fetched', async () => {
    const { itemUrls, paths, log } = await crawlVirtually({
      seeds: ['http://dark.test/'],
      hosts: {
        'dark.test': {
          pages: SITE,
          robots: ({ before }) => (before === 0 ? { status: 500 } : text('User-agent: *\nDisallow: /a\n')),
        },
      },
      maxIdleMs: 600_000,
      bounds: { pages: 5 },
    });
    expect(paths('dark.test')).toEqual(['/robots.txt', '/robots.txt', '/']);
    expect(itemUrls).toEqual(['http://dark.test/']);
    expect((log[1]?.startMs ?? 0) - (log[0]?.endMs ?? 0)).toBeGreaterThanOrEqual(60_000);
  });
});
