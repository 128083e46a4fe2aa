// Half a robots.txt must not count: the missing half may have the Disallow lines. If this breaks, a connection that
// fails at the right moment opens a site.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { FailedOutcome, FailureCode, ResponseOutcome } from './outcome.js';
import { toRobotsAnswer } from './outcome.js';

const timing = { startedAtMs: 1, headersAtMs: 2, endedAtMs: 3 };
const response = (more: Partial<ResponseOutcome>): ResponseOutcome => ({
  kind: 'response',
  url: 'http://a.example/robots.txt',
  status: 200,
  statusText: 'OK',
  headers: [],
  body: Buffer.from('User-agent: *\nDisallow: /\n'),
  truncated: null,
  encodedBytes: 26,
  remoteAddress: null,
  timing,
  ...more,
});
const failed = (failure: FailureCode): FailedOutcome => ({
  kind: 'failed',
  url: 'http://a.example/robots.txt',
  failure,
  detail: '',
  remoteAddress: null,
  wasSent: true,
  timing,
});

describe('toRobotsAnswer', () => {
  it.each([200, 204, 206, 301, 304, 404, 429, 500])('a complete %d is a response', (status) => {
    expect(toRobotsAnswer(response({ status }))).toMatchObject({ kind: 'response', status });
  });

  it.each([200, 404, 500])('a %d that the server cut is a failure (access §4)', (status) => {
    expect(toRobotsAnswer(response({ status, truncated: 'connection' }))).toEqual({
      kind: 'failure',
      failure: 'short-body',
    });
  });

  it('one that our limit cut is a response, and the reader sees that there was more', () => {
    expect(toRobotsAnswer(response({ truncated: 'limit' }))).toMatchObject({ kind: 'response', status: 200 });
  });

  it('a gzip file that is not declared as one is a failure, since its rules are unknown', () => {
    const body = gzipSync('User-agent: *\nDisallow: /');
    expect(toRobotsAnswer(response({ body }))).toMatchObject({ kind: 'failure', failure: 'content-encoding' });
    for (const status of [199, 300, 404])
      expect(toRobotsAnswer(response({ body, status }))).toMatchObject({ kind: 'response', status });
    for (const rules of [body.subarray(0, 1), body.subarray(1), Buffer.from([0x1f, 0x0a]), Buffer.from([0x0a, 0x8b])])
      expect(toRobotsAnswer(response({ body: rules }))).toMatchObject({ kind: 'response' });
    expect(toRobotsAnswer(response({ body, status: 299 }))).toMatchObject({ kind: 'failure' });
  });

  it.each([
    [202, 'x-amzn-waf-action', 'challenge', 403],
    [202, 'x-amzn-waf-action', 'allow', 202],
    [503, 'cf-mitigated', 'challenge', 503],
    [403, 'cf-mitigated', 'challenge', 403],
  ])(
    'a %d with %s: %s counts as %d: a challenge holds no rules, and a failing server stays one',
    (status, name, value, as) => {
      const answer = toRobotsAnswer(response({ status, headers: [[name, value]] }));
      expect(answer).toMatchObject({ kind: 'response', status: as });
    },
  );

  it('fields are found by lower-case name, several lines joined, and no name is special', () => {
    const headers: [string, string][] = [
      ['Cache-Control', 'no-cache'],
      ['cache-control', 'max-age=1'],
      ['__proto__', 'x'],
      ['Retry-After', '120'],
    ];
    const answer = toRobotsAnswer(response({ headers }));
    if (answer.kind !== 'response') throw new Error('expected a response');
    expect(answer.headers['cache-control']).toBe('no-cache, max-age=1');
    expect(answer.headers['retry-after']).toBe('120');
    expect(answer.headers['constructor']).toBeUndefined();
  });

  it.each([
    ['dns', 'dns'],
    ['reset', 'reset'],
    ['timeout-connect', 'timeout'],
    ['timeout-headers', 'timeout'],
    ['timeout-exchange', 'timeout'],
    ['tls', 'tls'],
    ['framing', 'framing'],
    ['closed-early', 'short-body'],
    ['encoding', 'content-encoding'],
    ['address-forbidden', 'blocked'],
    ['aborted', 'other'],
    ['internal', 'other'],
  ] as const)('%s → failure %s', (failure, expected) => {
    const outcome = failed(failure);
    expect(toRobotsAnswer(outcome)).toEqual({ kind: 'failure', failure: expected, detail: outcome.detail });
  });
});
