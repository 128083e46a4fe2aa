// A robots.txt may redirect, also to another host. Nothing is requested from its authority until the last hop was
// answered, or the chain has failed; each hop waits for its host's slot and is requested once.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, stoppableClock, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const PAGE: Reply = { status: 200, body: 'page' };
const make = (nowMs: () => number) => memoryStore({ nowMs });
const file = (...lines: string[]): Reply => ({ status: 200, body: `User-agent: *\n${lines.join('\n')}\n` });
const to = (location: string): Reply => ({ status: 301, headers: { location } });

describe('redirects of robots.txt', () => {
  // [the last answer, hops, pages that may be requested]
  const chains: [string, number, string[]][] = [
    ['five hops: its rules govern the first authority', 5, ['http://a.test/open']],
    ['six hops: as if there were no file (access §3, DECISION A3)', 6, ['http://a.test/open', 'http://a.test/closed']],
  ];
  it.each(chains)('%s', async (_, hops, pages) => {
    const { frontier, work, world, notices } = setUp(make, (address) => {
      if (isRobots(address)) return to('http://h1.test/1');
      const at = Number(new URL(address).pathname.slice(1));
      if (Number.isNaN(at)) return PAGE;
      return at < hops ? to(`http://h${at + 1}.test/${at + 1}`) : file('Disallow: /closed');
    });
    await frontier.open();
    await frontier.add([url('http://a.test/open'), url('http://a.test/closed')]);
    expect(await work(frontier)).toBe('finished');
    expect(world.log.filter((seen) => !seen.isRobots).map((seen) => seen.url)).toEqual(pages);
    expect(world.log.filter((seen) => seen.robotsAuthority === 'http://a.test')).toHaveLength(6);
    expect(notices('robots-redirect-limit')).toHaveLength(hops > 5 ? 1 : 0);
  });

  it('a hop that is longer than any page may be is requested: its letters are written as escapes', async () => {
    const { frontier, work, requestedUrls } = setUp(make, (address) =>
      isRobots(address) ? to(`/${'ü'.repeat(8_000)}`) : file(),
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier)).toBe('finished');
    expect(requestedUrls().at(-1)).toBe('http://a.test/1');
  });

  it('hops to the same host are spaced, and go before its pages (access §11)', async () => {
    const { frontier, work, world } = setUp(make, (address) =>
      isRobots(address) ? to('/r/1') : address.endsWith('/r/1') ? to('/r/2') : file(),
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier)).toBe('finished');
    expect(world.log.map((seen) => new URL(seen.url).pathname)).toEqual(['/robots.txt', '/r/1', '/r/2', '/1']);
    const gaps = world.log.slice(1).map((seen, at) => seen.startMs - world.log[at]!.endMs);
    expect(Math.min(...gaps)).toBe(1_000);
  });

  it('a hop to a host that is paused longer than the bound ends the chain as a failure, and asks nothing of that host', async () => {
    const { frontier, work, world, notices } = setUp(make, (address, nth) => {
      if (address === 'http://a.test/robots.txt') return to('http://busy.test/r');
      if (isRobots(address)) return { status: 404 };
      return address === 'http://busy.test/1' && nth === 0 ? { status: 429, headers: { 'retry-after': '1160' } } : PAGE;
    });
    await frontier.open();
    await frontier.add([url('http://busy.test/1')]);
    await work(frontier, 10_000);
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier, 100_000)).toBe('time');
    expect(world.log.map((seen) => seen.url)).not.toContain('http://busy.test/r');
    expect(world.log.map((seen) => seen.url)).not.toContain('http://a.test/1');
    expect(notices('robots-unreachable')).toMatchObject([{ authority: 'http://a.test' }]);
    expect(frontier.waits(5).map((wait) => [wait.host, wait.reason])).toEqual([
      ['a.test', 'robots-unreachable'],
      ['busy.test', 'host-paused'],
    ]);
    // The pause ends while a later chain waits. The hops of earlier chains leave the queue, that of this one is made.
    expect(await work(frontier)).toBe('finished');
    expect(world.log.filter((seen) => seen.url === 'http://busy.test/r')).toHaveLength(1);
    const [first, second] = world.log.filter((seen) => seen.robotsAuthority === 'http://a.test');
    expect(second!.startMs - first!.endMs).toBe(120_000);
    expect(frontier.counts().queued).toBe(0);
  });

  it('a hop that was returned is made again, and the file is not asked for again meanwhile', async () => {
    const { frontier, clock, work } = setUp(make, (address) =>
      address === 'http://a.test/robots.txt' ? to('http://b.test/r') : isRobots(address) ? file() : PAGE,
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier, 9);
    clock.advance(5_000);
    for (const _ of [1, 2]) {
      const [hop, ...more] = await frontier.take(2);
      expect([hop?.url, ...more]).toEqual(['http://b.test/r']);
      await frontier.settle(hop!, { kind: 'returned', untilMs: null });
    }
    expect(await work(frontier)).toBe('finished');
  });

  it('a hop that takes longer than it may wait for its slot is awaited', async () => {
    const { frontier, work, requestedUrls } = setUp(make, (address) => {
      if (address === 'http://a.test/robots.txt') return to('http://b.test/r');
      return address === 'http://b.test/r' ? { ...file(), ms: 80_000 } : PAGE;
    });
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier)).toBe('finished');
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://b.test/r', 'http://a.test/1']);
  });

  it('a hop that finds the queue full ends the chain as a failure, at once', async () => {
    const full = (nowMs: () => number) => memoryStore({ nowMs, maxQueued: 1 });
    const { frontier, work, notices } = setUp(full, (address) =>
      address === 'http://a.test/robots.txt' ? to('http://b.test/r') : PAGE,
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier, 1_000)).toBe('time');
    expect(notices('robots-unreachable')).toMatchObject([{ authority: 'http://a.test' }]);
  });

  it('a redirect to a missing host is unreachable, not open (access §3, DECISION A4)', async () => {
    const { frontier, work, requestedUrls } = setUp(make, (address) => (isRobots(address) ? { status: 302 } : PAGE));
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier, 600_000);
    expect(requestedUrls().every(isRobots)).toBe(true);
  });
});

describe('a restart', () => {
  it('during a hop that waits for its Retry-After goes on waiting', async () => {
    const tools = setUp(make, (address, nth) => {
      const { port, pathname } = new URL(address);
      if (port !== '') return isRobots(address) ? { status: 404 } : PAGE;
      if (pathname !== '/robots.txt') return pathname === '/r' ? file() : PAGE;
      if (nth === 0) return { ...file('Crawl-delay: 2'), headers: { 'cache-control': 'max-age=600' } };
      return { status: 301, headers: { location: 'http://b.test/r', 'retry-after': '7200' } };
    });
    const { make: start, frontier, work, requestedUrls, world, clock } = tools;
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    expect(await work(frontier)).toBe('finished');
    clock.advance(3_600_000);
    await frontier.add([url('http://a.test/2')]);
    expect(await work(frontier, 60_000)).toBe('time');
    await frontier.close();
    const second = start();
    await second.open();
    // Another authority of the host is at work, so the requirements of this one are read.
    await second.add([url('http://a.test:81/1')]);
    expect(await work(second, 8_000_000)).toBe('finished');
    const [, , redirected, ...later] = world.log;
    expect(requestedUrls().slice(3)).toEqual([
      ...['http://a.test:81/robots.txt', 'http://a.test:81/1', 'http://b.test/r', 'http://a.test/2'],
    ]);
    expect(later[2]!.startMs - redirected!.endMs).toBeGreaterThanOrEqual(7_200_000);
  });

  it('of a process that was killed before it queued a hop waits for that chain to end, and then asks again', async () => {
    const {
      make: other,
      store,
      clock,
      work,
      requestedUrls,
    } = setUp(make, (address, nth) => {
      if (address !== 'http://a.test/robots.txt') return PAGE;
      return nth === 0 ? file() : to('http://b.test/r');
    });
    const mortal = stoppableClock(clock);
    const first = other({ clock: mortal.clock });
    await first.open();
    await first.add([url('http://a.test/1')]);
    const [robots] = await first.take(1);
    const { commit } = store;
    store.commit = () => new Promise(() => undefined);
    const headers = { location: 'http://b.test/r' };
    const moved = {
      kind: 'response',
      status: 301,
      headers,
      body: new Uint8Array(),
      robotsUrl: '',
      finalUrl: '',
    } as const;
    first.settle(robots!, { kind: 'robots', answer: moved }).catch(() => undefined);
    await new Promise(setImmediate);
    mortal.stop();
    store.commit = commit;
    clock.advance(40_000);
    const second = other();
    await second.open();
    expect(await work(second, 19_000)).toBe('time');
    expect(requestedUrls()).toEqual([]);
    expect(await work(second)).toBe('finished');
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test/1']);
  });

  it('with a redirect chain under way requests its hop once, and the authority waits for it', async () => {
    const {
      make: start,
      frontier,
      work,
      requestedUrls,
      clock,
    } = setUp(make, (address) => {
      if (address === 'http://a.test/robots.txt') return to('http://b.test/r');
      return address === 'http://b.test/r' ? file('Disallow: /x') : isRobots(address) ? { status: 404 } : PAGE;
    });
    await frontier.open();
    await frontier.add([url('http://a.test/1'), url('http://a.test/x')]);
    await work(frontier, 3_600_000, {
      isStopped: () => requestedUrls().length === 1 && clock.nowMs() > 1_700_000_000_009,
    });
    await frontier.close();
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt']);
    const second = start();
    await second.open();
    expect(await work(second)).toBe('finished');
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://b.test/r', 'http://a.test/1']);
  });
});
