// Hosts at one address share one machine. Those of one domain get one request at a time, with `politeness.perIp` all of
// them; with `perDomain` the hosts of one domain do, whatever their addresses; with `requestsPerSecond` the whole crawl
// keeps one pace. Judged by arrivals: at a server, and in virtual time.

import { expect, it } from 'vitest';
import { crawl, type TestCrawlOptions } from '../support/crawl.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, type Routes, redirect, type WebExchange } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const site: Routes = {
  '/robots.txt': { status: 404 },
  '/': { body: page('start', ['/1', '/2']), headers: { 'content-type': 'text/html' }, delayMs: 30 },
  '*': { body: page('leaf', []), headers: { 'content-type': 'text/html' }, delayMs: 30 },
};

/** Gaps from the end of each exchange to the start of the next, milliseconds. */
function gaps(log: readonly WebExchange[]): number[] {
  const inOrder = log.toSorted((a, b) => a.startMs - b.startMs);
  return inOrder.slice(1).map(({ startMs }, at) => startMs - inOrder[at]!.endMs);
}

const profile = (gapMs: number) => ({ factor: 0, minMs: gapMs, maxMs: gapMs });

it('per address, at a server: one request at a time and the interval between, whatever the names', async () => {
  const names = ['a.test', 'b.test', 'c.test'];
  const web = await webForTest({ hosts: Object.fromEntries(names.map((name) => [name, site])) });
  const seeds = names.map((name) => web.url(name));
  const { report } = await crawl({ seeds, politeness: { profile: profile(60), perIp: true } });
  expect(report.state).toBe('finished');
  expect(web.log).toHaveLength(12);
  expect(Math.min(...gaps(web.log))).toBeGreaterThanOrEqual(60 - 2);
});

/** Crawls these names, each with the given address. */
async function arrivals(hosts: Readonly<Record<string, string>>, options: Omit<Partial<TestCrawlOptions>, 'hosts'>) {
  const { report, log } = await crawlVirtually({
    seeds: Object.keys(hosts).map((name) => `http://${name}/`),
    hosts: Object.fromEntries(
      Object.entries(hosts).map(([name, address]) => [name, { address, robots: { status: 404 }, pages: virtualSite }]),
    ),
    maxIdleMs: 3_600_000,
    bounds: { pages: 2_000 },
    ...options,
  });
  expect(report.state).toBe('finished');
  expect(log).toHaveLength(4 * Object.keys(hosts).length);
  return log;
}

const virtualSite = {
  '/': { body: page('start', ['/1', '/2']), delayMs: 300 },
  '*': { body: page('leaf'), delayMs: 300 },
};

const ONE = '198.18.0.1';
const TWO = '198.18.0.2';

it('per address: its hosts are one queue, other addresses continue', async () => {
  const hosts = { 'a.test': ONE, 'b.test': ONE, 'c.test': ONE, 'd.test': ONE, 'e.test': TWO };
  const log = await arrivals(hosts, { politeness: { profile: profile(60_000), perIp: true } });
  const [shared, own] = [log.filter(({ host }) => host !== 'e.test'), log.filter(({ host }) => host === 'e.test')];
  expect(Math.min(...gaps(shared))).toBeGreaterThanOrEqual(60_000);
  expect(Math.min(...gaps(own))).toBeGreaterThanOrEqual(60_000);
  // Sixteen requests take four times as long as four: the other address did not wait for them.
  expect(own.at(-1)!.startMs).toBeLessThan(shared[8]!.startMs);
});

it('per domain: its hosts are one queue, other domains continue', async () => {
  const hosts = { 'www.one.example': ONE, 'shop.one.example': TWO, 'two.example': '198.18.0.3' };
  const log = await arrivals(hosts, { politeness: { profile: profile(60_000), perDomain: true } });
  const [one, two] = [log.filter(({ host }) => host.includes('one')), log.filter(({ host }) => host.includes('two'))];
  expect(Math.min(...gaps(one))).toBeGreaterThanOrEqual(60_000);
  expect(two.at(-1)!.startMs).toBeLessThan(one[6]!.startMs);
});

it('the whole crawl: no two requests sooner than the pace allows', async () => {
  const hosts = { 'a.test': ONE, 'b.test': TWO, 'c.test': '198.18.0.3' };
  const log = await arrivals(hosts, { politeness: { requestsPerSecond: 0.2 } });
  for (const [at, { startMs }] of log.slice(1).entries())
    expect(startMs - log[at]!.startMs).toBeGreaterThanOrEqual(5_000);
});

it('by default, at a server: 40 names of one domain that lead to it are requested as one host', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `n${at}.many.test`);
  const hosts: Record<string, Routes> = Object.fromEntries(
    names.map((name) => [name, { '/robots.txt': { status: 404 }, '*': page('leaf') }]),
  );
  hosts['n0.many.test'] = { ...hosts['n0.many.test'], '/': () => redirect(web.url('n1.many.test', '/moved')) };
  const web = await webForTest({ hosts });
  const seeds = names.map((name) => web.url(name));
  const { report } = await crawl({
    seeds,
    scope: { seeds, within: 'domain' },
    politeness: { profile: profile(4) },
    network: { concurrency: 64 },
    handlers: (crawler) =>
      crawler.on('html', async (each) => {
        if (each.url === web.url('n2.many.test')) await each.fetch(web.url('n3.many.test', '/own'), { waitMs: 60_000 });
      }),
  });
  expect(report.state).toBe('finished');
  // 40 files, 40 pages, one redirect target and one request of a handler.
  expect(web.log).toHaveLength(82);
  expect(web.paths('n1.many.test')).toContain('/moved');
  expect(web.paths('n3.many.test')).toContain('/own');
  expect(Math.min(...gaps(web.log))).toBeGreaterThanOrEqual(4 - 2);
});

it('by default, with the default profile: the names of one domain take a second each, others do not wait', async () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}.many.test`, ONE]));
  const log = await arrivals(
    { ...many, 'other.test': ONE, 'own.many.test': TWO },
    { politeness: { profile: 'polite' } },
  );
  const isShared = ({ host }: WebExchange) => host.startsWith('n');
  expect(Math.min(...gaps(log.filter(isShared)))).toBeGreaterThanOrEqual(1_000);
  const alone = log.filter((each) => !isShared(each));
  expect(Math.max(...alone.map(({ endMs }) => endMs)) - log[0]!.startMs).toBeLessThan(10_000);
});
