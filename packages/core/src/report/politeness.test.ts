// The ledger says publicly how a crawl behaved. If it is too lenient, an impolite crawl looks polite. So it is compared
// with another computation, from the whole list of exchanges at once.

import type { HostWarning } from '@mannerly/frontier';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestRecord, UrlDecision } from './decision.js';
import { OTHER_HOSTS, PolitenessLedger } from './politeness.js';

const request = (
  host: string,
  startedAtMs: number,
  endedAtMs: number,
  more: Partial<RequestRecord> = {},
): RequestRecord => ({
  url: `http://${host}/`,
  host,
  purpose: 'page',
  startedAtMs,
  endedAtMs,
  status: 200,
  failure: null,
  encodedBytes: 10,
  remoteAddress: '127.0.0.1',
  userAgent: 'tester/1.0 (+https://example.org/)',
  crawlDelayMs: null,
  requestIntervalMs: null,
  gapMs: null,
  truncated: null,
  retryAfter: null,
  robots: null,
  robotsAnswer: null,
  ...more,
});

const decision = (url: string, status: UrlDecision['status'], more: Partial<UrlDecision> = {}): UrlDecision => ({
  url,
  host: 'a.test',
  status,
  reason: status === 'excluded' ? 'robots-rule' : 'status-500',
  layer: status === 'excluded' ? 'robots' : 'fetch',
  httpStatus: null,
  line: null,
  pattern: null,
  dialect: null,
  robots: null,
  depth: 1,
  from: null,
  atMs: 0,
  detail: null,
  ...more,
});

const notice = (host: string, name: HostWarning['code'], more: Partial<HostWarning> = {}): HostWarning => ({
  kind: 'host',
  code: name,
  host,
  authority: null,
  untilMs: null,
  detail: '',
  atMs: 0,
  ...more,
});

/** The same figures from the whole list: sorted by start, every pair compared. Shares nothing with the ledger. */
function expectedOf(records: readonly RequestRecord[]) {
  const sorted = [...records].sort((a, b) => a.startedAtMs - b.startedAtMs);
  let gap = Number.POSITIVE_INFINITY;
  let startToStart = Number.POSITIVE_INFINITY;
  let early = 0;
  let depth = 0;
  sorted.forEach((record, index) => {
    depth = Math.max(
      depth,
      sorted.filter((r) => r.startedAtMs <= record.startedAtMs && record.startedAtMs < r.endedAtMs).length,
    );
    if (index === 0) return;
    const before = sorted.slice(0, index);
    const ownGap = Math.max(0, record.startedAtMs - Math.max(...before.map((r) => r.endedAtMs)));
    const ownStart = record.startedAtMs - before.at(-1)!.startedAtMs;
    gap = Math.min(gap, ownGap);
    if (record.requestIntervalMs !== null) startToStart = Math.min(startToStart, ownStart);
    if (ownGap < (record.crawlDelayMs ?? 0) || ownStart < (record.requestIntervalMs ?? 0)) early += 1;
  });
  const finite = (n: number) => (Number.isFinite(n) ? n : null);
  const largest = (values: readonly (number | null)[]) =>
    finite(Math.max(...values.map((n) => n ?? Number.NEGATIVE_INFINITY)));
  const asked = {
    requiredGapMs: largest(records.map((r) => r.crawlDelayMs)),
    requiredStartToStartMs: largest(records.map((r) => r.requestIntervalMs)),
  };
  return { asked, gap: finite(gap), startToStart: finite(startToStart), depth, early };
}

const asks = {
  crawlDelayMs: fc.option(fc.integer({ min: 0, max: 30 })),
  requestIntervalMs: fc.option(fc.integer({ min: 0, max: 30 })),
};

describe('the politeness ledger', () => {
  it('measures gaps, rates and early requests of exchanges in a row as the whole list does', () => {
    const step = fc.record({
      pause: fc.integer({ min: 0, max: 40 }),
      length: fc.integer({ min: 1, max: 40 }),
      ...asks,
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        let at = 1_000;
        const records = steps.map(({ pause, length, crawlDelayMs, requestIntervalMs }) => {
          const start = at + pause;
          at = start + length;
          return request('a.test', start, at, { crawlDelayMs, requestIntervalMs });
        });
        const ledger = new PolitenessLedger();
        for (const record of records) ledger.request(record);
        const [row] = ledger.report();
        const expected = expectedOf(records);
        expect(row).toMatchObject({
          requests: records.length,
          smallestGapMs: expected.gap,
          smallestStartToStartMs: expected.startToStart,
          highestConcurrency: 1,
          early: expected.early,
          ...expected.asked,
          requiredMs:
            expected.asked.requiredGapMs === null && expected.asked.requiredStartToStartMs === null
              ? null
              : Math.max(expected.asked.requiredGapMs ?? 0, expected.asked.requiredStartToStartMs ?? 0),
        });
      }),
      { seed: 2_026 },
    );
  });

  it('measures the concurrency and the gap of overlapping requests exactly, reported only at their ends', () => {
    const exchange = fc.record({ start: fc.integer({ min: 0, max: 60 }), length: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 30 }), (exchanges) => {
        const records = exchanges
          .map(({ start, length }) => request('a.test', start, start + length))
          .sort((a, b) => a.endedAtMs - b.endedAtMs);
        const ledger = new PolitenessLedger();
        for (const record of records) ledger.request(record);
        const [row] = ledger.report();
        const expected = expectedOf(records);
        expect({ depth: row?.highestConcurrency, gap: row?.smallestGapMs }).toEqual({
          depth: expected.depth,
          gap: expected.gap,
        });
      }),
      { seed: 9_309, numRuns: 500 },
    );
  });

  it.each([
    ['one request has no gap', [[0, 10]], null, 1],
    [
      'two in a row',
      [
        [0, 10],
        [15, 20],
      ],
      5,
      1,
    ],
    [
      'touching is not overlapping',
      [
        [0, 10],
        [10, 20],
      ],
      0,
      1,
    ],
    [
      'one inside another',
      [
        [5, 6],
        [0, 10],
      ],
      0,
      2,
    ],
    [
      'a long one over two short ones in a row',
      [
        [1, 2],
        [3, 4],
        [0, 10],
      ],
      0,
      2,
    ],
    [
      'a long one over two short ones at once',
      [
        [1, 4],
        [3, 5],
        [20, 30],
        [0, 31],
      ],
      0,
      3,
    ],
  ])('%s', (_, exchanges, gap, concurrency) => {
    const ledger = new PolitenessLedger();
    for (const [start, end] of exchanges) ledger.request(request('a.test', start!, end!));
    expect(ledger.report()[0]).toMatchObject({ smallestGapMs: gap, highestConcurrency: concurrency });
  });

  it('keeps hosts separate: requests to two hosts do not overlap', () => {
    const ledger = new PolitenessLedger();
    ledger.request(request('a.test', 0, 10));
    ledger.request(request('b.test', 5, 12));
    expect(ledger.report().map((row) => [row.host, row.highestConcurrency, row.smallestGapMs])).toEqual([
      ['a.test', 1, null],
      ['b.test', 1, null],
    ]);
  });

  it('counts a pause as obeyed if the next request came after it, and otherwise the request as early', () => {
    const obeyed = new PolitenessLedger();
    obeyed.request(request('a.test', 0, 10, { status: 429 }));
    obeyed.warning(notice('a.test', 'host-paused', { atMs: 10, untilMs: 30_010 }));
    expect(obeyed.report()[0]).toMatchObject({ longestPauseMs: 0, early: 0 });
    obeyed.request(request('a.test', 30_010, 30_020));
    expect(obeyed.report()[0]).toMatchObject({ longestPauseMs: 30_000, early: 0 });

    const ignored = new PolitenessLedger();
    ignored.request(request('a.test', 0, 10, { status: 429 }));
    ignored.warning(notice('a.test', 'host-paused', { atMs: 10, untilMs: 30_010 }));
    ignored.request(request('a.test', 30_009, 30_020));
    expect(ignored.report()[0]).toMatchObject({ longestPauseMs: 0, early: 1 });
  });

  it('treats two overlapping pauses as one, as long as the longer', () => {
    const ledger = new PolitenessLedger();
    ledger.request(request('a.test', 0, 10, { status: 503 }));
    ledger.warning(notice('a.test', 'host-paused', { atMs: 10, untilMs: 60_010 }));
    ledger.warning(notice('a.test', 'host-paused', { atMs: 20, untilMs: 30_020 }));
    ledger.request(request('a.test', 40_000, 40_010));
    expect(ledger.report()[0]).toMatchObject({ longestPauseMs: 0, early: 1 });
    ledger.request(request('a.test', 60_010, 60_020));
    expect(ledger.report()[0]).toMatchObject({ longestPauseMs: 60_000, early: 1 });
  });

  it('is strict if requests are reported out of order: never a longer gap or less concurrency', () => {
    const ledger = new PolitenessLedger();
    ledger.request(request('a.test', 100, 110));
    ledger.request(request('a.test', 0, 10));
    ledger.request(request('a.test', 115, 120));
    expect(ledger.report()[0]).toMatchObject({ smallestGapMs: 0, highestConcurrency: 2 });
    const later = new PolitenessLedger();
    later.request(request('a.test', 0, 100));
    later.request(request('a.test', 0, 50));
    later.request(request('a.test', 60, 120));
    expect(later.report()[0]?.highestConcurrency).toBeGreaterThanOrEqual(2);
  });

  it('counts requests by purpose, status and failure', () => {
    const ledger = new PolitenessLedger();
    ledger.request(request('a.test', 0, 1, { purpose: 'robots' }));
    ledger.request(request('a.test', 2, 3));
    ledger.request(request('a.test', 4, 5, { status: null, failure: 'reset' }));
    expect(ledger.report()[0]).toMatchObject({
      requests: 3,
      pages: 0,
      robotsRequests: 1,
      bytes: 30,
      statuses: { '200': 2, reset: 1 },
    });
  });

  it('counts the pages that decisions call pages, and none if a log leaves some out', () => {
    const ledger = new PolitenessLedger();
    ledger.decision(decision('http://a.test/', 'fetched', { isPage: true }));
    ledger.decision(decision('http://a.test/moved', 'fetched', { reason: 'redirect' }));
    ledger.decision(decision('http://a.test/a.pdf', 'dropped', { reason: 'unwanted', layer: 'page' }));
    ledger.decision(decision('http://a.test/gone', 'failed', { isPage: true }));
    ledger.leftOut({ held: { 'robots-unreachable': 5 } });
    expect(ledger.report()[0]).toMatchObject({ pages: 2, failed: 1, dropped: 1 });
    ledger.leftOut({ fetched: { fetched: 100 } });
    expect(ledger.report()[0]).toMatchObject({ pages: null, failed: 1 });
  });

  it('keeps exclusions with the line and the authority of the robots.txt, and comments and warnings once', () => {
    const ledger = new PolitenessLedger();
    const robots = { authority: 'http://a.test:8080', phase: 'rules', hash: 'ab', receivedAtMs: 1 };
    ledger.decision(decision('http://a.test:8080/x', 'excluded', { line: 4, pattern: '/x', robots }));
    ledger.decision(decision('http://a.test:8080/y', 'failed'));
    ledger.warning(notice('a.test', 'comment', { detail: 'be kind' }));
    ledger.warning(notice('a.test', 'comment', { detail: 'be kind' }));
    ledger.warning(notice('a.test', 'robots-forbidden', { detail: '403', authority: 'http://a.test:8080' }));
    expect(ledger.report()[0]).toMatchObject({
      excluded: 1,
      failed: 1,
      exclusions: [
        { url: 'http://a.test:8080/x', reason: 'robots-rule', line: 4, pattern: '/x', authority: 'http://a.test:8080' },
      ],
      comments: ['be kind'],
      warnings: ['robots-forbidden (http://a.test:8080): 403'],
    });
  });

  it('does not name the line that allowed a page for what the page itself excludes', () => {
    const ledger = new PolitenessLedger();
    const robots = { authority: 'http://a.test', phase: 'rules', hash: 'ab', receivedAtMs: 1 };
    ledger.decision(
      decision('http://a.test/x', 'excluded', { reason: 'noindex', layer: 'page', line: 5, pattern: '/x', robots }),
    );
    expect(ledger.report()[0]?.exclusions).toMatchObject([
      { reason: 'noindex', line: null, pattern: null, authority: null },
    ]);
  });

  it('makes no row for hosts that are only out of scope, but counts them if the host is known', () => {
    const ledger = new PolitenessLedger();
    const outside = (url: string) => decision(url, 'dropped', { reason: 'out-of-scope', layer: 'scope' });
    ledger.decision(outside('http://elsewhere.test/'));
    ledger.request(request('a.test', 0, 1));
    ledger.decision(outside('http://a.test/private'));
    expect(ledger.report().map((row) => [row.host, row.dropped])).toEqual([['a.test', 1]]);
    expect(ledger.hostCount()).toBe(1);
  });

  it('counts hosts past its bound together, without gaps between different hosts', () => {
    const ledger = new PolitenessLedger(1);
    for (const host of ['a.test', 'b.test', 'c.test']) ledger.request(request(host, 0, 10));
    expect(ledger.report()).toMatchObject([
      { host: 'a.test', requests: 1 },
      { host: OTHER_HOSTS, requests: 2, smallestGapMs: null, highestConcurrency: 0 },
    ]);
  });

  it('keeps no more lines of a host than its bound', () => {
    const ledger = new PolitenessLedger();
    for (let i = 0; i < 100; i += 1) {
      ledger.decision(decision(`http://a.test/${i}`, 'excluded'));
      ledger.warning(notice('a.test', 'comment', { detail: `comment ${i}` }));
    }
    const row = ledger.report()[0]!;
    expect([row.excluded, row.exclusions.length, row.comments.length]).toEqual([100, 12, 12]);
  });
});
