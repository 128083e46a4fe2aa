// What the authorities of a host require together. At stake: a file that leaves memory must not shorten an interval.

import { expect, it } from 'vitest';
import { type AuthorityRequirements, SpacingRequirements } from './authority-rules.js';
import { MAX_AUTHORITIES_PER_HOST } from './limits.js';

const delayed = (crawlDelayMs: number): AuthorityRequirements => ({
  crawlDelayMs,
  crawlDelayLine: 1,
  at: null,
  hasHours: false,
  longestMs: crawlDelayMs,
});

function withBucket(documents: number, periodMs: number): AuthorityRequirements {
  const timed = { closed: null, ignoredClosure: null, intervalMs: null, bucket: { documents, periodMs } };
  return { crawlDelayMs: null, crawlDelayLine: null, at: () => timed, hasHours: false, longestMs: 0 };
}

it('of more authorities than are kept, those with the shortest intervals leave a delay for the whole host', () => {
  const requirements = new SpacingRequirements(0);
  for (let at = 0; at < MAX_AUTHORITIES_PER_HOST; at += 1)
    requirements.note(`http://a.test:${at}`, delayed(5_000 + at));
  requirements.note('http://quick.test', delayed(1_000));
  const names = [...requirements.authorities.keys()];
  expect(names).toHaveLength(MAX_AUTHORITIES_PER_HOST);
  expect(names).toContain('http://quick.test');
  expect(names).not.toContain('http://a.test:0');
  // The next to leave is the quick one. The delay stays.
  requirements.note('http://last.test', delayed(2_000));
  for (const name of [...requirements.authorities.keys()]) requirements.note(name, null);
  expect(requirements.at(0).spacing.crawlDelayMs).toBe(5_000);
});

it.each([
  [withBucket(2, 60_000), withBucket(3, 60_000)],
  [withBucket(3, 60_000), withBucket(2, 60_000)],
])('of several buckets the slower one applies', (one, other) => {
  const requirements = new SpacingRequirements(0);
  requirements.note('http://a.test', one);
  requirements.note('https://a.test', other);
  expect(requirements.at(0).spacing.bucket).toEqual({ documents: 2, periodMs: 60_000 });
});
