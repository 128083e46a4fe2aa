// A suite that passes every store is worth nothing: each deliberately broken store must fail at the invariant it
// breaks.

import { memoryStore } from '@mannerly/frontier';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { describe, expect, it } from 'vitest';
import { BROKEN_STORES, type BrokenStore } from './broken-stores.js';
import { memoryUnderTest } from './virtual-store.js';

/** Runs those tests of the suite that name the invariant; the messages of those that fail. */
async function failuresOf({ invariant, wrap }: BrokenStore): Promise<string[]> {
  const tests: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  frontierStoreSuite({
    test: (title, body) => tests.push({ title, body }),
    makeStore: async (settings) => memoryUnderTest(settings, wrap),
    capabilities: memoryStore().capabilities,
    isBounded: true,
  });
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

describe('the conformance suite', () => {
  it.each(BROKEN_STORES)('finds a store that $fault ($invariant)', async (broken) => {
    const failures = await failuresOf(broken);
    expect(failures.filter((message) => message.startsWith(broken.invariant))).not.toEqual([]);
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
    named.delete('X4'); // broken by the store that breaks A4: their tests are the same
    expect([...named].toSorted()).toEqual([...broken].toSorted());
  });
});
