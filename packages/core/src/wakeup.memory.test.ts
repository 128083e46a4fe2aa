// At stake: the memory of a crawl that waits for hours, and the time of one that does not.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LONG_WAIT_MS } from './limits.js';

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

it('collects garbage only before a long wait', async () => {
  const { releaseMemory } = await import('./wakeup.js');
  const gc = vi.fn();
  vi.stubGlobal('gc', gc);
  releaseMemory(LONG_WAIT_MS - 1);
  expect(gc).not.toHaveBeenCalled();
  releaseMemory(LONG_WAIT_MS);
  expect(gc).toHaveBeenCalledTimes(1);
});

it('does without it if the process has no collector', async () => {
  const { releaseMemory } = await import('./wakeup.js');
  vi.stubGlobal('gc', undefined);
  expect(() => releaseMemory(LONG_WAIT_MS)).not.toThrow();
});

it('collects what no one holds, as the lean engine has it', async () => {
  await import('./v8-flags.js');
  const { releaseMemory } = await import('./wakeup.js');
  vi.stubGlobal('gc', undefined);
  const held = { text: 'held' };
  const [kept, left] = [new WeakRef(held), weakly('left')];
  // A WeakRef keeps its target alive until the turn ends.
  await new Promise(setImmediate);
  releaseMemory(LONG_WAIT_MS);
  expect(left.deref()).toBeUndefined();
  expect(kept.deref()).toBe(held);
});

/** A call of its own, so that no live stack frame holds the object. */
function weakly(text: string): WeakRef<{ text: string }> {
  return new WeakRef({ text });
}
