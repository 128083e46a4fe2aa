// The simulator of docs/scale.md: if it is wrong about small crawls, it is wrong about large ones. At stake: the
// figures by which operators buy machines.

import { describe, expect, it } from 'vitest';
import { COSTS } from './costs.mjs';
import { createEventClock } from './event-clock.mjs';
import { extrapolate, MAX_BUSY } from './extrapolate.mjs';
import { createMachine } from './machine.mjs';
import { costOfPages, measuredOf } from './predict.mjs';
import { simulateSmallWeb, simulateWideWeb } from './simulate.mjs';

const SMALL = { hosts: 12, pages: 20, costs: COSTS.redis, pageUs: 800 };
const WIDE = { hosts: 60, queued: 8, seconds: 3, warmUpSeconds: 2, costs: COSTS.redis, pageUs: 1_000, concurrency: 64 };

describe('a machine', () => {
  // Microseconds of work of each process, all at once; cores; others; milliseconds until all work is done.
  const SHARED = [
    { work: [1_000], cores: 2, others: 0, ms: 1 },
    { work: [1_000, 1_000], cores: 2, others: 0, ms: 1 },
    { work: [1_000, 1_000], cores: 1, others: 0, ms: 2 },
    { work: [1_000, 3_000], cores: 1, others: 0, ms: 4 },
    { work: [1_000], cores: 2, others: 3, ms: 2 },
    { work: [0], cores: 1, others: 0, ms: 0 },
  ];
  it.each(SHARED)('with $cores cores and $others others finishes $work µs of work after $ms ms', async (row) => {
    const clock = createEventClock();
    const machine = createMachine(clock, row);
    const beganMs = clock.timeMs();
    let left = row.work.length;
    const done = row.work.map((us, at) =>
      machine
        .process(`p${at}`)
        .run(us)
        .then(() => {
          left -= 1;
        }),
    );
    await clock.run(() => left === 0);
    await Promise.all(done);
    expect(clock.timeMs() - beganMs).toBeCloseTo(row.ms, 2);
  });

  it('lets a process do one thing after the other, and urgent work first', async () => {
    const clock = createEventClock();
    const one = createMachine(clock, { cores: 4 }).process('one');
    const order: string[] = [];
    const ends = [one.run(1_000), one.run(1_000), one.run(10, true)].map((end, at) =>
      end.then(() => {
        order.push(['first', 'second', 'urgent'][at] ?? '');
      }),
    );
    await clock.run(() => order.length === 3);
    await Promise.all(ends);
    expect(order).toEqual(['first', 'urgent', 'second']);
    expect(one.usedUs()).toBe(2_010);
  });

  it('stops when no event is left', async () => {
    await expect(createEventClock().run(() => false)).rejects.toThrow('nothing is left');
  });
});

describe('a simulated crawl', () => {
  it('fetches every page of the small web once, by one process and by three', async () => {
    const [one, three] = [
      await simulateSmallWeb({ ...SMALL, processes: 1 }),
      await simulateSmallWeb({ ...SMALL, processes: 3, cores: 8 }),
    ];
    expect([one.pages, three.pages]).toEqual([240, 240]);
    // Every call of the store costs time, of the crawler and of the server.
    expect(one.storeUsPerPage).toBeGreaterThan(0);
    expect(one.cpuUsPerPage).toBeGreaterThan(SMALL.pageUs + one.storeUsPerPage);
    expect(three.storeUsPerPage).toBeGreaterThan(one.storeUsPerPage);
    expect(three.pagesOf.reduce((sum, pages) => sum + pages)).toBe(240);
  });

  it('takes the same steps with the same seed, and other steps with another', async () => {
    const run = (seed: number) => simulateWideWeb({ ...WIDE, processes: 2, seed });
    const [first, again, other] = [await run(7), await run(7), await run(8)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('requests no host before its turn, whichever process leases it', async () => {
    const { early, pages } = await simulateWideWeb({ ...WIDE, processes: 4, servers: 2, shards: 3 });
    expect(pages).toBeGreaterThan(50);
    expect(early).toBe(0);
  });

  it('is limited by a server without free time', async () => {
    const server = { ...COSTS.redis.server, callUs: 20_000 };
    const slow = await simulateWideWeb({ ...WIDE, processes: 2, costs: { ...COSTS.redis, server } });
    const quick = await simulateWideWeb({ ...WIDE, processes: 2 });
    expect(slow.serverBusy).toBeGreaterThan(0.9);
    expect(quick.serverBusy).toBeLessThan(0.5);
    expect(slow.pagesPerS).toBeLessThan(quick.pagesPerS);
  });

  it('makes processes read each other’s counts, in proportion to the square of their number', async () => {
    const reads = async (processes: number) => {
      const shape = { ...WIDE, hosts: processes, queued: 1, seconds: 4, warmUpSeconds: 3 };
      return (await simulateWideWeb({ ...shape, processes })).callsPerS['readRecord'] ?? 0;
    };
    const [few, many] = [await reads(4), await reads(16)];
    expect(few).toBeGreaterThan(4 * 3);
    expect(many).toBeGreaterThan(16 * 15);
    expect(many / few).toBeGreaterThan(8);
  });
});

describe('what one process measures', () => {
  it('is a cost per page, for the first pages and for later ones', () => {
    const costOf = costOfPages(
      [
        { pages: 100, cpuUs: 300_000 },
        { pages: 1_100, cpuUs: 1_300_000 },
      ],
      50,
    );
    expect([costOf(0), costOf(99), costOf(100), costOf(5_000)]).toEqual([2_950, 2_950, 950, 950]);
  });

  it('is read from the rows of the scale benchmark for this store only', () => {
    const rows = [
      { row: 'scale, redis, 1 process, 6000 pages: CPU-s per 1,000 pages', value: 0.9 },
      { row: 'scale, redis, 4 processes, 6000 pages: pages per second', value: 900 },
      { row: 'scale, postgres, 4 processes, 6000 pages: pages per second', value: 1 },
      { row: 'robots: parse MB/s', value: 100 },
    ];
    const { pages, byProcesses } = measuredOf(rows, 'redis');
    expect(pages).toBe(6_000);
    expect([...byProcesses]).toEqual([
      [1, { cpuS: 0.9 }],
      [4, { perS: 900 }],
    ]);
  });
});

describe('a larger crawl', () => {
  const figures = { servers: 1, serverUsPerPage: 200, perProcessS: 1_000, readsPerPair: 1, readUs: 10 };
  const bytes = { seen: 10, queued: 20, host: 300 };
  const target = {
    processes: 2,
    urls: 1_000_000,
    hosts: 1_000,
    queuedShare: 0.5,
    bodyBytes: 80,
    robotsBytes: 1_000,
    bytes,
  };

  it('is limited by its crawlers while the store has free time, and by the store past some number of crawlers', () => {
    const few = extrapolate(figures, target);
    expect(few).toMatchObject({ first: 'crawlers', crawlersPerS: 2_000, pagesPerS: 2_000 });
    const many = extrapolate(figures, { ...target, processes: 50 });
    expect(many.first).toBe('store');
    // At that number the server is as busy as allowed, with pages and accounts together; with one more it is busier.
    const busy = (count: number) => (count * 1_000 * 200 + count * count * 10) / 1e6;
    expect(busy(many.processesServed)).toBeLessThanOrEqual(MAX_BUSY);
    expect(busy(many.processesServed + 1)).toBeGreaterThan(MAX_BUSY);
    expect(extrapolate({ ...figures, servers: 100 }, { ...target, processes: 50 }).first).toBe('crawlers');
  });

  it('needs space for known URLs, queued URLs, hosts and their robots.txt', () => {
    const { seenBytes, queuedBytes, hostBytes, robotsBytes } = extrapolate(figures, target);
    expect([seenBytes, queuedBytes, hostBytes, robotsBytes]).toEqual([10_000_000, 50_000_000, 300_000, 1_000_000]);
  });

  it('loses some three of ten billion pages to equal fingerprints', () => {
    expect(extrapolate(figures, { ...target, urls: 1e10 }).pagesLostToFingerprints).toBeCloseTo(2.7, 1);
  });
});
