// The frontier's clock and retries get correct facts about an exchange. If this breaks, a failing host is requested
// faster than a good one, or a Retry-After is lost.

import { describe, expect, it } from 'vitest';
import type { ResponseOutcome } from './outcome.js';
import { exchangeOf } from './outcome.js';

const timing = { startedAtMs: 100, headersAtMs: 150, endedAtMs: 200 };
const whole: ResponseOutcome = {
  kind: 'response',
  url: 'http://a.example/',
  status: 503,
  statusText: '',
  headers: [['Retry-After', '120']],
  body: Buffer.from('abc'),
  truncated: null,
  encodedBytes: 3,
  remoteAddress: null,
  timing,
};

describe('exchangeOf', () => {
  it('has status, Retry-After, bytes, and times that are rounded up', () => {
    expect(exchangeOf(whole)).toEqual({
      startedAtMs: 101,
      endedAtMs: 201,
      status: 503,
      retryAfter: '120',
      failure: null,
      bytes: 3,
    });
  });

  it('counts a body that the server cut as a failure of the host, and one that our limit cut not', () => {
    expect(exchangeOf({ ...whole, truncated: 'connection' }).failure).toBe('closed-early');
    expect(exchangeOf({ ...whole, truncated: 'limit' }).failure).toBeNull();
  });

  it.each([
    [202, 'x-amzn-waf-action', 403],
    [403, 'cf-mitigated', 403],
    [503, 'cf-mitigated', 503],
    [200, 'cf-mitigated', 200],
  ])('of a %d with %s has status %d', (status, name, expected) => {
    expect(exchangeOf({ ...whole, status, headers: [[name, 'challenge']] }).status).toBe(expected);
  });

  it('counts the bytes of a file, or of the body, or those received if it was not read', () => {
    const file = { bytes: 9 } as NonNullable<ResponseOutcome['file']>;
    expect(exchangeOf({ ...whole, file, body: Buffer.alloc(0) }).bytes).toBe(9);
    expect(exchangeOf({ ...whole, body: Buffer.alloc(0), encodedBytes: 7 }).bytes).toBe(7);
    expect(exchangeOf({ ...whole, encodedBytes: 7 }).bytes).toBe(3);
  });

  it.each([
    ['a server whose clock is behind', 'Thu, 01 Jan 1970 00:10:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT', '600'],
    ['one that does not say', 'Thu, 01 Jan 1970 00:10:00 GMT', null, 'Thu, 01 Jan 1970 00:10:00 GMT'],
    [
      'one whose clock is ahead',
      'Thu, 01 Jan 1970 00:10:00 GMT',
      'Thu, 01 Jan 1970 00:05:00 GMT',
      'Thu, 01 Jan 1970 00:10:00 GMT',
    ],
    ['seconds', '90', 'Thu, 01 Jan 1970 00:00:00 GMT', '90'],
    ['nonsense', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', 'soon'],
  ])('has the longer wait of a Retry-After by two clocks: %s', (_what, retryAfter, date, expected) => {
    const headers: [string, string][] = [
      ['Retry-After', retryAfter],
      ...(date === null ? [] : [['Date', date] as [string, string]]),
    ];
    // It was received 300 s after the epoch.
    const outcome = { ...whole, headers, timing: { ...timing, endedAtMs: 300_000 } };
    expect(exchangeOf(outcome).retryAfter).toBe(expected);
  });

  it('has a code and no status for a failed exchange', () => {
    const failed = {
      kind: 'failed',
      url: '',
      failure: 'reset',
      detail: '',
      remoteAddress: null,
      wasSent: true,
      timing,
    } as const;
    expect(exchangeOf(failed)).toMatchObject({ status: null, failure: 'reset', retryAfter: null, endedAtMs: 201 });
  });
});
