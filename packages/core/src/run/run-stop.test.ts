// What is at stake: a stop must let what is in flight come to its end, and must not wait for it for ever.

import { getMaxListeners } from 'node:events';
import { createManualClock } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { MAX_HANDLING, STOP_GRACE_MS } from './limits.js';
import { RunStop } from './run-stop.js';

it('asks once, then aborts when the grace is over', () => {
  const clock = createManualClock();
  let asked = 0;
  const stop = new RunStop(clock);
  stop.onRequest = () => {
    asked += 1;
  };
  stop.request();
  clock.advance(STOP_GRACE_MS - 1);
  expect([asked, stop.isRequested(), stop.signal.aborted]).toEqual([1, true, false]);
  clock.advance(1);
  expect([asked, stop.signal.aborted]).toEqual([1, true]);
});

it('aborts at once when asked twice', () => {
  const stop = new RunStop(createManualClock());
  stop.request();
  stop.request();
  expect(stop.signal.aborted).toBe(true);
});

it('keeps the first reason of user code, and takes a second one for no stop at once', () => {
  const stop = new RunStop(createManualClock());
  expect(stop.reason()).toBeNull();
  stop.requestFor('a new layout');
  stop.requestFor('a new layout, too');
  expect([stop.isRequested(), stop.signal.aborted, stop.reason()]).toEqual([true, false, 'a new layout']);
});

it('has no reason of user code when a person asked first', () => {
  const stop = new RunStop(createManualClock());
  stop.request();
  stop.requestFor('late');
  expect([stop.signal.aborted, stop.reason()]).toEqual([false, null]);
});

it('leaves no timer behind when the run is over', () => {
  const clock = createManualClock();
  const stop = new RunStop(clock);
  stop.request();
  stop.over();
  stop.request();
  expect(clock.nextTimerAt()).toBeNull();
  expect(stop.signal.aborted).toBe(false);
});

it('sets no timer when it is asked after the run', () => {
  const clock = createManualClock();
  const stop = new RunStop(clock);
  stop.onRequest = () => expect.unreachable();
  stop.over();
  stop.request();
  expect(clock.nextTimerAt()).toBeNull();
});

it('may be listened to by every handler at once', () => {
  expect(getMaxListeners(new RunStop(createManualClock()).signal)).toBeGreaterThan(MAX_HANDLING);
});
