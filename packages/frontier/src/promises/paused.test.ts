// During a pause, no request is sent. And it must cost the crawl nothing: no lease, no minute of its bound, no work in
// flight.

import { describe, expect, it } from 'vitest';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const MINUTE_MS = 60_000;

function paused(bounds: { readonly minutes?: number } = {}) {
  return setUp(
    (nowMs) => memoryStore({ nowMs }),
    (address) => (isRobots(address) ? { status: 404 } : { status: 200, body: 'page' }),
    { bounds: bounds.minutes === undefined ? {} : { minutes: bounds.minutes } },
  );
}

describe('a frontier that is paused', () => {
  it('hands out neither pages nor other requests until it is resumed', async () => {
    const { frontier, work, requestedUrls, clock } = paused();
    await frontier.open();
    await frontier.add([url('http://a.test/1'), url('http://b.test/1')]);
    frontier.pause();
    frontier.pause();
    expect(frontier.isPaused()).toBe(true);
    const own = frontier.ask(url('http://c.test/own', { via: 'handler' }), clock.nowMs() + 500);
    expect(await frontier.take(10)).toEqual([]);
    clock.advance(MINUTE_MS);
    expect(await frontier.take(10)).toEqual([]);
    expect(await own).toMatchObject({ kind: 'held' });
    expect(requestedUrls()).toEqual([]);
    frontier.resume();
    expect(frontier.isPaused()).toBe(false);
    expect(await work(frontier, MINUTE_MS)).toBe('finished');
    expect(requestedUrls().filter((address) => !isRobots(address))).toEqual(['http://a.test/1', 'http://b.test/1']);
  });

  it('keeps its leases, and settles work in flight', async () => {
    const { frontier, work, clock, make, requestedUrls } = paused();
    await frontier.open();
    await frontier.add([url('http://a.test/1')]);
    const [robots] = await frontier.take(1);
    expect(robots).toMatchObject({ kind: 'robots' });
    frontier.pause();
    // Long after an unrenewed lease would have ended.
    for (let minute = 0; minute < 30; minute += 1) {
      clock.advance(MINUTE_MS);
      await new Promise(setImmediate);
    }
    const other = make();
    await other.open();
    expect(await other.take(5)).toEqual([]);
    expect(requestedUrls()).toEqual([]);
    expect(await frontier.settle(robots!, { kind: 'returned', untilMs: null })).toBe('ok');
    frontier.resume();
    expect(await work(frontier, MINUTE_MS)).toBe('finished');
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test/1']);
  });

  it('uses up no minutes', async () => {
    const { frontier, clock } = paused({ minutes: 10 });
    await frontier.open();
    clock.advance(4 * MINUTE_MS);
    frontier.pause();
    clock.advance(100 * MINUTE_MS);
    expect(frontier.counts().runningMs).toBe(4 * MINUTE_MS);
    expect(frontier.reachedBound()).toBeNull();
    frontier.resume();
    clock.advance(5 * MINUTE_MS);
    expect(frontier.counts().runningMs).toBe(9 * MINUTE_MS);
    frontier.pause();
    clock.advance(MINUTE_MS);
    frontier.resume();
    expect(frontier.reachedBound()).toBeNull();
    clock.advance(MINUTE_MS);
    expect(frontier.reachedBound()).toBe('minutes');
  });

  it('can be paused before it is opened', async () => {
    const { frontier, clock } = paused();
    frontier.pause();
    clock.advance(5 * MINUTE_MS);
    await frontier.open();
    clock.advance(MINUTE_MS);
    expect(frontier.counts().runningMs).toBe(0);
    frontier.resume();
    clock.advance(MINUTE_MS);
    expect(frontier.counts().runningMs).toBe(MINUTE_MS);
  });
});
