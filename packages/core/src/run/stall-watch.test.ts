// The longest stop of a run, caused by a handler or by a page that takes long to read.

import { describe, expect, it } from 'vitest';
import { summaryText } from '../cli/summary.js';
import { StallWatch } from './stall-watch.js';

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

describe('a watch', () => {
  it('reports the longest stop while it is on', async () => {
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

  it('reports a stop at its very beginning', async () => {
    const watch = new StallWatch();
    watch.start();
    const end = performance.now() + 300;
    while (performance.now() < end);
    await pause(60);
    expect(watch.longestMs()).toBeGreaterThanOrEqual(250);
    watch.stop();
  });

  it('reports nothing before it is on', () => {
    expect(new StallWatch().longestMs()).toBe(0);
  });
});

it.each([
  [999, false],
  [1_500, true],
])('a stop of %d ms is mentioned: %s', (longestStallMs, isTold) => {
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
