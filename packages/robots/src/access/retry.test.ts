// Retry-After is the only field in which a host states when to come back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter, retryAfterMs, robotsRetryMs } from './timing.js';

const NOON = Date.UTC(1996, 10, 21, 12);

describe('Retry-After (RFC 9110 §10.2.3)', () => {
  const cases: [string, number | null][] = [
    ['0', 0],
    [' 120 ', 120_000],
    ['120, 120', 120_000],
    ['5,600', 600_000],
    ['600,5', 600_000],
    ['5, soon', null],
    ['5,', null],
    ['Thu, 21 Nov 1996 12:10:00 GMT', 600_000],
    ['Thursday, 21-Nov-96 12:10:00 GMT', 600_000],
    ['Thu Nov 21 12:10:00 1996', 600_000],
    ['Thu, 21 Nov 1996 11:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['2026-11-20', null],
    ['soon', null],
    ['', null],
  ];
  it.each(cases)('%j', (value, ms) => {
    expect(parseRetryAfter(value, NOON)).toBe(ms);
  });

  it('is not capped here, and stays a finite number', () => {
    expect(parseRetryAfter('1000000', NOON)).toBe(1_000_000_000);
    expect(parseRetryAfter('9'.repeat(400), NOON)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('is the longest of a million fields', () => {
    expect(parseRetryAfter(`${'1, '.repeat(1_000_000)}7`, NOON)).toBe(7_000);
    expect(parseRetryAfter(`${'1, '.repeat(1_000_000)}x`, NOON)).toBeNull();
  });

  it('a date counts from the response’s own Date, or else from the time of receipt', () => {
    const headers = { date: 'Thu, 21 Nov 1996 12:00:00 GMT', 'retry-after': 'Thu, 21 Nov 1996 12:10:00 GMT' };
    expect(retryAfterMs(headers, 0)).toBe(600_000);
    expect(retryAfterMs({ 'retry-after': headers['retry-after'] }, NOON)).toBe(600_000);
    expect(retryAfterMs({}, 0)).toBeNull();
  });
});

describe('the pause before the next attempt (access §5)', () => {
  it('is at least the backoff, at most a day and a tenth, and jitter only lengthens it', () => {
    const retryAfter = fc.option(fc.integer({ min: 0, max: 10 ** 12 }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), retryAfter, fc.double(), (failures, after, jitter) => {
        const pause = robotsRetryMs(failures, after, jitter);
        expect(pause).toBeGreaterThanOrEqual(robotsRetryMs(failures, null));
        expect(pause).toBeGreaterThanOrEqual(robotsRetryMs(failures, after));
        expect(pause).toBeLessThanOrEqual(86_400_000 * 1.1);
        expect(robotsRetryMs(failures + 1, null)).toBeGreaterThanOrEqual(robotsRetryMs(failures, null));
      }),
    );
  });
});
