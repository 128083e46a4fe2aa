// The entries of a leased host. At stake: a host whose authorities are all held keeps its memory within bounds.

import { expect, it } from 'vitest';
import { ENTRIES_PER_LEASE, MAX_BLOCKED_LANES } from '../limits.js';
import { LeasedEntries, type LeasedEntry } from './leased-entries.js';

function page(id: string, authority: string): LeasedEntry {
  const record = { url: `${authority}/${id}` };
  return { id, priority: 1, authority, item: { kind: 'page', record } as LeasedEntry['item'] };
}

const pages = (count: number, authority: string) =>
  Array.from({ length: count }, (_, at) => page(`${at} ${authority}`, authority));

it('pages of a blocked lane stay, and return to the queue if many entries are leased', () => {
  const entries = new LeasedEntries();
  entries.add([...pages(2 * ENTRIES_PER_LEASE - 1, 'http://a.test'), ...pages(1, 'http://b.test')]);
  entries.blockLane('http://a.test', 1_000);
  expect(entries.takeChanges(0)).toMatchObject({ requeue: [], blockLanes: [{ lane: 'http://a.test', ms: 1_000 }] });
  const hop = { ...page('hop', 'http://a.test'), item: { kind: 'hop' } as LeasedEntry['item'] };
  entries.add([hop]);
  entries.blockLane('http://a.test', 1_000);
  expect(entries.takeChanges(0).requeue).toEqual(
    pages(2 * ENTRIES_PER_LEASE - 1, 'http://a.test').map(({ id }) => ({ id })),
  );
  expect([entries.at(0), entries.at(1), entries.count]).toEqual([...pages(1, 'http://b.test'), hop, 2]);
});

it('blocked lanes are remembered up to a bound, the earliest are forgotten', () => {
  const entries = new LeasedEntries();
  for (let at = 0; at <= MAX_BLOCKED_LANES; at += 1) entries.blockLane(`http://h${at}.test`, 1_000);
  const isBlocked = (at: number) => entries.isBlocked(page('1', `http://h${at}.test`), 0);
  expect([0, 1, MAX_BLOCKED_LANES].map(isBlocked)).toEqual([false, true, true]);
});

it.each([
  [0, 2_000],
  [2_000, 3_000],
  [3_000, undefined],
])('at %i the blocked lane that opens first opens at %j', (nowMs, untilMs) => {
  const entries = new LeasedEntries();
  entries.blockLane('http://a.test', 3_000);
  entries.blockLane('http://b.test', 2_000);
  expect(entries.firstBlock(nowMs)?.untilMs).toBe(untilMs);
});
