// When verbs wait for a common commit. Waiting verbs delay the start of a crawl, which calls many of them one by one;
// commits that never wait cost a running crawl too much time.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GroupCommit } from './group-commit.js';

const EVERY_MS = 50;
let nowMs = 0;

beforeEach(() => {
  nowMs = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Calls verbs one after the other, each after the last commit. @returns The pause before each, milliseconds. */
async function pausesOf(verbs: number, commitMs: number, before: GroupCommit | null = null): Promise<number[]> {
  const group = before ?? new GroupCommit((run) => run(), EVERY_MS);
  const pauses: number[] = [];
  for (let verb = 0; verb < verbs; verb += 1) {
    const done = group.submit(() => (nowMs += commitMs), 1, 'later');
    const pauseMs = group.dueInMs;
    pauses.push(pauseMs);
    nowMs += pauseMs;
    if (pauseMs > 0) vi.runAllTimers();
    await done;
  }
  return pauses;
}

describe('commits one by one', () => {
  it('do not wait at first, and later take at most a twentieth of the time', async () => {
    const pauses = await pausesOf(100, 1);
    expect(pauses.slice(0, 50).every((ms) => ms === 0)).toBe(true);
    expect(pauses.slice(60).every((ms) => ms === 19)).toBe(true);
  });

  it('do not wait after a second without commits, and never wait longer than the maximum', async () => {
    const group = new GroupCommit((run) => run(), EVERY_MS);
    expect(await pausesOf(30, 10, group)).toContain(EVERY_MS);
    nowMs += 1_000 + EVERY_MS;
    expect((await pausesOf(5, 10, group)).every((ms) => ms === 0)).toBe(true);
    expect(Math.max(...(await pausesOf(30, 10, group)))).toBe(EVERY_MS);
  });
});
