// A bound holds for the whole crawl, restarts included, to the exact page.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, stoppableClock, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';
import type { PageWork } from '../work.js';

const PAGE: Reply = { status: 200, body: 'page' };
const make = (nowMs: () => number) => memoryStore({ nowMs });
const answer = (address: string): Reply => (isRobots(address) ? { status: 404 } : PAGE);
const hosts = (count: number) => Array.from({ length: count }, (_, at) => `http://h${at}.test`);
const pagesOf = (log: readonly { isRobots: boolean }[]) => log.filter((seen) => !seen.isRobots).length;

describe('bounds', () => {
  it('pages: exactly as many as the bound are fetched, whatever the concurrency', async () => {
    const { frontier, work, world } = setUp(make, answer, { bounds: { pages: 13 } });
    await frontier.open();
    await frontier.add(hosts(10).flatMap((authority) => [0, 1, 2].map((at) => url(`${authority}/${at}`))));
    expect(await work(frontier, 3_600_000, { concurrency: 32, handleMs: 500 })).toBe('finished');
    expect(pagesOf(world.log)).toBe(13);
    expect(frontier.reachedBound()).toBe('pages');
    expect(await frontier.take(5)).toEqual([]);
    expect(await frontier.nextAt()).toBeNull();
    expect(frontier.counts()).toMatchObject({ pages: 13, queued: 17 });
  });

  it('pages: a named process on its own store continues after a long delay', async () => {
    const world = (address: string): Reply =>
      isRobots(address) ? { status: 200, body: 'User-agent: *\nCrawl-delay: 60\n' } : PAGE;
    const { work, make: start, world: seen } = setUp(make, world, { bounds: { pages: 1_000 } });
    const frontier = start({ part: 'one' });
    await frontier.open();
    await frontier.add([0, 1, 2].map((at) => url(`http://a.test/${at}`)));
    expect(await work(frontier, 3_600_000)).toBe('finished');
    expect(pagesOf(seen.log)).toBe(3);
  });

  it('pages: grants for what does not count are returned', async () => {
    let nth = 0;
    const { frontier, work, world } = setUp(
      make,
      (address) => (isRobots(address) ? { status: 404 } : nth++ % 2 === 0 ? { status: 500 } : PAGE),
      {
        bounds: { pages: 6 },
      },
    );
    await frontier.open();
    await frontier.add(hosts(10).map((authority) => url(`${authority}/`)));
    await work(frontier, 3_600_000, { concurrency: 32 });
    expect(frontier.counts().pages).toBe(6);
    expect(pagesOf(world.log)).toBeGreaterThan(6);
  });

  it('pages: the bound holds after a restart and after a process has vanished', async () => {
    const { frontier, work, clock, make: start } = setUp(make, answer, { bounds: { pages: 20 } });
    let finished = 0;
    const links = () => {
      finished += 1;
      return [];
    };
    await frontier.open();
    await frontier.add(hosts(40).map((authority) => url(`${authority}/`)));
    await work(frontier, 3_600_000, { concurrency: 1, links, isStopped: () => finished >= 5 });
    await frontier.close();
    expect(finished).toBe(5);
    const mortal = stoppableClock(clock);
    const second = start({ clock: mortal.clock });
    await second.open();
    await work(second, 3_600_000, { concurrency: 1, links, isStopped: () => finished >= 9 });
    mortal.stop(); // Killed.
    clock.advance(60_000);
    const third = start();
    await third.open();
    await work(third, 3_600_000, { links });
    // A page in flight when its process was killed counts once: when it is settled.
    expect(finished).toBe(20);
    expect(third.reachedBound()).toBe('pages');
  });

  it('pages per host: the rest of its queue is dropped, and other hosts continue', async () => {
    const { frontier, work, world, verdicts } = setUp(make, answer, { bounds: { pagesPerHost: 3 } });
    await frontier.open();
    await frontier.add(Array.from({ length: 200 }, (_, at) => url(`http://a.test/${at}`)));
    await frontier.add([url('http://b.test/')]);
    expect(await work(frontier, 3_600_000, { handleMs: 5_000 })).toBe('finished');
    expect(world.log.filter((seen) => seen.host === 'a.test' && !seen.isRobots)).toHaveLength(3);
    expect(world.log.filter((seen) => seen.host === 'b.test' && !seen.isRobots)).toHaveLength(1);
    expect(
      verdicts().filter(({ status, reason }) => status === 'dropped' && reason === 'bound-host-pages'),
    ).toHaveLength(197);
    expect(await frontier.add([url('http://a.test/late')])).toEqual([{ kind: 'dropped', reason: 'bound-host-pages' }]);
  });

  it('minutes: running time counts over restarts, and the time in between does not', async () => {
    const { frontier, work, clock, make: start } = setUp(make, answer, { bounds: { minutes: 2 } });
    await frontier.open();
    await frontier.add(Array.from({ length: 500 }, (_, at) => url(`http://a.test/${at}`)));
    await work(frontier, 70_000);
    expect(frontier.reachedBound()).toBeNull();
    await frontier.close();
    clock.advance(3_600_000);
    const second = start();
    await second.open();
    await work(second, 49_000);
    expect(second.reachedBound()).toBeNull();
    await work(second, 1_000);
    expect(second.reachedBound()).toBe('minutes');
    expect(await second.take(3)).toEqual([]);
    expect(second.counts().runningMs).toBe(120_000);
  });

  it('bytes: received bytes count', async () => {
    const { frontier, work, world } = setUp(make, answer, { bounds: { bytes: 20 } });
    await frontier.open();
    await frontier.add(hosts(30).map((authority) => url(`${authority}/`)));
    await work(frontier, 3_600_000, { concurrency: 1 });
    expect(frontier.reachedBound()).toBe('bytes');
    expect(pagesOf(world.log)).toBe(5);
  });

  it.each([
    ['drop', ['dropped frontier-full']],
    ['spill', []],
  ] as const)('maxQueued: new URLs are full, companions and known ones are not: %s links', async (onFull, ends) => {
    const { frontier, work, verdicts, requestedUrls } = setUp(make, answer, {
      maxQueued: 3,
      onFull,
      companions: (authority) => [url(`${authority}/data.txt`, { via: 'companion' })],
    });
    await frontier.open();
    const added = await frontier.add([0, 1, 2, 3].map((at) => url(`http://a.test/${at}`)));
    expect(added.map((one) => one.kind)).toEqual(['new', 'new', 'new', 'full']);
    expect((await frontier.add([url('http://a.test/0'), url('http://a.test/4')])).map((one) => one.kind)).toEqual([
      'known',
      'full',
    ]);
    const links = () =>
      Array.from({ length: 5 }, (_, at) => url(`http://a.test/l${at}`, { via: 'link', from: 'http://a.test/0' }));
    await work(frontier, 1_020, { links });
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test/data.txt']);
    expect([...new Set(verdicts().map(({ status, reason }) => `${status} ${reason}`))]).toEqual(ends);
  });
});

describe('answers of add', () => {
  const long = `http://a.test/${'x'.repeat(9_000)}`;
  const rows: [string, object, object][] = [
    ['http://a.test/1', {}, { kind: 'new' }],
    ['HTTP://A.test:80/1#top', {}, { kind: 'known' }],
    ['http://a.test/1', { dedupe: false }, { kind: 'new' }],
    ['ftp://a.test/', {}, { kind: 'dropped', reason: 'url-scheme' }],
    ['nonsense', {}, { kind: 'dropped', reason: 'url-invalid' }],
    [long, {}, { kind: 'dropped', reason: 'url-too-long' }],
    [`http://${'a'.repeat(253)}/`, {}, { kind: 'new' }],
    [`http://${'a'.repeat(254)}/`, {}, { kind: 'dropped', reason: 'url-invalid' }],
    ['http://a.test/2', { userData: 'x'.repeat(20_000) }, { kind: 'dropped', reason: 'user-data-too-large' }],
  ];
  it('are one for each URL, in the same order', async () => {
    const { frontier } = setUp(make, answer);
    await frontier.open();
    expect(await frontier.add(rows.map(([address, more]) => url(address, more)))).toEqual(
      rows.map(([, , expected]) => expected),
    );
  });

  it('are excluded if fresh rules are cached, and each URL is reported once (access §11)', async () => {
    const { frontier, work, verdicts } = setUp(make, (address) =>
      isRobots(address) ? { status: 200, body: 'User-agent: *\nDisallow: /x' } : PAGE,
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    await work(frontier);
    const excluded = { kind: 'excluded', reason: 'robots-rule', line: 2, pattern: '/x' };
    expect(
      await frontier.add([url('http://a.test/x1'), url('http://a.test/x1#again'), url('http://a.test/x2')]),
    ).toEqual([excluded, excluded, excluded]);
    expect(await frontier.add([url('http://a.test/x1')])).toEqual([excluded]);
    expect(verdicts().map((verdict) => verdict.url)).toEqual(['http://a.test/x1', 'http://a.test/x2']);
    expect(verdicts()[0]).toMatchObject({
      robots: { authority: 'http://a.test', phase: 'rules', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await frontier.inspectUrl('http://a.test/x2')).toMatchObject({
      isKnown: false,
      gate: { kind: 'deny', line: 2 },
      robots: { phase: 'rules' },
    });
    expect(await frontier.inspectUrl('http://b.test/')).toMatchObject({
      isKnown: false,
      gate: { kind: 'hold', reason: 'robots-unknown' },
    });
    expect(await frontier.inspectUrl('http://a.test/1')).toMatchObject({ isKnown: true, gate: { kind: 'allow' } });
  });

  it('user data and origin stay with the page', async () => {
    const { frontier, work } = setUp(make, answer);
    await frontier.open();
    await frontier.add([
      url('http://a.test/1', {
        depth: 3,
        via: 'link',
        from: 'http://b.test/',
        label: 'shop',
        userData: { n: [1, null] },
        hops: 1,
      }),
    ]);
    const records: unknown[] = [];
    const links = (page: PageWork) => {
      records.push(page.record);
      return [];
    };
    await work(frontier, 3_600_000, { links });
    expect(records).toEqual([
      {
        url: 'http://a.test/1',
        depth: 3,
        via: 'link',
        from: 'http://b.test/',
        hops: 1,
        label: 'shop',
        userData: { n: [1, null] },
        tries: 0,
      },
    ]);
  });
});
