// Limits over several hosts at once: one machine behind many names, and the crawl as a whole. The log of the simulated
// web is checked.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reply, Seen } from '../../test-support/fake-world.js';
import { interleavingStore, isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const make = (nowMs: () => number) => memoryStore({ nowMs });
const hostsOf = (count: number) => Array.from({ length: count }, (_, at) => `http://h${at}.test`);
const numberOf = (address: string) => Number(/h(\d+)/.exec(address)?.[1]);
const pagesOf = (count: number, each: number) =>
  hostsOf(count).flatMap((host) => Array.from({ length: each }, (_, at) => url(`${host}/${at}`)));

/** Overlaps, and starts less than `gapMs` after an end, per key. */
function faults(log: readonly Seen[], keyOf: (seen: Seen) => string, gapMs: (seen: Seen) => number): string[] {
  const last = new Map<string, Seen>();
  const found: string[] = [];
  for (const seen of log.toSorted((a, b) => a.startMs - b.startMs)) {
    const before = last.get(keyOf(seen));
    last.set(keyOf(seen), seen);
    if (before === undefined) continue;
    const gap = seen.startMs - before.endMs;
    const least = Math.max(gapMs(before), gapMs(seen));
    if (gap < least) found.push(`${seen.url} ${gap} ms after ${before.url} at ${keyOf(seen)}, owed ${least}`);
  }
  return found;
}

describe('per address', () => {
  const addressOf = (address: string) => `192.0.2.${numberOf(address) % 3}`;
  const byAddress = ({ url: address }: Seen) => addressOf(address);
  const byDomain = ({ url: address, host }: Seen) => `${addressOf(address)} ${host.split('.').slice(-2).join('.')}`;

  it('one request at a time with the longer interval in between, whatever hosts ask for, and no host is forgotten', async () => {
    const site = fc.record({ delayS: fc.constantFrom(0, 0, 2, 5), ms: fc.constantFrom(5, 300, 2_000) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(site, { minLength: 9, maxLength: 9 }),
        fc.constantFrom(1, 4, 16),
        async (sites, concurrency) => {
          const siteOf = (address: string) => sites[numberOf(address)]!;
          const body = (address: string) => `User-agent: *\nCrawl-delay: ${siteOf(address).delayS}\n`;
          const answer = (address: string): Reply =>
            isRobots(address)
              ? { status: 200, body: body(address), ms: siteOf(address).ms }
              : { status: 200, ms: siteOf(address).ms };
          const { frontier, work, world } = setUp(make, answer, { politeness: { perIp: true } });
          await frontier.open();
          await frontier.add(pagesOf(9, 3));
          expect(await work(frontier, 86_400_000, { concurrency, addressOf })).toBe('finished');
          expect(world.log).toHaveLength(9 * 4);
          // The delay is known once robots.txt is read, so a host's first gap is the profile's.
          const gapAskedFor = (seen: Seen) => (seen.isRobots ? 1_000 : 1_000 * siteOf(seen.url).delayS);
          expect(faults(world.log, byAddress, (seen) => Math.max(1_000, gapAskedFor(seen)))).toEqual([]);
        },
      ),
      { numRuns: 20, seed: 20_280 },
    );
  });

  it('a host that waits for an address says so', async () => {
    const { frontier, work } = setUp(make, () => ({ status: 404, ms: 20 }), {
      politeness: { perIp: true, profile: { factor: 0, minMs: 30_000, maxMs: 30_000 } },
    });
    await frontier.open();
    await frontier.add(pagesOf(9, 2));
    await work(frontier, 10_000, { addressOf });
    const waiting = frontier.waits(20).filter(({ reason }) => reason === 'address-shared');
    expect(waiting).toHaveLength(6);
    expect((await frontier.inspectHost(waiting[0]!.host)).wait?.reason).toBe('address-shared');
  });

  it('a host that could not connect to an address, and tries another, leaves the first to others', async () => {
    const { frontier } = setUp(make, () => ({ status: 404, ms: 20 }), { politeness: { perIp: true } });
    await frontier.open();
    await frontier.add(pagesOf(2, 1));
    const [first, second] = await frontier.take(2);
    expect(await frontier.mayConnect(first!, '192.0.2.1')).toEqual({ kind: 'go' });
    expect(await frontier.mayConnect(first!, '192.0.2.2')).toEqual({ kind: 'go' });
    expect(await frontier.mayConnect(second!, '192.0.2.1')).toEqual({ kind: 'go' });
    expect(await frontier.mayConnect(second!, '192.0.2.2')).toMatchObject({ kind: 'wait' });
    await frontier.close();
  });

  const sites = Array.from({ length: 24 }, (_, at) => url(`http://h${at}.site${at % 2}.test/`));

  const names = Array.from({ length: 24 }, (_, at) => url(`http://h${3 * at}.many.test/`));

  it.each([
    ['by default for the names of each domain', {}, byDomain],
    ['for all names on request', { perIp: true }, byAddress],
  ] as const)('%s, as fast as that allows', async (_, politeness, by) => {
    const { frontier, work, world } = setUp(make, () => ({ status: 404, ms: 500 }), { politeness });
    await frontier.open();
    await frontier.add(sites);
    expect(await work(frontier, 3_600_000, { addressOf })).toBe('finished');
    expect(faults(world.log, by, () => 1_000)).toEqual([]);
    // 48 requests, divided equally between the clocks.
    const clocks = new Set(world.log.map(by)).size;
    const tookMs = Math.max(...world.log.map(({ endMs }) => endMs)) - world.log[0]!.startMs;
    expect(tookMs).toBeLessThan((48 / clocks) * 1_500 * 1.2);
  });

  it.each([
    ['names of different domains by default', {}, pagesOf(6, 1)],
    ['names of one domain where that is asked for', { perIp: false }, sites],
  ] as const)('not for %s', async (_, politeness, pages) => {
    const { frontier, work, world } = setUp(make, () => ({ status: 404, ms: 500 }), { politeness });
    await frontier.open();
    await frontier.add(pages);
    await work(frontier, 3_600_000, { addressOf });
    expect(faults(world.log, byDomain, () => 0).length + faults(world.log, byAddress, () => 0).length).toBeGreaterThan(
      0,
    );
  });

  it('a host alone at its address waits for its own clock only', async () => {
    const run = async (perIp: boolean | 'domain') => {
      const body = 'User-agent: *\nRequest-rate: 1/10s\n';
      const answer = (address: string): Reply => ({ status: 200, ms: 6_000, ...(isRobots(address) ? { body } : {}) });
      const { frontier, work, world } = setUp(make, answer, { politeness: { perIp } });
      await frontier.open();
      await frontier.add(Array.from({ length: 10 }, (__, at) => url(`http://h1.test/${at}`)));
      await work(frontier, 3_600_000, { addressOf });
      return world.log.map(({ startMs }) => startMs - world.log[0]!.startMs);
    };
    const free = await run(false);
    expect(await run('domain')).toEqual(free);
    expect(await run(true)).toEqual(free);
  });

  it.each([
    ['all names', { perIp: true }, pagesOf(12, 2), byAddress, 0],
    // Each process first knows one name only, and may be early by a robots.txt and a page.
    ['those of a domain', {}, names, byDomain, 2],
  ] as const)(
    'two processes over one store keep the interval from start to start: %s',
    async (_, politeness, pages, by, early) => {
      let draw = 7;
      const random = () => {
        draw = (draw * 48_271) % 2_147_483_647;
        return draw / 2_147_483_647;
      };
      const {
        make: start,
        work,
        world,
      } = setUp(
        (nowMs) => interleavingStore(memoryStore({ nowMs }), random),
        () => ({ status: 404, ms: 5 }),
        { politeness },
      );
      const processes = [start(), start()];
      for (const frontier of processes) await frontier.open();
      await processes[0]!.add(pages);
      let steps = 0;
      const isStopped = () => ++steps > 50_000;
      await Promise.all(processes.map((one) => work(one, 86_400_000, { concurrency: 4, addressOf, isStopped })));
      expect(new Set(world.log.filter((seen) => !seen.isRobots).map((seen) => seen.url)).size).toBe(24);
      expect(faults(world.log, by, () => 900).slice(early)).toEqual([]);
    },
  );
});

describe('requests per second', () => {
  it('spaces all requests of the crawl evenly', async () => {
    const { frontier, work, world } = setUp(make, () => ({ status: 404, ms: 30 }), {
      politeness: { requestsPerSecond: 4 },
    });
    await frontier.open();
    await frontier.add(pagesOf(20, 2));
    expect(await work(frontier, 3_600_000, { concurrency: 16 })).toBe('finished');
    const starts = world.log.map(({ startMs }) => startMs).toSorted((a, b) => a - b);
    expect(starts).toHaveLength(60);
    const gaps = starts.slice(1).map((at, index) => at - starts[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(250);
    // Work was always available, so the limit is used fully.
    expect(starts.at(-1)! - starts[0]!).toBeLessThan(60 * 260);
  });

  it('two processes over one store share the pace', async () => {
    const {
      make: start,
      work,
      world,
      store,
    } = setUp(
      (nowMs) => interleavingStore(memoryStore({ nowMs }), () => 0),
      () => ({ status: 404, ms: 1 }),
      { politeness: { requestsPerSecond: 10 } },
    );
    expect(store.capabilities.shared).toBe(true);
    const processes = [start(), start()];
    for (const frontier of processes) await frontier.open();
    await processes[0]!.add(pagesOf(40, 1));
    const began = world.log.length;
    await Promise.all(processes.map((one) => work(one, 3_600_000, { concurrency: 8 })));
    const starts = world.log.slice(began).map(({ startMs }) => startMs);
    expect(starts).toHaveLength(80);
    expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThanOrEqual(79 * 100 - 100);
  });
});

describe('the options of spacing', () => {
  const rows: [object, string][] = [
    [{ perIp: 'yes' }, 'politeness.perIp'],
    [{ requestsPerSecond: 0 }, 'politeness.requestsPerSecond'],
    [{ requestsPerSecond: 20_000 }, 'politeness.requestsPerSecond'],
    [{ perHost: 1 }, 'unknown option `politeness.perHost`'],
  ];
  it.each(rows)('%j is refused', (politeness, message) => {
    expect(() => setUp(make, () => ({ status: 404 }), { politeness: politeness as object })).toThrow(message);
  });
});
