// The frontier's clock and its retries see an exchange as it was.
// If this breaks, a failing host is asked faster than a good one, or a Retry-After is lost.

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
  it('tells status, Retry-After, bytes, and times rounded up to where they may have been', () => {
    expect(exchangeOf(whole)).toEqual({
      startedAtMs: 101,
      endedAtMs: 201,
      status: 503,
      retryAfter: '120',
      failure: null,
      bytes: 3,
    });
  });

  it('a body that the peer cut is a failure of the host, one that our cap cut is not', () => {
    expect(exchangeOf({ ...whole, truncated: 'connection' }).failure).toBe('closed-early');
    expect(exchangeOf({ ...whole, truncated: 'limit' }).failure).toBeNull();
  });

  it('a failed exchange has its word and no status', () => {
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
