// What is at stake: a fetcher that never answers must not hold a run that was stopped at once.

import { expect, it, vi } from 'vitest';
import { untilStopped } from './checked-outcome.js';
import { FETCHER_STOP_MS } from './limits.js';

const never = new Promise<string>(() => undefined);

it.each([
  ['before', true],
  ['after', false],
])('gives up a fetcher that does not answer, where the abort came %s the call', async (_when, isAborted) => {
  vi.useFakeTimers();
  try {
    const stop = new AbortController();
    if (isAborted) stop.abort();
    const answer = untilStopped(never, stop.signal);
    const refused = expect(answer).rejects.toThrow('`fetch` had not ended 5 s after its abort');
    stop.abort();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(FETCHER_STOP_MS);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('passes what comes in time, and leaves no timer', async () => {
  vi.useFakeTimers();
  try {
    const stop = new AbortController();
    stop.abort();
    expect(await untilStopped(Promise.resolve('a page'), stop.signal)).toBe('a page');
    await expect(untilStopped(Promise.reject(new Error('gone')), stop.signal)).rejects.toThrow('gone');
    expect(await untilStopped(Promise.resolve('another'), new AbortController().signal)).toBe('another');
    await Promise.resolve();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
