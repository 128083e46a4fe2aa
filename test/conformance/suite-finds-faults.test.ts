// A suite that passes every store is worth nothing: each deliberately broken store must fail at the invariant it
// breaks.

import { type FrontierStore, memoryStore } from '@mannerly/frontier';
import { frontierStoreSuite, type StoreUnderTest } from '@mannerly/frontier/conformance';
import { describe, expect, it } from 'vitest';
import { BROKEN_STORES } from './broken-stores.js';
import { FORGETFUL_STORES, type ForgetfulStore } from './forgetful-stores.js';
import { memoryUnderTest } from './virtual-store.js';

/** Runs the tests of the suite that name the invariant. Returns the messages of those that fail. */
async function failuresOf(
  invariant: string,
  options: Pick<Parameters<typeof frontierStoreSuite>[0], 'makeStore' | 'capabilities' | 'isBounded'>,
): Promise<string[]> {
  const tests: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  frontierStoreSuite({ test: (title, body) => tests.push({ title, body }), ...options });
  const failures: string[] = [];
  for (const { body } of tests.filter((one) => one.title.split(/[ ,]+/).includes(invariant))) {
    try {
      await body();
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return failures;
}

const { capabilities } = memoryStore();

/** A memory store that outlives its clients; `reopen` wraps it in another store. */
async function keptInMemory(
  settings: { readonly maxQueued?: number },
  reopen: ForgetfulStore['reopen'],
): Promise<StoreUnderTest> {
  let now = 0;
  const kept = memoryStore({ ...settings, nowMs: () => now });
  const client = (store: FrontierStore, open: () => Promise<void>): FrontierStore => ({
    ...store,
    open,
    close: async () => undefined,
  });
  return {
    store: client(kept, () => kept.open({ crawl: 'kept', create: true })),
    nowMs: () => now,
    advance: async (ms) => {
      now += ms;
    },
    reopen: async () =>
      client(
        reopen(kept, () => {
          now += 1_000_000;
        }),
        async () => undefined,
      ),
    dispose: () => kept.close(),
  };
}

describe('the conformance suite', () => {
  it.each(BROKEN_STORES)('finds a store that $fault ($invariant)', async (broken) => {
    const makeStore = async (settings: { readonly maxQueued?: number }) => memoryUnderTest(settings, broken.wrap);
    const failures = await failuresOf(broken.invariant, { makeStore, capabilities, isBounded: true });
    expect(failures.filter((message) => message.startsWith(broken.invariant))).not.toEqual([]);
  });

  it.each(FORGETFUL_STORES)('finds a store that $fault when it is opened again ($invariant)', async (forgetful) => {
    const failures = await failuresOf(forgetful.invariant, {
      makeStore: (settings) => keptInMemory(settings, forgetful.reopen),
      capabilities: { ...capabilities, durable: 'process' },
    });
    expect(failures.filter((message) => message.includes('after a reopen'))).not.toEqual([]);
  });

  it('passes a store that has forgotten nothing when it is opened again', async () => {
    const makeStore = (settings: { readonly maxQueued?: number }) => keptInMemory(settings, (kept) => kept);
    const durable = { makeStore, capabilities: { ...capabilities, durable: 'process' as const } };
    for (const { invariant } of FORGETFUL_STORES) expect(await failuresOf(invariant, durable)).toEqual([]);
  });

  it('has nothing against a store that counts more than it has to', async () => {
    const wrap = (store: FrontierStore): FrontierStore => {
      const { stats } = store;
      return Object.assign(store, { stats: async () => ({ ...(await stats()), leased: 0 }) });
    };
    const makeStore = async (settings: { readonly maxQueued?: number }) => memoryUnderTest(settings, wrap);
    expect(await failuresOf('C2', { makeStore, capabilities, isBounded: true })).toEqual([]);
  });

  it('has a broken store for every invariant', () => {
    const broken = new Set(BROKEN_STORES.map(({ invariant }) => invariant));
    const named = new Set<string>();
    frontierStoreSuite({
      test: (title) => {
        for (const word of title.split(/[ ,]+/)) if (/^[A-Z]\d$/.test(word)) named.add(word);
      },
      makeStore: async (settings) => memoryUnderTest(settings),
      capabilities: memoryStore().capabilities,
      isBounded: true,
    });
    named.delete('X4'); // the store that breaks A4 breaks it: both have the same tests
    expect([...named].toSorted()).toEqual([...broken].toSorted());
  });
});
