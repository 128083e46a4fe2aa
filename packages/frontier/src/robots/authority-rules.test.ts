// What the authorities of a host require together. At stake: a file that leaves memory must not shorten an interval.

import { expect, it } from 'vitest';
import { type AuthorityRequirements, createRulesReader, SpacingRequirements } from './authority-rules.js';
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

it.each([
  [10, 20],
  [20, 10],
])('of several closed times the later end counts, of several rates the longer interval: %i, %i', (one, other) => {
  const requirements = new SpacingRequirements(0);
  const timed = (until: number) => ({
    closed: { reason: 'visit-time', untilMs: until } as const,
    ignoredClosure: null,
    intervalMs: until,
    bucket: null,
  });
  for (const [authority, until] of [['http://a.test', one] as const, ['https://a.test', other] as const])
    requirements.note(authority, { ...delayed(0), at: () => timed(until) });
  const { closed, spacing } = requirements.at(0);
  expect([closed?.untilMs, spacing.requestIntervalMs]).toEqual([20, 20]);
});

// [the lines of a file, the longest interval that it may require]
const longest: [string, number][] = [
  ['', 0],
  ['Crawl-delay: 5', 5_000],
  ['Request-rate: 2/60', 30_000],
  ['Crawl-delay: 40\nRequest-rate: 2/60', 40_000],
  ['Request-rate: 0/1 2200-0559\nRequest-rate: 1/7', 7_000],
  ['Request-rate: 1/9 0600-0700\nRequest-rate: 1/7', 9_000],
];
it.each(longest)('the longest interval of a file is known at any time of day: %j', (lines, longestMs) => {
  const options = { visitTime: 'hold', maxCrawlDelayMs: 600_000, onLongCrawlDelay: 'clamp' } as const;
  const reader = createRulesReader({ tokens: ['testbot'] }, { ...options, cleanParam: 'expose', host: 'expose' });
  const body = new TextEncoder().encode(`User-agent: *\n${lines}\n`);
  const { requirements } = reader.fromCopy({ body, charset: null, robotsUrl: 'http://a.test/robots.txt' });
  expect(requirements.longestMs).toBe(longestMs);
});
