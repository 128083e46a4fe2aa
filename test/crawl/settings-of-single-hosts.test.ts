// `hosts` makes single hosts slower and their bounds narrower, over restarts. Measured at a server that stamps
// arrivals: if an entry is forgotten, or makes a host faster, the site suffers.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlerOptions, createCrawler, inspectCrawl } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONTACT, crawl, makeCrawler } from '../support/crawl.js';
import { judge, POLITE, smallestGapMs } from '../support/politeness.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

type Hosts = NonNullable<CrawlerOptions['hosts']>;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-hosts-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'crawl');
}

const PATHS = ['/a', '/b', '/c', '/d', '/old/e'];
const site = (robots = 'User-agent: *\nDisallow:\n') => ({
  '/robots.txt': text(robots),
  '/': page('start', PATHS),
  '*': page('leaf'),
});

/** Three hosts on one machine; most entries are about `shop.test`. */
const webOfThree = (robots?: string) =>
  webForTest({ hosts: { 'shop.test': site(robots), 'de.shop.test': site(), 'other.test': site() } });

type Web = Awaited<ReturnType<typeof webOfThree>>;

const seedsOf = (web: Web) => ['shop.test', 'de.shop.test', 'other.test'].map((host) => web.url(host));
const options = (web: Web, hosts: Hosts) => ({ seeds: seedsOf(web), hosts, politeness: { perIp: false } });
const pagesOf = (web: Web, host: string) => web.paths(host).filter((path) => path !== '/robots.txt');

describe('spacing', () => {
  it('a host that an entry matches is spaced by it, others are not, and a longer Crawl-delay still counts', async () => {
    const web = await webOfThree('User-agent: *\nCrawl-delay: 0.5\n');
    const hosts = [
      { match: '*.shop.test', spacing: { minMs: 300 } },
      { match: ['shop.test', 'de.shop.test'], spacing: { minMs: 200 } },
    ];
    const { report } = await crawl(options(web, hosts));
    expect(report.state).toBe('finished');
    const rules = { 'shop.test': { gapMs: 500 }, 'de.shop.test': { gapMs: 300 } };
    expect(judge(web.log, { contact: CONTACT, rules })).toEqual(POLITE);
    expect(smallestGapMs(web.log, 'other.test')).toBeLessThan(200);
    expect(report.relaxedDefaults.filter((optionText) => optionText.startsWith('`hosts'))).toEqual([]);
  });

  it('is kept across a restart, also if the next run has another entry', async () => {
    const web = await webOfThree();
    const out = folder();
    const first = makeCrawler(options(web, [{ match: 'shop.test', spacing: { minMs: 700 } }]));
    first.events.on('request', ({ url }) => {
      if (new URL(url).hostname === 'shop.test' && web.paths('shop.test').length === 3) first.stop();
    });
    expect((await first.run({ out })).state).toBe('stopped');
    const before = web.paths('shop.test').length;
    const second = makeCrawler(options(web, [{ match: '*', spacing: { minMs: 900 } }]));
    expect((await second.run({ out })).state).toBe('finished');
    const ofShop = web.log.filter(({ host }) => host === 'shop.test');
    const gaps = ofShop.slice(1).map(({ startMs }, at) => startMs - (ofShop[at]?.endMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(700);
    expect(Math.min(...gaps.slice(before))).toBeGreaterThanOrEqual(900);
    expect(new Set(pagesOf(web, 'shop.test')).size).toBe(PATHS.length + 1);
  });
});

describe('bounds, patterns and fields', () => {
  it('apply to the hosts that match, and the crawl continues with the others', async () => {
    const web = await webOfThree();
    const { report, decisions } = await crawl(
      options(web, [
        { match: 'shop.test', bounds: { pages: 2 } },
        { match: '*.shop.test', exclude: ['/old/', /\/[cd]$/] },
        { match: 'other.test', bounds: { depth: 0 } },
        { match: '*', bounds: { depth: 1 } },
      ]),
    );
    expect(pagesOf(web, 'shop.test')).toHaveLength(2);
    expect(pagesOf(web, 'de.shop.test').sort()).toEqual(['/', '/a', '/b']);
    expect(pagesOf(web, 'other.test')).toEqual(['/']);
    const reasons = (host: string) =>
      decisions.flatMap(({ url, status, reason }) =>
        new URL(url).hostname === host && status === 'dropped' ? [reason] : [],
      );
    expect(reasons('shop.test')).toEqual(Array(4).fill('bound-host-pages'));
    expect(reasons('de.shop.test')).toEqual(Array(3).fill('scope-excluded'));
    expect(reasons('other.test')).toEqual(Array(5).fill('bound-depth'));
    expect(report.state).toBe('bounded');
  });

  it('what an earlier run queued is not requested once an entry excludes it', async () => {
    const web = await webOfThree();
    const out = folder();
    const first = makeCrawler({ ...options(web, []), seeds: [web.url('shop.test')] });
    first.events.on('decision', () => first.stop());
    await first.run({ out });
    expect(pagesOf(web, 'shop.test')).toEqual(['/']);
    const hosts = [{ match: 'shop.test', exclude: ['/a', '/b', '/c', '/d', '/old/'] }];
    const { report } = await crawl({ ...options(web, hosts), seeds: [web.url('shop.test')], out });
    expect(pagesOf(web, 'shop.test')).toEqual(['/']);
    expect(report.outcomes['dropped']?.['scope-excluded']).toBe(PATHS.length);
  });

  it('fields are sent with requests for the host’s content, and override those of the crawl', async () => {
    const web = await webOfThree();
    await crawl({
      ...options(web, [
        { match: '*.shop.test', headers: ['accept-language: de', 'X-Client: ours'] },
        { match: '*.shop.test', headers: ['Accept-Language: de-AT'] },
      ]),
      network: { headers: ['Accept-Language: en'] },
    });
    const explanationOf = (host: string) =>
      web.log.filter((each) => each.host === host).map(({ path, headers }) => [path, headers['accept-language']]);
    expect(explanationOf('shop.test')).toContainEqual(['/', 'en']);
    expect(explanationOf('de.shop.test')).toContainEqual(['/', 'de-AT']);
    expect(explanationOf('de.shop.test')).toContainEqual(['/robots.txt', undefined]);
    const ours = web.log.filter(({ headers }) => headers['x-client'] === 'ours');
    expect(ours.map(({ host }) => host)).toEqual(Array(PATHS.length + 1).fill('de.shop.test'));
  });

  it('with other fields, a page is requested without conditions, since its validators belong to the earlier ones', async () => {
    const tagged = { body: 'same', headers: { 'content-type': 'text/html', etag: '"1"' } };
    const web = await webForTest({ hosts: { 'shop.test': { '/robots.txt': { status: 404 }, '/': tagged } } });
    const out = folder();
    const run = (hosts: Hosts, again: boolean) =>
      crawl({ seeds: [web.url('shop.test')], hosts, recrawl: true, out, again, bounds: { pages: 10 } });
    const german = [{ match: 'shop.test', headers: ['Accept-Language: de'] }];
    await run([], false);
    await run([], true);
    await run(german, true);
    await run(german, true);
    const conditions = web.log.flatMap(({ path, headers }) => (path === '/' ? [headers['if-none-match']] : []));
    expect(conditions).toEqual([undefined, '"1"', undefined, '"1"']);
  });
});

describe('told', () => {
  it('by explain of a host and of a URL, while it runs and afterwards, and by the manifest', async () => {
    const web = await webOfThree();
    const out = folder();
    const hosts: Hosts = [
      { match: 'other.test', bounds: { pages: 3 } },
      { match: ['shop.test', '*.shop.test'], spacing: { minMs: 40 }, headers: ['X-Client: ours'], exclude: [/old/] },
    ];
    const crawler = makeCrawler(options(web, hosts));
    let during: Promise<unknown> | null = null;
    crawler.events.on('decision', () => {
      during ??= crawler.explain('de.shop.test');
    });
    await crawler.run({ out });
    const applied = [
      {
        at: 1,
        match: ['shop.test', '*.shop.test'],
        spacing: { minMs: 40 },
        headers: ['X-Client: ours'],
        exclude: ['/old/'],
      },
    ];
    expect(await during).toMatchObject({ hosts: applied });
    const inspection = await inspectCrawl(out);
    try {
      expect(await inspection.explain('shop.test')).toMatchObject({
        hosts: applied,
        host: { interval: { ms: 40, from: 'hosts' } },
      });
      expect(await inspection.explain(web.url('de.shop.test', '/a'))).toMatchObject({ hosts: applied });
      expect((await inspection.explain('third.test')).hosts).toBeUndefined();
    } finally {
      await inspection.close();
    }
    const manifest = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
    expect(manifest.options.hosts[1]).toMatchObject({ spacing: { minMs: 40 }, exclude: ['/old/'] });
  });
});

describe('refused', () => {
  // [an entry, the option in the message, a part of the message]
  const rows: [object, string, string][] = [
    [{}, 'hosts[0]', 'match'],
    [{ match: 'a.test:80' }, 'hosts[0].match', 'without port'],
    [{ match: 'a.test', spacing: { minMs: 999 } }, 'hosts[0].spacing.minMs', 'from 1000'],
    [{ match: 'a.test', bounds: { pages: 51 } }, 'hosts[0].bounds.pages', 'from 1 to 50'],
    [{ match: 'a.test', bounds: { depth: 6 } }, 'hosts[0].bounds.depth', 'which is 5'],
    [{ match: 'a.test', headers: ['Cookie: a=b'] }, 'hosts[0].headers[0]', 'Cookie'],
    [{ match: 'a.test', headers: ['Authorization: Basic x'] }, 'hosts[0].headers[0]', 'Authorization'],
    [{ match: 'a.test', exclude: ['old'] }, 'hosts[0].exclude', 'begin with /'],
    [{ match: 'a.test', speed: 3 }, 'hosts[0].speed', 'known: match, spacing'],
  ];
  it.each(rows)('%j', (entry, option, message) => {
    const make = () =>
      createCrawler({
        identity: { name: 'test-bot', contact: CONTACT },
        scope: { seeds: ['http://a.test/'] },
        bounds: { pages: 100, pagesPerHost: 50, depth: 5 },
        hosts: [entry as Hosts[number]],
      });
    expect(make).toThrow(expect.objectContaining({ message: expect.stringContaining(`\`${option}\``) }));
    expect(make).toThrow(expect.objectContaining({ message: expect.stringContaining(message) }));
  });
});
