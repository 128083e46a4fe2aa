// What is remembered of hosts that wait. At stake: an operator who is told that twenty URLs wait, and finds one.

import { expect, it } from 'vitest';
import { createManualClock } from '../clock.js';
import { memoryStore } from '../stores/memory.js';
import { type CrawlLock, createPartRecords } from './processes.js';
import { createWaits } from './waits.js';

it('a wait for robots.txt that outlasts a lease counts the URLs that the lease has left', () => {
  const clock = createManualClock();
  const waits = createWaits(memoryStore(), createPartRecords(memoryStore(), {} as CrawlLock), clock);
  waits.note({ host: 'a.test', reason: 'robots-unreachable', untilMs: clock.nowMs() + 60_000, queued: 1 });
  // URLs of another port, each found, leased and settled.
  for (let at = 0; at < 3; at += 1) {
    waits.countQueued('a.test');
    waits.noteReleased('a.test', null, 1);
  }
  expect(waits.get('a.test')).toMatchObject({ reason: 'robots-unreachable', queued: 1 });
});
