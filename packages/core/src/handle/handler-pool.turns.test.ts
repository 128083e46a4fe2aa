// At stake: handlers start one after the other without waiting for each other.

import { describe, expect, it } from 'vitest';
import { createTurns } from './handler-pool.js';

describe('starting in turn', () => {
  it('starts the next when the one before has ended, even if all were requested at once', async () => {
    const start = createTurns();
    const events: string[] = [];
    const handler = (name: string) => async () => {
      events.push(`${name} starts`);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      events.push(`${name} ends`);
      return name;
    };
    expect(await Promise.all(['a', 'b', 'c'].map((name) => start(handler(name))))).toEqual(['a', 'b', 'c']);
    expect(events).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
  });

  it('does not wait for one that waits for something outside', async () => {
    const start = createTurns();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = start(() => opened);
    // Only the second one opens the gate for the first.
    await start(async () => open());
    await first;
  });

  it('continues after one that fails, at once or later', async () => {
    const start = createTurns();
    const failed = [
      start(() => {
        throw new Error('at once');
      }),
      start(async () => {
        throw new Error('later');
      }),
    ];
    const last = start(async () => 'last');
    expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await last).toBe('last');
  });
});
