// The forecast computes a plan's duration. It is a pure function, so a crawl of a year takes no time.

import { resolveSettings } from '@mannerly/frontier/internal';
import { describe, expect, it } from 'vitest';
import { type ForecastBounds, type ForecastHost, forecast, HostPace } from './forecast.js';

const START = Date.UTC(2026, 5, 1, 12);
const SECOND = 1_000;
const HOUR = 3_600_000;

const BOUNDS: ForecastBounds = {
  pages: null,
  runningMs: null,
  maxIdleMs: 600_000,
  crawlIntervalMs: null,
  concurrency: 64,
  steps: 1_000_000,
};

function host(name: string, pages: number | null, robots = '', more: Partial<ForecastHost> = {}): ForecastHost {
  const files = new Map([[`http://${name}`, new TextEncoder().encode(`User-agent: *\n${robots}`)]]);
  const { readRules, politeness } = resolveSettings({ robots: { tokens: ['x'] } });
  const pace = new HostPace(readRules, politeness, files, 0);
  const bounds = { pagesPerHost: null, runningPerHostMs: null };
  return { name, clock: name, pace, answerMs: 0, preliminaryRequests: 1, ...bounds, pages, ...more };
}

describe('a simulated crawl', () => {
  it.each<[string, ForecastHost[], Partial<ForecastBounds>, number, number, string]>([
    ['of nothing ends at once', [], {}, 0, 0, 'finished'],
    ['of one host takes its interval before each page', [host('a', 10)], {}, 10 * SECOND, 10, 'finished'],
    ['of two takes the longer', [host('a', 10), host('b', 4, 'Crawl-delay: 5')], {}, 20 * SECOND, 14, 'finished'],
    [
      'of two under one clock takes both',
      [host('a', 10, '', { clock: 'x' }), host('b', 4, '', { clock: 'x' })],
      {},
      15 * SECOND,
      14,
      'finished',
    ],
    ['requests no page of a closed host', [host('a', 0)], {}, 0, 0, 'finished'],
    ['counts the time of answers', [host('a', 10, '', { answerMs: 200 })], {}, 12_200, 10, 'finished'],
    ['ends at the bound on pages', [host('a', null)], { pages: 7 }, 7 * SECOND, 7, 'pages'],
    ['ends at the bound on minutes', [host('a', null)], { runningMs: 90 * SECOND }, 90 * SECOND, 89, 'minutes'],
    ['ends where its longest wait does', [host('a', 5, 'Crawl-delay: 3600')], {}, 0, 0, 'waiting'],
    ['waits with a longer limit', [host('a', 5, 'Crawl-delay: 3600')], { maxIdleMs: HOUR }, 5 * HOUR, 5, 'finished'],
    [
      'spaces the whole crawl',
      [host('a', 4), host('b', 4)],
      { crawlIntervalMs: 10 * SECOND },
      90 * SECOND,
      8,
      'finished',
    ],
    [
      'takes turns where few may be under way',
      [host('a', 2, '', { answerMs: 9_000 }), host('b', 2, '', { answerMs: 9_000 })],
      { concurrency: 1 },
      54 * SECOND,
      4,
      'finished',
    ],
    ['waits for hours', [host('a', 2, 'Visit-time: 1205-2000')], {}, 301 * SECOND, 2, 'finished'],
  ])('%s', (_title, hosts, bounds, durationMs, pages, ends) => {
    expect(forecast(hosts, { ...BOUNDS, ...bounds }, START)).toMatchObject({ durationMs, pages, ends });
  });

  it('counts a Request-rate also while a Visit-time that is not obeyed closes the host', () => {
    const { readRules, politeness } = resolveSettings({ robots: { tokens: ['x'], visitTime: 'ignore' } });
    const file = 'User-agent: *\nRequest-rate: 1/10s\nVisit-time: 0100-0200\n';
    const pace = new HostPace(readRules, politeness, new Map([['http://a', new TextEncoder().encode(file)]]), 0);
    expect(pace.at(START)).toMatchObject({ fromStartMs: 10 * SECOND, closedUntilMs: null });
  });

  it('estimates the rest in proportion if there are too many steps', () => {
    const hosts = [host('a', 4_000), host('b', 4_000, 'Crawl-delay: 2')];
    const whole = forecast(hosts, { ...BOUNDS, pages: 3_000 }, START);
    const cut = forecast(hosts, { ...BOUNDS, pages: 3_000, steps: 300 }, START);
    expect(cut.durationMs / whole.durationMs).toBeCloseTo(1, 1);
    expect(cut).toMatchObject({ ends: 'pages', firstBound: { bound: 'pages' } });
    const timed = forecast(hosts, { ...BOUNDS, runningMs: 500 * SECOND, steps: 300 }, START);
    expect(timed).toMatchObject({ ends: 'minutes', durationMs: 500 * SECOND });
    expect(forecast(hosts, { ...BOUNDS, steps: 300 }, START).ends).toBe('finished');
  });

  it('says which host reaches its bound first, and when', () => {
    const few = { pagesPerHost: 5 };
    const hosts = [host('a', 50, 'Crawl-delay: 9', few), host('b', 50, '', few), host('c', 2, '', few)];
    const { firstBound, hosts: each } = forecast(hosts, BOUNDS, START);
    expect(firstBound).toEqual({ bound: 'pagesPerHost', host: 'b', atMs: 5 * SECOND });
    expect([...each].map(([name, { pages, isCut }]) => [name, pages, isCut])).toEqual([
      ['a', 5, true],
      ['b', 5, true],
      ['c', 2, false],
    ]);
  });
});
