// The bounds of a crawl hold for all of its processes together. Each knows what the others have used, and the count of
// pages is exact although each process hands out pages by itself.

import { describe, expect, it } from 'vitest';
import { isRobots, setUp, sharedStore, stoppableClock, url } from '../../test-support/set-up.js';
import type { ManualClock } from '../clock.js';
import type { Frontier } from '../frontier.js';
import { PART_SILENT_MS } from '../records/limits.js';
import { createCrawlLock } from '../records/processes.js';
import type { FrontierStore } from '../store.js';
import { memoryStore } from '../stores/memory.js';

const answer = (address: string) => (isRobots(address) ? { status: 404 } : { status: 200, body: 'page' });
const hosts = (count: number) => Array.from({ length: count }, (_, at) => `http://h${at}.test`);
/** Opens all at once; a process that finds the lock taken waits for the clock. */
async function openAll(clock: ManualClock, crew: readonly Frontier[]): Promise<void> {
  let isOpen = false;
  const all = Promise.all(crew.map((frontier) => frontier.open())).then(() => {
    isOpen = true;
  });
  await turnsUntil(clock, () => isOpen);
  await all;
}

async function turnsUntil(clock: ManualClock, isOver: () => boolean): Promise<void> {
  for (let at = 0; at < 400 && !isOver(); at += 1) {
    for (let turns = 0; turns < 200; turns += 1) await null;
    clock.advance(25);
  }
}

describe('bounds with several processes', () => {
  it.each([1, 2, 3, 4, 5, 45, 79, 100, 106, 127])(
    'four processes fetch exactly as many pages as the bound (seed %i)',
    async (seed) => {
      const { work, make, world, clock } = setUp(sharedStore(seed), answer, { bounds: { pages: 150 } });
      const crew = ['a', 'b', 'c', 'd'].map((part) => make({ part }));
      await openAll(clock, crew);
      await crew[0]?.add(hosts(400).map((authority) => url(`${authority}/`)));
      const ends = await Promise.all(crew.map((frontier) => work(frontier, 3_600_000, { concurrency: 8 })));
      expect(ends).toEqual(['finished', 'finished', 'finished', 'finished']);
      expect(world.log.filter(({ isRobots: robots }) => !robots)).toHaveLength(150);
      for (const frontier of crew) {
        expect(frontier.counts().pages).toBe(150);
        expect(frontier.reachedBound()).toBe('pages');
      }
      expect(new Set(crew.map((frontier) => frontier.partName())).size).toBe(4);
    },
  );

  it('reads only the counts of processes at work, however many there have been', async () => {
    const ENDED = 3_000;
    let reads = 0;
    const withMany = (nowMs: () => number): FrontierStore => {
      const store = memoryStore({ nowMs });
      const write = (key: string, value: unknown) =>
        store.writeRecord(key, new TextEncoder().encode(JSON.stringify(value)));
      return {
        ...store,
        capabilities: { ...store.capabilities, shared: true },
        open: async (request) => {
          await store.open(request);
          const names = Array.from({ length: ENDED }, (_, at) => `ended${at}`);
          await write('parts', names);
          for (const name of names) await write(`part/${name}/budget`, { pages: 1, bytes: 2, beat: 3, isOver: true });
        },
        readRecord: (key) => {
          reads += key.startsWith('part/ended') ? 1 : 0;
          return store.readRecord(key);
        },
      };
    };
    const { make, clock } = setUp(withMany, answer, { bounds: { pages: 5_000 } });
    const frontier = make({ part: 'ours' });
    await openAll(clock, [frontier]);
    expect(frontier.counts().pages).toBe(ENDED);
    const readAtFirst = reads;
    const later = async (ms: number) => {
      clock.advance(ms);
      for (let turns = 0; turns < 20_000; turns += 1) await null;
    };
    for (let seconds = 0; seconds < 10; seconds += 1) await later(1_000);
    expect(reads - readAtFirst).toBe(0);
    for (let seconds = 0; seconds < 30; seconds += 1) await later(1_000);
    expect(reads - readAtFirst).toBe(ENDED);
    expect(frontier.used().bytes).toBe(2 * ENDED);
  });

  it('the counts of processes that ended long ago are merged, and nothing is lost', async () => {
    const GONE = 400;
    const { make, clock, store } = setUp(sharedStore(21), answer, {
      bounds: { pages: 5_000 },
      mergeParts: { totals: (values) => new Uint8Array([values.reduce((sum, [value = 0]) => sum + value, 0)]) },
    });
    const write = (key: string, value: unknown) =>
      store.writeRecord(key, new TextEncoder().encode(JSON.stringify(value)));
    await store.open({ crawl: 'crawl', create: true });
    const names = Array.from({ length: GONE }, (_, at) => `gone${at}`);
    await write('parts', names);
    for (const [at, name] of names.entries()) {
      const account = { pages: 2, bytes: 3, runningMs: 1_000 + at, granted: 9, beat: 4, isOver: at % 2 === 0 };
      await write(`part/${name}/budget`, account);
      if (at < 100) await store.writeRecord(`part/${name}/owner/totals`, new Uint8Array([1]));
    }
    const mortal = stoppableClock(clock);
    const crew = [make({ part: 'one' }), make({ part: 'two' }), make({ part: 'three', clock: mortal.clock })];
    await openAll(clock, crew);
    await crew[2]!.writePart('totals', new Uint8Array([7]));
    mortal.stop();
    const later = async (ms: number) => {
      clock.advance(ms);
      for (let turns = 0; turns < 3_000; turns += 1) await null;
    };
    const partsNow = async (): Promise<string[]> =>
      JSON.parse(new TextDecoder().decode((await store.readRecord('parts'))!));
    expect((await partsNow()).length).toBe(GONE + 3);
    for (let seconds = 0; seconds < 640; seconds += 1) await later(1_000);
    const left = await partsNow();
    expect(left.length).toBeLessThanOrEqual(64 + 3);
    expect(left).toEqual(expect.arrayContaining(['one', 'two']));
    expect(left).not.toContain('three');
    expect(left.filter((name) => name.startsWith('merged '))).toHaveLength(1);
    for (const frontier of crew.slice(0, 2)) {
      expect(frontier.counts().pages).toBe(2 * GONE);
      expect(frontier.used().bytes).toBe(3 * GONE);
      const totals = [...(await frontier.readParts('totals')).values()].map(([value = 0]) => value);
      expect(totals.reduce((sum, value) => sum + value, 0)).toBe(107);
    }
    // A process that starts under an old name starts from zero; one that wakes up cannot continue.
    const again = make({ part: 'gone7' });
    await openAll(clock, [again]);
    expect(again.counts().pages).toBe(2 * GONE);
    await expect(crew[2]!.recount()).rejects.toThrow(/account was closed/);
  });

  it('the grant of a dead process is free again when it has been silent for long enough', async () => {
    const { work, make, world, clock } = setUp(sharedStore(7), answer, { bounds: { pages: 20 } });
    const mortal = stoppableClock(clock);
    const first = make({ part: 'first', clock: mortal.clock });
    await first.open();
    await first.add(hosts(60).map((authority) => url(`${authority}/`)));
    let finished = 0;
    const links = () => {
      finished += 1;
      return [];
    };
    await work(first, 60_000, { concurrency: 1, isStopped: () => finished >= 3, links });
    mortal.stop();
    const diedMs = clock.nowMs();
    const second = make({ part: 'second' });
    await second.open();
    expect(await second.take(4)).toEqual([]);
    expect(await second.nextAt()).not.toBeNull();
    await work(second, 3_600_000);
    expect(clock.nowMs() - diedMs).toBeGreaterThanOrEqual(PART_SILENT_MS);
    expect(second.reachedBound()).toBe('pages');
    expect(world.log.filter(({ isRobots: robots }) => !robots).length).toBeGreaterThanOrEqual(20);
    expect(second.counts().pages).toBe(20);
  });

  it('a process that continues under its name keeps its counts and its grant', async () => {
    const { work, make, clock, world } = setUp(sharedStore(9), answer, { bounds: { pages: 10 } });
    const mortal = stoppableClock(clock);
    const first = make({ part: 'only', clock: mortal.clock });
    await first.open();
    await first.add(hosts(30).map((authority) => url(`${authority}/`)));
    await work(first, 60_000, { concurrency: 1, isStopped: () => world.log.length >= 8 });
    mortal.stop();
    const again = make({ part: 'only' });
    await again.open();
    await work(again, 3_600_000);
    expect(again.counts().pages).toBe(10);
  });

  it('the running time of simultaneous processes counts once', async () => {
    const { make, clock } = setUp(sharedStore(11), answer, { bounds: { minutes: 10 } });
    const [one, two] = [make({ part: 'one' }), make({ part: 'two' })];
    const pass = async (ms: number) => {
      clock.advance(ms);
      for (let turns = 0; turns < 400; turns += 1) await null;
    };
    await one.open();
    await pass(60_000);
    await pass(1_000);
    await two.open();
    await pass(60_000);
    await pass(1_000);
    await one.close();
    await pass(60_000);
    await pass(1_000);
    expect(two.counts().runningMs).toBeGreaterThan(179_000);
    expect(two.counts().runningMs).toBeLessThan(185_000);
    await two.close();
  });

  it('a process without a name takes over a free part', async () => {
    const { make } = setUp(sharedStore(13), answer);
    const [one, two] = [make(), make()];
    await one.open();
    await two.open();
    expect(one.partName()).not.toBe(two.partName());
    await two.close();
    const three = make();
    await three.open();
    expect(three.partName()).toBe(two.partName());
  });

  it('parts of a record are read together and never overwrite each other', async () => {
    const { make, clock } = setUp(sharedStore(15), answer);
    const [one, two] = [make({ part: 'one' }), make({ part: 'two' })];
    await openAll(clock, [one, two]);
    await Promise.all([one.writePart('totals', new Uint8Array([1])), two.writePart('totals', new Uint8Array([2]))]);
    expect([...(await one.readParts('totals'))].map(([part, [value]]) => `${part} ${value}`).sort()).toEqual([
      'one 1',
      'two 2',
    ]);
  });

  it('the lock of the crawl is not one of its hosts', async () => {
    const { make } = setUp(sharedStore(17), answer, { bounds: { pages: 3 } });
    const frontier = make();
    await frontier.open();
    await frontier.add([url('http://a.test/')]);
    await frontier.close();
    const again = make();
    await again.open();
    expect(again.counts().hosts).toBe(1);
  });

  it('one process at a time has the lock, and the one that waits gets it next', async () => {
    const { store, clock } = setUp(sharedStore(19), answer);
    await store.open({ crawl: 'crawl', create: true });
    const locks = [0, 1, 2].map(() => createCrawlLock(store, clock, () => 0.5));
    let inside = 0;
    let maxAtOnce = 0;
    const act = async (): Promise<void> => {
      inside += 1;
      maxAtOnce = Math.max(maxAtOnce, inside);
      for (let turns = 0; turns < 20; turns += 1) await null;
      inside -= 1;
    };
    let isOver = false;
    const all = Promise.all(locks.map((lock) => lock.exclusively(act))).then(() => {
      isOver = true;
    });
    await turnsUntil(clock, () => isOver);
    await all;
    expect(maxAtOnce).toBe(1);
  });
});
