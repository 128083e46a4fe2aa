// An operator pauses a crawl when somebody complains: no further request may start, and nothing may be lost. If the run
// ended meanwhile, it would have to be noticed and restarted.

import { expect, it } from 'vitest';
import { makeCrawler } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** Milliseconds in which a crawl that is not paused would have requested everything: each page takes one or two. */
const LONG_MS = 250;

const hosts = {
  'a.test': { '/robots.txt': text(''), '/': page('front', ['/1', '/2', '/3']), '*': page('page', []) },
};

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const longEnough = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LONG_MS));

it('makes no request while it is paused, finishes what is in flight, does not end, and continues', async () => {
  const web = await webForTest({ hosts });
  const crawler = makeCrawler({
    seeds: [web.url('a.test')],
    maxIdleMs: 0,
    handlers: (made) =>
      made.on('html', async (handled) => {
        if (handled.depth === 0) crawler.pause();
        await handled.emit({ url: handled.url });
        await handled.follow();
      }),
  });
  let items = 0;
  crawler.events.on('item', () => {
    items += 1;
  });
  expect(crawler.activity()).toMatchObject({ phase: 'idle', ended: null, name: 'test-bot', seedCount: 1 });
  crawler.pause(); // Without a run it has no effect.
  const run = crawler.run();
  expect(crawler.activity().phase).toBe('opening');
  await until(() => items > 0 && crawler.progress().inFlight === 0);
  await longEnough();
  expect(web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/']);
  expect(crawler.activity()).toMatchObject({ phase: 'paused', ended: null, underwayCount: 0 });
  const { runningMs, queued } = crawler.progress();
  expect(queued).toBe(3);
  await longEnough();
  expect(crawler.progress().runningMs).toBe(runningMs);
  crawler.resume();
  expect(crawler.activity().phase).toBe('running');
  const report = await run;
  expect(report).toMatchObject({ state: 'finished', pages: 4, items: 4 });
  expect(report.runningMs).toBeLessThan(report.endedAtMs - report.startedAtMs - LONG_MS);
  expect(crawler.activity()).toMatchObject({ phase: 'over', ended: 'finished', waits: [] });
});

it('a pause while the run opens applies from its start, and a stop ends it', async () => {
  const web = await webForTest({ hosts });
  const crawler = makeCrawler({ seeds: [web.url('a.test')] });
  const run = crawler.run();
  crawler.pause();
  await until(() => crawler.activity().phase === 'paused');
  await longEnough();
  expect(web.log).toEqual([]);
  crawler.stop();
  expect((await run).state).toBe('stopped');
  // The pause ended with that run.
  expect((await crawler.run()).state).toBe('finished');
});

it('says which requests are in flight and which hosts wait, until when and why', async () => {
  const web = await webForTest({
    hosts: {
      'silent.test': { '/robots.txt': text(''), '/': { misbehave: 'silent' } },
      'calm.test': { '/robots.txt': text('User-agent: *\nCrawl-delay: 60\n'), '/': page('calm', []) },
    },
  });
  const crawler = makeCrawler({ seeds: [web.url('silent.test'), web.url('calm.test')] });
  const run = crawler.run();
  await until(() => {
    const { underway, waits } = crawler.activity();
    return underway.some(({ purpose }) => purpose === 'page') && waits.length > 0;
  });
  const { underway, waits, nowMs, waitingHosts } = crawler.activity();
  expect(underway).toMatchObject([{ url: web.url('silent.test'), host: 'silent.test', purpose: 'page' }]);
  expect(underway[0]!.sinceMs).toBeLessThanOrEqual(nowMs);
  expect(waits).toMatchObject([{ host: 'calm.test', reason: 'crawl-delay', queued: 1 }]);
  expect(waits[0]!.untilMs).toBeGreaterThan(nowMs);
  expect(waitingHosts).toBe(1);
  expect(crawler.activity({ limit: 0 })).toMatchObject({ underway: [], waits: [], underwayCount: 1, waitingHosts: 1 });
  crawler.stop();
  crawler.stop();
  expect((await run).state).toBe('stopped');
  // The final state can still be read. The host whose answer was not awaited may still be within its interval.
  const ended = crawler.activity();
  expect(ended).toMatchObject({ phase: 'over', underway: [], waitingHosts: ended.waits.length });
  const waited = new Map(ended.waits.map(({ host, reason }) => [host, reason]));
  expect(waited.get('calm.test')).toBe('crawl-delay');
  waited.delete('silent.test');
  expect([...waited.keys()]).toEqual(['calm.test']);
});
