// The first guarantee: no host is requested earlier than it allows. Measured at the server, from the end of one
// exchange (Request-rate: its start) to the start of the next; robots.txt and redirect hops count. At a loopback server
// in real time, and case by case in virtual time, where requests are not later than necessary either.

import { describe, expect, it } from 'vitest';
import { CONTACT, crawl, NO_INTERVAL } from '../support/crawl.js';
import { type HostRules, judge, POLITE, smallestGapMs } from '../support/politeness.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, type ReplyParts, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

function site(robots: ReplyParts, slowMs = 0) {
  return {
    '/robots.txt': robots,
    '/': page('start', ['/a', '/go', '/b']),
    '/a': { body: page('a'), headers: { 'content-type': 'text/html' }, delayMs: slowMs },
    '/go': redirect('/target'),
    '/target': page('target'),
    '/b': page('b'),
  };
}

const REQUESTS = ['/robots.txt', '/', '/a', '/go', '/b', '/target'].sort();
const HOUR = 3_600_000;
/** By how many milliseconds a request or its stamp may be later than its host's rules, on a real clock. */
const LATE_MS = 25;

describe('at a server that stamps arrivals', () => {
  it('Crawl-delay and Request-rate are kept (access §9)', async () => {
    const robots = text('User-agent: *\nRequest-rate: 3/1s\nCrawl-delay: 0.3\n');
    const web = await webForTest({ hosts: { 'slow.test': site(robots, 150) } });
    const { report } = await crawl({ seeds: [web.url('slow.test')], politeness: { profile: NO_INTERVAL } });
    expect(web.paths('slow.test').sort()).toEqual(REQUESTS);
    // A busy process stamps an arrival late, and then the next seems early. The cases in virtual time below are exact.
    const rules = { 'slow.test': { gapMs: 300, startToStartMs: 333 - LATE_MS } };
    expect(judge(web.log, { contact: CONTACT, rules })).toEqual(POLITE);
    expect(report.politeness[0]).toMatchObject({ host: 'slow.test', requiredMs: 334, requests: REQUESTS.length });
  });

  it('the profile is kept where robots.txt asks for nothing', async () => {
    const web = await webForTest({ hosts: { 'open.test': site({ status: 404 }) } });
    await crawl({ seeds: [web.url('open.test')], politeness: { profile: { factor: 0, minMs: 220, maxMs: 220 } } });
    expect(judge(web.log, { contact: CONTACT, rules: { 'open.test': { gapMs: 220 } } })).toEqual(POLITE);
    expect(smallestGapMs(web.log, 'open.test')).toBeLessThan(5_000);
  });
});

/** Content of robots.txt → what the log must show. */
const CASES: readonly (readonly [robots: string, rules: HostRules])[] = [
  ['User-agent: *\nCrawl-delay: 0.3\n', { gapMs: 300 }],
  ['User-agent: test-bot\nCrawl-delay: 0,25\n\nUser-agent: *\nCrawl-delay: 0\n', { gapMs: 250 }],
  ['User-agent: *\nCrawl-delay: 0.1\nCrawl-delay: 0.3\n', { gapMs: 300 }],
  ['User-agent: *\nCrawl-delay: 90\n', { gapMs: 90_000 }],
  ['User-agent: *\nRequest-rate: 2/1\n', { startToStartMs: 500 }],
  ['User-agent: *\nRequest-rate: 1/10m\n', { startToStartMs: 600_000 }],
  ['User-agent: *\nRequest-rate: 3/1s\nCrawl-delay: 0.3\n', { gapMs: 300, startToStartMs: 333 }],
  ['User-agent: *\nRequest-rate: 1/2h\nCrawl-delay: 60\n', { gapMs: 60_000, startToStartMs: 2 * HOUR }],
];

describe('spacing as robots.txt requires', () => {
  it.each(CASES)('%j (access §9)', async (robots, rules) => {
    const { report, log, paths } = await crawlVirtually({
      seeds: ['http://slow.test/'],
      hosts: { 'slow.test': { pages: site(text(robots), 150) } },
      maxIdleMs: 3 * HOUR,
      bounds: { pages: 20 },
    });
    expect(
      paths('slow.test')
        .filter((path, at, all) => all.indexOf(path) === at)
        .sort(),
    ).toEqual(REQUESTS);
    expect(judge(log, { contact: CONTACT, rules: { 'slow.test': rules } })).toEqual(POLITE);
    const { gapMs = 0, startToStartMs = 0 } = rules;
    const host = report.politeness.find((each) => each.host === 'slow.test');
    expect(host?.requiredMs).toBe(Math.max(gapMs, startToStartMs === 333 ? 334 : startToStartMs));
    expect(host?.requests).toBe(log.length);
    for (const [at, next] of log.slice(1).entries()) {
      const dueMs = Math.max((log[at]?.endMs ?? 0) + gapMs, (log[at]?.startMs ?? 0) + startToStartMs);
      expect(next.startMs - dueMs).toBeLessThanOrEqual(LATE_MS);
    }
  });

  it('counts the hops of a redirected robots.txt, on the host that serves them', async () => {
    const { log, paths } = await crawlVirtually({
      seeds: ['http://slow.test/'],
      hosts: {
        'slow.test': {
          pages: { ...site(redirect('/rules.txt')), '/rules.txt': text('User-agent: *\nCrawl-delay: 20\n') },
        },
      },
      politeness: { profile: { factor: 0, minMs: 20_000, maxMs: 20_000 } },
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
    });
    expect(paths('slow.test')).toHaveLength(REQUESTS.length + 1);
    const rules = { 'slow.test': { gapMs: 20_000 } };
    expect(judge(log, { contact: CONTACT, robotsHops: ['/rules.txt'], rules })).toEqual(POLITE);
  });
});

describe('spacing without a delay in robots.txt', () => {
  it.each([
    ['no robots.txt at all', { status: 404 } as const],
    ['Crawl-delay: 0, which does not undercut a profile', text('User-agent: *\nCrawl-delay: 0\n')],
    ['a Crawl-delay for somebody else', text('User-agent: other\nCrawl-delay: 5000\n')],
  ])('keeps the profile with %s', async (_what, robots) => {
    const { log } = await crawlVirtually({
      seeds: ['http://open.test/'],
      hosts: { 'open.test': { pages: site(robots) } },
      politeness: { profile: { factor: 0, minMs: 22_000, maxMs: 22_000 } },
      maxIdleMs: HOUR,
      bounds: { pages: 20 },
    });
    expect(judge(log, { contact: CONTACT, rules: { 'open.test': { gapMs: 22_000 } } })).toEqual(POLITE);
    expect(smallestGapMs(log, 'open.test')).toBeLessThanOrEqual(22_000 + LATE_MS);
  });

  it('keeps one second by default', async () => {
    const { log, paths } = await crawlVirtually({
      seeds: ['http://open.test/'],
      hosts: { 'open.test': { pages: { '/': page('start', ['/a']), '/a': page('a') } } },
      politeness: { profile: 'polite' },
    });
    expect(paths('open.test')).toEqual(['/robots.txt', '/', '/a']);
    expect(judge(log, { contact: CONTACT, rules: { 'open.test': { gapMs: 1_000 } } })).toEqual(POLITE);
    expect(smallestGapMs(log, 'open.test')).toBeLessThanOrEqual(1_000 + LATE_MS);
  });

  it('grows with the time a page took: twice the last retrieval', async () => {
    const { log } = await crawlVirtually({
      seeds: ['http://open.test/'],
      hosts: { 'open.test': { pages: site({ status: 404 }, 4_000) } },
      politeness: { profile: { factor: 2, minMs: 20, maxMs: 50_000 } },
      maxIdleMs: HOUR,
    });
    const at = log.findIndex((exchange) => exchange.path === '/a');
    const gapMs = (log[at + 1]?.startMs ?? 0) - (log[at]?.endMs ?? 0);
    expect(gapMs).toBeGreaterThanOrEqual(8_000);
    expect(gapMs).toBeLessThanOrEqual(8_000 + LATE_MS);
  });
});
