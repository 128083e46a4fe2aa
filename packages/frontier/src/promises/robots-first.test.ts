// Nothing may be requested from an authority before its robots.txt was answered, and the file is requested once.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const PAGE: Reply = { status: 200, body: 'page' };
const DAY_MS = 86_400_000;
const make = (nowMs: () => number) => memoryStore({ nowMs });
const file = (...lines: string[]): Reply => ({ status: 200, body: `User-agent: *\n${lines.join('\n')}\n` });

describe('the first request of an authority', () => {
  it('is its robots.txt, once, whatever the concurrency (access §2)', async () => {
    const { frontier, work, requestedUrls } = setUp(make, (address) =>
      isRobots(address) ? file('Disallow: /x') : PAGE,
    );
    await frontier.open();
    await frontier.add(Array.from({ length: 9 }, (_, at) => url(`http://a.test/${at}`)));
    const [one, two, three] = await Promise.all([frontier.take(5), frontier.take(5), frontier.take(5)]);
    expect([...one!, ...two!, ...three!].map((taken) => taken.url)).toEqual(['http://a.test/robots.txt']);
    for (const taken of one!) await frontier.settle(taken, { kind: 'returned', untilMs: null });
    expect(await work(frontier)).toBe('finished');
    expect(requestedUrls().filter(isRobots)).toHaveLength(1);
    expect(requestedUrls()).toHaveLength(10);
  });

  it('is per scheme, host and port: three authorities of one host have three, in one slot (access §1, §9)', async () => {
    const { frontier, work, requestedUrls, world } = setUp(make, (address) =>
      isRobots(address) ? { status: 404 } : PAGE,
    );
    await frontier.open();
    await frontier.add(['http://a.test/', 'https://a.test/', 'http://a.test:8080/'].map((address) => url(address)));
    await work(frontier);
    expect(requestedUrls().filter(isRobots).sort()).toEqual([
      'http://a.test/robots.txt',
      'http://a.test:8080/robots.txt',
      'https://a.test/robots.txt',
    ]);
    const gaps = world.log.slice(1).map((seen, at) => seen.startMs - world.log[at]!.endMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  });

  it('also covers the name with a trailing dot, which is the same host (access §1, A2)', async () => {
    const { frontier, work, requestedUrls, world, verdicts } = setUp(make, (address) =>
      isRobots(address) ? file('Disallow: /x', 'Crawl-delay: 7') : PAGE,
    );
    await frontier.open();
    await frontier.add(['http://a.test./1', 'http://a.test./x', 'http://a.test/2'].map((address) => url(address)));
    expect(await work(frontier)).toBe('finished');
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test./1', 'http://a.test/2']);
    expect(verdicts().map((verdict) => `${verdict.url} ${verdict.reason}`)).toEqual(['http://a.test./x robots-rule']);
    const gaps = world.log.slice(1).map((seen, at) => seen.startMs - world.log[at]!.endMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(7_000);
  });

  it('is repeated when its lifetime is over, before the next page, with its validators (access §6)', async () => {
    const seen: (string | null)[] = [];
    const tools = setUp(make, (address, nth) =>
      isRobots(address)
        ? nth === 0
          ? {
              status: 200,
              body: 'User-agent: *\nDisallow: /x',
              headers: { etag: '"1"', 'cache-control': 'max-age=3600' },
            }
          : { status: 304 }
        : PAGE,
    );
    const { frontier, clock, work, requestedUrls } = tools;
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier);
    clock.advance(3_600_000);
    await frontier.add([url('http://a.test/2'), url('http://a.test/x')]);
    const [again] = await frontier.take(1);
    seen.push(again!.kind === 'robots' ? again!.etag : 'a page');
    await frontier.settle(again!, { kind: 'returned', untilMs: null });
    await work(frontier);
    expect(seen).toEqual(['"1"']);
    expect(requestedUrls()).toEqual([
      'http://a.test/robots.txt',
      'http://a.test/1',
      'http://a.test/robots.txt',
      'http://a.test/2',
    ]);
  });

  it('is followed by its companions, before its pages, once per crawl', async () => {
    const companions = (authority: string) => [url(`${authority}/data.txt`, { via: 'companion' as const })];
    const { frontier, work, requestedUrls, clock } = setUp(make, (address) => (isRobots(address) ? file() : PAGE), {
      companions,
    });
    await frontier.open();
    await frontier.add([url('http://a.test/1', { priority: 0 }), url('http://a.test/2', { priority: 5 })]);
    await work(frontier);
    clock.advance(2 * DAY_MS);
    await frontier.add([url('http://a.test/3')]);
    await work(frontier);
    expect(requestedUrls().filter((address) => address.endsWith('data.txt'))).toHaveLength(1);
    expect(requestedUrls().indexOf('http://a.test/data.txt')).toBeLessThan(requestedUrls().indexOf('http://a.test/2'));
  });

  it('is followed by its companions, even if the host is due before they are known', async () => {
    const early: string[] = [];
    const tools = setUp(make, (address) => (isRobots(address) ? file() : PAGE), {
      async companions(authority) {
        tools.clock.advance(60_000);
        for (const taken of await tools.frontier.take(1)) {
          early.push(taken.url);
          await tools.frontier.settle(taken, { kind: 'returned', untilMs: null });
        }
        return [url(`${authority}/data.txt`, { via: 'companion' })];
      },
    });
    const { frontier, work, requestedUrls } = tools;
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier)).toBe('finished');
    expect(early).toEqual([]);
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test/data.txt', 'http://a.test/1']);
  });

  it('is followed by a companion that was returned, again before the pages', async () => {
    const companions = (authority: string) => [url(`${authority}/data.txt`, { via: 'companion' as const })];
    const { frontier, work, clock } = setUp(make, (address) => (isRobots(address) ? file() : PAGE), { companions });
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier, 1_000);
    for (const _ of [1, 2]) {
      clock.advance(1_000);
      const [companion] = await frontier.take(1);
      expect(companion).toMatchObject({ url: 'http://a.test/data.txt' });
      await frontier.settle(companion!, { kind: 'returned', untilMs: null });
    }
    expect(await work(frontier)).toBe('finished');
  });

  it('is followed by its companions even if a page is due before they are committed', async () => {
    const companions = (authority: string) => [url(`${authority}/data.txt`, { via: 'companion' as const })];
    const { frontier, clock, store } = setUp(make, () => PAGE, { companions });
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    const [robots] = await frontier.take(1);
    const { commit } = store;
    let answerCommit = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answerCommit = resolve;
    });
    store.commit = async (...given) => {
      await held;
      return commit(...given);
    };
    const answer = { kind: 'response', status: 404, headers: {}, body: new Uint8Array(), robotsUrl: '', finalUrl: '' };
    const atMs = clock.nowMs();
    const exchange = { startedAtMs: atMs, endedAtMs: atMs, status: 404, retryAfter: null, failure: null, bytes: 0 };
    frontier.exchanged(robots!, exchange);
    const settled = frontier.settle(robots!, { kind: 'robots', answer: answer as never });
    await new Promise(setImmediate);
    clock.advance(2_000);
    const early = frontier.take(1);
    await new Promise(setImmediate);
    answerCommit();
    await settled;
    expect([...(await early), ...(await frontier.take(1))]).toMatchObject([{ url: 'http://a.test/data.txt' }]);
  });

  it('excludes companions as it excludes pages', async () => {
    const companions = (authority: string) => [url(`${authority}/data.txt`, { via: 'companion' as const })];
    const answer = (address: string): Reply => (isRobots(address) ? file('Disallow: /data.txt') : PAGE);
    const { frontier, work, requestedUrls, verdicts } = setUp(make, answer, { companions });
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier)).toBe('finished');
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test/1']);
    expect(verdicts()).toMatchObject([{ url: 'http://a.test/data.txt', status: 'excluded', reason: 'robots-rule' }]);
  });
});

describe('a robots.txt that does not arrive', () => {
  it('holds its authority, others of the same host continue, and retry waits grow (access §5)', async () => {
    const { frontier, work, world, notices, verdicts } = setUp(make, (address) =>
      address === 'http://a.test/robots.txt' ? { status: 503 } : isRobots(address) ? file() : PAGE,
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1'), url('http://a.test:81/1'), url('http://a.test:81/2')]);
    expect(await work(frontier, 3_600_000)).toBe('time');
    const pages = world.log.filter((seen) => !seen.isRobots).map((seen) => seen.url);
    expect(pages).toEqual(['http://a.test:81/1', 'http://a.test:81/2']);
    const starts = world.log.filter((seen) => seen.robotsAuthority === 'http://a.test').map((seen) => seen.startMs);
    const gaps = starts.slice(1).map((startMs, at) => Math.round((startMs - starts[at]!) / 1_000));
    expect(gaps).toEqual([60, 120, 240, 480, 960]);
    expect(frontier.waits(5)).toMatchObject([{ host: 'a.test', reason: 'robots-unreachable', queued: 1 }]);
    const detail = 'attempt 6 failed (status 503), 1860 s since the first';
    expect(notices('robots-unreachable')[5]).toMatchObject({ host: 'a.test', detail, untilMs: expect.any(Number) });
    expect(verdicts()).toEqual([]);
  });

  it('fails the URLs that were held for holdMax, and no others (access §5)', async () => {
    const { frontier, work, verdicts, requestedUrls } = setUp(
      make,
      (address) => (isRobots(address) ? { status: 500 } : PAGE),
      {
        robots: { tokens: ['testbot'], maxHoldMs: 6 * 3_600_000 },
      },
    );
    await frontier.open();
    await frontier.add(Array.from({ length: 40 }, (_, at) => url(`http://a.test/${at}`)));
    await work(frontier, 4 * 3_600_000);
    await frontier.add([url('http://a.test/late')]);
    expect(verdicts()).toEqual([]);
    await work(frontier, 4 * 3_600_000);
    expect(verdicts()).toHaveLength(40);
    expect(new Set(verdicts().map(({ status, reason }) => `${status} ${reason}`))).toEqual(
      new Set(['failed robots-unreachable']),
    );
    expect(verdicts().map((verdict) => verdict.url)).not.toContain('http://a.test/late');
    expect(frontier.counts().queued).toBe(1);
    expect(requestedUrls().every(isRobots)).toBe(true);
  });

  it('opens its authority under the google dialect for as long as its pages are answered (access §5)', async () => {
    const answer = (address: string): Reply => (isRobots(address) ? { status: 500 } : PAGE);
    const robots = { tokens: ['testbot'], dialect: 'google' } as const;
    const { frontier, work, requestedUrls, clock } = setUp(make, answer, { robots });
    await frontier.open();
    const beganMs = clock.nowMs();
    for (let day = 1; day <= 32; day += 1) {
      await frontier.add([url(`http://a.test/${day}`)]);
      await work(frontier, DAY_MS);
      clock.advanceTo(beganMs + day * DAY_MS);
    }
    expect(requestedUrls().filter((address) => !isRobots(address))).toHaveLength(32);
  });

  it('for thirty days leaves the last good copy in force, which is reported once (access §5)', async () => {
    const answer = (address: string, nth: number): Reply =>
      isRobots(address) ? (nth === 0 ? file('Disallow: /3') : { status: 503 }) : PAGE;
    const robots = { tokens: ['testbot'], maxHoldMs: 40 * DAY_MS };
    const { frontier, work, clock, notices, verdicts, requestedUrls } = setUp(make, answer, { robots });
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier);
    clock.advance(DAY_MS);
    await frontier.add([url('http://a.test/2'), url('http://a.test/3')]);
    expect(await work(frontier, 29 * DAY_MS)).toBe('time');
    expect(await work(frontier, 2 * DAY_MS)).toBe('finished');
    expect(requestedUrls().at(-1)).toBe('http://a.test/2');
    expect(verdicts()).toMatchObject([{ url: 'http://a.test/3', status: 'excluded', line: 2 }]);
    expect(notices('robots-last-good-used')).toMatchObject([{ host: 'a.test', authority: 'http://a.test' }]);
  });

  it('is answered at last, and the held URLs are decided by the new rules (access §8)', async () => {
    const { frontier, work, requestedUrls, verdicts } = setUp(make, (address, nth) =>
      isRobots(address) ? (nth < 2 ? { status: null, failure: 'reset' } : file('Disallow: /2')) : PAGE,
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1'), url('http://a.test/2')]);
    expect(await work(frontier)).toBe('finished');
    expect(requestedUrls().filter((address) => !isRobots(address))).toEqual(['http://a.test/1']);
    expect(verdicts()).toMatchObject([{ url: 'http://a.test/2', status: 'excluded', line: 2 }]);
  });
});

describe('a restart', () => {
  it('with rules neither requests them again nor forgets them (access §8)', async () => {
    const {
      make: start,
      frontier,
      work,
      requestedUrls,
    } = setUp(make, (address) => (isRobots(address) ? file('Disallow: /x') : PAGE));
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier);
    await frontier.close();
    const second = start();
    await second.open();
    await second.add([url('http://a.test/2'), url('http://a.test/x'), url('http://a.test/1')]);
    await work(second);
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test/1', 'http://a.test/2']);
  });

  it('while unreachable continues the pause (access §8)', async () => {
    const {
      make: start,
      frontier,
      work,
      world,
    } = setUp(make, (address) => (isRobots(address) ? { status: 500 } : PAGE));
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier, 200_000);
    const before = world.log.length;
    await frontier.close();
    const second = start();
    await second.open();
    expect(second.waits(1)).toMatchObject([{ host: 'a.test', reason: 'robots-unreachable' }]);
    await work(second, 300_000);
    expect([before, world.log.length]).toEqual([3, 4]);
    const gaps = world.log.slice(1).map((seen, at) => Math.round((seen.startMs - world.log[at]!.startMs) / 1_000));
    expect(gaps).toEqual([60, 120, 240]);
  });
});
