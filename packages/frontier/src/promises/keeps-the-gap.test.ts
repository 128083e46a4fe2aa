// How a host is spaced: one request at a time, as slowly as its files ask, no requests outside its visit times, and
// none while it refuses.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';
import type { PageWork } from '../work.js';

const PAGE: Reply = { status: 200, body: 'page' };
const make = (nowMs: () => number) => memoryStore({ nowMs });
const file = (...lines: string[]): Reply => ({ status: 200, body: `User-agent: *\n${lines.join('\n')}\n` });
const pages = (authority: string, count: number) => Array.from({ length: count }, (_, at) => url(`${authority}/${at}`));

describe('the interval', () => {
  // [what the file asks for, milliseconds from start to start; an exchange takes 10]
  const rows: [string, number][] = [
    ['', 1_010],
    ['Crawl-delay: 0', 1_010],
    ['Crawl-delay: 4', 4_010],
    ['Request-rate: 1/8', 8_000],
    ['Request-rate: 4/60s', 15_000],
    ['Crawl-delay: 4\nRequest-rate: 1/8', 8_000],
    ['Crawl-delay: 9\nRequest-rate: 1/8', 9_010],
    ['Crawl-delay: 90', 90_010],
  ];
  it.each(rows)('%j keeps starts %i ms apart (access §9)', async (lines, apartMs) => {
    const { frontier, work, startsMs } = setUp(make, (address) => (isRobots(address) ? file(lines) : PAGE));
    await frontier.open();
    await frontier.add(pages('http://a.test', 5));
    expect(await work(frontier)).toBe('finished');
    expect(startsMs()).toEqual([0, 1, 2, 3, 4, 5].map((at) => at * apartMs));
  });

  it.each([5, Number.NaN, 1e15])(
    'counts from now where the times of an exchange are of another clock: %d',
    async (ms) => {
      const { frontier, work, startsMs } = setUp(make, (address) =>
        isRobots(address) ? file('Crawl-delay: 4') : PAGE,
      );
      const exchanged: typeof frontier.exchanged = (of, exchange) =>
        frontier.exchanged(of, { ...exchange, startedAtMs: ms, endedAtMs: ms });
      await frontier.open();
      await frontier.add(pages('http://a.test', 3));
      expect(await work({ ...frontier, exchanged })).toBe('finished');
      expect(startsMs()).toEqual([0, 1, 2, 3].map((at) => at * 4_010));
    },
  );

  it('is the longest of all authorities of the host (access §9, DECISION A14)', async () => {
    const { frontier, work, world } = setUp(make, (address) => {
      if (address === 'https://a.test/robots.txt') return file('Crawl-delay: 20');
      return isRobots(address) ? file('Crawl-delay: 2') : PAGE;
    });
    await frontier.open();
    await frontier.add([...pages('https://a.test', 1), ...pages('http://a.test', 3)]);
    await work(frontier);
    const afterFile = world.log.findIndex((seen) => seen.robotsAuthority === 'https://a.test');
    const gaps = world.log.slice(afterFile + 1).map((seen, at) => seen.startMs - world.log[afterFile + at]!.endMs);
    expect(gaps).toEqual([20_000, 20_000, 20_000, 20_000, 20_000]);
  });

  it('survives the lease and the process', async () => {
    const {
      make: start,
      frontier,
      work,
      world,
      requestedUrls,
    } = setUp(make, (address) => (isRobots(address) ? file('Crawl-delay: 40') : PAGE));
    await frontier.open();
    await frontier.add(pages('http://a.test', 3));
    await work(frontier, 50_000, {
      isStopped: () => world.log.length === 2 && world.log[1]!.endMs <= 1_700_000_040_030,
    });
    await work(frontier, 1_000);
    await frontier.close();
    const second = start();
    await second.open();
    expect(await work(second)).toBe('finished');
    expect(requestedUrls()).toHaveLength(4);
    const gaps = world.log.slice(1).map((seen, at) => seen.startMs - world.log[at]!.endMs);
    expect(gaps).toEqual([40_000, 40_000, 40_000]);
  });

  it('keeps 200 hosts at their own pace: 98 % of the ideal, and no early request', async () => {
    const { frontier, work, world, clock } = setUp(make, (address) =>
      isRobots(address) ? file('Crawl-delay: 1') : PAGE,
    );
    await frontier.open();
    const hosts = Array.from({ length: 200 }, (_, at) => `http://h${at}.test`);
    await frontier.add(hosts.flatMap((authority) => pages(authority, 10)));
    const beganMs = clock.nowMs();
    await work(frontier, 3_600_000, { concurrency: 64 });
    const ranMs = Math.max(...world.log.map((seen) => seen.endMs)) - beganMs;
    expect(world.log).toHaveLength(200 * 11);
    expect(10 * 1_010 + 10).toBeGreaterThanOrEqual(0.98 * ranMs);
    for (const authority of hosts) {
      const own = world.log.filter((seen) => seen.authority === authority);
      for (let at = 1; at < own.length; at += 1)
        expect(own[at]!.startMs - own[at - 1]!.endMs).toBeGreaterThanOrEqual(1_000);
    }
  });
});

describe('hosts that are due', () => {
  it.each([
    ['all of them held', 1_024, 2],
    ['few of them held at a time', 8, 33],
  ])('take turns, with %s', async (_, maxHosts, spread) => {
    const { frontier, work, world } = setUp(make, (address) => (isRobots(address) ? file() : { ...PAGE, ms: 300 }), {
      maxHosts,
    });
    await frontier.open();
    const hosts = Array.from({ length: 30 }, (_, at) => `http://h${at}.test`);
    await frontier.add(hosts.flatMap((authority) => pages(authority, 60)));
    // Far more work is due than one connection can fetch.
    await work(frontier, 300_000, { concurrency: 1 });
    const counts = hosts.map((authority) => world.log.filter((seen) => seen.authority === authority).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(spread);
    expect(world.log.length).toBeGreaterThan(900);
  });
});

describe('the slot', () => {
  it('is free at the end of the exchange, not at the settlement, and unsettled pages per host are bounded', async () => {
    const { frontier, clock } = setUp(make, () => PAGE, { unsettledPerHost: 2 });
    await frontier.open();
    await frontier.add(pages('http://a.test', 4));
    const ask = async () => {
      const [work] = await frontier.take(4);
      if (work === undefined) return null;
      expect(frontier.mayStart(work)).toEqual({ kind: 'go' });
      expect(await frontier.take(4)).toEqual([]);
      const startedAtMs = clock.nowMs();
      clock.advance(10);
      frontier.exchanged(work, {
        startedAtMs,
        endedAtMs: clock.nowMs(),
        status: 404,
        retryAfter: null,
        failure: null,
        bytes: 0,
      });
      return work;
    };
    const robots = await ask();
    const answer = {
      kind: 'response' as const,
      status: 404,
      headers: {},
      body: new Uint8Array(),
      robotsUrl: '',
      finalUrl: '',
    };
    expect(await frontier.settle(robots!, { kind: 'robots', answer })).toBe('ok');
    clock.advance(1_000);
    const first = (await ask()) as PageWork;
    expect(await frontier.take(4)).toEqual([]);
    clock.advance(1_000);
    expect((await ask())?.url).toBe('http://a.test/1');
    clock.advance(1_000);
    expect(await frontier.take(4)).toEqual([]);
    expect(await frontier.settle(first, { kind: 'done', countsAsPage: true, links: [] })).toBe('ok');
    expect((await ask())?.url).toBe('http://a.test/2');
  });
});

describe('closed times', () => {
  // 1_700_000_000_000 is 22:13:20 UTC.
  const openAtMs = Date.UTC(2023, 10, 15, 6, 0);

  it.each([
    ['Visit-time: 0600-0700', 'visit-time-closed', 'visit-time', openAtMs],
    ['Request-rate: 0/1 2200-0559\nRequest-rate: 1/1', 'request-rate-closed', 'request-rate-closed', openAtMs],
  ] as const)(
    '%j holds the host until it opens, reported once, and other hosts continue',
    async (lines, notice, reason, untilMs) => {
      const { frontier, work, world, notices } = setUp(make, (address) =>
        isRobots(address) ? (address.includes('a.test') ? file(lines) : { status: 404 }) : PAGE,
      );
      await frontier.open();
      await frontier.add([...pages('http://a.test', 2), ...pages('http://b.test', 2)]);
      await work(frontier, 60_000);
      expect(world.log.filter((seen) => seen.host === 'a.test').every((seen) => seen.isRobots)).toBe(true);
      expect(world.log.filter((seen) => seen.host === 'b.test')).toHaveLength(3);
      expect(frontier.waits(1)).toMatchObject([{ host: 'a.test', reason, untilMs, queued: 2 }]);
      expect(await work(frontier, 86_400_000)).toBe('finished');
      const first = world.log.find((seen) => seen.url === 'http://a.test/0');
      expect(first!.startMs).toBe(untilMs);
      const detail = `closed until ${new Date(untilMs).toISOString()}`;
      expect(notices(notice)).toMatchObject([{ host: 'a.test', authority: 'http://a.test', untilMs, detail }]);
    },
  );

  it('a robots.txt that expires just before its host opens is requested first, one interval ahead of a page', async () => {
    const robots = {
      ...file('Crawl-delay: 120\nVisit-time: 2200-2217'),
      headers: { 'cache-control': 'max-age=85540' },
    };
    const { frontier, work, world } = setUp(make, (address) => (isRobots(address) ? robots : PAGE));
    await frontier.open();
    await frontier.add(pages('http://a.test', 2));
    expect(await work(frontier, 86_400_000)).toBe('finished');
    const times = world.log.map(({ startMs }) => new Date(startMs).toISOString().slice(11, 16));
    expect(times).toEqual(['22:13', '22:15', '21:59', '22:01']);
  });

  it.each([
    ['warn', 1],
    ['ignore', 0],
  ] as const)('a closed time that the operator chose to %s does not hold (robots §9.3)', async (visitTime, told) => {
    const answer = (address: string): Reply => (isRobots(address) ? file('Visit-time: 0600-0700') : PAGE);
    const { frontier, work, notices } = setUp(make, answer, { robots: { tokens: ['testbot'], visitTime } });
    await frontier.open();
    await frontier.add(pages('http://a.test', 2));
    expect(await work(frontier, 60_000)).toBe('finished');
    expect(notices('visit-time-closed')).toHaveLength(told);
  });
});

describe('refusals', () => {
  it('429 pauses the host for Retry-After, counted from its end, and slows it afterwards (access §10)', async () => {
    const { frontier, work, world, notices } = setUp(make, (address, nth) => {
      if (isRobots(address)) return file();
      return address.endsWith('/0') && nth === 0 ? { status: 429, headers: { 'retry-after': '300' } } : PAGE;
    });
    await frontier.open();
    await frontier.add(pages('http://a.test', 3));
    expect(await work(frontier)).toBe('finished');
    const gaps = world.log.slice(1).map((seen, at) => seen.startMs - world.log[at]!.endMs);
    expect(gaps).toEqual([1_000, 300_000, 2_000, 2_000]);
    expect(notices('host-paused')).toMatchObject([{ host: 'a.test', authority: null }]);
  });

  const namings = ['a.test', 'A.TEST', 'http://a.test/any?page'];
  it.each(namings)('20 in a row park the host until an operator unparks %s (access §10)', async (naming) => {
    const { frontier, work, requestedUrls, notices, clock } = setUp(make, (address) =>
      isRobots(address) ? { status: 404 } : { status: 403 },
    );
    await frontier.open();
    await frontier.add(pages('http://a.test', 30));
    expect(await work(frontier, 86_400_000)).toBe('finished');
    expect(requestedUrls()).toHaveLength(21);
    expect(notices('host-parked')).toHaveLength(1);
    expect(frontier.waits(9)).toEqual([{ host: 'a.test', reason: 'host-parked', untilMs: null, queued: 10 }]);
    clock.advance(86_400_000);
    await frontier.add([url('http://a.test/new')]);
    expect(await frontier.take(1)).toEqual([]);
    await frontier.unpark(naming);
    expect(frontier.waits(9)).toEqual([]);
    await work(frontier, 3_600_000);
    expect(requestedUrls()).toHaveLength(21 + 1 + 11);
  });
});

describe('what is reported to the operator', () => {
  it('comments, once per host and content, and long delays', async () => {
    const { frontier, work, notices, clock } = setUp(make, (address) =>
      isRobots(address) ? file('Comment: be gentle', 'Comment: call us', 'Crawl-delay: 61') : PAGE,
    );
    await frontier.open();
    await frontier.add(pages('http://a.test', 2));
    await work(frontier);
    clock.advance(2 * 86_400_000);
    await frontier.add([url('http://a.test/later')]);
    await work(frontier);
    expect(notices('comment').map((notice) => notice.detail)).toEqual(['be gentle', 'call us']);
    expect(notices('crawl-delay-large')).toMatchObject([{ detail: '61 s', authority: 'http://a.test', untilMs: null }]);
    const read = { host: 'a.test', authority: 'http://a.test', detail: 'rules', untilMs: expect.any(Number) };
    expect(notices('robots-read')).toMatchObject([read, read]);
  });

  it('a delay over the maximum is clamped, or its host is skipped, depending on the option (robots §9.1)', async () => {
    const answer = (address: string): Reply => (isRobots(address) ? file('Crawl-delay: 100') : PAGE);
    const cut = setUp(make, answer, { robots: { tokens: ['testbot'], maxCrawlDelayMs: 10_000 } });
    await cut.frontier.open();
    await cut.frontier.add(pages('http://a.test', 2));
    await cut.work(cut.frontier);
    expect(cut.startsMs()).toEqual([0, 10_010, 20_020]);
    expect(cut.notices('crawl-delay-clamped')).toMatchObject([{ host: 'a.test', detail: '100 s, cut to 10 s' }]);
    const skipped = setUp(make, answer, {
      robots: { tokens: ['testbot'], maxCrawlDelayMs: 10_000, onLongCrawlDelay: 'skip-host' },
    });
    await skipped.frontier.open();
    await skipped.frontier.add(pages('http://a.test', 2));
    expect(await skipped.work(skipped.frontier)).toBe('finished');
    expect(skipped.requestedUrls()).toHaveLength(1);
    expect(skipped.verdicts().map(({ status, reason }) => [status, reason])).toEqual([
      ['dropped', 'crawl-delay-over-max'],
      ['dropped', 'crawl-delay-over-max'],
    ]);
  });
});
