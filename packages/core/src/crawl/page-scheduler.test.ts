// At stake: due requests must not wait for a burst of pages, and pages must not wait for requests for ever.
import { expect, it } from 'vitest';
import {
  MAX_PAGE_WAIT_MS,
  MAX_WAVE_PAGES,
  PAGE_MARGIN_MS,
  RECENT_EXCHANGE_MS,
  WAVE_MARGIN_MS,
  WAVE_MS,
} from './limits.js';
import { PageScheduler } from './page-scheduler.js';

/** Counts the turns of the event loop until `stop`. */
function countTurns(): { readonly count: () => number; readonly stop: () => void } {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return {
    count: () => turns,
    stop: () => {
      isOver = true;
    },
  };
}

/** Handles pages that take `pageMs` each. Returns the turn of the event loop in which each one was handled. */
async function wavesOf(pages: number, pageMs: number, dueInMs: number | null): Promise<number[]> {
  let nowMs = 1_000;
  const scheduler = new PageScheduler(() => nowMs, 100);
  scheduler.requestDueAt(dueInMs === null ? null : nowMs + dueInMs);
  const loop = countTurns();
  const seen: number[] = [];
  const work = async (page: number): Promise<void> => {
    await scheduler.next();
    seen[page] = loop.count();
    nowMs += pageMs;
    if (dueInMs !== null) scheduler.requestDueAt(nowMs + dueInMs);
  };
  await Promise.all(Array.from({ length: pages }, (_, page) => work(page)));
  loop.stop();
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  return seen;
}

it('handles pages in order, with a turn of the event loop between two long ones', async () => {
  expect(new Set(await wavesOf(20, WAVE_MS, null)).size).toBe(20);
});

it('handles a few quick pages together while no request is near', async () => {
  const seen = await wavesOf(1 + 3 * MAX_WAVE_PAGES, 0.5, null);
  // The first is handled alone, because it is not known yet how long pages take.
  expect(new Set(seen).size).toBe(4);
});

it('handles them one by one while a request is near', async () => {
  expect(new Set(await wavesOf(20, 0.5, WAVE_MARGIN_MS)).size).toBe(20);
});

it('lets a due request go first, for a bounded time', async () => {
  let nowMs = 1_000;
  const scheduler = new PageScheduler(() => nowMs, 2);
  scheduler.requestDueAt(1_000);
  let isServed = false;
  const page = scheduler.next().then(() => {
    isServed = true;
  });
  const loop = countTurns();
  while (loop.count() < 5) await new Promise(setImmediate);
  expect(isServed).toBe(false);
  nowMs += MAX_PAGE_WAIT_MS;
  await page;
  scheduler.requestDueAt(nowMs + PAGE_MARGIN_MS + 1);
  await scheduler.next();
  scheduler.requestDueAt(null);
  await scheduler.next();
  loop.stop();
});

it('handles pages when the maximum of them waits', async () => {
  const scheduler = new PageScheduler(() => 0, 2);
  scheduler.requestDueAt(0);
  const served: string[] = [];
  const pages = ['a', 'b', 'c'].map((name) => scheduler.next().then(() => served.push(name)));
  await Promise.all(pages.slice(0, 2));
  expect(served).toEqual(['a', 'b']);
  scheduler.requestDueAt(null);
  await pages[2];
});

it('waits a moment for an answer that is about to arrive', async () => {
  let nowMs = 1_000;
  const scheduler = new PageScheduler(() => nowMs, 10);
  const over = scheduler.exchangeStarted();
  let isServed = false;
  const page = scheduler.next().then(() => {
    isServed = true;
  });
  const loop = countTurns();
  while (loop.count() < 5) await new Promise(setImmediate);
  expect(isServed).toBe(false);
  over();
  over();
  await page;
  scheduler.exchangeStarted();
  nowMs += RECENT_EXCHANGE_MS;
  await scheduler.next();
  loop.stop();
});
