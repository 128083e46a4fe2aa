// The live view must be correct, in the order in which an operator needs it, and bounded whatever sites send.

import type { HostWait, UrlDecision } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { fakeCrawl, requestRecord } from '../../test-support/fake-crawl.js';
import { MAX_DASHBOARD_HOSTS, MAX_DASHBOARD_RECENT, MAX_DASHBOARD_SAMPLES, MAX_DASHBOARD_TEXT } from './limits.js';
import { createHostTallies, createView } from './view.js';

const wait = (host: string, more: Partial<HostWait> = {}): HostWait => ({
  host,
  reason: 'interval',
  untilMs: 5_000,
  queued: 1,
  ...more,
});
const underway = (host: string) => ({ url: `http://${host}/`, host, purpose: 'page' as const, sinceMs: 1 });

describe('the view', () => {
  it('lists hosts by what is due: in flight, waiting by time, set aside, idle', () => {
    const crawl = fakeCrawl(
      {},
      {
        underway: [underway('now.test')],
        ready: [
          { host: 'due.test', queued: 4 },
          { host: 'now.test', queued: 2 },
        ],
        waits: [
          wait('soon.test', { reason: 'crawl-delay' }),
          wait('later.test', { untilMs: 9_000 }),
          wait('parked.test', { reason: 'host-parked', untilMs: null }),
        ],
        waitingHosts: 7,
      },
    );
    const view = createView(crawl, true);
    for (const host of ['quiet.test', 'soon.test', 'latest.test']) {
      crawl.emit('request', requestRecord({ host, crawlDelayMs: 4_000, gapMs: 4_200 }));
    }
    const { hosts, waitingHosts } = view.read();
    expect(hosts.map(({ host, state, reason }) => [host, state, reason])).toEqual([
      ['now.test', 'asking', null],
      ['due.test', 'ready', null],
      ['soon.test', 'waiting', 'crawl-delay'],
      ['later.test', 'waiting', 'interval'],
      ['parked.test', 'parked', 'host-parked'],
      ['latest.test', 'quiet', null],
      ['quiet.test', 'quiet', null],
    ]);
    expect(waitingHosts).toBe(7);
    expect(hosts.map(({ queued }) => queued)).toEqual([2, 4, 1, 1, 1, null, null]);
    expect(hosts[2]?.tally).toMatchObject({ requests: 1, asksMs: 4_000, smallestGapMs: 4_200, lastStatus: 200 });
    expect(hosts[3]?.tally).toBeNull();
  });

  it('shows the results of requests and URLs', () => {
    const crawl = fakeCrawl();
    const view = createView(crawl, true);
    crawl.emit('request', requestRecord());
    crawl.emit('request', requestRecord({ status: null, failure: 'timeout-headers' }));
    crawl.emit('request', requestRecord({ status: 503 }));
    for (const [word, reason] of [
      ['fetched', 'fetched'],
      ['excluded', 'robots-rule'],
      ['excluded', 'robots-rule'],
      ['failed', 'status-404'],
      ['failed', 'status-98765'],
      ['dropped', '<b>'],
    ] as const) {
      crawl.emit('decision', { status: word, reason } as UrlDecision);
    }
    const { answers, outcomes, recent } = view.read();
    expect(answers).toEqual({ '2xx': 1, 'timeout-headers': 1, '5xx': 1 });
    expect(outcomes).toEqual({
      fetched: { fetched: 1 },
      excluded: { 'robots-rule': 2 },
      failed: { 'status-404': 1, other: 1 },
      dropped: { other: 1 },
    });
    expect(recent.map(({ status, failure }) => status ?? failure)).toEqual([503, 'timeout-headers', 200]);
  });

  it('shows the pace of two minutes, without what was done before it was opened', () => {
    const crawl = fakeCrawl({ pages: 500, requests: 900, bytes: 1_000 });
    const view = createView(crawl, true);
    view.sample();
    crawl.setState({ pages: 503, requests: 905, bytes: 6_000 });
    view.sample();
    expect(view.read().rates).toEqual({ pages: [0, 3], requests: [0, 5], bytes: [0, 5_000] });
    // Another crawl of the same crawler starts from zero.
    crawl.setState({ pages: 1, requests: 2, bytes: 10 });
    view.sample();
    expect(view.read().rates.pages).toEqual([0, 3, 0]);
    for (let second = 0; second < 500; second += 1) view.sample();
    expect(view.read().rates.pages).toHaveLength(MAX_DASHBOARD_SAMPLES);
  });

  it('is bounded, and cleans what sites send', () => {
    const crawl = fakeCrawl(
      {},
      {
        waits: Array.from({ length: 5_000 }, (_, at) => wait(`h${at}.test`)),
        seeds: [`http://a.test/\u202e${'x'.repeat(9_000)}`],
      },
    );
    const view = createView(crawl, true);
    const evil = `http://a.test/\u0007\u202e<script>alert(1)</script>${'x'.repeat(9_000)}`;
    for (let at = 0; at < 3_000; at += 1) {
      crawl.emit('request', requestRecord({ url: evil, host: `host-${at}.test` }));
      crawl.emit('handler-error', { url: evil, error: new Error(evil) });
    }
    const { hosts, recent, notes, activity } = view.read();
    expect(hosts).toHaveLength(MAX_DASHBOARD_HOSTS);
    expect([recent.length, notes.length]).toEqual([MAX_DASHBOARD_RECENT, MAX_DASHBOARD_RECENT]);
    for (const text of [recent[0]!.url, notes[0]!.about, notes[0]!.detail, activity.seeds[0]!]) {
      expect(text.length).toBeLessThanOrEqual(MAX_DASHBOARD_TEXT);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(JSON.stringify(view.read()).length).toBeLessThan(400_000);
  });

  it('stops listening when it is closed', () => {
    const crawl = fakeCrawl();
    const view = createView(crawl, true);
    view.close();
    expect(crawl.listeners()).toBe(0);
  });
});

describe('the table of hosts', () => {
  it('forgets the host that was requested longest ago', () => {
    const ledger = createHostTallies(2);
    for (const host of ['a', 'b', 'a', 'c']) ledger.request(requestRecord({ host }));
    expect([...ledger.latest()]).toEqual(['c', 'a']);
    expect([ledger.get('a')?.requests, ledger.get('b')]).toEqual([2, null]);
  });

  it('keeps the smallest gap, and counts what went wrong', () => {
    const ledger = createHostTallies();
    ledger.request(requestRecord({ gapMs: null }));
    ledger.request(requestRecord({ gapMs: 900, status: 404 }));
    ledger.request(
      requestRecord({ gapMs: 1_200, status: null, failure: 'reset', requestIntervalMs: 2_000, crawlDelayMs: 1_000 }),
    );
    expect(ledger.get('a.test')).toMatchObject({
      requests: 3,
      errors: 2,
      smallestGapMs: 900,
      asksMs: 2_000,
      lastStatus: null,
      lastFailure: 'reset',
    });
  });
});
