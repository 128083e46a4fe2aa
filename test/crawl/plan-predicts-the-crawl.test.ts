// People decide by the plan whether to start, and when the crawl will end. Each case is planned, then crawled, in
// virtual time.

import { type CrawlerOptions, type CrawlPlan, type CrawlReport, createCrawler, planCrawl } from 'mannerly';
import { createFakeWeb, createVirtualClock, type FakeHost, fakePage, runCrawl } from 'mannerly/testing';
import { describe, expect, it } from 'vitest';

/** Noon, so that a file may declare the hour closed. */
const NOON = Date.UTC(2026, 5, 1, 12);

/** A site of `count` pages, all in its sitemap and linked from its front page. */
function site(name: string, count: number, robots = '', also: readonly string[] = []): FakeHost {
  const paths = Array.from({ length: count - 1 }, (_, index) => `/p${index}`);
  const urls = ['/', ...paths].map((path) => `https://${name}${path}`).concat(also);
  return {
    robots: `User-agent: *\nDisallow: /closed\n${robots}Sitemap: https://${name}/sitemap.xml\n`,
    pages: {
      '/': fakePage('start', paths),
      '/sitemap.xml': `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
        .map((url) => `<url><loc>${url}</loc></url>`)
        .join('')}</urlset>`,
      '*': 'a page',
    },
  };
}

/** The same site with a sitemap that takes eight seconds. */
function slowSitemap(host: FakeHost): FakeHost {
  const pages = host.pages as Readonly<Record<string, string>>;
  return { ...host, pages: { ...pages, '/sitemap.xml': { body: pages['/sitemap.xml'] ?? '', bodyMs: 8_000 } } };
}

/** Plans, then crawls. */
async function both(
  hosts: Readonly<Record<string, FakeHost>>,
  given: Partial<CrawlerOptions> = {},
  delayMs = 40,
): Promise<{ plan: CrawlPlan; report: CrawlReport; ratio: number; planned: string[]; userAgents: Set<string> }> {
  const web = createFakeWeb({ hosts, delayMs });
  const clock = createVirtualClock({ startMs: NOON });
  try {
    const { network, ...fakes } = web.fakes(clock);
    const options: CrawlerOptions = {
      identity: { name: 'tester', contact: 'https://example.org/us' },
      scope: { seeds: Object.keys(hosts).map((host) => `https://${host}/`) },
      bounds: { pages: 10_000 },
      ...given,
      network: { ...network, ...given.network },
      ...fakes,
    };
    const plan = await clock.finish(planCrawl(options));
    const planned = web.exchanges.map(({ url }) => url);
    const userAgents = new Set(
      web.exchanges.map(({ headers }) => headers['user-agent'] ?? headers['User-Agent'] ?? 'unknown'),
    );
    const crawler = createCrawler(options);
    crawler.on('any', (page) => page.follow());
    const report = await runCrawl(crawler, clock);
    const tookMs = report.endedAtMs - report.startedAtMs;
    return { plan, report, ratio: plan.estimate.durationMs / tookMs, planned, userAgents };
  } finally {
    clock.end();
  }
}

describe('the duration of a plan is within a fifth of the crawl', () => {
  it.each<[string, Readonly<Record<string, FakeHost>>, Partial<CrawlerOptions>?, number?]>([
    ['for the profile', { 'a.test': site('a.test', 30) }],
    ['for the profile and slow answers', { 'a.test': site('a.test', 20) }, {}, 3_000],
    ['for Crawl-delay', { 'a.test': site('a.test', 20, 'Crawl-delay: 10\n') }],
    ['for Request-rate', { 'a.test': site('a.test', 20, 'Request-rate: 1/7s\n') }],
    ['for both', { 'a.test': site('a.test', 20, 'Request-rate: 1/7s\nCrawl-delay: 9\n') }],
    [
      'for a rate that changes with the hour',
      { 'a.test': site('a.test', 60, 'Request-rate: 1/60s 1200-1230\nRequest-rate: 1/10s\n') },
    ],
    [
      'for visiting hours that end and begin again',
      { 'a.test': site('a.test', 60, 'Crawl-delay: 60\nVisit-time: 1000-1230\nVisit-time: 1245-1700\n') },
      { maxIdleMs: 3_600_000 },
    ],
    ['for hosts next to each other', { 'a.test': site('a.test', 9), 'b.test': site('b.test', 30, 'Crawl-delay: 4\n') }],
    [
      'for a limit on the whole crawl',
      Object.fromEntries(['a.test', 'b.test', 'c.test', 'd.test'].map((name) => [name, site(name, 20)])),
      { politeness: { requestsPerSecond: 0.5 } },
    ],
    ['whose sitemap takes long, for its size', { 'a.test': slowSitemap(site('a.test', 40)) }],
    ['with sitemaps read by the crawl too', { 'a.test': site('a.test', 9) }, { discover: { sitemaps: true } }],
    ['with a bound on pages', { 'a.test': site('a.test', 200) }, { bounds: { pages: 40 } }],
    ['with a bound on minutes', { 'a.test': site('a.test', 400) }, { bounds: { pages: 10_000, minutes: 2 } }],
    ['with a bound on pages of a host', { 'a.test': site('a.test', 99) }, { bounds: { pages: 900, pagesPerHost: 9 } }],
    [
      'with a bound on minutes of a host',
      { 'a.test': site('a.test', 300) },
      { bounds: { pages: 900, minutesPerHost: 3 } },
    ],
    [
      'with a host that an entry makes slower',
      { 'a.test': site('a.test', 20) },
      { hosts: [{ match: 'a.test', spacing: { minMs: 8_000 } }] },
    ],
    [
      'with a host that an entry bounds',
      { 'a.test': site('a.test', 99) },
      { bounds: { pages: 900, pagesPerHost: 50 }, hosts: [{ match: '*', bounds: { pages: 9 }, exclude: ['/none'] }] },
    ],
    [
      'with hosts of one domain asked as one',
      { 'one.example.org': site('one.example.org', 15), 'two.example.org': site('two.example.org', 15) },
      { politeness: { perDomain: true } },
    ],
  ])('%s', async (_title, hosts, options, delayMs) => {
    const { plan, ratio, report } = await both(hosts, options, delayMs);
    expect(plan.isComplete).toBe(true);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.2);
    expect(plan.estimate.pages / report.pages).toBeCloseTo(1, 1);
  });
});

describe('which bound is reached first', () => {
  it.each<[string, CrawlerOptions['bounds'], string | undefined, string]>([
    ['none', { pages: 900 }, undefined, 'finished'],
    ['pages', { pages: 20, minutes: 10 }, 'pages', 'pages'],
    ['minutes', { pages: 900, minutes: 0.5 }, 'minutes', 'minutes'],
    ['pages of a host', { pages: 900, pagesPerHost: 5 }, 'pagesPerHost', 'finished'],
    ['the one that comes first of two', { pages: 30, pagesPerHost: 20 }, 'pages', 'pages'],
  ])('%s', async (_title, bounds, bound, ends) => {
    const { plan, report } = await both({ 'a.test': site('a.test', 50), 'b.test': site('b.test', 12) }, { bounds });
    expect(plan.firstBound?.bound).toBe(bound);
    expect(plan.estimate).toMatchObject({ ends, isAtMost: false });
    expect(report.state).toBe(bound === undefined ? 'finished' : 'bounded');
  });
});

it('requests only robots.txt and sitemaps, identifies itself, and counts what they list', async () => {
  const foreign = ['https://a.test/closed/1', 'https://a.test/closed/2', 'https://elsewhere.test/'];
  const { plan, planned, userAgents } = await both({
    'a.test': site('a.test', 3, '', foreign),
    'b.test': { robots: 'User-agent: *\n', pages: { '*': 'b' } },
    'c.test': { robots: { status: 503 } },
  });
  expect(planned.filter((url) => !/\/(robots\.txt|sitemap\.xml)$/.test(url))).toEqual([]);
  expect([...userAgents].every((one) => one.includes('https://example.org/us'))).toBe(true);
  expect(plan.planningRequests).toBe(planned.length);
  const byName = new Map(plan.hosts.map((host) => [host.host, host]));
  expect(byName.get('a.test')).toMatchObject({ sitemaps: 1, allowed: 3, denied: 2, outOfScope: 1, pages: 3 });
  expect(byName.get('b.test')).toMatchObject({ sitemaps: 0, allowed: null, denied: null, outOfScope: null });
  expect(byName.get('c.test')).toMatchObject({ allowed: null, pages: 0, wait: { reason: 'robots-unreachable' } });
  expect(plan.estimate.isAtMost).toBe(true);
});

it('has no range that ends before its first bound: a fast host with a sitemap, a slow one without', async () => {
  const slow: FakeHost = { robots: 'User-agent: *\nCrawl-delay: 20\n', pages: { '*': 'b' } };
  const { plan } = await both({ 'a.test': site('a.test', 3), 'b.test': slow }, { bounds: { pages: 40 } });
  expect(plan.firstBound?.bound).toBe('pages');
  expect(plan.range.most).toMatchObject({ pages: 40, durationMs: plan.firstBound?.atMs });
});

it('counts the pages of a host of which only another port cannot be crawled', async () => {
  const { plan, report } = await both(
    { 'a.test': site('a.test', 9, '', ['https://a.test:8443/old']), 'a.test:8443': { robots: { status: 500 } } },
    { maxIdleMs: 5_000, scope: { seeds: ['https://a.test/', 'https://a.test:8443/x'] } },
  );
  expect(plan.hosts[0]).toMatchObject({ allowed: 9, pages: 9, wait: { reason: 'robots-unreachable' } });
  expect(plan.estimate.pages).toBe(report.pages);
});

it('tries a robots.txt that cannot be fetched once more, where the crawl waits for a quarter of an hour', async () => {
  const silent: FakeHost = { robots: { status: 503 } };
  const { plan, report } = await both({ 'a.test': site('a.test', 3), 'silent.test': silent });
  expect(plan.hosts.at(-1)).toMatchObject({ host: 'silent.test', wait: { reason: 'robots-unreachable' } });
  expect(plan.planningRequests).toBe(4);
  expect(plan.planningMs).toBeLessThan(70_000);
  expect(report.endedAtMs - report.startedAtMs).toBeGreaterThan(400_000);
});

it('tries it for as long as another host has to wait for its sitemap', async () => {
  const slow = site('slow.test', 3, 'Crawl-delay: 300\n');
  const { plan } = await both({ 'silent.test': { robots: { status: 503 } }, 'slow.test': slow });
  expect(plan.hosts[0]).toMatchObject({ host: 'slow.test', sitemaps: 1, pages: 3 });
});

it('says until when a host is closed', async () => {
  const { plan } = await both({ 'a.test': site('a.test', 9, 'Visit-time: 1800-2000\n') });
  expect(plan.hosts[0]).toMatchObject({
    hasHours: true,
    wait: { reason: 'visit-time', untilMs: NOON + 6 * 3_600_000 },
  });
});
