// The reports of several processes as one: what each process did is added up, and what they share is counted once.

import type { CrawlProgress, CrawlReport } from 'mannerly';
import { describe, expect, it } from 'vitest';
import type { LoggedTotals } from '../../report/from-logs.js';
import { combineProgress, combineReports } from './combine-reports.js';

const progress = (more: Partial<CrawlProgress>): CrawlProgress => ({
  ...{ pages: 0, requests: 0, inFlight: 0, hosts: 0, queued: 0, excluded: 0, dropped: 0, failed: 0 },
  ...{ items: 0, bytes: 0, runningMs: 0, waitingFor: null, waitingHosts: 0 },
  ...more,
});
const report = (more: Partial<CrawlReport>): CrawlReport => ({
  ...{
    state: 'finished',
    bound: null,
    bounds: [],
    resumed: false,
    alreadyFinished: false,
    startedAtMs: 1,
    endedAtMs: 2,
    runningMs: 1,
  },
  ...{ pages: 0, requests: 0, items: 0, bytes: 0, queued: 0, outcomes: {}, politeness: [], politenessOf: 'run' },
  ...{ waiting: [], scopeMoves: [], traps: [], relaxedDefaults: [] },
  ...more,
});

describe('one progress of several', () => {
  it('adds up what each does, and uses the latest value of what all share', () => {
    const joined = combineProgress([
      progress({ pages: 9, requests: 4, inFlight: 1, queued: 7, items: 3, runningMs: 500 }),
      progress({ pages: 10, requests: 8, inFlight: 2, queued: 6, items: 5, runningMs: 600 }),
    ]);
    expect(joined).toMatchObject({ pages: 10, requests: 12, inFlight: 3, queued: 7, items: 8, runningMs: 600 });
    expect(combineProgress([])).toBeNull();
  });

  it('waits for the earliest host, and is held if one of them is', () => {
    const wait = (host: string, untilMs: number | null) => ({ host, reason: 'interval' as const, untilMs, queued: 1 });
    const idle = [progress({ waitingFor: wait('late', 9) }), progress({ waitingFor: wait('soon', 5) })];
    expect(combineProgress(idle)?.waitingFor?.host).toBe('soon');
    expect(combineProgress([...idle, progress({ inFlight: 1 })])?.waitingFor).toBeNull();
    expect(combineProgress([...idle, progress({ holding: 'no answer' })])?.holding).toBe('no answer');
  });
});

describe('one report of several', () => {
  it('adds up truncated pages, and leaves them out if there are none', () => {
    expect(combineReports([report({}), report({ truncated: 1 }), report({ truncated: 2 })], null).truncated).toBe(3);
    expect(combineReports([report({})], null)).not.toHaveProperty('truncated');
  });

  it('adds up what processes visited again', () => {
    const counts = {
      visits: 3,
      notModified: 1,
      sameContent: 1,
      cosmetic: 0,
      changed: 1,
      gone: 0,
      bytesSaved: 70,
      known: 10,
      freshBefore: 0.5,
      freshAfter: 0.7,
      nextDueAtMs: null,
    };
    const reports = [
      report({ recrawl: counts }),
      report({ recrawl: { ...counts, freshAfter: 0.6, nextDueAtMs: 9 } }),
      report({}),
    ] as const;
    const sums = {
      visits: 6,
      notModified: 2,
      sameContent: 2,
      cosmetic: 0,
      changed: 2,
      gone: 0,
      bytesSaved: 140,
      nextDueAtMs: 9,
    };
    const { freshBefore = null, freshAfter = null, ...rest } = combineReports(reports, null).recrawl ?? {};
    expect(rest).toEqual({ ...sums, known: 10 });
    // All processes visited pages of the same copy.
    expect(freshBefore).toBe(0.5);
    expect(freshAfter).toBeCloseTo(0.8, 9);
    expect(combineReports([report({})], null)).not.toHaveProperty('recrawl');
  });

  const states = [
    ['finished', ['finished', 'finished']],
    ['bounded', ['finished', 'bounded']],
    ['waiting', ['bounded', 'waiting']],
    ['stopped', ['waiting', 'stopped', 'finished']],
  ] as const;
  it.each(states)('%s', (expected, each) => {
    const [first, ...others] = each.map((state) =>
      report({ state, queued: 1, bound: state === 'bounded' ? 'pages' : null }),
    );
    expect(combineReports([first as CrawlReport, ...others], null).state).toBe(expected);
  });

  it('is finished if one found nothing to do for a while, and another emptied the queue', () => {
    const waiting = [{ host: 'a.test', reason: 'interval' as const, untilMs: 5, queued: 1 }];
    const early = report({ state: 'waiting', queued: 4, waiting });
    expect(combineReports([early, report({ state: 'finished' })], null)).toMatchObject({
      state: 'finished',
      waiting: [],
    });
    expect(combineReports([early, report({ state: 'waiting', queued: 2, waiting })], null)).toMatchObject({
      state: 'waiting',
      waiting,
    });
  });

  it('counts from the logs of all if they were read, otherwise from the reports', () => {
    const both = [
      report({
        part: '1',
        pages: 30,
        requests: 20,
        items: 10,
        outcomes: { fetched: { fetched: 20 } },
        alreadyFinished: true,
      }),
      report({ part: '2', pages: 28, requests: 15, items: 12, outcomes: { fetched: { fetched: 9, redirect: 1 } } }),
    ] as const;
    const added = combineReports(both, null);
    expect(added).toMatchObject({ pages: 30, requests: 35, items: 22, alreadyFinished: false, politenessOf: 'run' });
    expect(added.outcomes).toEqual({ fetched: { fetched: 29, redirect: 1 } });
    expect(added).not.toHaveProperty('part');
    const logged: LoggedTotals = {
      requests: 34,
      bytes: 1,
      items: 21,
      outcomes: { fetched: { fetched: 30 } },
      politeness: [],
    };
    expect(combineReports(both, logged)).toMatchObject({ ...logged, politenessOf: 'crawl' });
  });
});
