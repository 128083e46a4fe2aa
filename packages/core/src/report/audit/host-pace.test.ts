// What an audit requires of a host beyond plain delays: bursts that a Request-rate allows, and hours in which a host is
// closed. If this breaks, an audit passes a crawl that came too often or at the wrong time.

import { compileRules, parseRobots } from '@mannerly/robots';
import { describe, expect, it } from 'vitest';
import { MAX_BUCKET_STARTS } from '../../limits.js';
import type { RequestRecord, RunDeclaration } from '../decision.js';
import { HostPace, paceOf } from './host-pace.js';

const PACE = { name: 'custom', factor: 0, minMs: 0, maxMs: 0, rateReplacesRule: false, perIp: false } as const;
const runWith = (robots: object = {}) => ({ robots, pace: PACE }) as RunDeclaration;
const rulesOf = (fields: string, requestRateMode: 'spaced' | 'bucket' = 'bucket') =>
  compileRules(parseRobots(`User-agent: *\n${fields}\nDisallow:\n`), { tokens: ['bot'], requestRateMode });
const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);
const NOON = at('12:00:00');

/** The pace of a host after requests that began at these times and took 10 ms. */
function paceAfter(required: ReturnType<typeof paceOf>, ...startsMs: readonly number[]): HostPace {
  const pace = new HostPace();
  for (const startedAtMs of startsMs) {
    const answer = { status: 200, failure: null, truncated: null, retryAfter: null, purpose: 'page' };
    pace.addRequest({ ...answer, startedAtMs, endedAtMs: startedAtMs + 10 } as RequestRecord, required);
  }
  return pace;
}

describe('a Request-rate', () => {
  it('spaces requests, or allows as many at once as it names if the run says so', () => {
    const rate = 'Request-rate: 3/60s';
    expect(paceOf([rulesOf(rate, 'spaced')], NOON, runWith())).toMatchObject({ rateMs: 20_000, bucket: null });
    const required = paceOf([rulesOf(rate)], NOON, runWith());
    expect(required).toMatchObject({ rateMs: null, bucket: { documents: 3, periodMs: 60_000 } });
    expect(paceAfter(required, NOON, NOON + 100).earliest(PACE, required).atMs).toBe(NOON + 110);
    const full = paceAfter(required, NOON, NOON + 100, NOON + 200);
    expect(full.earliest(PACE, required)).toEqual({ atMs: NOON + 60_000, reason: 'request-rate' });
    const next = paceAfter(required, NOON, NOON + 100, NOON + 200, NOON + 60_000);
    expect(next.earliest(PACE, required).atMs).toBe(NOON + 60_100);
  });

  it('of the slowest file counts, whatever the order', () => {
    const files = ['Request-rate: 10/60s', 'Request-rate: 2/20s', 'Request-rate: 100/900s'].map((rate) =>
      rulesOf(rate),
    );
    for (const order of [files, files.toReversed()])
      expect(paceOf(order, NOON, runWith()).bucket).toEqual({ documents: 2, periodMs: 20_000 });
  });

  it('of very many documents is judged in shorter pieces', () => {
    const required = paceOf([rulesOf(`Request-rate: ${10 * MAX_BUCKET_STARTS}/3600s`)], NOON, runWith());
    const starts = Array.from({ length: MAX_BUCKET_STARTS + 5 }, (_, index) => NOON + index);
    const pace = paceAfter(required, ...starts);
    expect(pace.earliest(PACE, required)).toEqual({ atMs: NOON + 5 + 360_000, reason: 'request-rate' });
  });

  it('moves with the clock of the machine that continues', () => {
    const required = paceOf([rulesOf('Request-rate: 1/60s')], NOON, runWith());
    const pace = paceAfter(required, NOON);
    pace.switchClock({ minAheadMs: -1, maxAheadMs: 1 });
    expect(pace.earliest(PACE, required).atMs).toBe(NOON + 60_000);
    expect(pace.switchClock({ minAheadMs: 498, maxAheadMs: 502 })).toEqual({ errorMs: 3 });
    expect(pace.earliest(PACE, required).atMs).toBe(NOON + 59_500);
  });
});

describe('a host with hours', () => {
  it.each([
    ['03:00:00', {}, null],
    ['12:00:00', {}, /^Visit-time had the host closed until 2026-01-02T02:00:00/],
    ['12:00:00', { visitTime: 'hold' }, /^Visit-time/],
    ['12:00:00', { visitTime: 'warn' }, null],
    ['12:00:00', { visitTime: 'ignore' }, null],
    // The decision that it is open may have been made a moment ago.
    ['04:00:00.500', {}, null],
    ['04:00:02', {}, /^Visit-time/],
  ])('from two to four is closed at %s with %j: %s', (time, robots, says) => {
    const { closed } = paceOf([rulesOf('Visit-time: 0200-0400')], at(time), runWith(robots));
    if (says === null) expect(closed).toBeNull();
    else expect(closed).toMatch(says);
  });

  it('of a Request-rate of no documents is closed in them, whatever the run does about Visit-time', () => {
    const files = [rulesOf('Request-rate: 1/10s\nRequest-rate: 0/10s 1100-1300', 'spaced')];
    const run = runWith({ visitTime: 'ignore' });
    expect(paceOf(files, at('03:00:00'), run)).toMatchObject({ rateMs: 10_000, closed: null });
    expect(paceOf(files, NOON, run).closed).toMatch(/^Request-rate had the host closed/);
  });

  it('is closed if one of its files says so', () => {
    const files = [rulesOf('Crawl-delay: 1'), rulesOf('Visit-time: 0200-0400'), rulesOf('Visit-time: 0000-2359')];
    for (const order of [files, files.toReversed()])
      expect(paceOf(order, NOON, runWith()).closed).toMatch(/^Visit-time/);
  });
});
