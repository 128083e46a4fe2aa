// A crawl does not leave its scope or exceed its bounds, whatever the pages offer.

import { describe, expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, type Routes } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** Every page links to one deeper page and to ten neighbours, without end. */
const ENDLESS: Routes = {
  '/robots.txt': { status: 404 },
  '*': ({ path }) =>
    page(path, [
      `${path.replace(/\/$/, '')}/deeper`,
      ...Array.from({ length: 10 }, (_, index) => `${path.replace(/\/$/, '')}/n${index}`),
    ]),
};

const pagesOf = (paths: readonly string[]): string[] => paths.filter((path) => path !== '/robots.txt');

describe('bounds', () => {
  it.each([1, 2, 25])('pages: %d means exactly that many', async (pages) => {
    const web = await webForTest({ hosts: { 'a.test': ENDLESS } });
    const { report } = await crawl({ seeds: [web.url('a.test')], bounds: { pages } });
    expect(pagesOf(web.paths('a.test'))).toHaveLength(pages);
    expect([report.pages, report.state, report.bound]).toEqual([pages, 'bounded', 'pages']);
  });

  it('pages: holds over many hosts at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `h${index}.test`);
    const web = await webForTest({ hosts: Object.fromEntries(names.map((name) => [name, ENDLESS])) });
    await crawl({ seeds: names.map((name) => web.url(name)), bounds: { pages: 33 } });
    expect(pagesOf(web.log.map((exchange) => exchange.path))).toHaveLength(33);
  });

  it.each([
    [0, ['/']],
    [1, ['/', '/deeper', ...Array.from({ length: 10 }, (_, index) => `/n${index}`)]],
  ])('depth: %d', async (depth, paths) => {
    const web = await webForTest({ hosts: { 'a.test': ENDLESS } });
    const { report, decisions } = await crawl({ seeds: [web.url('a.test')], bounds: { pages: 500, depth } });
    expect(pagesOf(web.paths('a.test')).sort()).toEqual([...paths].sort());
    const dropped = decisions.filter((each) => each.reason === 'bound-depth').length;
    expect(dropped).toBeGreaterThanOrEqual(11);
    expect(report).toMatchObject({
      state: 'bounded',
      bound: null,
      bounds: [{ bound: 'bounds.depth', dropped, left: 0 }],
    });
  });

  it('pagesPerHost: each host gives that many', async () => {
    const web = await webForTest({ hosts: { 'a.test': ENDLESS, 'b.test': ENDLESS } });
    const { report } = await crawl({
      seeds: [web.url('a.test'), web.url('b.test')],
      bounds: { pages: 500, pagesPerHost: 7 },
    });
    expect(pagesOf(web.paths('a.test'))).toHaveLength(7);
    expect(pagesOf(web.paths('b.test'))).toHaveLength(7);
    expect(report).toMatchObject({
      state: 'bounded',
      bound: null,
      bounds: [{ bound: 'bounds.pagesPerHost', left: 0 }],
    });
    expect(report.outcomes['dropped']?.['bound-host-pages']).toBeGreaterThan(0);
  });

  it('minutes: it ends when they are over, and not before', async () => {
    const { report, log, tookMs } = await crawlVirtually({
      seeds: ['http://a.test/'],
      hosts: { 'a.test': { pages: { '*': ({ path }) => page(path, [`${path}x`, `${path}y`]) } } },
      bounds: { minutes: 5, depth: 1_000 },
      traps: false,
      politeness: { profile: { factor: 0, minMs: 10_000, maxMs: 10_000 } },
      maxIdleMs: 60_000,
    });
    expect([report.state, report.bound]).toEqual(['bounded', 'minutes']);
    expect(tookMs).toBeGreaterThanOrEqual(5 * 60_000);
    expect(tookMs).toBeLessThanOrEqual(5 * 60_000 + 1_000);
    expect(log.length).toBeGreaterThan(20);
  });
});

describe('scope', () => {
  const offers = (): Routes => ({
    '/': ({ headers }) => {
      const port = headers['host']?.split(':')[1];
      const hosts = ['a.test', 'b.test', 'www.a.test', 'a.test.evil.test', 'nota.test'];
      return page('start', [
        ...hosts.map((host) => `http://${host}:${port}/x`),
        '/keep',
        '/skip/y',
        'mailto:a@a.test',
        'javascript:void(0)',
        'ftp://a.test/z',
      ]);
    },
    '*': page('leaf'),
  });
  const hosts = {
    'a.test': offers(),
    'b.test': offers(),
    'www.a.test': offers(),
    'a.test.evil.test': offers(),
    'nota.test': offers(),
  };

  it.each([
    ['host', { within: 'host' as const }, ['a.test']],
    ['list', { within: 'list' as const, hosts: ['a.test', 'b.test'] }, ['a.test', 'b.test']],
    ['any', { within: 'any' as const }, ['a.test', 'a.test.evil.test', 'b.test', 'nota.test', 'www.a.test']],
  ])('%s', async (_within, scope, expected) => {
    const web = await webForTest({ hosts });
    const { report } = await crawl({ seeds: [], scope: { seeds: [web.url('a.test')], ...scope } });
    expect([...new Set(web.log.map((exchange) => exchange.host))].sort()).toEqual(expected);
    expect(report.outcomes['dropped']?.['out-of-scope'] ?? 0).toBe(5 - expected.length);
    expect(report.state).toBe('finished');
  });

  it('exclude: paths with that prefix are dropped', async () => {
    const web = await webForTest({ hosts });
    const { decisions } = await crawl({ seeds: [], scope: { seeds: [web.url('a.test')], exclude: ['/skip'] } });
    expect(web.paths('a.test').sort()).toEqual(['/', '/keep', '/robots.txt', '/x']);
    expect(decisions.find((each) => each.url.endsWith('/skip/y'))).toMatchObject({
      status: 'dropped',
      reason: 'scope-excluded',
    });
  });

  it('seeds: each has one status, those that cannot be queued too, and duplicates once', async () => {
    const web = await webForTest({ hosts: { 'a.test': { '*': page('leaf') } } });
    const long = `${web.url('a.test')}${'x'.repeat(9_000)}`;
    const elsewhere = 'http://b.test/';
    const { decisions } = await crawl({
      seeds: [],
      scope: {
        seeds: [web.url('a.test'), web.url('a.test', '/#top'), long, elsewhere],
        within: 'list',
        hosts: ['A.test'],
      },
    });
    expect(decisions.map(({ url, status, reason }) => [url, status, reason]).sort()).toEqual([
      [web.url('a.test'), 'fetched', 'fetched'],
      [long, 'dropped', 'url-too-long'],
      [elsewhere, 'dropped', 'out-of-scope'],
    ]);
  });
});
