// A run ends when it is told to, at any time, and loses nothing. If a stop hangs, users answer with kill -9; if it
// fails pages, they are never requested again.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FrontierError, type FrontierStore, memoryStore } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import type { Item, Sink } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { type Crawler, crawl, makeCrawler, memorySink } from '../support/crawl.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, type ReplyParts, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const HOSTS = ['a.test', 'b.test', 'c.test'];
const OPEN = { '/robots.txt': text(''), '*': page('page', ['/1', '/2', '/3', '/4']) };
const open = Object.fromEntries(HOSTS.map((host) => [host, OPEN]));

it('leaving the loop over the pages ends the run, even if other pages are in flight', async () => {
  const web = await webForTest({ hosts: open });
  const crawler = makeCrawler({ seeds: HOSTS.map((host) => web.url(host)), handlers: () => undefined });
  for await (const _page of crawler.pages()) break;
  expect(crawler.progress().inFlight).toBe(0);
});

it('a stop before the run has opened counts', async () => {
  const web = await webForTest({ hosts: open });
  const crawler = makeCrawler({ seeds: [web.url('a.test')] });
  const run = crawler.run();
  crawler.stop();
  expect((await run).state).toBe('stopped');
  expect(web.log).toEqual([]);
  expect((await crawler.run()).state).toBe('finished');
});

it('a handler that ignores its signal does not delay an immediate stop, and its page is not lost', async () => {
  const web = await webForTest({ hosts: open });
  const crawler = makeCrawler({
    seeds: [web.url('a.test')],
    handlers: (made) =>
      made.on('html', async () => {
        // Waits until the host's interval, which runs from this millisecond, is over.
        await sleep(20);
        crawler.stop();
        crawler.stop();
        return new Promise(() => undefined);
      }),
  });
  const events: string[] = [];
  crawler.events.on('decision', ({ url, status, reason }) => events.push(`${url} ${status} ${reason}`));
  const report = await crawler.run();
  expect(report).toMatchObject({ state: 'stopped', pages: 0 });
  expect(events).toEqual([`${web.url('a.test')} held run-ended`]);
});

it('a store that waits for its server ends with the second stop', async () => {
  const web = await webForTest({ hosts: open });
  const store = memoryStore();
  const crawler = makeCrawler({
    seeds: [web.url('a.test')],
    store: (_tell, stopped) => ({
      ...store,
      open: (request) => store.open(request),
      async lease(request) {
        crawler.stop();
        crawler.stop();
        expect(stopped.aborted).toBe(true);
        throw new FrontierError('store-failed', `Redis could not be reached: ${request.ttlMs}`);
      },
    }),
  });
  await expect(crawler.run()).rejects.toMatchObject({ code: 'store-failed', hint: expect.stringContaining('is kept') });
  expect(web.log).toEqual([]);
});

it('a sink whose write never ends does not delay the second stop, and its page comes again with the same item', async () => {
  const path = await crawlFile();
  const crawlWith = (write: Sink['write']) =>
    crawlVirtually({
      hosts: { 'a.test': { pages: { '/': '<title>page</title>' } } },
      seeds: ['http://a.test/'],
      store: lmdbStore({ path }),
      sinks: [{ name: 'mine', open: async () => undefined, write, close: async () => undefined }],
      handlers: (made) => {
        crawler = made;
        made.on('html', async (page) => void (await page.emit({ title: page.title })));
      },
    });
  let crawler: Crawler | undefined;
  const ids: string[] = [];
  const stuck = await crawlWith((items) => {
    ids.push(...items.map(({ id }) => id));
    crawler?.stop();
    crawler?.stop();
    return new Promise(() => undefined);
  });
  expect(stuck.report).toMatchObject({ state: 'stopped', pages: 0, items: 0, outcomes: { held: { 'run-ended': 1 } } });
  const later = await crawlWith(async (items) => void ids.push(...items.map(({ id }) => id)));
  expect(later.report).toMatchObject({ state: 'finished', pages: 1, items: 1 });
  expect(new Set(ids).size).toBe(1);
});

it('a run whose minutes are over ends while it waits for a host', async () => {
  const { report, paths, tookMs } = await crawlVirtually({
    hosts: { 'a.test': { robots: { status: 503, headers: { 'retry-after': '72000' } } } },
    seeds: ['http://a.test/'],
    bounds: { minutes: 1 },
    maxIdleMs: 80_000_000,
  });
  expect(report).toMatchObject({ state: 'bounded', bound: 'minutes' });
  expect(paths('a.test')).toEqual(['/robots.txt']);
  expect(tookMs).toBeLessThan(120_000);
});

it('a store failure is reported after what is in flight has finished', async () => {
  const web = await webForTest({ hosts: open });
  const inner = memoryStore();
  let isBroken = false;
  const store: FrontierStore = {
    ...inner,
    lease: async (request) => {
      if (isBroken) throw new Error('disk gone');
      return inner.lease(request);
    },
    nextDueInMs: async () => {
      if (isBroken) throw new Error('disk gone');
      return inner.nextDueInMs();
    },
  };
  let ended = 0;
  const endedAtClose: number[] = [];
  const sink: Sink = { ...memorySink([]), close: async () => void endedAtClose.push(ended) };
  const crawler = makeCrawler(
    {
      seeds: [web.url('a.test')],
      store,
      handlers: (made) =>
        made.on('html', async () => {
          isBroken = true;
          await new Promise((done) => setTimeout(done, 100));
          ended += 1;
        }),
    },
    [sink],
  );
  await expect(crawler.run()).rejects.toMatchObject({ code: 'store-failed' });
  expect(endedAtClose).toEqual([1]);
});

it('the first error of a run is reported, not one while closing', async () => {
  const web = await webForTest({ hosts: open });
  const closed: string[] = [];
  const failing = (name: string): Sink => ({
    name,
    open: async () => undefined,
    write: async () => {
      throw new Error('disk full');
    },
    close: () => {
      closed.push(name);
      throw new Error('not open');
    },
  });
  const crawler = makeCrawler({ seeds: [web.url('a.test')] }, [failing('one'), failing('two')]);
  await expect(crawler.run()).rejects.toThrow('disk full');
  expect(closed).toEqual(['one', 'two']);
});

it('a second run starts over', async () => {
  const web = await webForTest({ hosts: open });
  const items: Item[] = [];
  const crawler = makeCrawler({ seeds: [web.url('a.test')] }, [memorySink(items)]);
  const first = await crawler.run();
  const second = await crawler.run();
  expect([first.pages, second.pages, items.length]).toEqual([5, 5, 10]);
});

it('an exchange that an immediate stop interrupts is not an attempt, nor a failure of robots.txt', async () => {
  const path = await crawlFile();
  let isSlow = true;
  const slowly = (reply: ReplyParts) => (): ReplyParts => (isSlow ? { misbehave: 'silent' } : reply);
  const web = await webForTest({
    hosts: {
      'a.test': { ...OPEN, '/': slowly({ body: page('page'), headers: { 'content-type': 'text/html' } }) },
      'b.test': { ...OPEN, '/robots.txt': slowly(text('')) },
    },
  });
  const seeds = [web.url('a.test'), web.url('b.test')];
  const crawler = makeCrawler({ seeds, store: lmdbStore({ path }) });
  const run = crawler.run();
  await expect.poll(() => web.log.length, { timeout: 300_000 }).toBe(3);
  crawler.stop();
  crawler.stop();
  expect(await run).toMatchObject({ state: 'stopped', pages: 0, outcomes: {} });
  isSlow = false;
  // There is no wait for a retry or for a host's interval.
  const later = await makeCrawler({ seeds, store: lmdbStore({ path }), maxIdleMs: 0 }).run();
  expect(later).toMatchObject({ state: 'finished', pages: 6 });
});

it('pages that a loop had not seen when it was left go to the next loop', async () => {
  const path = await crawlFile();
  const web = await webForTest({ hosts: open });
  const seeds = HOSTS.map((host) => web.url(host));
  const seen: string[] = [];
  const readPages = async (maxPages: number): Promise<void> => {
    const crawler = makeCrawler({ seeds, store: lmdbStore({ path }), handlers: () => undefined });
    for await (const { url } of crawler.pages()) {
      seen.push(url);
      if (seen.length >= maxPages) break;
      // The other pages arrive meanwhile.
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  await readPages(1);
  await readPages(Number.MAX_SAFE_INTEGER);
  expect(seen.sort()).toEqual(seeds);
});

it('a continued crawl begins with a pause of its addresses, which does not end a run without `maxIdleMs`', async () => {
  const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': { status: 404 }, '/': page('start') } } });
  const store = { path: await crawlFile() };
  for (const requests of [1, 2]) {
    const politeness = { profile: { factor: 0, minMs: 300, maxMs: 300 } };
    await crawl({ seeds: [web.url('a.test')], store: lmdbStore(store), politeness, maxIdleMs: 0 });
    expect(web.log).toHaveLength(requests);
    await sleep(300);
  }
});

it.each([
  ['robots', { robots: { bogus: 1 } as object }],
  ['network.allowAddresses', { network: { allowAddresses: ['999'] } }],
])('a mistake in `%s` leaves no crawl directory behind', async (_option, options) => {
  const out = await crawlFile();
  const run = async () => makeCrawler({ seeds: ['http://a.test/'], ...options }).run({ out });
  await expect(run()).rejects.toMatchObject({ code: expect.stringMatching(/^option-/) });
  expect(existsSync(out)).toBe(false);
});

/** The path of a frontier, removed when the test has finished. */
async function crawlFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return join(directory, 'frontier');
}
