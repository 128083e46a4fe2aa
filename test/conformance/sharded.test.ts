// Several stores carry one crawl. At stake: hosts of one store that wait for another one, links that are lost with a
// store that is away, and a crawl continued over other stores than it began with.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FrontierError, type FrontierStore, memoryStore, type NewEntry, shardedStore } from '@mannerly/frontier';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { fileStore } from '@mannerly/frontier/file';
import { LMDB_CAPABILITIES, lmdbStore } from '@mannerly/frontier/lmdb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aroundStore } from '../../packages/frontier/src/records/store-guard.js';
import { shardOf } from '../../packages/frontier/src/stores/sharded/placement.js';
import { memoryUnderTest, sharedUnderTest } from './virtual-store.js';

const NUMBERS = [0, 1, 2];

describe('three memory stores', () => {
  frontierStoreSuite({
    test: (title, body) => void it(title, body),
    makeStore: async () => memoryUnderTest({}, (_, nowMs) => shardedStore(NUMBERS.map(() => memoryStore({ nowMs })))),
    capabilities: memoryStore().capabilities,
  });
});

describe('three lmdb stores', () => {
  frontierStoreSuite({
    test: (title, body) => void it(title, body, 300_000),
    makeStore: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mannerly-sharded-'));
      const each = (nowMs: () => number) => (number: number) =>
        lmdbStore({ path: join(folder, String(number)), commitEveryMs: 0, nowMs });
      return sharedUnderTest(
        (nowMs) => shardedStore(NUMBERS.map(each(nowMs))),
        () => rm(folder, { recursive: true, force: true }),
      );
    },
    capabilities: LMDB_CAPABILITIES,
    modelSteps: 500,
  });
});

describe('the stores of a crawl', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mannerly-sharded-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A sharded store over files of these names. */
  const over = (names: string) =>
    shardedStore([...names].map((name) => fileStore({ path: join(folder, `${name}.jsonl`) })));
  const refusal = (names: string, create = true) =>
    over(names)
      .open({ crawl: 'docs', owner: 'test', create })
      .then(
        () => 'opened',
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      );
  const began = async () => {
    const store = over('abc');
    await store.open({ crawl: 'docs', owner: 'test', create: true });
    await store.add(Array.from({ length: 12 }, (_, number) => entry(`h${number}`)));
    await store.close();
  };

  it('are there again in their order', async () => {
    await began();
    const store = over('abc');
    await store.open({ crawl: 'docs', owner: 'test', create: false });
    expect((await store.stats()).known).toBe(12);
    await store.close();
  });

  it.each([
    ['in another order', 'bac', '"docs (1 of 3)", not "docs (2 of 3)"'],
    ['without the last', 'ab', '"docs (2 of 3)", not "docs (2 of 2)"'],
    ['with one more', 'abcd', '"docs (2 of 3)", not "docs (2 of 4)"'],
    ['one alone', 'a', '"docs (1 of 3)", not "docs"'],
    ['with the second lost', 'axc', 'holds no crawl "docs (2 of 3)"'],
    ['with the first lost', 'xbc', 'holds no crawl "docs (1 of 3)"'],
  ])('are refused %s', async (_, names, message) => {
    await began();
    const text = await refusal(names);
    expect(text).toMatch(/^store-mismatch: /);
    expect(text).toContain(message);
  });

  it('are not created where the crawl must be there', async () => {
    expect(await refusal('abc', false)).toMatch(/^store-mismatch: /);
  });

  it('have every verb', () => {
    const poor = Object.assign(memoryStore(), { overdueMs: undefined });
    expect(() => shardedStore([poor as unknown as FrontierStore])).toThrow(/`stores` .*overdueMs/);
    expect(() => shardedStore([])).toThrow(/`stores`/);
  });
});

describe('a store that does not answer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const SILENT_MS = 5_000;
  const ALL = { maxHosts: 100, entriesPerHost: 10, ttlMs: 600_000 };

  /** Three stores, the second of which answers nothing between `stop` and `goOn`, and what it was asked is done then. */
  async function opened() {
    const stores = NUMBERS.map(() => memoryStore());
    let goOn = (_?: unknown): void => undefined;
    let away: Promise<unknown> | null = null;
    const second = aroundStore(stores[1]!, async (verb) => {
      const error = await away;
      if (error !== undefined && error !== null) throw error;
      return verb();
    });
    const store = shardedStore([stores[0]!, second, stores[2]!]);
    await store.open({ crawl: 'docs', owner: 'test', create: true });
    const hosts = Array.from({ length: 30 }, (_, number) => `h${number}`);
    await store.add(hosts.map(entry));
    const isAway = (host: string) => shardOf(host, 3) === 1;
    const stop = () => {
      away = new Promise((resolve) => {
        goOn = resolve;
      });
    };
    const fail = async (error?: Error) => {
      goOn(error);
      away = null;
      await vi.advanceTimersByTimeAsync(1);
    };
    /** The answer, once the store is taken for silent. */
    const afterSilence = async <T>(asked: Promise<T>) => {
      await vi.advanceTimersByTimeAsync(SILENT_MS);
      return asked;
    };
    return {
      store,
      stop,
      fail,
      back: () => fail(),
      afterSilence,
      gone: hosts.filter(isAway),
      others: hosts.filter((one) => !isAway(one)),
    };
  }

  it('stops its own hosts only', async () => {
    const { store, stop, back, afterSilence, gone, others } = await opened();
    stop();
    const leases = await afterSilence(store.lease(ALL));
    expect(leases.map(({ host }) => host).sort()).toEqual(others.sort());
    // From here on no time passes, so no call may wait.
    expect(await store.lease(ALL)).toEqual([]);
    expect((await store.stats()).known).toBeLessThan(30);
    expect(await store.nextDueInMs()).toBe(1_000);
    const done = leases.map(({ host, fencingToken, entries }) => ({
      ...{ host, fencingToken, done: entries.map(({ id }) => id) },
      then: { release: { dueInMs: 0 } },
    }));
    expect((await store.commit(done)).hosts.every(({ ok }) => ok)).toBe(true);
    expect(await store.nextDueInMs()).toBe(1_000);
    await back();
    expect((await store.lease(ALL)).map(({ host }) => host).sort()).toEqual(gone.sort());
  });

  it('has the links that were found meanwhile when it answers again', async () => {
    const { store, stop, back, afterSilence, gone, others } = await opened();
    const leases = await store.lease(ALL);
    const there = leases.find(({ host }) => others.includes(host))!;
    const away = leases.find(({ host }) => gone.includes(host))!;
    stop();
    const commit = ({ host, fencingToken, entries }: (typeof leases)[number], links: NewEntry[]) =>
      store.commit(
        [{ host, fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } }],
        links,
      );
    const link = { ...entry('h99'), host: gone[0]!, lane: 'a', notBeforeMs: 3, body: Uint8Array.of(0, 255) };
    expect(await afterSilence(commit(there, [link]))).toEqual({ hosts: [{ ok: true, entries: [] }], links: ['new'] });
    // Its lease may have been lost with the store: the page counts as lost.
    expect((await commit(away, [])).hosts).toEqual([{ ok: false, reason: 'lost' }]);
    await back();
    const { items } = await store.scan(null, 100, gone[0]);
    expect(items.map(({ entry: { body } }) => [...body])).toContainEqual([0, 255]);
    expect((await store.listRecords!('deferred/', null, 10)).items).toEqual([]);
    // What was done is done all the same.
    expect((await store.readHost!(away.host))?.inFlight).toBe(0);
  });

  it('gets back what it granted too late', async () => {
    const { store, stop, back, afterSilence, gone } = await opened();
    stop();
    const named = afterSilence(store.lease({ ...ALL, hosts: gone.slice(0, 1) }));
    expect(await named).toEqual([]);
    await back();
    expect((await store.readHost!(gone[0]!))?.isLeased).toBe(false);
  });

  it('fails the crawl when it fails after all', async () => {
    const { store, stop, fail, afterSilence } = await opened();
    stop();
    await afterSilence(store.lease(ALL));
    await fail(new FrontierError('store-failed', 'gone for good'));
    await expect(store.lease(ALL)).rejects.toThrow('gone for good');
  });
});

function entry(host: string) {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setUint32(0, Number(host.slice(1)) + 1);
  return { host, fingerprint, priority: 4, body: new Uint8Array(1) };
}
