// The longest stop of a run, by a handler and by a page that is one long piece of work.

import { describe, expect, it } from 'vitest';
import { summaryText } from '../cli/summary.js';
import { StallWatch } from './stall-watch.js';

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

describe('a watch', () => {
  it('tells the longest stop while it is on', async () => {
    const watch = new StallWatch();
    watch.start();
    await pause(60);
    expect(watch.longestMs()).toBeLessThan(400);
    const end = performance.now() + 500;
    while (performance.now() < end);
    await pause(60);
    expect(watch.longestMs()).toBeGreaterThanOrEqual(450);
    watch.stop();
  });

  it('tells a stop at its very beginning', async () => {
    const watch = new StallWatch();
    watch.start();
    const end = performance.now() + 300;
    while (performance.now() < end);
    await pause(60);
    expect(watch.longestMs()).toBeGreaterThanOrEqual(250);
    watch.stop();
  });

  it('has nothing to tell before it is on', () => {
    expect(new StallWatch().longestMs()).toBe(0);
  });
});

it.each([
  [999, false],
  [1_500, true],
])('a stop of %d ms is worth a word: %s', (longestStallMs, isTold) => {
  const nothing = {
    outcomes: {},
    politeness: [],
    waiting: [],
    scopeMoves: [],
    traps: [],
    relaxedDefaults: [],
    bounds: [],
  };
  const counts = { pages: 1, requests: 1, items: 0, runningMs: 1, queued: 0, bound: null, state: 'finished' as const };
  const report = { ...nothing, ...counts, longestStallMs } as unknown as Parameters<typeof summaryText>[0];
  expect(/Longest stall: 1\.5 s/.test(summaryText(report))).toBe(isTold);
});
