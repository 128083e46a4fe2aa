// Spacing is this project's main guarantee. At stake: a crawl that is faster than a site asked, or that becomes faster
// because a site is in trouble.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../work.js';
import { afterExchange, earliestStart, type HostClock, newHostClock, requestInterval } from './host-clock.js';
import { type CustomPoliteness, type PolitenessOptions, resolvePoliteness } from './profile.js';
import { redirectNotBeforeMs, retryUrl } from './url-retry.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const NO_ASKS = { crawlDelayMs: null, requestIntervalMs: null };

function answer(status: number | null, more: Partial<Exchange> = {}): Exchange {
  return {
    startedAtMs: NOW,
    endedAtMs: NOW + 100,
    status,
    retryAfter: null,
    failure: status === null ? 'reset' : null,
    bytes: 0,
    ...more,
  };
}

function afterAll(exchanges: readonly Exchange[], clock: HostClock = newHostClock()): HostClock {
  return exchanges.reduce((so, exchange) => afterExchange(so, exchange, 1_000).clock, clock);
}

const times = (n: number, exchange: Exchange) => Array.from({ length: n }, () => exchange);

describe('profiles', () => {
  it('are polite by default', () => {
    expect(resolvePoliteness()).toMatchObject({
      name: 'polite',
      factor: 2,
      minMs: 1_000,
      maxMs: 60_000,
      jitter: 0,
    });
  });

  it.each<[CustomPoliteness, object]>([
    [{}, { factor: 2, minMs: 1_000, maxMs: 60_000 }],
    [{ minMs: 3_000 }, { factor: 2, minMs: 3_000, maxMs: 60_000 }],
    [{ minMs: 90_000 }, { factor: 2, minMs: 90_000, maxMs: 90_000 }],
    [
      { factor: 9, maxMs: 5_000 },
      { factor: 9, minMs: 1_000, maxMs: 5_000 },
    ],
  ])('are filled in as the polite one where they are in part: %j', (profile, expected) => {
    expect(resolvePoliteness({ profile })).toMatchObject({ name: 'custom', ...expected });
  });

  it.each<[string, PolitenessOptions]>([
    ['an unknown name', { profile: 'rude' as 'polite' }],
    ['a name from the prototype', { profile: 'toString' as 'polite' }],
    ['downward jitter', { jitter: -0.01 }],
    ['jitter above a tenth', { jitter: 0.11 }],
    ['no number', { profile: { factor: Number.NaN, minMs: 0, maxMs: 0 } }],
    ['a negative interval', { profile: { factor: 1, minMs: -5, maxMs: 0 } }],
    ['an endless interval', { profile: { factor: 1, minMs: 0, maxMs: Number.POSITIVE_INFINITY } }],
    ['a longest below the shortest', { profile: { factor: 1, minMs: 10, maxMs: 9 } }],
  ])('refuse %s with its code', (_title, options) => {
    expect(() => resolvePoliteness(options)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
  });
});

describe('the earliest start', () => {
  const polite = resolvePoliteness();
  const asked = (clock: HostClock, crawlDelayMs: number | null, requestIntervalMs: number | null = null) =>
    earliestStart(clock, { crawlDelayMs, requestIntervalMs }, polite);
  const once = afterAll([answer(200)]); // ends at NOW + 100

  it('of a host that was never requested is any time', () => {
    expect(asked(newHostClock(), 9_000)).toEqual({ atMs: 0, reason: 'interval' });
  });

  it('counts Crawl-delay from the end and Request-rate from the start (access §9)', () => {
    expect(asked(once, 5_000)).toEqual({ atMs: NOW + 5_100, reason: 'crawl-delay' });
    expect(asked(once, null, 5_000)).toEqual({ atMs: NOW + 5_000, reason: 'request-rate' });
    expect(asked(once, 4_901, 5_000)).toEqual({ atMs: NOW + 5_001, reason: 'crawl-delay' });
  });

  it('is finite for a parked host too, and says that it is parked', () => {
    const parked = afterAll(times(20, answer(403)));
    const start = asked(parked, null);
    expect(start.reason).toBe('host-parked');
    expect(Number.isFinite(start.atMs)).toBe(true);
    expect(start.atMs).toBeGreaterThan(NOW + 30 * 86_400_000);
  });

  it('waits for the end of a pause, and for a longer interval after it', () => {
    const throttled = afterAll([answer(429, { retryAfter: '60' })]);
    expect(asked(throttled, null)).toEqual({ atMs: NOW + 60_100, reason: 'host-paused' });
    expect(asked(throttled, 61_000)).toEqual({ atMs: NOW + 61_100, reason: 'crawl-delay' });
    expect(asked({ ...throttled, pausedUntilMs: NOW }, null)).toEqual({ atMs: NOW + 2_100, reason: 'interval' });
  });

  it('is the same however often it is computed, and jitter adds at most a tenth', () => {
    const seen = new Set<number>();
    for (let at = 0; at < 200; at += 1) {
      const clock = afterAll([answer(200, { startedAtMs: NOW + at * 1_000, endedAtMs: NOW + at * 1_000 + 100 })]);
      const plain = earliestStart(clock, NO_ASKS, polite).atMs;
      const jittered = earliestStart(clock, NO_ASKS, resolvePoliteness({ jitter: 0.1 })).atMs;
      expect(earliestStart(clock, NO_ASKS, resolvePoliteness({ jitter: 0.1 })).atMs).toBe(jittered);
      expect(jittered).toBeGreaterThanOrEqual(plain);
      expect(jittered).toBeLessThanOrEqual(plain + 100);
      seen.add(jittered - plain);
    }
    expect(seen.size).toBeGreaterThan(40);
  });

  it('under the 1996 rule follows a Request-rate in force instead of the rule (DECISION A16)', () => {
    const politeness = resolvePoliteness({ profile: '1996-rule-of-thumb' });
    const clock = { lastRetrievalMs: 300, adaptiveMs: 0 };
    const rate = { crawlDelayMs: null, requestIntervalMs: 6_000 };
    expect(requestInterval(clock, rate, politeness)).toEqual({ fromEndMs: 0, fromStartMs: 6_000 });
    expect(requestInterval(clock, NO_ASKS, politeness)).toEqual({ fromEndMs: 10_000, fromStartMs: 0 });
    expect(requestInterval({ ...clock, adaptiveMs: 8_000 }, rate, politeness).fromEndMs).toBe(8_000);
  });
});

describe('the host after an exchange (access §10)', () => {
  it.each<[string, Exchange[], number | null]>([
    ['one 429', [answer(429)], 30_000],
    ['a second 503', times(2, answer(503)), 60_000],
    ['a 500 between does not start the row again', [answer(429), answer(500), answer(429)], 60_000],
    ['a good answer between does', [answer(429), answer(200), answer(503)], 60_000 / 2],
    ['many: capped at an hour', times(40, answer(429)), 3_600_000],
    ['Retry-After lengthens', [answer(503, { retryAfter: '120' })], 120_000],
    ['Retry-After does not shorten', [answer(503, { retryAfter: '1' })], 30_000],
    ['nonsense in Retry-After is nothing', [answer(503, { retryAfter: '-5' })], 30_000],
    [
      'a throttle whose body failed is a throttle',
      [answer(503, { failure: 'closed-early', retryAfter: '120' })],
      120_000,
    ],
    ['four failures pause nothing', times(4, answer(500)), null],
    ['five pause five minutes', times(5, answer(null)), 300_000],
    ['six pause ten', times(6, answer(500)), 600_000],
    ['failures are capped at an hour', times(50, answer(500)), 3_600_000],
    ['a cut-off 200 is a failure', times(5, answer(200, { failure: 'closed-early' })), 300_000],
    ['what we did ourselves is none', times(9, answer(null, { failure: 'aborted' })), null],
    ['404 pauses nothing', times(50, answer(404)), null],
    ['403 pauses nothing', times(19, answer(403)), null],
    ['500 with Retry-After', [answer(500, { retryAfter: '120' })], 120_000],
    ['403 with Retry-After', [answer(403, { retryAfter: '120' })], 120_000],
    ['404 with Retry-After', [answer(404, { retryAfter: '120' })], 120_000],
    ['425 with Retry-After', [answer(425, { retryAfter: '120' })], 120_000],
    ['404 with nonsense in Retry-After', [answer(404, { retryAfter: 'soon' })], null],
    ['200 with Retry-After pauses nothing', [answer(200, { retryAfter: '120' })], null],
    ['302 with Retry-After pauses nothing: its target waits', [answer(302, { retryAfter: '120' })], null],
    ['502 with Retry-After of more than a day', [answer(502, { retryAfter: '99999' })], 86_400_000],
    ['a failing host, whose pause is longer', times(5, answer(500, { retryAfter: '120' })), 300_000],
  ])('%s', (_title, exchanges, pauseMs) => {
    expect(afterAll(exchanges).pausedUntilMs).toBe(pauseMs === null ? null : NOW + 100 + pauseMs);
  });

  it('parks for a day and reports it if Retry-After asks for more than a day (DECISION A18)', () => {
    const { clock, warnings } = afterExchange(newHostClock(), answer(429, { retryAfter: '86401' }), 1_000);
    expect(clock).toMatchObject({ pausedUntilMs: NOW + 100 + 86_400_000, parked: false });
    expect(warnings).toMatchObject([{ code: 'host-parked', untilMs: NOW + 100 + 86_400_000 }]);
    expect(afterExchange(newHostClock(), answer(429, { retryAfter: '86400' }), 1_000).warnings).toMatchObject([
      { code: 'host-paused' },
    ]);
  });

  it('parks at once if the exchange says so, whatever was answered', () => {
    const { clock, warnings } = afterExchange(newHostClock(), answer(200, { parks: 'it charges' }), 1_000);
    expect(clock).toMatchObject({ parked: true, lastEndMs: NOW + 100 });
    expect(warnings).toEqual([{ code: 'host-parked', untilMs: null, detail: 'it charges' }]);
  });

  it('parks after twenty refusals in a row, not after nineteen, and reports twice in all', () => {
    let clock = newHostClock();
    const warnings: string[] = [];
    for (let n = 1; n <= 25; n += 1) {
      const after = afterExchange(clock, answer(n % 2 === 0 ? 403 : 451), 1_000);
      clock = after.clock;
      warnings.push(...after.warnings.map(({ code }) => `${n} ${code}`));
      expect(clock.parked).toBe(n >= 20);
    }
    expect(warnings).toEqual(['1 host-refusals', '20 host-parked']);
    expect(afterAll([...times(19, answer(403)), answer(200), answer(403)]).parked).toBe(false);
    // A good answer (to another client, or for robots.txt) does not unpark the host: an operator does.
    expect(afterAll([...times(20, answer(403)), answer(200), answer(403)]).parked).toBe(true);
  });

  it('doubles the adaptive interval to ten minutes and halves it down to none (DECISION A19)', () => {
    const throttled = afterExchange(newHostClock(), answer(429), 3_000).clock;
    expect(throttled.adaptiveMs).toBe(6_000);
    expect(afterExchange(throttled, answer(429), 6_000).clock.adaptiveMs).toBe(12_000);
    expect(afterAll(times(30, answer(429))).adaptiveMs).toBe(600_000);
    expect(afterExchange(newHostClock(), answer(429), 0).clock.adaptiveMs).toBe(2_000);
    expect(afterAll(times(9, answer(200)), throttled).adaptiveMs).toBe(6_000);
    expect(afterAll(times(10, answer(200)), throttled).adaptiveMs).toBe(3_000);
    expect(afterAll([...times(9, answer(200)), answer(403), answer(200)], throttled).adaptiveMs).toBe(6_000);
    expect(afterAll(times(30, answer(200)), throttled).adaptiveMs).toBe(0);
  });

  it('does not apply the table to robots.txt, but moves the clock', () => {
    const { clock, warnings } = afterExchange(newHostClock(), answer(500, { retryAfter: '900' }), 1_000, true);
    expect(warnings).toEqual([]);
    expect(clock).toEqual({ ...newHostClock(), lastStartMs: NOW, lastEndMs: NOW + 100, lastRetrievalMs: 100 });
  });

  it.each([
    [429, null, 30_000],
    [503, '900', 900_000],
    [503, '5', 30_000],
  ])('pauses after a robots.txt that answers %i with Retry-After %s, and counts nothing', (status, retryAfter, ms) => {
    const { clock, warnings } = afterExchange(newHostClock(), answer(status, { retryAfter }), 1_000, true);
    expect(warnings).toEqual([]);
    expect(clock).toMatchObject({ pausedUntilMs: NOW + 100 + ms, throttledInARow: 0, adaptiveMs: 0 });
  });

  it('survives conversion to JSON and back', () => {
    const clock = afterAll([answer(429), answer(200), answer(403)]);
    expect(JSON.parse(JSON.stringify(clock))).toEqual(clock);
  });
});

describe('a refusal can never make the crawl faster', () => {
  // Two hosts have the same exchanges at the same times, but one of them refuses where the other serves.
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 200_000 }),
    tookMs: fc.integer({ min: 0, max: 60_000 }),
    status: fc.constantFrom(200, 200, 200, 404, 304, 403, 429, 500, 503, null),
    retryAfter: fc.constantFrom(null, '0', '45', '99999', 'nonsense', '-3', 'Thu, 01 Jan 1970 00:00:00 GMT'),
  });
  const refusal = fc.constantFrom(429, 503, 500, 502, null);
  const profile = fc.constantFrom<NonNullable<PolitenessOptions['profile']>>('polite', 'gentle', '1996-rule-of-thumb', {
    factor: 3,
    minMs: 0,
    maxMs: 5_000,
  });

  function walk(
    steps: readonly { afterMs: number; tookMs: number; status: number | null; retryAfter: string | null }[],
    options: PolitenessOptions,
  ) {
    const politeness = resolvePoliteness(options);
    let clock = newHostClock();
    let at = NOW;
    return steps.map(({ afterMs, tookMs, status, retryAfter }) => {
      const startedAtMs = at + afterMs;
      at = startedAtMs + tookMs;
      const { fromEndMs } = requestInterval(clock, NO_ASKS, politeness);
      clock = afterExchange(clock, answer(status, { startedAtMs, endedAtMs: at, retryAfter }), fromEndMs).clock;
      return earliestStart(clock, NO_ASKS, politeness).atMs;
    });
  }

  it('than the same request with a good answer', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.nat(),
        refusal,
        profile,
        fc.constantFrom(0, 0.1),
        (steps, where, status, name, jitter) => {
          const index = where % steps.length;
          const served = steps.map((one, at) => (at === index ? { ...one, status: 200 } : one));
          const refused = steps.map((one, at) => (at === index ? { ...one, status } : one));
          const options = { profile: name, jitter };
          const [servedAt, refusedAt] = [walk(served, options), walk(refused, options)];
          for (let at = 0; at < steps.length; at += 1) expect(refusedAt[at]).toBeGreaterThanOrEqual(servedAt[at] ?? 0);
        },
      ),
      { numRuns: 2_000, seed: 20_261_120 },
    );
  });

  it('than before, however quickly the refusal came', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), refusal, profile, (steps, status, name) => {
        const quick = { afterMs: 0, tookMs: 0, status, retryAfter: null };
        const before = walk(steps, { profile: name }).at(-1) ?? 0;
        const after = walk([...steps, quick], { profile: name }).at(-1) ?? 0;
        expect(after).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 2_000, seed: 20_261_121 },
    );
  });
});

describe('a URL after an exchange (access §10)', () => {
  it.each<[string, Exchange, number, number | string | { readonly last: string }]>([
    ['429, first time', answer(429), 0, 30_000],
    ['503 with Retry-After', answer(503, { retryAfter: '90' }), 0, 90_000],
    ['503, third retry', answer(503), 2, 120_000],
    ['503, a fourth is not made', answer(503), 3, { last: 'throttled' }],
    ['500, first time', answer(500), 0, 10_000],
    ['500 with Retry-After', answer(500, { retryAfter: '90' }), 0, 90_000],
    ['reset, third retry', answer(null), 2, 40_000],
    ['timeout, a fourth is not made', answer(null, { failure: 'timeout-exchange' }), 3, { last: 'timeout-exchange' }],
    ['500, a fourth is not made', answer(500), 3, { last: 'server-error' }],
    ['402', answer(402), 0, 'refused-by-site'],
    ['403', answer(403), 0, 'refused-by-site'],
    ['451', answer(451), 0, 'refused-by-site'],
    ['404', answer(404), 0, 'status-not-retried'],
    ['an address we may not ask', answer(null, { failure: 'address-forbidden' }), 0, 'address-forbidden'],
    ['stopped by ourselves', answer(null, { failure: 'aborted' }), 0, 10_000],
  ])('%s', (_title, exchange, tries, expected) => {
    expect(retryUrl(exchange, tries)).toEqual(
      typeof expected === 'number'
        ? { kind: 'again', notBeforeMs: NOW + 100 + expected }
        : typeof expected === 'string'
          ? { kind: 'give-up', reason: expected }
          : { kind: 'exhausted', ...expected },
    );
  });

  it.each<[number, string | null, number | null]>([
    [302, '60', NOW + 60_100],
    [302, 'Fri, 20 Nov 2026 12:05:00 GMT', NOW + 300_000],
    [301, '999999', NOW + 100 + 86_400_000],
    [302, null, null],
    [302, 'soon', null],
    [302, '0', null],
    [200, '60', null],
  ])('a %d with Retry-After %s', (status, retryAfter, expected) => {
    expect(redirectNotBeforeMs(answer(status, { retryAfter }))).toBe(expected);
  });
});
