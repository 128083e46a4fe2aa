// At stake: a stop must let work in flight finish, and must not wait for it for ever.

import { getMaxListeners } from 'node:events';
import { createManualClock } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { MAX_HANDLED_PAGES, STOP_GRACE_MS } from './limits.js';
import { RunStop } from './run-stop.js';

it('first waits, then aborts when the grace period is over', () => {
  const clock = createManualClock();
  let calls = 0;
  const stop = new RunStop(clock);
  stop.onRequest = () => {
    calls += 1;
  };
  stop.request();
  clock.advance(STOP_GRACE_MS - 1);
  expect([calls, stop.isRequested, stop.signal.aborted]).toEqual([1, true, false]);
  clock.advance(1);
  expect([calls, stop.signal.aborted]).toEqual([1, true]);
});

it('aborts at once when it is called twice', () => {
  const stop = new RunStop(createManualClock());
  stop.request();
  stop.request();
  expect(stop.signal.aborted).toBe(true);
});

it('keeps the first reason of user code, and does not treat a second one as an immediate stop', () => {
  const stop = new RunStop(createManualClock());
  expect(stop.reason).toBeNull();
  stop.requestFor('a new layout');
  stop.requestFor('a new layout, too');
  expect([stop.isRequested, stop.signal.aborted, stop.reason]).toEqual([true, false, 'a new layout']);
});

it('has no reason of user code if a person stopped the run first', () => {
  const stop = new RunStop(createManualClock());
  stop.request();
  stop.requestFor('late');
  expect([stop.signal.aborted, stop.reason]).toEqual([false, null]);
});

it('leaves no timer when the run has ended', () => {
  const clock = createManualClock();
  const stop = new RunStop(clock);
  stop.request();
  stop.markOver();
  stop.request();
  expect(clock.nextTimerAt()).toBeNull();
  expect(stop.signal.aborted).toBe(false);
});

it('aborts at its second call while the run closes, and not by itself', () => {
  const clock = createManualClock();
  const stop = new RunStop(clock);
  stop.closing();
  stop.requestFor('too late');
  stop.request();
  expect([clock.nextTimerAt(), stop.signal.aborted, stop.reason]).toEqual([null, false, null]);
  stop.request();
  expect(stop.signal.aborted).toBe(true);
});

it('sets no timer when it is called after the run', () => {
  const clock = createManualClock();
  const stop = new RunStop(clock);
  stop.onRequest = () => expect.unreachable();
  stop.markOver();
  stop.request();
  expect(clock.nextTimerAt()).toBeNull();
});

it('allows every handler to listen at once', () => {
  expect(getMaxListeners(new RunStop(createManualClock()).signal)).toBeGreaterThan(MAX_HANDLED_PAGES);
});
