// A crawl bounded by minutes must not become endless if it is killed again and again, and one bounded by pages must not
// become shorter.

import { expect, it } from 'vitest';
import { setUp, stoppableClock, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

it('the running time of a killed process counts, except for the last second', async () => {
  const { clock, store, make } = setUp(
    (nowMs) => {
      const kept = memoryStore({ nowMs });
      return { ...kept, capabilities: { ...kept.capabilities, durable: 'process' } };
    },
    () => ({ status: 404 }),
    { bounds: { minutes: 1 } },
  );
  for (let kill = 0; kill < 10; kill += 1) {
    const mortal = stoppableClock(clock);
    const frontier = make({ store, clock: mortal.clock });
    await frontier.open();
    expect(frontier.reachedBound()).toBeNull();
    await frontier.add([url(`http://a.test/${kill}`)]);
    for (let second = 0; second < 7; second += 1) {
      clock.advance(1_000);
      for (let turn = 0; turn < 20; turn += 1) await null;
    }
    clock.advance(900);
    mortal.stop();
    clock.advance(3_600_000);
    const counted = make({ store, clock: mortal.clock });
    await counted.open();
    expect(counted.counts().runningMs).toBeGreaterThanOrEqual((kill + 1) * 7_000);
    expect(counted.counts().runningMs).toBeLessThanOrEqual((kill + 1) * 7_900);
    if (counted.reachedBound() === 'minutes') {
      expect(kill).toBe(8);
      return;
    }
  }
  throw new Error('ten runs of eight seconds did not come to a minute');
});
