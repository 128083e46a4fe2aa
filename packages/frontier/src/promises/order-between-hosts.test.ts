// Weights divide the turns of a crawl that cannot serve all due hosts, and never make a request earlier. If a weight
// starved a host, its pages would not be fetched; if a budget leaked, too many pages would be fetched.

import { describe, expect, it } from 'vitest';
import { interleavingStore, isRobots, setUp, url } from '../../test-support/set-up.js';
import type { FrontierOptions } from '../options/options.js';
import { memoryStore } from '../stores/memory.js';

const make = (nowMs: () => number) => memoryStore({ nowMs });
const answer = (address: string) => (isRobots(address) ? { status: 404 } : { status: 200, body: 'page' });
const pagesOf = (host: string, count: number, more = {}) =>
  Array.from({ length: count }, (_, at) => url(`http://${host}/${at}`, more));

/** A crawl whose own pace is the bottleneck: one request a second, the rate that every single host allows. */
function crawl(options: Partial<FrontierOptions>) {
  const crawled = setUp(make, answer, { politeness: { requestsPerSecond: 1 }, ...options });
  /** A host's share of the pages, and the shortest time between two of its requests. */
  const of = (host: string) => {
    const pages = crawled.world.log.filter(({ isRobots: robots }) => !robots);
    const own = crawled.world.log.filter((seen) => seen.host === host);
    const gaps = own.slice(1).map(({ startMs }, at) => startMs - own[at]!.endMs);
    return { share: pages.filter((seen) => seen.host === host).length / pages.length, gapMs: Math.min(...gaps) };
  };
  return { ...crawled, of };
}

const TEN_MINUTES = 600_000;

describe('weights', () => {
  it('divide the turns, and no host is requested too early', async () => {
    const hosts = [
      { match: 'three.test', weight: 3 },
      { match: '*.half.test', weight: 0.5 },
    ];
    const { frontier, work, of } = crawl({ hosts });
    await frontier.open();
    const names = ['three.test', 'a.half.test', 'b.half.test', ...[0, 1, 2, 3].map((at) => `one${at}.test`)];
    for (const name of names) await frontier.add(pagesOf(name, 600));
    await work(frontier, TEN_MINUTES);
    const wanted = new Map(names.map((name) => [name, name === 'three.test' ? 3 : name.includes('half') ? 0.5 : 1]));
    for (const [name, weight] of wanted) {
      expect(of(name).share, name).toBeCloseTo(weight / 8, 1.5);
      expect(of(name).gapMs, name).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('change nothing if the crawl can serve every due host', async () => {
    const starts = async (weight: number) => {
      const { frontier, work, world } = crawl({ politeness: {}, hosts: [{ match: 'a.test', weight }] });
      await frontier.open();
      for (const name of ['a.test', 'b.test', 'c.test']) await frontier.add(pagesOf(name, 20));
      await work(frontier);
      return world.log.map(({ url: address, startMs }) => `${address} ${startMs}`).sort();
    };
    expect(await starts(100)).toEqual(await starts(1));
  });

  it('apply if more hosts are due than are leased at a time', async () => {
    const { frontier, work, of } = crawl({
      politeness: { requestsPerSecond: 1 },
      maxHosts: 4,
      hosts: [{ match: '*.three.test', weight: 3 }],
    });
    await frontier.open();
    const heavy = [0, 1, 2, 3].map((at) => `h${at}.three.test`);
    for (const name of [...heavy, ...[0, 1, 2, 3, 4, 5, 6, 7].map((at) => `one${at}.test`)])
      await frontier.add(pagesOf(name, 600));
    await work(frontier, 4 * TEN_MINUTES);
    const share = heavy.reduce((sum, name) => sum + of(name).share, 0);
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(0.7);
  });

  it('starve no host, however many new hosts come and whatever their weights', async () => {
    const { frontier, work, of } = crawl({
      maxHosts: 32,
      hosts: [{ match: 'light.test', weight: 0.5 }],
    });
    await frontier.open();
    await frontier.add([...pagesOf('light.test', 600), url('http://h0.new.test/')]);
    let made = 0;
    const links = () => [1, 2].map(() => url(`http://h${++made}.new.test/`));
    await work(frontier, TEN_MINUTES, { links });
    expect(of('light.test').share).toBeGreaterThan(0.008);
  });

  it('of labels apply to the pages that have them', async () => {
    const { frontier, work, of } = crawl({ labels: [{ label: 'shop', weight: 4 }] });
    await frontier.open();
    await frontier.add(pagesOf('shop.test', 600, { label: 'shop' }));
    for (const name of ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test'])
      await frontier.add(pagesOf(name, 600, { label: 'page' }));
    await work(frontier, TEN_MINUTES);
    expect(of('shop.test').share).toBeCloseTo(0.4, 1.5);
  });

  it('are reported with the place of a host among the due ones', async () => {
    const { frontier } = crawl({
      politeness: { requestsPerSecond: 0.01 },
      hosts: [
        { match: 'a.test', weight: 5, label: 'shops' },
        { match: 'c.test', weight: 0.5 },
      ],
      labels: [{ label: 'shops', pages: 7 }],
    });
    await frontier.open();
    for (const name of ['c.test', 'b.test', 'a.test']) await frontier.add(pagesOf(name, 3));
    expect(await frontier.take(3)).toHaveLength(1);
    const places = await Promise.all(['a.test', 'b.test', 'c.test'].map((name) => frontier.inspectHost(name)));
    expect(places.map(({ order }) => order.hostsBefore)).toEqual([null, 0, 1]);
    expect(places[0]?.order).toMatchObject({ weight: 5, label: { name: 'shops', pages: 7, used: 0 } });
    await frontier.close();
  });
});

describe('budgets of labels', () => {
  const labels = [{ label: 'archive', pages: 7 }, { label: 'free' }];
  const found = [
    ...[0, 1, 2, 3, 4].flatMap((at) => pagesOf(`h${at}.test`, 5, { label: 'archive' })),
    ...pagesOf('h0.test', 8, { label: 'free' }).map(({ url: address, ...rest }) => ({ ...rest, url: `${address}x` })),
    ...pagesOf('other.test', 3),
  ];

  it('are exact over restarts, and do not affect other URLs', async () => {
    const { frontier, make: next, work, world, verdicts } = setUp(make, answer, { labels });
    let left = 5;
    const links = () => {
      left -= 1;
      return [];
    };
    await frontier.open();
    await frontier.add(found);
    await work(frontier, TEN_MINUTES, { concurrency: 1, links, isStopped: () => left === 0 });
    await frontier.close();
    const second = next();
    await second.open();
    expect(await work(second, TEN_MINUTES)).toBe('finished');
    const pages = world.log.filter(({ isRobots: robots }) => !robots);
    expect(pages.filter(({ url: address }) => /h\d.test\/\d$/.test(address))).toHaveLength(7);
    expect(pages).toHaveLength(7 + 8 + 3);
    const dropped = verdicts().filter(({ reason }) => reason === 'bound-label-pages');
    expect(dropped.map(({ status, detail }) => [status, detail])).toEqual(new Array(18).fill(['dropped', 'archive']));
    expect(await second.add([url('http://new.test/', { label: 'archive' })])).toEqual([
      { kind: 'dropped', reason: 'bound-label-pages' },
    ]);
    await second.close();
  });

  it('count the pages of hosts that have the label', async () => {
    const { frontier, work, world } = setUp(make, answer, {
      hosts: [{ match: '*.gov.test', label: 'gov' }],
      labels: [{ label: 'gov', pages: 4 }],
    });
    await frontier.open();
    await frontier.add([...pagesOf('a.gov.test', 5), ...pagesOf('b.gov.test', 5), ...pagesOf('c.test', 2)]);
    expect(await work(frontier)).toBe('finished');
    expect(world.log.filter(({ isRobots: robots }) => !robots)).toHaveLength(4 + 2);
  });

  it('start again when the crawl’s bounds do', async () => {
    const { frontier, make: next, work, world } = setUp(make, answer, { labels: [{ label: 'archive', pages: 2 }] });
    await frontier.open();
    await frontier.add(pagesOf('a.test', 4, { label: 'archive' }));
    await work(frontier);
    const used = frontier.used();
    await frontier.close();
    const again = next();
    await again.open();
    again.countFrom(used, 1_700_000_000_001);
    await again.add(pagesOf('b.test', 4, { label: 'archive' }));
    await work(again);
    expect(world.log.filter(({ isRobots: robots }) => !robots)).toHaveLength(4);
  });

  it.each([1, 2, 3, 4, 5])('are exact with several processes (seed %i)', async (seed) => {
    let state = seed;
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    const store = (nowMs: () => number) => interleavingStore(memoryStore({ nowMs }), random);
    const { work, make: process, world, clock } = setUp(store, answer, { labels: [{ label: 'archive', pages: 60 }] });
    const crew = ['a', 'b', 'c'].map((part) => process({ part }));
    let isOpen = false;
    const opening = Promise.all(crew.map((each) => each.open())).then(() => {
      isOpen = true;
    });
    for (let at = 0; at < 400 && !isOpen; at += 1) {
      for (let turns = 0; turns < 200; turns += 1) await null;
      clock.advance(25);
    }
    await opening;
    for (let at = 0; at < 100; at += 1) await crew[0]?.add(pagesOf(`h${at}.test`, 2, { label: 'archive' }));
    const ends = await Promise.all(crew.map((each) => work(each, 3_600_000, { concurrency: 8 })));
    expect(ends).toEqual(['finished', 'finished', 'finished']);
    expect(world.log.filter(({ isRobots: robots }) => !robots)).toHaveLength(60);
  });
});
