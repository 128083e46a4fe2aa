// The bounds of one host. If one is forgotten at a restart, or counted late, the crawl takes more from a site than
// configured.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { MAX_URL_RETRIES } from '../limits.js';
import { memoryStore } from '../stores/memory.js';

const make = (nowMs: () => number) => memoryStore({ nowMs });
const answer = (address: string): Reply =>
  isRobots(address) ? { status: 404 } : { status: 200, body: 'ten bytes', ms: 20 };
const urlsOf = (authority: string, count: number) =>
  Array.from({ length: count }, (_, at) => url(`${authority}/${at}`));

describe('bounds of a host', () => {
  it('bytes: the rest of its queue is dropped, also after a restart, and other hosts continue', async () => {
    const { frontier, work, world, verdicts, make: start } = setUp(make, answer, { bounds: { bytesPerHost: 35 } });
    const pages = (host: string) => world.log.filter((seen) => seen.host === host && !seen.isRobots).length;
    await frontier.open();
    await frontier.add([...urlsOf('http://a.test', 40), ...urlsOf('http://b.test', 2)]);
    let settled = 0;
    const links = () => {
      settled += 1;
      return [];
    };
    await work(frontier, 3_600_000, { links, isStopped: () => settled >= 4 });
    await frontier.close();
    const second = start();
    await second.open();
    expect(await work(second)).toBe('finished');
    // The fourth page reaches the bound and is kept completely.
    expect([pages('a.test'), pages('b.test')]).toEqual([4, 2]);
    const dropped = verdicts().filter(({ status, reason }) => status === 'dropped' && reason === 'bound-host-bytes');
    expect(dropped).toHaveLength(36);
  });

  it('minutes: the crawl’s running time since the first request; time between two runs does not count', async () => {
    const {
      frontier,
      work,
      world,
      clock,
      verdicts,
      make: start,
    } = setUp(make, answer, {
      bounds: { minutesPerHost: 1 },
    });
    const ofA = () => world.log.filter((seen) => seen.host === 'a.test');
    await frontier.open();
    await work(frontier, 300_000);
    await frontier.add(urlsOf('http://a.test', 500));
    await work(frontier, 30_000);
    const before = ofA().length;
    expect(before).toBeGreaterThan(20);
    await frontier.close();
    clock.advance(86_400_000);
    const second = start();
    await second.open();
    expect(await work(second)).toBe('finished');
    const spans = ofA().slice(before);
    expect(spans.at(-1)!.startMs - spans[0]!.startMs).toBeGreaterThan(20_000);
    expect(spans.at(-1)!.startMs - spans[0]!.startMs).toBeLessThan(32_000);
    expect(verdicts().some(({ reason }) => reason === 'bound-host-minutes')).toBe(true);
    // The host's bound is known to be used up: nothing more is queued for it.
    expect(await second.add([url('http://a.test/new')])).toEqual([{ kind: 'dropped', reason: 'bound-host-minutes' }]);
    expect(await second.add([url('http://b.test/')])).toEqual([{ kind: 'new' }]);
  });
});

describe('a further visit', () => {
  it('queues a known URL again, once per visit, not before its time', async () => {
    const { frontier, work, world, clock } = setUp(make, answer);
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier);
    const notBeforeMs = clock.nowMs() + 7_200_000;
    const again = (visit: number) => url('http://a.test/1', { visit, notBeforeMs });
    const kinds = async (...visits: number[]) => (await frontier.add(visits.map(again))).map(({ kind }) => kind);
    expect(await kinds(0)).toEqual(['known']);
    expect(await kinds(1, 1)).toEqual(['new', 'known']);
    expect(await kinds(1, 2)).toEqual(['known', 'new']);
    for (const visit of [-1, 0.5])
      await expect(frontier.add([again(visit)])).rejects.toMatchObject({ code: 'option-invalid' });
    const visits: (number | undefined)[] = [];
    await work(frontier, 86_400_000, {
      links: ({ record }) => {
        visits.push(record.visit);
        return [];
      },
    });
    expect(visits).toEqual([1, 2]);
    const starts = world.log.filter((seen) => seen.url === 'http://a.test/1').map(({ startMs }) => startMs);
    expect(starts).toHaveLength(3);
    expect(starts[1]).toBeGreaterThanOrEqual(notBeforeMs);
  });
});

describe('a retry', () => {
  it('comes no sooner than its wait and at most a tenth later, and after the last retry the URL fails', async () => {
    const { frontier, clock, verdicts } = setUp(make, answer, { random: () => 0.999 });
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    const next = async () => {
      for (;;) {
        const [work] = await frontier.take(1);
        if (work?.kind === 'page') return work;
        if (work === undefined) {
          const at = await frontier.nextAt();
          if (at === null) return null;
          clock.advanceTo(at);
          continue;
        }
        const nowMs = clock.nowMs();
        frontier.exchanged(work, {
          startedAtMs: nowMs,
          endedAtMs: nowMs,
          status: 404,
          retryAfter: null,
          failure: null,
          bytes: 0,
        });
        const headers = {};
        const body = new Uint8Array(0);
        const { url: robotsUrl } = work;
        await frontier.settle(work, {
          kind: 'robots',
          answer: { kind: 'response', status: 404, headers, body, robotsUrl, finalUrl: robotsUrl },
        });
      }
    };
    for (let attempts = 0; attempts <= MAX_URL_RETRIES; attempts += 1) {
      const work = await next();
      expect(work?.record.tries).toBe(attempts);
      const nowMs = clock.nowMs();
      frontier.exchanged(work!, {
        startedAtMs: nowMs,
        endedAtMs: nowMs,
        status: 500,
        retryAfter: null,
        failure: null,
        bytes: 0,
      });
      await frontier.settle(work!, { kind: 'again', notBeforeMs: nowMs + 100_000 });
      if (attempts === MAX_URL_RETRIES) break;
      // From the fifth failure on, the host is paused for longer.
      if (attempts >= 4) continue;
      const at = await frontier.nextAt();
      expect(at! - nowMs).toBeGreaterThan(109_000);
      expect(at! - nowMs).toBeLessThanOrEqual(110_001);
    }
    expect(await next()).toBeNull();
    expect(verdicts().map(({ status, reason, url: about }) => `${status} ${reason} ${about}`)).toEqual([
      'failed retries-exhausted http://a.test/1',
    ]);
    expect(frontier.counts()).toMatchObject({ pages: 1, queued: 0 });
  });
});

describe('what a host waits for', () => {
  it.each([
    [60_000, 30_000],
    [30_000, 60_000],
  ])('is the first of its retries: after %i ms and after %i ms', async (...waitsMs) => {
    const { frontier, work, clock } = setUp(make, answer, { random: () => 0 });
    await frontier.open();
    await frontier.add(urlsOf('http://a.test', 2));
    await work(frontier, 999);
    for (const waitMs of waitsMs) {
      clock.advance(1_000);
      const [page] = await frontier.take(1);
      await frontier.settle(page!, { kind: 'again', notBeforeMs: clock.nowMs() + waitMs + 10_000 });
    }
    clock.advance(1_000);
    await frontier.nextAt();
    const [wait] = frontier.waits(1);
    expect(wait).toMatchObject({ host: 'a.test', reason: 'not-before' });
    expect(wait!.untilMs! - clock.nowMs()).toBeLessThanOrEqual(39_000);
  });

  it.each([
    [500, 'interval', 1_000],
    [5_000, 'not-before', 5_000],
  ])('is the later one of its interval and of a retry after %i ms: %s', async (waitMs, reason, untilMs) => {
    const { frontier, work, clock } = setUp(make, answer);
    await frontier.open();
    await frontier.add(urlsOf('http://a.test', 1));
    await work(frontier, 999);
    clock.advance(1_000);
    const [page] = await frontier.take(1);
    const nowMs = clock.nowMs();
    await frontier.settle(page!, { kind: 'again', notBeforeMs: nowMs + waitMs });
    expect(frontier.waits(1)).toMatchObject([{ reason, untilMs: nowMs + untilMs }]);
  });

  it('is a link of its own page that may be requested later', async () => {
    const { frontier, work, clock } = setUp(make, answer);
    await frontier.open();
    await frontier.add(urlsOf('http://a.test', 1));
    await work(frontier, 999);
    clock.advance(1_000);
    const [page] = await frontier.take(1);
    const notBeforeMs = clock.nowMs() + 600_000;
    const links = [url('http://a.test/later', { notBeforeMs })];
    await frontier.settle(page!, { kind: 'done', countsAsPage: true, links });
    clock.advance(2_000);
    await frontier.nextAt();
    expect(frontier.waits(1)).toEqual([{ host: 'a.test', reason: 'not-before', untilMs: notBeforeMs, queued: 1 }]);
  });

  it('ends when it is unparked while a page of it is not settled', async () => {
    const { frontier, work, clock } = setUp(make, answer);
    await frontier.open();
    await frontier.add(urlsOf('http://a.test', 2));
    await work(frontier, 999);
    clock.advance(1_000);
    const [page] = await frontier.take(1);
    const atMs = clock.nowMs();
    const exchange = { startedAtMs: atMs, endedAtMs: atMs, status: 402, retryAfter: null, failure: null, bytes: 0 };
    frontier.exchanged(page!, { ...exchange, parks: 'it charges' });
    clock.advance(999);
    expect(await frontier.take(1)).toEqual([]);
    expect(await frontier.inspectHost('a.test')).toMatchObject({ isHeld: true, isParked: true, nextAtMs: null });
    await frontier.unpark('a.test');
    expect(await frontier.take(1)).toEqual([]);
    clock.advance(1);
    expect(await frontier.take(1)).toMatchObject([{ url: 'http://a.test/1' }]);
  });
});
