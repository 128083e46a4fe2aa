// A page can be visited again: because its handler asks for it, with `allowDuplicate`, or after a failure. `explain`
// answers questions about it meanwhile.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrawler, type Explanation, explanationText, type UrlDecision } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb } from 'mannerly/testing';
import { expect, it, onTestFinished } from 'vitest';
import { crawl, makeCrawler, memorySink } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const html = (title: string, links: readonly string[] = []) => ({
  body: page(title, links),
  headers: { 'content-type': 'text/html' },
});

it('a page is visited again after a while, and each visit has its own items', async () => {
  const web = await webForTest({ hosts: { 'a.test': { '/': html('start', ['/x']), '/x': html('x') } } });
  const visits: number[] = [];
  const { items } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) =>
      crawler.on('html', async (found) => {
        await found.emit({ visit: found.visit });
        if (!found.url.endsWith('/x')) {
          visits.push(found.visit);
          if (found.visit < 2) await found.revisit(150);
          await found.follow();
          await found.add('/x', { allowDuplicate: found.visit === 1 });
        }
      }),
  });
  expect(visits).toEqual([0, 1, 2]);
  const paths = web.log.map(({ path }) => path);
  expect(paths.filter((path) => path === '/')).toHaveLength(3);
  // Once by its link, once by `allowDuplicate`; a link to a known URL does nothing.
  expect(paths.filter((path) => path === '/x')).toHaveLength(2);
  const starts = web.log.filter(({ path }) => path === '/');
  for (const [at, { startMs }] of starts.slice(1).entries())
    expect(startMs - starts[at]!.endMs).toBeGreaterThanOrEqual(148);
  expect(new Set(items.map(({ id }) => id)).size).toBe(5);
});

it.each([
  ['alone', [], 1],
  ['next to other pages', ['/x'], 2],
])('a run that ends before a visit %s says which host waits, and until when', async (_what, links, queued) => {
  const day = 86_400_000;
  const { report, exchanges } = await crawlInVirtualTime(
    createFakeWeb({ hosts: { 'a.test': { pages: { '/': page('start', links), '/x': page('x') } } } }),
    (fakes) =>
      createCrawler({
        identity: { name: 'test-bot', contact: 'https://example.org/us' },
        scope: { seeds: ['https://a.test/'] },
        bounds: { pages: 9 },
        ...fakes,
      }).on('html', (found) => found.follow().then(() => found.revisit(day))),
  );
  const first = exchanges.find(({ path }) => path === '/')!;
  expect(report.state).toBe('waiting');
  expect(report.waiting).toMatchObject([{ host: 'a.test', reason: 'not-before', queued }]);
  expect(report.waiting[0]!.untilMs).toBe(Math.ceil(first.endMs) + day);
});

it('failures that match a filter are requested again, once, after a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const out = join(directory, 'crawl');
  let isFixed = false;
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/': html('start', ['/broken', '/gone', '/labelled']),
        '/broken': () => (isFixed ? html('fixed') : { status: 410 }),
        '/gone': { status: 404 },
        '/labelled': () => (isFixed ? html('labelled') : { status: 410 }),
      },
    },
  });
  const run = async (more: object) => {
    const decisions: UrlDecision[] = [];
    const labels: (string | null)[] = [];
    const crawler = makeCrawler(
      {
        seeds: [web.url('a.test')],
        handlers: (made) =>
          made
            .on('html', async (found) => {
              await found.follow();
              await found.add('/labelled', { label: 'special' });
            })
            .on('label:special', async (found) => {
              labels.push(found.label);
            }),
      },
      [memorySink([])],
    );
    crawler.events.on('decision', (decision) => decisions.push(decision));
    const report = await crawler.run({ out, ...more });
    return { decisions, labels, report };
  };
  const requestsFor = (path: string) => web.log.filter((exchange) => exchange.path === path).length;
  await run({});
  isFixed = true;
  await run({});
  expect([requestsFor('/broken'), requestsFor('/gone')]).toEqual([1, 1]);
  const again = await run({ retry: { reason: 'status-410' } });
  expect([requestsFor('/broken'), requestsFor('/gone'), requestsFor('/labelled')]).toEqual([2, 1, 2]);
  expect(
    again.decisions
      .filter(({ status }) => status === 'fetched')
      .map(({ url }) => new URL(url).pathname)
      .sort(),
  ).toEqual(['/broken', '/labelled']);
  expect(again.report.state).toBe('finished');
  // A URL that succeeds in a retry no longer counts as failed: each URL counts once.
  expect(again.report.outcomes).toEqual({ fetched: { fetched: 3 }, failed: { 'status-404': 1 } });
  await run({ retry: { reason: 'status-410' } });
  expect([requestsFor('/broken'), requestsFor('/gone')]).toEqual([2, 1]);
});

it('a URL that is fetched at last is counted once, also without a directory', async () => {
  let attempts = 0;
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/': html('start', ['/broken', '/last']),
        '/broken': () => (attempts++ === 0 ? { status: 410 } : html('fixed')),
        '/last': html('last'),
      },
    },
  });
  const crawler = makeCrawler({
    seeds: [web.url('a.test')],
    handlers: (made) =>
      made.on('html', async (found) => {
        await found.follow();
        if (found.url.endsWith('/last')) expect(await made.retry({})).toMatchObject({ queued: 1 });
      }),
  });
  const report = await crawler.run();
  expect(attempts).toBe(2);
  expect(report).toMatchObject({ state: 'finished', outcomes: { fetched: { fetched: 3 } } });
  expect(report.outcomes).not.toHaveProperty('failed');
});

it('answers questions about hosts and the queue while it runs', async () => {
  const links = Array.from({ length: 30 }, (_, at) => `/p${at}`);
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': { body: 'User-agent: *\nCrawl-delay: 0.2\n', headers: { 'content-type': 'text/plain' } },
        '/': html('start', links),
        '*': html('leaf'),
      },
    },
  });
  const crawler = makeCrawler({ seeds: [web.url('a.test')], bounds: { pages: 4 } });
  const answers: { look: Explanation; list: string[]; text: string }[] = [];
  crawler.events.on('decision', async ({ url }) => {
    if (!url.endsWith('/')) return;
    const look = await crawler.explain('a.test');
    const list = (await crawler.queued({ host: 'a.test', limit: 50 })).items.map(({ record }) => record.url);
    answers.push({ look, list, text: explanationText(look) });
  });
  await expect(crawler.queued()).rejects.toMatchObject({ code: 'not-running' });
  await crawler.run();
  const [{ look, list, text } = { look: null, list: [], text: '' }] = answers;
  expect(look?.host).toMatchObject({
    isKnown: true,
    interval: { ms: 200, from: 'crawl-delay', authority: web.url('a.test').replace(/\/$/, '') },
  });
  expect(list).toHaveLength(30);
  expect(text).toContain('30 URLs queued');
  expect(text).toContain('(crawl-delay');
  await expect(crawler.retry({})).rejects.toMatchObject({ code: 'not-running' });
});
