// One final status per URL and run, however many pages link to it. A URL counted twice makes the report wrong, and
// `explain` would show the wrong one of two.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@mannerly/frontier';
import { expect, it, onTestFinished } from 'vitest';
import { type CrawlStory, crawl } from '../support/crawl.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const ROBOTS = text('User-agent: *\nDisallow: /closed');
const paths = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `/${name}${index}`);

/** URLs with more than one status, and the statuses. */
function repeated({ decisions }: CrawlStory): string[] {
  const statuses = new Map<string, string[]>();
  for (const { url, status, reason } of decisions)
    statuses.set(url, [...(statuses.get(url) ?? []), `${status} ${reason}`]);
  return [...statuses].filter(([, of]) => of.length > 1).map(([url, of]) => `${url}: ${of.join(', ')}`);
}

it('if a host has reached its bound and others still link to it', async () => {
  const far = paths('far', 12);
  const web = await webForTest({
    hosts: {
      'hub.test': {
        '/robots.txt': ROBOTS,
        '/': { body: page('hub', paths('p', 6)), headers: { 'content-type': 'text/html' }, delayMs: 300 },
        '*': ({ headers }) =>
          page(
            'hub',
            far.map((path) => `http://far.test:${headers['host']?.split(':')[1]}${path}`),
          ),
      },
      'far.test': { '/robots.txt': ROBOTS, '*': page('far') },
    },
  });
  const story = await crawl({
    seeds: [],
    scope: { seeds: [web.url('hub.test'), ...paths('seed', 4).map((path) => web.url('far.test', path))] },
    bounds: { pages: 100, pagesPerHost: 4 },
  });
  expect(story.report.outcomes['dropped']?.['bound-host-pages']).toBeGreaterThan(8);
  expect(repeated(story)).toEqual([]);
});

it('if the queue is full and has space again', async () => {
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': ROBOTS, '*': page('a', paths('p', 20)) } },
  });
  const story = await crawl({ seeds: [web.url('a.test')], store: memoryStore({ maxQueued: 4 }) });
  expect(story.report.outcomes['fetched']?.['fetched']).toBeGreaterThan(4);
  expect(repeated(story)).toEqual([]);
});

it('if redirects, disallowed paths, depth and nofollow concern the same URLs', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': ROBOTS,
        '/': page('a', [
          '/closed/1',
          '/to-closed',
          '/to-x',
          '/no',
          '/x',
          '/x#part',
          '/loop',
          'http://else.test/',
          '/deep',
        ]),
        '/no': page('no', ['/closed/1', '/x', '/y', '/deeper'], '<meta name="robots" content="nofollow">'),
        '/deep': page('deep', ['/deeper', '/closed/1', 'http://else.test/']),
        '/deeper': page('deeper', ['/y', '/deepest', '/closed/2']),
        '/to-closed': redirect('/closed/1'),
        '/to-x': redirect('/x'),
        '/loop': redirect('/pool'),
        '/pool': redirect('/loop'),
        '*': page('leaf', ['/', '/x']),
      },
    },
  });
  const story = await crawl({ seeds: [web.url('a.test')], bounds: { pages: 100, depth: 2 } });
  expect(story.report).toMatchObject({ state: 'bounded', bound: null, bounds: [{ bound: 'bounds.depth', left: 0 }] });
  expect(repeated(story)).toEqual([]);
});

it('if robots.txt closes a URL and has opened it when another page links there', async () => {
  const body = (before: number) => `User-agent: *\nCrawl-delay: 400\n${before === 0 ? 'Disallow: /x\n' : ''}`;
  const { decisions, report } = await crawlVirtually({
    seeds: ['http://a.test/'],
    hosts: {
      'a.test': {
        robots: ({ before }) => ({ headers: { 'cache-control': 'max-age=600' }, body: body(before) }),
        pages: { '/': page('start', ['/x', '/a', '/b']), '*': page('leaf', ['/x']) },
      },
    },
    maxIdleMs: 3_600_000,
    bounds: { pages: 20 },
  });
  const ofX = decisions.filter(({ url }) => url.endsWith('/x'));
  const closed = { status: 'excluded', reason: 'robots-rule' };
  expect(ofX).toMatchObject([closed, { status: 'fetched', replaces: closed }]);
  expect(report.outcomes).toEqual({ fetched: { fetched: 4 } });
});

it('if a run fetches a seed that an earlier one dropped', async () => {
  const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': ROBOTS, '/': page('a'), '/b': page('b') } } });
  const out = await mkdtemp(join(tmpdir(), 'test-out-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const seeds = [web.url('a.test'), web.url('a.test', '/b')];
  const left = await crawl({ seeds: [], scope: { seeds, exclude: ['/b'] }, out });
  expect(left.report.outcomes).toEqual({ fetched: { fetched: 1 }, dropped: { 'scope-excluded': 1 } });
  const both = await crawl({ seeds: [], scope: { seeds }, out });
  expect(both.report.outcomes).toEqual({ fetched: { fetched: 2 } });
});
