// A restart neither requests robots.txt again nor forgets it: the answer of an authority, the time of the next request
// and the last good copy are restored with the frontier. Each case ends one crawl, starts another over the same folder
// some time later, and reads the servers' log.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CrawlStory, crawl } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { page, type Reply, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RULES = text('User-agent: *\nDisallow: /closed\n', { 'cache-control': 'max-age=600' });
const FAILS: Reply = { status: 500 };
const LINKS = ['/closed/x', '/a', '/b', '/c', '/d', '/e', '/f'];

/** One run of the series: its start, the answers of robots.txt during it, and what the log must show. */
interface Run {
  readonly afterMs: number;
  readonly robots: Reply;
  /** Whether robots.txt is requested during this run. */
  readonly asks: boolean;
  /** Pages requested during this run. */
  readonly pages: number;
  readonly state: string;
}

/** Each run takes at most two pages; `/closed/x` is never one of them. */
const CASES: readonly (readonly [title: string, runs: readonly Run[]])[] = [
  [
    'rules',
    [
      { afterMs: 0, robots: RULES, asks: true, pages: 2, state: 'bounded' },
      { afterMs: MINUTE, robots: FAILS, asks: false, pages: 2, state: 'bounded' },
    ],
  ],
  [
    'rules that have expired',
    [
      { afterMs: 0, robots: RULES, asks: true, pages: 2, state: 'bounded' },
      { afterMs: 11 * MINUTE, robots: FAILS, asks: true, pages: 0, state: 'waiting' },
    ],
  ],
  [
    'no-rules',
    [
      { afterMs: 0, robots: { status: 404 }, asks: true, pages: 2, state: 'bounded' },
      { afterMs: HOUR, robots: FAILS, asks: false, pages: 2, state: 'bounded' },
    ],
  ],
  [
    'unreachable',
    [
      { afterMs: 0, robots: FAILS, asks: true, pages: 0, state: 'waiting' },
      { afterMs: 30_000, robots: RULES, asks: false, pages: 0, state: 'waiting' },
      { afterMs: 2 * MINUTE, robots: FAILS, asks: true, pages: 0, state: 'waiting' },
      { afterMs: 3 * MINUTE, robots: RULES, asks: false, pages: 0, state: 'waiting' },
      { afterMs: 10 * MINUTE, robots: RULES, asks: true, pages: 2, state: 'bounded' },
    ],
  ],
  [
    'kept: a good copy outlives a 403 for a day',
    [
      { afterMs: 0, robots: RULES, asks: true, pages: 2, state: 'bounded' },
      { afterMs: HOUR, robots: { status: 403 }, asks: true, pages: 2, state: 'bounded' },
      { afterMs: HOUR + MINUTE, robots: FAILS, asks: false, pages: 2, state: 'bounded' },
    ],
  ],
  [
    'last-good: after thirty days the copy holds again',
    [
      { afterMs: 0, robots: RULES, asks: true, pages: 2, state: 'bounded' },
      { afterMs: DAY, robots: FAILS, asks: true, pages: 0, state: 'waiting' },
      { afterMs: 32 * DAY, robots: FAILS, asks: true, pages: 2, state: 'bounded' },
      { afterMs: 32 * DAY + MINUTE / 2, robots: RULES, asks: false, pages: 2, state: 'bounded' },
    ],
  ],
];

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe('a restart in each state of an authority (access §8)', () => {
  it.each(CASES)('%s', async (_title, runs) => {
    const path = await directory();
    let robots: Reply = FAILS;
    const web = await webForTest({
      hosts: { 'a.test': { '/robots.txt': () => robots, '/': page('start', LINKS), '*': page('leaf', LINKS) } },
    });
    let taken = 0;
    for (const [index, run] of runs.entries()) {
      robots = run.robots;
      const from = web.log.length;
      const clock = createShiftedClock(run.afterMs);
      const story: CrawlStory = await crawl({
        seeds: [web.url('a.test')],
        store: lmdbStore({ path: join(path, 'frontier'), nowMs: clock.nowMs }),
        clock,
        bounds: { pages: taken + 2 },
        maxIdleMs: 0,
        robots: { maxHoldMs: 400 * DAY },
      });
      const paths = web.log.slice(from).map((exchange) => exchange.path);
      const label = `run ${index + 1}`;
      expect(
        paths.filter((each) => each === '/robots.txt'),
        label,
      ).toHaveLength(run.asks ? 1 : 0);
      expect(
        paths.filter((each) => each !== '/robots.txt'),
        label,
      ).toHaveLength(run.pages);
      expect(story.report.state, label).toBe(run.state);
      taken += run.pages;
    }
    const pages = web.paths('a.test').filter((each) => each !== '/robots.txt');
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages).not.toContain(runs[0]?.robots === RULES ? '/closed/x' : 'none');
  });

  it('restricted stays closed', async () => {
    const path = await directory();
    const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': { status: 403 }, '*': page('leaf') } } });
    for (const seeds of [['/a'], ['/a', '/b']]) {
      await crawl({
        seeds: seeds.map((seed) => web.url('a.test', seed)),
        store: lmdbStore({ path: join(path, 'frontier') }),
        robots: { onForbidden: 'deny' },
        bounds: { pages: 5 },
      });
    }
    expect(web.paths('a.test')).toEqual(['/robots.txt']);
  });
});
