// A recrawl tries again what could not be fetched for a while: a page or a whole site that failed when it was found,
// and known pages that robots.txt, a bound or a hook kept it from. Otherwise a site that is down for a day is lost for
// good. In virtual time, on one directory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuse } from 'mannerly';
import { createFakeWeb, createVirtualClock, type FakeHost, fakePage, fakeRedirect } from 'mannerly/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl, type TestCrawlOptions } from '../support/crawl.js';

const DAY_MS = 86_400_000;
const CLOSED = 'User-agent: *\nDisallow: /\n';
const TWO_PAGES = { '/': fakePage('Start', ['/a']), '/a': fakePage('A') };

/** Runs on one directory, each a number of days after the start. `host(days)` is the site at that time. */
function runs(hostAt: (days: number) => FakeHost, options: Partial<TestCrawlOptions> = {}) {
  const out = mkdtempSync(join(tmpdir(), 'mannerly-failed-'));
  const clock = createVirtualClock();
  onTestFinished(() => {
    clock.end();
    rmSync(out, { recursive: true, force: true, maxRetries: 5 });
  });
  const startMs = clock.nowMs();
  return async (days: number, more: Partial<TestCrawlOptions> = {}) => {
    await clock.advance(Math.max(0, startMs + days * DAY_MS - clock.nowMs()));
    const web = createFakeWeb({ hosts: { 'a.test': hostAt(days) } });
    const { fetcher, network } = web.fakes(clock);
    const story = await clock.finish(
      crawl({
        ...{ seeds: ['http://a.test/'], out, again: true, recrawl: true, clock, fetcher, network, maxIdleMs: 720_000 },
        ...{ store: undefined, ...options, ...more },
      } as TestCrawlOptions),
    );
    const paths = web.exchanges.map(({ path }) => path).filter((path) => path !== '/robots.txt');
    return { ...story, paths: [...new Set(paths)].sort(), requests: paths.length };
  };
}

describe('a recrawl tries again', () => {
  it.each<[string, FakeHost]>([
    ['answered 503', { pages: { '/': { status: 503 } } }],
    ['cut its connections', { pages: { '/': { failure: 'reset' } } }],
    ['closed itself', { robots: CLOSED, pages: TWO_PAGES }],
    ['had no robots.txt to read', { robots: { status: 500 }, pages: TWO_PAGES }],
  ])('a site that %s when the crawl began', async (_, broken) => {
    const run = runs((days) => (days < 2 ? broken : { pages: TWO_PAGES }));
    expect((await run(0)).items).toEqual([]);
    expect((await run(1.5)).items).toEqual([]);
    const { paths, items, report } = await run(4);
    expect(paths).toEqual(['/', '/a']);
    expect(items.map(({ data }) => (data as { title: string }).title)).toEqual(['Start', 'A']);
    expect(report.outcomes).toEqual({ fetched: { fetched: 2 } });
    expect(report.recrawl).toMatchObject({ visits: 0, changed: 0, known: 2 });
  });

  it('a page that failed when it was found, ever more rarely, and one that was missing once, after a week', async () => {
    const links = fakePage('Start', ['/broken', '/missing', '/thrown']);
    const run = runs(() => ({ pages: { '/': links, '/broken': { status: 500 }, '/thrown': fakePage('Thrown') } }), {
      retries: { failureWaitsMs: [] },
      handlers: (crawler) =>
        crawler.on('html', async (page) => {
          if (page.title === 'Thrown') throw new Error('not ready');
          await page.follow();
        }),
    });
    await run(0);
    const visited: string[][] = [];
    for (const hours of [1, 3, 6, 7.1, 24 * 6, 24 * 8, 24 * 16]) visited.push((await run(hours / 24)).paths);
    expect(visited.map((paths) => paths.filter((path) => path !== '/'))).toEqual([
      [],
      ['/broken', '/thrown'],
      [],
      ['/broken', '/thrown'],
      ['/broken', '/thrown'],
      ['/broken', '/missing', '/thrown'],
      ['/broken', '/thrown'],
    ]);
  });

  it('where a seed leads to, if that is for now only', async () => {
    const run = runs((days) => ({
      pages: { '/': fakeRedirect(`/${days}`, 302), '*': ({ path }) => fakePage(path) },
    }));
    for (const days of [0, 1, 2]) expect((await run(days)).paths).toContain(`/${days}`);
  });

  it('where a found page leads to, if that is for now only, ever more rarely, and counts it once', async () => {
    const run = runs((days) => ({
      pages: {
        '/': fakePage('Start', ['/now', '/moved']),
        '/now': fakeRedirect(`/${days < 1 ? 'a' : 'b'}`, 302),
        '/moved': fakeRedirect('/a', 301),
        '*': ({ path }) => fakePage(path),
      },
    }));
    expect((await run(0)).paths).toEqual(['/', '/a', '/moved', '/now']);
    const visited: string[][] = [];
    for (const hours of [1, 3, 6, 24, 30]) {
      const { paths, report } = await run(hours / 24);
      visited.push(paths);
      const counts = Object.values(report.outcomes['fetched'] ?? {});
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(hours < 24 ? 4 : 5);
    }
    expect(visited).toEqual([
      ['/', '/a'],
      ['/', '/a', '/now'],
      ['/', '/a'],
      ['/', '/a', '/b', '/now'],
      ['/', '/a', '/b'],
    ]);
  });

  it('where a found page leads to, after twice the interval if there is one', async () => {
    const run = runs(
      (days) => ({
        pages: { '/': fakePage('Start', ['/now']), '/now': fakeRedirect(`/${days}`, 302), '*': fakePage('Page') },
      }),
      { recrawl: { everyDays: 7 } },
    );
    const tried: boolean[] = [];
    for (const days of [0, 20, 30]) tried.push((await run(days)).paths.includes('/now'));
    expect(tried).toEqual([true, false, true]);
  });

  it.each<[string, FakeHost, Partial<TestCrawlOptions>]>([
    ['robots.txt closed', { robots: CLOSED, pages: TWO_PAGES }, {}],
    ['could not be requested, for lack of a robots.txt', { robots: { status: 500 }, pages: TWO_PAGES }, {}],
    ['a bound kept it from', { pages: TWO_PAGES }, { bounds: { pages: 500, pagesPerHost: 1 } }],
    ['a hook refused', { pages: TWO_PAGES }, { hooks: { beforeFetch: () => refuse('not now') } }],
    ['the scope excluded', { pages: TWO_PAGES }, { scope: { seeds: ['http://a.test/'], exclude: ['/a'] } }],
  ])('known pages that %s, once it may, and counts each once', async (_, closed, options) => {
    const run = runs((days) => (days === 3 || days === 4 ? closed : { pages: TWO_PAGES }));
    for (const days of [0, 1]) await run(days);
    for (const days of [3, 4]) {
      const { report } = await run(days, options);
      const counts = Object.values(report.outcomes).flatMap((reasons) => Object.values(reasons));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    }
    const { paths, requests, report } = await run(6);
    expect([paths, requests]).toEqual([['/', '/a'], 2]);
    expect(report.recrawl).toMatchObject({ visits: 2, sameContent: 2 });
    expect(report.outcomes).toEqual({ fetched: { unchanged: 2 } });
  });
});
