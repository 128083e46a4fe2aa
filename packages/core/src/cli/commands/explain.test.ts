// A line of the queue is read by people who look for one URL: how it was found, and how often it was tried.

import type { QueuedUrl } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { itemText } from './explain.js';

it.each([
  [0, 'seed)'],
  [1, 'seed, tried 1 time)'],
  [3, 'seed, tried 3 times)'],
])('tried %i times', (tries, end) => {
  const record = { url: 'https://a.test/', depth: 0, from: null, via: 'seed', tries };
  expect(itemText({ priority: 2, record } as QueuedUrl)).toBe(`https://a.test/  (priority 2, depth 0, ${end}`);
});
