// Weights of hosts and labels divide the requests of a crawl that is slower than its hosts, and budgets of labels count
// over a restart. If this breaks, a setting has no effect, or a host is requested too early, or never.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlerOptions, inspectCrawl, MannerlyError } from 'mannerly';
import { createFakeWeb, createVirtualClock } from 'mannerly/testing';
import { expect, it, onTestFinished } from 'vitest';
import { makeCrawler } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const HOSTS = ['three.test', 'a.test', 'b.test', 'c.test', 'd.test'];
const PATHS = Array.from({ length: 150 }, (_, at) => `/${at}`);

/** Crawls five hosts for some virtual minutes. @returns The pages of each host, and its shortest pause. */
async function crawled(options: Pick<CrawlerOptions, 'hosts' | 'labels' | 'politeness'>) {
  const pages = { '/': page('start', PATHS), ...Object.fromEntries(PATHS.map((path) => [path, page('leaf')])) };
  const web = createFakeWeb({ hosts: Object.fromEntries(HOSTS.map((host) => [host, { pages }])), delayMs: 50 });
  const clock = createVirtualClock();
  try {
    const seeds = HOSTS.map((host) => `https://${host}/`);
    const bounds = { pages: 1_000, minutes: 5 };
    const crawler = makeCrawler({ seeds, bounds, clock, ...web.fakes(clock), ...options });
    await clock.finish(crawler.run());
    const of = (host: string) => web.exchanges.filter((each) => each.host === host);
    const gapsOf = (host: string) =>
      of(host).flatMap(({ startMs }, at, all) => (at === 0 ? [] : [startMs - all[at - 1]!.endMs!]));
    return new Map(HOSTS.map((host) => [host, { requests: of(host).length, gapMs: Math.min(...gapsOf(host)) }]));
  } finally {
    clock.end();
  }
}

const PACE = { requestsPerSecond: 1, profile: { factor: 0, minMs: 1_000, maxMs: 1_000 } };

it('a host of weight 3 gets three times as many requests as one of weight 1, none too soon', async () => {
  const of = await crawled({ politeness: PACE, hosts: [{ match: 'three.test', weight: 3 }] });
  const all = [...of.values()].reduce((sum, { requests }) => sum + requests, 0);
  for (const [host, { requests, gapMs }] of of) {
    expect(requests / all, host).toBeCloseTo(host === 'three.test' ? 3 / 7 : 1 / 7, 1.3);
    expect(gapMs, host).toBeGreaterThanOrEqual(1_000);
  }
});

it('weights change nothing if the crawl is not the bottleneck', async () => {
  const politeness = { profile: PACE.profile };
  const of = await crawled({ politeness, hosts: [{ match: 'three.test', weight: 3 }] });
  expect(of).toEqual(await crawled({ politeness }));
});

it('a budget of pages of a label is exact over a restart, and explained', async () => {
  const site = {
    '/robots.txt': text('User-agent: *\nDisallow:\n'),
    '/': page('start', PATHS.slice(0, 9)),
    '*': page('x'),
  };
  const web = await webForTest({ hosts: { 'a.test': site } });
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-labels-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const out = join(folder, 'crawl');
  const run = (pages: number) =>
    makeCrawler({
      seeds: [web.url('a.test')],
      bounds: { pages },
      hosts: [{ match: 'a.test', label: 'notes', weight: 2 }],
      labels: [{ label: 'detail', pages: 4 }, { label: 'notes' }],
      handlers: (crawler) => {
        crawler.on('html', async (found) => {
          await found.follow('a', { label: 'detail' });
        });
        crawler.on('label:detail', async () => undefined);
      },
    }).run({ out });
  await run(3);
  const report = await run(50);
  expect(web.paths('a.test').filter((path) => /^\/\d/.test(path))).toHaveLength(4);
  expect(report.outcomes['dropped']).toEqual({ 'bound-label-pages': 5 });
  const inspected = await inspectCrawl(out);
  onTestFinished(() => inspected.close());
  expect((await inspected.explain('a.test')).host?.order).toEqual({
    weight: 2,
    label: { name: 'notes', pages: null, used: null },
    hostsBefore: null,
  });
});

it('an invalid weight or label is refused with its range', () => {
  const seeds = ['https://a.test/'];
  const refused = (options: Partial<CrawlerOptions>): string => {
    try {
      makeCrawler({ seeds, ...options });
      return '';
    } catch (error) {
      return error instanceof MannerlyError ? error.message : String(error);
    }
  };
  expect(refused({ hosts: [{ match: 'a.test', weight: 0 }] })).toMatch(/`hosts\[0\]\.weight`.*0\.01 to 100.*got 0/);
  expect(refused({ labels: [{ label: 'x', pages: 0 }] })).toMatch(/`labels\[0\]\.pages`.*1 to .*got 0/);
  expect(refused({ labels: [{ label: 'x' }, { label: 'x' }] })).toMatch(/`labels\[1\]\.label`.*once.*"x"/);
});
