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
