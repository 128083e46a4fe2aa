// Several stores hold one crawl. At stake: hosts of one store that wait for another one, links that are lost with a
// store that is away, and a crawl that continues on other stores than it began with.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FrontierStore, memoryStore, shardedStore } from '@mannerly/frontier';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { LMDB_CAPABILITIES, lmdbStore } from '@mannerly/frontier/lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
    // X4: costs are those of three memory stores, and of one lmdb store.
    without: ['D1', 'X4'],
    modelSteps: 500,
  });
});

describe('the stores of a crawl', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mannerly-sharded-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A sharded store with one shard per letter, each in the folder of that name. */
  const over = (names: string) => shardedStore([...names].map((name) => lmdbStore({ path: join(folder, name) })));
  const refusal = (names: string, create = true) =>
    over(names)
      .open({ crawl: 'docs', create })
      .then(
        () => 'opened',
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      );
  const began = async () => {
    const store = over('abc');
    await store.open({ crawl: 'docs', create: true });
    await store.add(Array.from({ length: 12 }, (_, number) => entry(`h${number}`)));
    await store.close();
  };

  it('are found again in their order', async () => {
    await began();
    const store = over('abc');
    await store.open({ crawl: 'docs', create: false });
    expect((await store.stats()).known).toBe(12);
    await store.close();
  });

  it.each([
    ['in another order', 'bac', '"docs (1 of 3)", not "docs (2 of 3)"'],
    ['without the last', 'ab', '"docs (2 of 3)", not "docs (2 of 2)"'],
    ['with one more', 'abcd', '"docs (2 of 3)", not "docs (2 of 4)"'],
    ['one alone', 'a', '"docs (1 of 3)", not "docs"'],
    ['with the second lost', 'axc', 'there is no store in'],
    ['with the first lost', 'xbc', 'there is no store in'],
  ])('are refused %s', async (_, names, message) => {
    await began();
    const text = await refusal(names);
    expect(text).toMatch(/^store-mismatch: /);
    expect(text).toContain(message);
  });

  it('are not created if the crawl must exist', async () => {
    expect(await refusal('abc', false)).toMatch(/^store-mismatch: /);
  });

  it('must have every verb', () => {
    const poor = Object.assign(memoryStore(), { overdueMs: undefined });
    expect(() => shardedStore([poor as unknown as FrontierStore])).toThrow(/`stores` .*overdueMs/);
    expect(() => shardedStore([])).toThrow(/`stores`/);
  });
});

function entry(host: string) {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setUint32(0, Number(host.slice(1)) + 1);
  return { host, fingerprint, priority: 4, body: new Uint8Array(1) };
}
