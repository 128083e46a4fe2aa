// robots.txt may change during a crawl. It is requested again when its answer is no longer fresh (ten minutes at the
// earliest), and the new rules also apply to queued URLs. At a server with a clock that runs 100 times faster, so that
// ten minutes take six seconds; and in virtual time.

import { describe, expect, it } from 'vitest';
import { CONTACT, type CrawlStory, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { createFastClock } from '../support/test-clocks.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, type Reply, text, type WebExchange } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const FASTER = 100;
const MINUTE = 60_000;
const SHORT = { 'cache-control': 'max-age=0' };
const OPEN = text('User-agent: *\nDisallow:\n', { ...SHORT, etag: '"open"' });
const CLOSED = text('User-agent: *\nDisallow: /p\n');
const START = page(
  'start',
  Array.from({ length: 20 }, (_, index) => `/p${index}`),
);

/** One page a minute; the crawl ends by itself. */
const SLOWLY = {
  maxIdleMs: 20 * MINUTE,
  politeness: { profile: { factor: 0, minMs: MINUTE, maxMs: MINUTE } },
  bounds: { pages: 100, minutes: 6_000 },
} as const;

/** What must hold for a site that closed `/p`. */
function expectClosed(log: readonly WebExchange[], story: CrawlStory, slackMs: number): void {
  const robots = log.filter((exchange) => exchange.path === '/robots.txt');
  expect(robots).toHaveLength(2);
  expect((robots[1]?.startMs ?? 0) - (robots[0]?.endMs ?? 0)).toBeGreaterThanOrEqual(10 * MINUTE - slackMs);
  const before = log.filter(
    (exchange) => exchange.path !== '/robots.txt' && exchange.startMs < (robots[1]?.startMs ?? 0),
  );
  expect(before.length).toBeGreaterThanOrEqual(1);
  expect(log.filter((exchange) => exchange.startMs > (robots[1]?.startMs ?? 0))).toEqual([]);
  const excluded = story.decisions.filter((each) => each.status === 'excluded');
  expect(excluded).toHaveLength(21 - before.length);
  expect(new Set(excluded.map((each) => `${each.reason} ${each.line} ${each.pattern}`))).toEqual(
    new Set(['robots-rule 2 /p']),
  );
  expect(new Set(excluded.map((each) => each.robots?.hash)).size).toBe(1);
  expect(judge(log, { contact: CONTACT, rules: { 'a.test': { gapMs: MINUTE } } })).toEqual(POLITE);
}

describe('a robots.txt that changes while the crawl runs', () => {
  it('from open to closed, at a server: nothing more is requested, and the new line excludes every queued URL', async () => {
    const clock = createFastClock(FASTER);
    const web = await webForTest({
      nowMs: clock.exactMs,
      hosts: {
        'a.test': {
          '/robots.txt': ({ before }) => (before === 0 ? OPEN : CLOSED),
          '/': START,
          '*': page('leaf'),
        },
      },
    });
    const story = await crawl({ seeds: [web.url('a.test')], clock, ...SLOWLY });
    expectClosed(web.log, story, FASTER);
  });

  const crawlWhile = (second: Reply) =>
    crawlVirtually({
      seeds: ['http://a.test/'],
      hosts: {
        'a.test': { robots: ({ before }) => (before === 0 ? OPEN : second), pages: { '/': START, '*': page('leaf') } },
      },
      ...SLOWLY,
    });

  it('from open to closed, to the millisecond', async () => {
    const story = await crawlWhile(CLOSED);
    expectClosed(story.log, story, 0);
    // In the host's first slot after the ten minutes: at most a minute later.
    const robots = story.log.filter((exchange) => exchange.path === '/robots.txt');
    expect((robots[1]?.startMs ?? 0) - (robots[0]?.endMs ?? 0)).toBeLessThanOrEqual(11 * MINUTE + 25);
  });

  it('from open to failing: the rest is held', async () => {
    const { log, report, decisions } = await crawlWhile({ status: 503, headers: { 'retry-after': '7200' } });
    const second = log.filter((exchange) => exchange.path === '/robots.txt')[1];
    expect(second).toBeDefined();
    expect(
      log.filter((exchange) => exchange.path !== '/robots.txt' && exchange.startMs > (second?.startMs ?? 0)),
    ).toEqual([]);
    expect(report.state).toBe('waiting');
    expect(new Set(decisions.filter((each) => each.status === 'held').map((each) => each.reason))).toEqual(
      new Set(['robots-unreachable']),
    );
  });

  it('not at all: it is requested conditionally, and a 304 keeps the rules', async () => {
    const { log, report } = await crawlWhile({ status: 304, headers: SHORT });
    const robots = log.filter((exchange) => exchange.path === '/robots.txt');
    expect(robots.length).toBeGreaterThanOrEqual(2);
    expect(robots[0]?.headers['if-none-match']).toBeUndefined();
    expect(robots[1]?.headers['if-none-match']).toBe('"open"');
    expect(report.pages).toBe(21);
  });
});
