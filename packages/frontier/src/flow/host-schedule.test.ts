// The first process leases little more than its share of the hosts, and a process that is alone leases as many as it
// may.

import { expect, it } from 'vitest';
import { shareOf } from './host-schedule.js';

const rows = [
  ['alone', 1_024, 150, 0, 1_024],
  ['one of two', 1_024, 100, 1, 63],
  ['one of four', 1_024, 150, 3, 47],
  ['more hosts than it may hold', 1_024, 1_000_000, 3, 1_024],
  ['one host for four', 1_024, 1, 3, 1],
  ['none known yet', 1_024, 0, 3, 1],
] as const;

it.each(rows)('%s', (_, most, hosts, others, expected) => expect(shareOf(most, hosts, others)).toBe(expected));
