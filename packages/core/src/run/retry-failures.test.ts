// A retry of too many URLs asks sites again for what they had refused; a retry of too few loses pages.

import { describe, expect, it } from 'vitest';
import type { UrlDecision } from '../report/decision.js';
import {
  findFailures,
  type RetryFilter,
  resolveRetryFilter,
  retryCandidate,
  summarizeRetry,
} from './retry-failures.js';

const decision = (
  url: string,
  status: UrlDecision['status'],
  reason: string,
  more: Partial<UrlDecision> = {},
): UrlDecision => ({
  url,
  host: 'a.test',
  status,
  reason,
  layer: 'fetch',
  httpStatus: null,
  line: null,
  pattern: null,
  dialect: null,
  robots: null,
  depth: 2,
  from: null,
  atMs: 100,
  detail: null,
  ...more,
});

async function* log(): AsyncGenerator<UrlDecision> {
  yield decision('http://a.test/1', 'failed', 'reset');
  yield decision('http://a.test/2', 'failed', 'status-503');
  yield decision('http://b.test/3', 'failed', 'retries-exhausted', {
    detail: 'timeout-headers: nothing came, 4 times',
    atMs: 200,
  });
  yield decision('http://a.test/4', 'excluded', 'robots-rule');
  yield decision('http://c.test/6', 'dropped', 'proxy-refused', { atMs: 50 });
  yield decision('http://c.test/7', 'dropped', 'out-of-scope');
  yield decision('http://a.test/5', 'failed', 'handler-error', { atMs: 300 });
  // The latest decision counts.
  yield decision('http://a.test/1', 'fetched', 'fetched');
  yield decision('http://a.test/5', 'failed', 'handler-error', { atMs: 400 });
}

describe('failures by filter', () => {
  const rows: [RetryFilter, string[], boolean][] = [
    [{}, ['2', '3', '6', '5'], false],
    [{ reason: 'reset' }, [], false],
    [{ reason: 'proxy-refused' }, ['6'], false],
    [{ reason: 'status-5*' }, ['2'], false],
    [{ reason: 'timeout-*' }, ['3'], false],
    [{ reason: 'timeout-connect' }, [], false],
    [{ reason: ['retries-exhausted', 'handler-error'] }, ['3', '5'], false],
    [{ host: 'A.test' }, ['2', '5'], false],
    [{ sinceMs: 200 }, ['3', '5'], false],
    [{ limit: 2, sinceMs: 100 }, ['2', '5'], true],
  ];
  it.each(rows)('%j: %j', async (filter, names, more) => {
    const found = await findFailures(log(), resolveRetryFilter(filter));
    expect(found.failures.map(({ url }) => url.slice(-1))).toEqual(names);
    expect(found.more).toBe(more);
  });

  const refused: [object, string][] = [
    [{ reasons: 'reset' }, 'reasons'],
    [{ reason: '' }, 'reason'],
    [{ reason: 'timeout' }, 'the reason of a failure'],
    [{ reason: 'robots-rule' }, 'the reason of a failure'],
    [{ reason: ['reset', '404'] }, 'got "404"'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1e9 }, 'limit'],
  ];
  it.each(refused)('%j is refused', (filter, named) => {
    expect(() => resolveRetryFilter(filter)).toThrow(named);
  });
});

it.each([
  ['404', 'Did you mean status-404?'],
  ['5*', 'Did you mean status-5*?'],
  ['timeout', 'timeout-connect, timeout-headers'],
])('the reason %s, which no failure has, gets a hint', (reason, hint) => {
  const refused = expect.objectContaining({ code: 'option-invalid', hint: expect.stringContaining(hint) });
  expect(() => resolveRetryFilter({ reason })).toThrow(refused);
});

describe('a retry', () => {
  it('brings along what the URL had, named after its failure', () => {
    const carried = { via: 'link', label: 'shop', userData: { n: 1 } } as const;
    expect(
      retryCandidate(decision('http://a.test/1', 'failed', 'reset', { from: 'http://a.test/', carried, atMs: 12.5 })),
    ).toEqual({
      url: 'http://a.test/1',
      depth: 2,
      via: 'link',
      visit: 13,
      from: 'http://a.test/',
      label: 'shop',
      userData: { n: 1 },
    });
    // Its items may have been written with the ids of the visit that was never settled.
    const poison = retryCandidate(decision('http://a.test/1', 'failed', 'poison', { atMs: 12.5 }));
    expect(poison).toMatchObject({ url: 'http://a.test/1', dedupe: false });
    expect(poison).not.toHaveProperty('visit');
    expect(
      retryCandidate(decision('http://a.test/data.txt', 'failed', 'reset', { carried: { via: 'companion' } })),
    ).toBeNull();
  });

  it('counts what was queued, what waited already, and the rest', () => {
    const answers = [{ kind: 'new' }, { kind: 'known' }, { kind: 'full' }] as const;
    expect(summarizeRetry(5, answers, true)).toEqual({ queued: 1, known: 1, refused: 3, more: true });
  });
});
