// A handler can retry or refuse its page, or stop the crawl. No signal makes a request earlier or more often than other
// retries: an unbounded retry would be a loop at the site's expense.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CrawlEventMap,
  type HandledPage,
  type Item,
  RefusePage,
  RetryPage,
  readRejected,
  replay,
  StopCrawl,
} from 'mannerly';
import { fakePage } from 'mannerly/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { crawl, memorySink } from '../support/crawl.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const SITE = { pages: { '/': fakePage('Start', ['/a', '/b']), '/a': fakePage('A', ['/c']), '/b': fakePage('B') } };
const SEED = 'https://a.test/';

/** Crawls the site with a handler that may throw; pages for which it does not throw are emitted and followed. */
async function crawlWith(act: (each: HandledPage) => void, more: { out?: string; pages?: number } = {}) {
  const signals: CrawlEventMap['handler-signal'][] = [];
  const story = await crawlVirtually({
    hosts: { 'a.test': SITE },
    seeds: [SEED],
    maxIdleMs: 3_600_000 * 30,
    bounds: { pages: more.pages ?? 100 },
    ...(more.out === undefined ? {} : { out: more.out }),
    handlers(crawler) {
      crawler.events.on('handler-signal', (word) => signals.push(word));
      crawler.on('html', async (page) => {
        await page.emit({ url: page.url, attempt: page.attempt });
        await page.follow();
        act(page);
      });
    },
  });
  const wordOf = (path: string) => story.decisions.find(({ url }) => new URL(url).pathname === path);
  return { ...story, signals, wordOf };
}

const isA = (page: HandledPage): boolean => page.url.endsWith('/a');

describe('RetryPage', () => {
  it('requests the page once more, with the waits of any retry, and keeps nothing of the page before', async () => {
    const { log, items, wordOf, report } = await crawlWith((page) => {
      if (isA(page) && page.attempt < 3) throw new RetryPage('not yet');
    });
    const requests = log.filter(({ path }) => path === '/a');
    expect(requests).toHaveLength(3);
    expect((requests[1]?.startMs ?? 0) - (requests[0]?.endMs ?? 0)).toBeGreaterThanOrEqual(10_000);
    expect((requests[2]?.startMs ?? 0) - (requests[1]?.endMs ?? 0)).toBeGreaterThanOrEqual(20_000);
    expect(items.filter(({ url }) => url.endsWith('/a')).map(({ data }) => data)).toEqual([
      { url: `${SEED}a`, attempt: 3 },
    ]);
    expect(wordOf('/a')).toMatchObject({ status: 'fetched', reason: 'fetched' });
    expect(report.state).toBe('finished');
  });

  it('is obeyed at most four times, and then the page has failed', async () => {
    const { paths, items, wordOf, signals } = await crawlWith((page) => {
      if (isA(page)) throw new RetryPage('never there', { afterMs: 0 });
    });
    expect(paths('a.test').filter((path) => path === '/a')).toHaveLength(4);
    expect(paths('a.test')).not.toContain('/c');
    expect(items.map(({ url }) => url)).not.toContain(`${SEED}a`);
    expect(wordOf('/a')).toMatchObject({ status: 'failed', reason: 'retries-exhausted', httpStatus: 200 });
    expect(wordOf('/a')?.detail).toBe('handler-retry: never there, 4 times');
    expect(signals).toEqual(
      Array.from({ length: 4 }, () => ({ url: `${SEED}a`, signal: 'retry', reason: 'never there' })),
    );
  });

  it('waits as long as it says', async () => {
    const { log } = await crawlWith((page) => {
      if (isA(page) && page.attempt === 1) throw new RetryPage('tomorrow', { afterMs: 86_400_000 });
    });
    const [first, second] = log.filter(({ path }) => path === '/a');
    expect((second?.startMs ?? 0) - (first?.endMs ?? 0)).toBeGreaterThanOrEqual(86_400_000);
  });
});

it('RefusePage drops the page: no item, no link, no further request', async () => {
  const { paths, items, wordOf, report } = await crawlWith((page) => {
    if (isA(page)) throw new RefusePage('a login page');
  });
  expect(wordOf('/a')).toMatchObject({
    status: 'dropped',
    reason: 'handler-refused',
    layer: 'hook',
    httpStatus: 200,
    detail: 'a login page',
  });
  expect(paths('a.test').filter((path) => path === '/a')).toHaveLength(1);
  expect(paths('a.test')).not.toContain('/c');
  expect(items).toHaveLength(2);
  expect(report).toMatchObject({ state: 'finished', pages: 3, outcomes: { dropped: { 'handler-refused': 1 } } });
});

it('StopCrawl stops the run with its reason, and the next run has that page once more', async () => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const web = await webForTest({ hosts: { 'a.test': { '/': page('s', ['/a']), '/a': page('a', []) } } });
  const run = (isWrong: boolean) =>
    crawl({
      seeds: [web.url('a.test')],
      out,
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          await each.emit({ attempt: each.attempt });
          await each.follow();
          if (isWrong && each.url.endsWith('/a')) throw new StopCrawl('they have a new layout');
        }),
    });
  const first = await run(true);
  expect(first.report).toMatchObject({ state: 'stopped', stopReason: 'they have a new layout', items: 1 });
  // At most a decision that it is held, if its host's turn had not come yet.
  const statuses = first.decisions.filter(({ url }) => url.endsWith('/a')).map(({ status }) => status);
  expect(statuses.filter((word) => word !== 'held')).toEqual([]);
  const second = await run(false);
  expect(second.items.map(({ data }) => data)).toEqual([{ attempt: 2 }]);
  expect(second.report).toMatchObject({ state: 'finished', items: 2, pages: 2 });
  expect(second.report.stopReason).toBeUndefined();
});

it('a replay applies the same signals, and yields the same items', async () => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const web = await webForTest({
    hosts: { 'a.test': { '/': page('s', ['/a', '/b']), '/a': page('a', []), '/b': page('b', []) } },
  });
  const handle = async (each: HandledPage): Promise<void> => {
    await each.emit({ url: each.url, attempt: each.attempt });
    await each.follow();
    if (isA(each) && each.attempt === 1) throw new RetryPage('not yet', { afterMs: 0 });
    if (each.url.endsWith('/b')) throw new RefusePage('not wanted');
  };
  const { items } = await crawl({
    seeds: [web.url('a.test')],
    out,
    archive: true,
    handlers: (crawler) => crawler.on('html', handle),
  });
  const again: Item[] = [];
  const report = await replay({
    from: out,
    handlers: (routes) => routes.route({ html: handle }),
    sinks: [memorySink(again)],
  });
  expect(again).toEqual(items);
  expect(items.map(({ data }) => (data as { attempt: number }).attempt).sort()).toEqual([1, 2]);
  expect(report).toMatchObject({ pages: 4, items: 2, refused: 2, failures: 0, stopReason: null });
  const stopped = await replay({
    from: out,
    handlers: (routes) =>
      routes.on('any', () => {
        throw new StopCrawl('look');
      }),
  });
  expect(stopped).toMatchObject({ pages: 1, items: 0, stopReason: 'look' });
});

describe('items that their schema rejects', () => {
  const site = {
    pages: {
      '/': fakePage('Start', ['/a', '/b']),
      '/a': fakePage(''),
      '/b': { body: fakePage(''), headers: { 'content-type': 'text/html', 'x-robots-tag': 'noindex' } },
    },
  };
  async function crawlTitles(out?: string) {
    const rejected: CrawlEventMap['item-rejected'][] = [];
    const logged: string[] = [];
    const story = await crawlVirtually({
      hosts: { 'a.test': site },
      seeds: [SEED],
      ...(out === undefined ? {} : { out }),
      log: ({ code, message }) => {
        if (code === 'item-rejected') logged.push(message);
      },
      handlers(crawler) {
        crawler.events.on('item-rejected', (item) => rejected.push(item));
        crawler.route({
          html: {
            item: z.object({ title: z.string().min(1) }),
            async handle(page) {
              await page.emit({ title: page.title ?? '' });
              await page.follow();
            },
          },
        });
      },
    });
    return { ...story, rejected, logged };
  }

  it('are in rejected.jsonl, are reported and counted, and do not fail the page', async () => {
    const out = await mkdtemp(join(tmpdir(), 'mannerly-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const { report, rejected, logged, items, decisions } = await crawlTitles(out);
    expect(items.map(({ data }) => data)).toEqual([{ title: 'Start' }]);
    expect(report).toMatchObject({ state: 'finished', items: 1, rejected: 1 });
    expect(decisions.find(({ url }) => url.endsWith('/a'))).toMatchObject({ status: 'fetched', reason: 'fetched' });
    const kept: unknown[] = [];
    for await (const item of readRejected(join(out, 'rejected.jsonl'))) kept.push(item);
    expect(kept).toEqual(rejected);
    expect(logged).toEqual([expect.stringMatching(/^https:\/\/a\.test\/a: an item does not fit .* title: /)]);
    // An item that must not be kept (/b) is not in the file of rejected items either.
    expect(kept).toMatchObject([
      { url: `${SEED}a`, visit: 0, data: { title: '' }, dataChars: 12, issues: [{ path: ['title'] }] },
    ]);
  });

  it('are reported and counted without a directory, too', async () => {
    const { report, rejected } = await crawlTitles();
    expect(report.rejected).toBe(1);
    expect(rejected).toHaveLength(1);
  });

  it('leave no file behind where there are none', async () => {
    const out = await mkdtemp(join(tmpdir(), 'mannerly-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const { report } = await crawlWith(() => undefined, { out });
    expect(report.rejected).toBeUndefined();
    await expect(readFile(join(out, 'rejected.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

it('user data that does not match the schema of its route fails its page, which no handler gets', async () => {
  const seen: number[] = [];
  const { decisions } = await crawlVirtually({
    hosts: { 'a.test': SITE },
    seeds: [SEED],
    handlers(crawler) {
      crawler.route({
        html: async (page) => {
          await page.add('/a', { label: 'x', userData: { id: '3' } });
          await page.add('/b', { label: 'x', userData: { id: 'three' } });
        },
        'label:x': {
          userData: z.object({ id: z.coerce.number<string>() }),
          handle: (page) => seen.push(page.userData.id),
        },
      });
    },
  });
  expect(seen).toEqual([3]);
  expect(decisions.find(({ url }) => url.endsWith('/b'))).toMatchObject({
    status: 'failed',
    reason: 'user-data-invalid',
    layer: 'hook',
    detail: expect.stringMatching(/^id: /),
    carried: { label: 'x', userData: { id: 'three' } },
  });
});
