// Stores for the conformance suite, on a virtual clock.

import { type FrontierStore, memoryStore } from '@mannerly/frontier';
import type { StoreUnderTest } from '@mannerly/frontier/conformance';

/** Far from the wall clock, so that a timestamp that is used as a duration shows. */
const START_MS = Date.UTC(2020, 0, 1);

/** A memory store, perhaps wrapped in another store. */
export function memoryUnderTest(
  settings: { readonly maxQueued?: number },
  wrap: (store: FrontierStore, nowMs: () => number, spend: (ms: number) => void) => FrontierStore = (store) => store,
): StoreUnderTest {
  let now = START_MS;
  let spentMs = 0;
  const nowMs = () => now;
  const spend = (ms: number) => {
    spentMs += ms;
  };
  return {
    store: wrap(memoryStore({ ...settings, nowMs }), nowMs, spend),
    nowMs,
    costNowMs: () => performance.now() + spentMs,
    advance: async (ms) => {
      now += ms;
    },
    dispose: async () => undefined,
  };
}

/**
 * A store that can be opened again on the same data.
 *
 * @param make - Makes another client of the data.
 * @param dispose - Removes the data.
 */
export function keptUnderTest(
  make: (nowMs: () => number) => FrontierStore,
  dispose: () => Promise<void>,
): StoreUnderTest & Required<Pick<StoreUnderTest, 'reopen'>> {
  let now = START_MS;
  const nowMs = () => now;
  return {
    store: make(nowMs),
    nowMs,
    advance: async (ms) => {
      now += ms;
    },
    reopen: async () => make(nowMs),
    dispose,
  };
}

/** The same for a store that several clients may use at a time. */
export function sharedUnderTest(...parts: Parameters<typeof keptUnderTest>): StoreUnderTest {
  const test = keptUnderTest(...parts);
  return { ...test, connect: test.reopen };
}
