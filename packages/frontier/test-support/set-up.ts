// For tests: a frontier on a memory store with a manual clock, and a world for it to crawl.

import { type Clock, createManualClock } from '../src/clock.js';
import { createFrontier, type Frontier } from '../src/frontier.js';
import type { FrontierEvent, HostWarning, UrlVerdict } from '../src/frontier-event.js';
import type { FrontierOptions } from '../src/options/options.js';
import { aroundStoreVerbs } from '../src/records/store-guard.js';
import type { FrontierStore } from '../src/store.js';
import { memoryStore } from '../src/stores/memory.js';
import type { NewUrl } from '../src/url-record.js';
import { createFakeWorld, type Reply, type WorkerOptions } from './fake-world.js';

export function url(address: string, more: Partial<NewUrl> = {}): NewUrl {
  return { url: address, depth: 0, via: 'seed', ...more };
}

export function isRobots(address: string): boolean {
  return new URL(address).pathname === '/robots.txt';
}

/** A store that stays open when frontiers open and close it. */
export function reopenableStore(store: FrontierStore): FrontierStore {
  let opened: Promise<void> | null = null;
  return {
    ...store,
    open(request) {
      opened ??= store.open(request);
      return opened;
    },
    close: async () => undefined,
  };
}

/** A store whose verbs take a few turns of the event loop, so that concurrent calls interleave. */
export function interleavingStore(store: FrontierStore, random: () => number): FrontierStore {
  const delayed = async <T>(verb: () => Promise<T>): Promise<T> => {
    for (let turns = Math.floor(random() * 8); turns > 0; turns -= 1) await null;
    const answer = await verb();
    for (let turns = Math.floor(random() * 8); turns > 0; turns -= 1) await null;
    return answer;
  };
  return { ...aroundStoreVerbs(store, delayed), capabilities: { ...store.capabilities, shared: true } };
}

/** A memory store that several processes share; its answers take random turns, which `seed` determines. */
export const sharedStore = (seed: number) => (nowMs: () => number) => {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return interleavingStore(memoryStore({ nowMs }), random);
};

/** A clock whose timers can be stopped, like that of a process that is stopped or killed. */
export function stoppableClock(clock: Clock): { readonly clock: Clock; readonly stop: () => void } {
  let isStopped = false;
  return {
    clock: { nowMs: () => clock.nowMs(), after: (ms, fn) => clock.after(ms, () => (isStopped ? undefined : fn())) },
    stop: () => {
      isStopped = true;
    },
  };
}

/** Everything that a test needs. `makeStore` gets the test's clock. */
export function setUp(
  makeStore: (nowMs: () => number) => FrontierStore,
  answer: (address: string, nth: number, nowMs: number) => Reply,
  more: Partial<FrontierOptions> = {},
) {
  const clock = createManualClock();
  const events: FrontierEvent[] = [];
  const store = reopenableStore(makeStore(() => clock.nowMs()));
  const world = createFakeWorld(answer);
  /** Makes one more process on the same store. */
  const make = (other: Partial<FrontierOptions> = {}): Frontier =>
    createFrontier({
      store,
      robots: { tokens: ['testbot'] },
      clock,
      random: () => 0,
      onEvent: (event) => events.push(event),
      ...more,
      ...other,
    });
  return {
    clock,
    events,
    store,
    world,
    make,
    frontier: make(),
    work: (frontier: Frontier, forMs = 3_600_000, options: Partial<WorkerOptions> = {}) =>
      world.work(frontier, { clock, untilMs: clock.nowMs() + forMs, ...options }),
    verdicts: () => events.filter((event): event is UrlVerdict => event.kind === 'url'),
    notices: (word: HostWarning['code']) =>
      events.filter((event): event is HostWarning => event.kind === 'host' && event.code === word),
    /** The requested URLs, in order. */
    requestedUrls: () => world.log.map((seen) => seen.url),
    /** The start times of requests, from the first one. */
    startsMs: () => world.log.map((seen) => seen.startMs - world.log[0]!.startMs),
  };
}
