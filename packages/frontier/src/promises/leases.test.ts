// A lease is the right to send requests to a host. When it has ended, nothing starts, and another holder's host is not
// changed.

import { describe, expect, it, vi } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, stoppableClock, url } from '../../test-support/set-up.js';
import type { FrontierStore } from '../store.js';
import { memoryStore } from '../stores/memory.js';
import type { Work } from '../work.js';

const NO_INTERVAL = { factor: 0, minMs: 0, maxMs: 0 };
const PAGE: Reply = { status: 200, body: 'page' };
const make = (nowMs: () => number) => memoryStore({ nowMs });
const pages = (count: number) => Array.from({ length: count }, (_, at) => url(`http://a.test/${at}`));
const answer = (address: string): Reply => (isRobots(address) ? { status: 404 } : PAGE);
const GONE = {
  kind: 'response' as const,
  status: 404,
  headers: {},
  body: new Uint8Array(),
  robotsUrl: '',
  finalUrl: '',
};

/** A frontier with the first page of a.test in flight. */
async function withPage(count = 3) {
  const tools = setUp(make, answer);
  const { clock } = tools;
  const mortal = stoppableClock(clock);
  const frontier = tools.make({ clock: mortal.clock });
  await frontier.open();
  await frontier.add(pages(count));
  const [robots] = await frontier.take(1);
  const startedAtMs = clock.nowMs();
  frontier.exchanged(robots!, {
    startedAtMs,
    endedAtMs: startedAtMs,
    status: 404,
    retryAfter: null,
    failure: null,
    bytes: 0,
  });
  await frontier.settle(robots!, { kind: 'robots', answer: GONE });
  clock.advance(1_000);
  const [page] = await frontier.take(1);
  return { ...tools, frontier, stop: mortal.stop, page: page as Work };
}

describe('a lease', () => {
  it('near its end starts nothing, and continues once it is renewed, which is asked for at once', async () => {
    const { frontier, clock, page, stop } = await withPage();
    expect(frontier.mayStart(page)).toEqual({ kind: 'go' });
    // No timer fires while the clock jumps, as in a process that was stopped for a while.
    stop();
    clock.advance(28_500);
    expect(frontier.mayStart(page)).toEqual({ kind: 'wait', untilMs: clock.nowMs() + 100 });
    await new Promise(setImmediate);
    expect(frontier.mayStart(page)).toEqual({ kind: 'go' });
  });

  it('of a process that died during its first request keeps the host for the interval', async () => {
    const { clock, make: other, store } = setUp(make, answer, { politeness: { profile: 'gentle' } });
    const mortal = stoppableClock(clock);
    const first = other({ clock: mortal.clock });
    await first.open();
    await first.add(pages(2));
    expect(await first.take(1)).toHaveLength(1);
    mortal.stop(); // Killed with a request in flight, without reporting it.
    clock.advance(30_000); // The lease has ended.
    const second = other();
    await second.open();
    expect(await second.take(1)).toEqual([]);
    expect(await store.nextDueInMs()).toBe(3_000);
    clock.advance(2_999);
    expect(await second.take(1)).toEqual([]);
    clock.advance(1);
    expect(await second.take(1)).toHaveLength(1);
  });

  it('that has ended is lost, the next process takes the page, and only links survive (C1)', async () => {
    const { frontier, clock, page, stop, make: other } = await withPage();
    stop();
    clock.advance(40_000);
    expect(frontier.mayStart(page)).toEqual({ kind: 'lost' });
    const second = other();
    await second.open();
    const [again] = await second.take(1);
    expect(again).toMatchObject({ kind: 'page', url: page.url });
    const links = [url('http://b.test/found')];
    expect(await frontier.settle(page, { kind: 'done', countsAsPage: true, links })).toBe('lost');
    expect(frontier.counts().pages).toBe(0);
    expect(frontier.mayStart(page)).toEqual({ kind: 'lost' });
    expect((await second.take(1))[0]).toMatchObject({ kind: 'robots', authority: 'http://b.test' });
  });

  it('of a process that is killed before it settles a refused page keeps the pause of its host', async () => {
    const { frontier, clock, page, stop, make: other } = await withPage();
    const atMs = clock.nowMs();
    const exchange = { startedAtMs: atMs, endedAtMs: atMs, status: 429, failure: null, bytes: 0 };
    frontier.exchanged(page, { ...exchange, retryAfter: '600' });
    await new Promise(setImmediate);
    stop();
    clock.advance(40_000);
    const second = other();
    await second.open();
    expect(await second.take(1)).toEqual([]);
    clock.advanceTo(atMs + 599_999);
    expect(await second.take(1)).toEqual([]);
    clock.advance(60_000);
    expect(await second.take(1)).toMatchObject([{ url: page.url }]);
  });

  it('that ended unnoticed is granted again to the same process, and its work is lost', async () => {
    const { frontier, clock, page, stop } = await withPage();
    stop();
    clock.advance(60_000);
    const [again] = await frontier.take(1);
    expect(again).toMatchObject({ url: page.url });
    expect(frontier.mayStart(page)).toEqual({ kind: 'lost' });
    expect(await frontier.settle(page, { kind: 'done', countsAsPage: true, links: [] })).toBe('lost');
    expect(await frontier.settle(again!, { kind: 'done', countsAsPage: true, links: [] })).toBe('ok');
    expect(frontier.counts()).toMatchObject({ pages: 1, queued: 2 });
  });

  it('that is lost is lost for work that is returned', async () => {
    const { frontier, clock, store, page } = await withPage();
    const { commit } = store;
    store.commit = async (hosts) => ({ hosts: hosts.map(() => ({ ok: false, reason: 'lost' })), links: [] });
    clock.advance(28_500);
    await frontier.nextAt();
    store.commit = commit;
    expect(await frontier.settle(page, { kind: 'returned', untilMs: null })).toBe('lost');
    clock.advance(40_000);
    expect(await frontier.take(2)).toMatchObject([{ url: page.url }]);
  });

  it('that is lost during the request for a robots.txt leaves the file to the next', async () => {
    const { frontier, clock, store } = setUp(make, answer);
    await frontier.open();
    await frontier.add(pages(1));
    const [robots] = await frontier.take(1);
    const { commit } = store;
    store.commit = async (hosts) => ({ hosts: hosts.map(() => ({ ok: false, reason: 'lost' })), links: [] });
    clock.advance(28_500);
    await frontier.nextAt();
    store.commit = commit;
    expect(await frontier.settle(robots!, { kind: 'robots', answer: GONE })).toBe('lost');
    clock.advance(40_000);
    expect(await frontier.take(1)).toMatchObject([{ kind: 'robots' }]);
  });

  it('of a vanished holder ends after its duration and the interval, not before', async () => {
    const { clock, page, stop, make: other } = await withPage();
    stop();
    const second = other();
    await second.open();
    expect(await second.take(1)).toEqual([]);
    const dueAt = await second.nextAt();
    expect(dueAt).toBeGreaterThanOrEqual(clock.nowMs() + 30_000);
    clock.advanceTo(dueAt! - 1);
    expect(await second.take(1)).toEqual([]);
    clock.advanceTo(dueAt!);
    expect(await second.take(1)).toMatchObject([{ url: page.url, kind: 'page' }]);
  });

  it('that is granted again before its release was answered keeps the decision about its page', async () => {
    // Answers to commits are delayed: the store has applied them, and meanwhile leases the host again.
    const held: (() => void)[] = [];
    let isSlow = false;
    const slow = (nowMs: () => number): FrontierStore => {
      const store = memoryStore({ nowMs });
      return {
        ...store,
        async commit(hosts, links) {
          const answer = await store.commit(hosts, links);
          if (isSlow) await new Promise<void>((resolve) => held.push(resolve));
          return answer;
        },
      };
    };
    const { frontier, clock, verdicts } = setUp(slow, answer, { politeness: { profile: NO_INTERVAL } });
    await frontier.open();
    await frontier.add(pages(1));
    const settleRobots = async ([robots]: Work[]) => frontier.settle(robots!, { kind: 'robots', answer: GONE });
    await settleRobots(await frontier.take(1));
    const [page] = await frontier.take(1);
    isSlow = true;
    const links = [url('http://a.test/found')];
    const settled = frontier.settle(page!, { kind: 'done', countsAsPage: true, links });
    await vi.waitFor(() => expect(held).toHaveLength(1));
    isSlow = false;
    clock.advance(1_000);
    expect(await frontier.take(1)).toMatchObject([{ url: 'http://a.test/found' }]);
    for (const answered of held) answered();
    expect(await settled).toBe('ok');
    expect(frontier.counts().pages).toBe(1);
    expect(verdicts()).toEqual([]);
  });

  it.each([true, false])(
    'that is lost because a server was silent: its page is done and counted if the commit took effect (%s)',
    async (tookEffect) => {
      const tools = await withPage();
      const { frontier, store, page } = tools;
      let answerLate = (_: boolean): void => undefined;
      const late = new Promise<boolean>((resolve) => {
        answerLate = resolve;
      });
      store.commit = async (hosts) => ({ hosts: hosts.map(() => ({ ok: false, reason: 'lost', late })), links: [] });
      const settled = frontier.settle(page, { kind: 'done', countsAsPage: true, links: [] });
      await new Promise(setImmediate);
      // Counted early, as before a commit.
      expect(frontier.counts().pages).toBe(1);
      answerLate(tookEffect);
      expect(await settled).toBe(tookEffect ? 'ok' : 'lost');
      expect(frontier.counts().pages).toBe(tookEffect ? 1 : 0);
    },
  );

  it('is released at close, with the work in flight, and the gap counts from then', async () => {
    const { frontier, clock, page, make: other } = await withPage();
    await frontier.close();
    await frontier.close();
    expect(await frontier.settle(page, { kind: 'done', countsAsPage: true, links: [] })).toBe('lost');
    const second = other();
    await second.open();
    expect(await second.take(1)).toEqual([]);
    expect(await second.nextAt()).toBe(clock.nowMs() + 1_000);
    clock.advance(1_000);
    expect(await second.take(1)).toMatchObject([{ url: page.url }]);
  });

  it('keeps its entries while returned work waits', async () => {
    const { frontier, clock, page } = await withPage();
    expect(await frontier.settle(page, { kind: 'returned', untilMs: clock.nowMs() + 700 })).toBe('ok');
    expect(await frontier.take(1)).toEqual([]);
    expect(await frontier.nextAt()).toBe(clock.nowMs() + 700);
    clock.advance(700);
    expect(await frontier.take(1)).toMatchObject([{ url: page.url, entryId: 'entryId' in page ? page.entryId : '' }]);
    await expect(frontier.settle(page, { kind: 'returned', untilMs: null })).rejects.toMatchObject({
      code: 'work-unknown',
    });
  });

  it('is held by one of several processes at a time: each page is fetched once', async () => {
    const { frontier, make: other, world, work } = setUp(make, answer);
    const second = other();
    await frontier.open();
    await second.open();
    const hosts = Array.from({ length: 20 }, (_, at) => `http://h${at}.test`);
    await frontier.add(hosts.flatMap((authority) => [0, 1, 2].map((at) => url(`${authority}/${at}`))));
    for (let turn = 0; turn < 400; turn += 1) {
      const worker = turn % 2 === 0 ? frontier : second;
      if ((await work(worker, 150, { concurrency: 3 })) === 'finished' && frontier.counts().queued === 0) break;
    }
    const requestedUrls = world.log.filter((seen) => !seen.isRobots).map((seen) => seen.url);
    expect(new Set(requestedUrls).size).toBe(60);
    for (const authority of hosts) {
      const own = world.log.filter((seen) => seen.authority === authority).sort((a, b) => a.startMs - b.startMs);
      for (let at = 1; at < own.length; at += 1)
        expect(own[at]!.startMs - own[at - 1]!.endMs).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('a store that throws stops the frontier with store-failed', async () => {
    const { frontier, store } = setUp(make, answer);
    await frontier.open();
    store.lease = () => Promise.reject(new Error('disk full'));
    await frontier.add(pages(1));
    const failed = { message: '`lease` of the store failed: disk full', cause: { message: 'disk full' } };
    await expect(frontier.take(1)).rejects.toMatchObject({ code: 'store-failed', ...failed });
    await expect(frontier.add(pages(1))).rejects.toMatchObject({ code: 'store-failed' });
    await expect(frontier.nextAt()).rejects.toMatchObject({ code: 'store-failed' });
    await frontier.close();
  });
});
