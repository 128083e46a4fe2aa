// A host's interval may be longer than the lifetime of its robots.txt. Then every turn would go to robots.txt and the
// files next to it, and none to a page. So the answer of the last turn decides the next request. In virtual time.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditCrawl, readCrawlDirectory } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawlVirtually, type VirtualCrawlOptions } from '../support/virtual-crawl.js';
import { page, redirect, text } from '../support/web.js';

const HOUR = 3_600_000;
const NO_CACHE = { 'cache-control': 'no-cache' };
const HOURLY = text('User-agent: *\nCrawl-delay: 3600\nDisallow: /closed\n', NO_CACHE);
const PAGES = { '/': page('start', ['/a', '/b', '/closed']), '/a': page('a'), '/b': page('b') };
const SLOW = { politeness: { profile: { factor: 0, minMs: HOUR, maxMs: HOUR } } };
const BUSY = { status: 503 };

/** Host name → its content; the seed's host comes first. */
const CASES: readonly (readonly [
  title: string,
  hosts: VirtualCrawlOptions['hosts'],
  more: Pick<VirtualCrawlOptions, 'politeness' | 'purposes' | 'discover'>,
])[] = [
  ['a Crawl-delay', { 'a.test': { robots: HOURLY, pages: PAGES } }, {}],
  [
    'a Request-rate',
    { 'a.test': { robots: text('User-agent: *\nRequest-rate: 1/1h\nDisallow: /closed\n', NO_CACHE), pages: PAGES } },
    {},
  ],
  [
    'an interval as long as the lifetime',
    {
      'a.test': {
        robots: text('User-agent: *\nCrawl-delay: 3600\nDisallow: /closed\n', { 'cache-control': 'max-age=3600' }),
        pages: PAGES,
      },
    },
    {},
  ],
  [
    'a delay behind a redirect',
    { 'a.test': { robots: redirect('http://b.test/rules'), pages: PAGES }, 'b.test': { pages: { '/rules': HOURLY } } },
    {},
  ],
  [
    'a slow profile',
    { 'a.test': { robots: text('User-agent: *\nDisallow: /closed\n', NO_CACHE), pages: PAGES } },
    SLOW,
  ],
  ['no rules', { 'a.test': { robots: { status: 404, headers: NO_CACHE }, pages: PAGES } }, SLOW],
  [
    'a tdmrep.json that never comes, and a data.txt that expires',
    { 'a.test': { robots: HOURLY, pages: { ...PAGES, '/.well-known/tdmrep.json': BUSY, '/data.txt': BUSY } } },
    { purposes: ['tdm'], discover: { dataTxt: true } },
  ],
];

it.each(CASES)('a page comes after each robots.txt: %s', async (_title, hosts, more) => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-long-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const { log, report } = await crawlVirtually({
    seeds: ['http://a.test/'],
    hosts,
    delayMs: 20,
    maxIdleMs: 4 * HOUR,
    bounds: { pages: 20, minutes: 20 * 1_440 },
    out,
    ...more,
  });
  const paths = log.filter(({ host }) => host === 'a.test').map(({ path }) => path);
  expect(report.state).toBe('finished');
  expect(paths).toEqual(expect.arrayContaining(['/', '/a', '/b']));
  // Each page directly after its own robots.txt, never by an older one.
  const afterRobots = paths.filter((path, at) => path !== '/robots.txt' && paths[at - 1] !== '/robots.txt');
  expect(afterRobots).toEqual([]);
  expect((await auditCrawl(await readCrawlDirectory(out))).violations).toEqual([]);
});

it('a rule that was added since counts with the next robots.txt', async () => {
  const { log, decisions } = await crawlVirtually({
    seeds: ['http://a.test/'],
    hosts: {
      'a.test': {
        robots: ({ before }) =>
          before === 0 ? HOURLY : text('User-agent: *\nDisallow: /a\nCrawl-delay: 3600\n', NO_CACHE),
        pages: PAGES,
      },
    },
    maxIdleMs: 4 * HOUR,
    bounds: { pages: 20, minutes: 2 * 1_440 },
  });
  const once = ['/robots.txt', '/', '/robots.txt', '/b', '/robots.txt', '/closed'];
  expect(log.map(({ path }) => path)).toEqual(once);
  expect(decisions.find(({ url }) => url.endsWith('/a'))).toMatchObject({ status: 'excluded', line: 2 });
});

it.each([undefined, 'no-cache', 'max-age=60', 'max-age=3600', 'max-age=80000', 'max-age=86400'])(
  'a page is requested in each Visit-time that is shorter than the Crawl-delay: robots.txt with %s',
  async (lifetime) => {
    const robots = text(
      'User-agent: *\nCrawl-delay: 120\nVisit-time: 0100-0101\n',
      lifetime === undefined ? {} : { 'cache-control': lifetime },
    );
    const { report, log } = await crawlVirtually({
      seeds: ['http://a.test/'],
      hosts: { 'a.test': { robots, pages: PAGES } },
      maxIdleMs: 48 * HOUR,
      bounds: { pages: 10, minutes: 60 * 24 * 5 },
    });
    expect(report.state).toBe('finished');
    const pages = log.filter(({ path }) => path !== '/robots.txt');
    expect(pages).toHaveLength(4);
    expect(pages.map(({ startMs }) => Math.floor((startMs % (24 * HOUR)) / 60_000)).every((m) => m === 60)).toBe(true);
    for (const [at, { startMs }] of log.slice(1).entries())
      expect(startMs - log[at]!.endMs).toBeGreaterThanOrEqual(120_000);
  },
);
