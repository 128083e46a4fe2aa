// A repeated task of a run must not end the process when a server or a disk fails: the run ends properly.

import { createManualClock, FrontierError } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { MannerlyError } from '../errors.js';
import { repeatEvery } from './repeat-every.js';

const settled = () => new Promise((done) => setImmediate(done));

it.each([new FrontierError('store-failed', 'the server is away'), new MannerlyError('log-failed', 'the disk is full')])(
  'continues after %s, without an unhandled rejection',
  async (error) => {
    const clock = createManualClock();
    let acts = 0;
    const end = repeatEvery(clock, 1_000, () => {
      acts += 1;
      return Promise.reject(error);
    });
    for (const times of [1, 2]) {
      clock.advance(1_000);
      await settled();
      expect(acts).toBe(times);
    }
    end();
    clock.advance(1_000);
    expect(acts).toBe(2);
  },
);
