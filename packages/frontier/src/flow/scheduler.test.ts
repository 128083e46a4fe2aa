// What the timers of a frontier write to its store.

import { expect, it } from 'vitest';
import { interleavingStore, setUp } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

it('does not queue writes of its counts while a store does not answer', async () => {
  let isStuck = false;
  let writes = 0;
  const free: (() => void)[] = [];
  const { frontier, clock } = setUp(
    (nowMs) => {
      const store = interleavingStore(memoryStore({ nowMs }), () => 0);
      return {
        ...store,
        async writeRecord(key, value) {
          if (isStuck) {
            writes += 1;
            await new Promise<void>((resolve) => free.push(resolve));
          }
          return store.writeRecord(key, value);
        },
      };
    },
    () => ({ status: 404 }),
    { bounds: { pages: 10 } },
  );
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      for (let turns = 0; turns < 50; turns += 1) await null;
    }
  };
  await frontier.open();
  isStuck = true;
  await pass(60);
  expect(writes).toBe(1);
  isStuck = false;
  for (const answer of free) answer();
  await pass(2);
  isStuck = true;
  await pass(2);
  // Writing continues when the store answers again.
  expect(writes).toBe(2);
  isStuck = false;
  for (const answer of free) answer();
  await frontier.close();
});
