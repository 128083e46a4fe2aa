// At stake: a wake-up that comes while the loop is busy must not be missed, and an early timer must not cause a busy
// loop.
import type { Clock } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import { Wakeup } from './wakeup.js';

/** A clock whose timers a test fires. */
function handClock(): Clock & { timers: { ms: number; fire: () => void }[]; cancelled: number } {
  const timers: { ms: number; fire: () => void }[] = [];
  const clock = {
    timers,
    cancelled: 0,
    nowMs: () => 1000,
    after(ms: number, fire: () => void) {
      timers.push({ ms, fire });
      return () => {
        clock.cancelled += 1;
      };
    },
  };
  return clock;
}

describe('the wake-up', () => {
  it('ends a sleep at its time', async () => {
    const clock = handClock();
    const sleep = new Wakeup(clock).sleep(1500);
    expect(clock.timers.map((timer) => timer.ms)).toEqual([500]);
    clock.timers[0]?.fire();
    await sleep;
  });

  it('ends a sleep early, and removes its timer', async () => {
    const clock = handClock();
    const wakeup = new Wakeup(clock);
    const sleep = wakeup.sleep(1500);
    wakeup.wake();
    await sleep;
    expect(clock.cancelled).toBe(1);
  });

  it('remembers a wake-up that came between two sleeps, once', async () => {
    const clock = handClock();
    const wakeup = new Wakeup(clock);
    wakeup.wake();
    await wakeup.sleep(null);
    let ended = false;
    const second = wakeup.sleep(null).then(() => {
      ended = true;
    });
    await Promise.resolve();
    expect(ended).toBe(false);
    wakeup.wake();
    await second;
  });

  it('never makes a timer of less than a millisecond or more than Node can count', () => {
    const clock = handClock();
    void new Wakeup(clock).sleep(900);
    void new Wakeup(clock).sleep(1e15);
    expect(clock.timers.map((timer) => timer.ms)).toEqual([1, 2 ** 31 - 1]);
  });
});
