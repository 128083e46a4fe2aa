// Between two runs, the crawl directory answers why a page is missing and what is queued, without a request and without
// a change. If this breaks, `explain` calls a queued URL unknown.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlerOptions, createCrawler, explanationText, inspectCrawl, type MannerlyError } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb } from 'mannerly/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

let out: string;

beforeEach(() => {
  out = join(mkdtempSync(join(tmpdir(), 'mannerly-between-')), 'crawl');
});

afterEach(() => rmSync(join(out, '..'), { recursive: true }));

const links = ['/a', '/b', '/c', '/closed', 'http://slow.test/'];

async function town(more: Partial<CrawlerOptions> = {}) {
  const web = await webForTest({
    hosts: {
      'open.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /closed\nCrawl-delay: 0.02\n'),
        '/': page('home', links),
        '/a': page('a'),
        '/b': page('b'),
        '/c': page('c'),
      },
    },
  });
  const options: CrawlerOptions = {
    identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
    scope: { seeds: [web.url('open.test')] },
    bounds: { pages: 2 },
    politeness: { profile: { factor: 0, minMs: 5_000, maxMs: 5_000 } },
    network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
    ...more,
  };
  const crawler = createCrawler({ ...options, politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } } });
  crawler.on('html', async (each) => {
    await each.follow();
  });
  return { web, crawler, options };
}

it('a waiting URL is shown as queued: where, since which page, and which bound keeps it there', async () => {
  const { web, crawler } = await town();
  const report = await crawler.run({ out });
  expect({ state: report.state, pages: report.pages }).toEqual({ state: 'bounded', pages: 2 });
  const requestsBefore = web.log.length;
  const explanation = await crawler.explain(`${web.url('open.test', '/c')}#part`);
  expect(explanation).toMatchObject({
    // Held if its host was within its interval when the bound was reached.
    status: expect.stringMatching(/^(waiting|held)$/),
    bound: 'pages',
    place: { host: 'open.test', record: { depth: 1, via: 'link', from: web.url('open.test', '/') } },
    inspection: { gate: { kind: 'allow' } },
  });
  expect(explanationText(explanation)).toMatch(
    /(Queued|Held): [\s\S]*robots\.txt allows it[\s\S]*bound of pages is used up/,
  );
  expect(await crawler.explain(web.url('open.test', '/'))).toMatchObject({ status: 'fetched', place: null });
  expect(await crawler.explain(web.url('open.test', '/closed'))).toMatchObject({ status: 'excluded', line: 2 });
  expect(await crawler.explain(web.url('open.test', '/never'))).toMatchObject({ status: 'unknown', place: null });
  expect(web.log).toHaveLength(requestsBefore);
});

it('the queue is listed in parts, and the next run finds it unchanged', async () => {
  const { web, crawler, options } = await town();
  await crawler.run({ out });
  const first = await crawler.queued({ limit: 1 });
  expect(first.items).toHaveLength(1);
  const rest = await crawler.queued({ cursor: first.cursor, host: 'open.test' });
  const queued = [...first.items, ...rest.items].map(({ record }) => new URL(record.url).pathname);
  expect(queued.sort()).toEqual(['/b', '/c']);
  const later = createCrawler({
    ...options,
    bounds: { pages: 9 },
    politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
  });
  expect((await later.queued({}, { out })).items).toHaveLength(2);
  const report = await later.run({ out });
  expect({ state: report.state, pages: report.pages }).toEqual({ state: 'finished', pages: 4 });
  expect(web.log.filter(({ path }) => path !== '/robots.txt').map(({ path }) => path)).toHaveLength(4);
  expect((await later.queued()).items).toEqual([]);
});

it('a host shows its interval from the last run, its robots.txt and its queue', async () => {
  const { crawler } = await town();
  await crawler.run({ out });
  const before = readFileSync(join(out, 'settings.json'), 'utf8');
  expect(JSON.parse(before)).toMatchObject({ politeness: { profile: { minMs: 0 } }, bounds: { pages: 2 } });
  const inspection = await inspectCrawl(out);
  const explanation = await inspection.explain('open.test');
  await inspection.close();
  await inspection.close();
  expect(inspection.logsOnlyReason).toBeNull();
  expect(explanation.host).toMatchObject({
    isKnown: true,
    queued: 2,
    interval: { ms: 20, from: 'crawl-delay' },
    robots: [{ phase: 'rules', hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  expect(explanationText(explanation)).toMatch(
    /2 URLs queued[\s\S]*Interval 0\.02 s \(crawl-delay of http:\/\/open\.test/,
  );
});

it('the interval is that of the given options, if there are any', async () => {
  const { crawler, options } = await town();
  await crawler.run({ out });
  const { host } = await createCrawler(options).explain('open.test', { out });
  expect(host?.interval).toEqual({ ms: 5_000, from: 'profile', authority: null, line: null });
});

it('questions do not change the counts of the crawl', async () => {
  const { crawler } = await town();
  const { runningMs, pages } = await crawler.run({ out });
  for (let time = 0; time < 3; time += 1) await crawler.explain('open.test');
  const again = await crawler.run({ out });
  expect({ alreadyFinished: again.alreadyFinished, pages: again.pages }).toEqual({ alreadyFinished: true, pages });
  expect(again.runningMs).toBeGreaterThanOrEqual(runningMs);
});

it('while a run has the directory open, answers come from its logs', async () => {
  const { web, crawler } = await town({ bounds: { pages: 9 } });
  let pending: Promise<unknown> | null = null;
  const seen: unknown[] = [];
  crawler.events.on('decision', ({ url }) => {
    if (pending !== null || !url.endsWith('/a')) return;
    pending = (async () => {
      const inspection = await inspectCrawl(out);
      seen.push(inspection.logsOnlyReason);
      seen.push((await inspection.explain('open.test')).logged?.requests);
      seen.push(explanationText(await inspection.explain(web.url('open.test', '/zzz'))));
      seen.push(await inspection.queued().catch((error: MannerlyError) => error.code));
      await inspection.close();
    })();
  });
  const report = await crawler.run({ out });
  await pending;
  expect(report.state).toBe('finished');
  expect(seen[0]).toMatch(/in use by process \d+/);
  expect(seen[1]).toEqual(expect.any(Number));
  expect(seen[2]).toMatch(/From the logs alone: /);
  expect(seen[3]).toBe('directory-in-use');
});

it('without a directory there is an error that says what to do', async () => {
  const { crawler } = await town();
  const refused = { code: 'not-running', hint: expect.stringContaining('{ out }') };
  await expect(crawler.explain('open.test')).rejects.toMatchObject(refused);
  await expect(crawler.queued()).rejects.toMatchObject(refused);
  await expect(crawler.retry({})).rejects.toMatchObject({
    code: 'not-running',
    hint: expect.stringContaining('retry'),
  });
  await expect(crawler.explain('open.test', { out })).rejects.toMatchObject({ code: 'directory-taken' });
});

it('a run in virtual time continues at its pace, even after questions that were asked months later', async () => {
  const robots = 'User-agent: *\nCrawl-delay: 20\n';
  const pages = { '/': '<a href=/b>b</a><a href=/c>c</a><a href=/d>d</a>', '*': 'leaf' };
  const web = createFakeWeb({ hosts: { 'a.test': { robots, pages } } });
  const run = (maxPages: number) =>
    crawlInVirtualTime(
      web,
      (fakes) => {
        const crawler = createCrawler({
          identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
          scope: { seeds: ['https://a.test/'] },
          bounds: { pages: maxPages },
          ...fakes,
        });
        return crawler.on('html', (each) => each.follow());
      },
      { run: { out }, clock: { startMs: Date.UTC(2020, 0), maxSteps: 10_000 } },
    );
  expect((await run(2)).report).toMatchObject({ state: 'bounded', queued: 2 });
  const inspection = await inspectCrawl(out);
  expect((await inspection.queued()).items).toHaveLength(2);
  await inspection.close();
  const { report, tookMs } = await run(9);
  expect(report).toMatchObject({ state: 'finished', pages: 4 });
  expect(tookMs).toBeGreaterThanOrEqual(20_000);
});
