// What is remembered of hosts that wait. At stake: an operator who is told that twenty URLs wait, and finds one.

import { expect, it } from 'vitest';
import { createManualClock } from '../clock.js';
import { memoryStore } from '../stores/memory.js';
import { MAX_KNOWN_WAITS } from './limits.js';
import { type CrawlLock, createPartRecords } from './processes.js';
import { createWaits } from './waits.js';

function setUpWaits() {
  const clock = createManualClock();
  return { clock, waits: createWaits(memoryStore(), createPartRecords(memoryStore(), {} as CrawlLock), clock) };
}

it('a wait for robots.txt that outlasts a lease counts the URLs that the lease has left', () => {
  const { clock, waits } = setUpWaits();
  waits.note({ host: 'a.test', reason: 'robots-unreachable', untilMs: clock.nowMs() + 60_000, queued: 1 });
  // URLs of another port, each found, leased and settled.
  for (let at = 0; at < 3; at += 1) {
    waits.countQueued('a.test');
    waits.noteReleased('a.test', null, 1);
  }
  expect(waits.get('a.test')).toMatchObject({ reason: 'robots-unreachable', queued: 1 });
});

it.each([
  [60_000, 30_000],
  [30_000, 60_000],
])('a host that was released twice waits for the first of its retries: after %i and %i ms', (...waitsMs) => {
  const { clock, waits } = setUpWaits();
  const nowMs = clock.nowMs();
  for (const waitMs of waitsMs) {
    waits.noteReleased('a.test', { host: 'a.test', reason: 'not-before', untilMs: nowMs + waitMs, queued: 2 }, 2);
  }
  expect(waits.get('a.test')).toMatchObject({ untilMs: nowMs + 30_000 });
});

it('of more hosts than are remembered, a parked one stays', () => {
  const { clock, waits } = setUpWaits();
  waits.note({ host: 'parked.test', reason: 'host-parked', untilMs: null, queued: 1 });
  for (let at = 0; at < MAX_KNOWN_WAITS; at += 1) {
    waits.note({ host: `h${at}.test`, reason: 'interval', untilMs: clock.nowMs() + 1_000, queued: 1 });
  }
  expect(waits.get('parked.test')).not.toBeNull();
  expect([waits.get('h0.test'), waits.get('h1.test')?.host]).toEqual([null, 'h1.test']);
});
