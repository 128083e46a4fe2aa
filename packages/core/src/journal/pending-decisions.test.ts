// What is at stake: a URL must not be reported as left alone and as fetched.
import { describe, expect, it } from 'vitest';
import type { UrlDecision } from '../report/decision.js';
import { PendingDecisions } from './journal.js';

const decision = (url: string, reason = 'link-nofollow'): UrlDecision => ({
  url,
  status: 'excluded',
  reason,
  layer: 'page',
  httpStatus: null,
  line: null,
  pattern: null,
  dialect: null,
  robots: null,
  depth: 1,
  from: null,
  atMs: 0,
  detail: null,
});

describe('pending decisions', () => {
  it('are reported at the end, with the first reason', () => {
    const reported: UrlDecision[] = [];
    const pending = new PendingDecisions(10, (each) => reported.push(each));
    pending.add(decision('http://a.test/1'));
    pending.add(decision('http://a.test/1', 'bound-depth'));
    expect(reported).toEqual([]);
    pending.reportAll();
    expect(reported.map((d) => [d.url, d.reason])).toEqual([['http://a.test/1', 'link-nofollow']]);
    pending.reportAll();
    expect(reported).toHaveLength(1);
  });

  it('are not reported when another link admitted them', () => {
    const reported: UrlDecision[] = [];
    const pending = new PendingDecisions(10, (each) => reported.push(each));
    pending.add(decision('http://a.test/1'));
    pending.add(decision('http://a.test/2'));
    pending.remove('http://a.test/1');
    pending.reportAll();
    expect(reported.map((d) => d.url)).toEqual(['http://a.test/2']);
  });

  it('are remembered within a bound: the oldest is reported early', () => {
    const reported: UrlDecision[] = [];
    const pending = new PendingDecisions(2, (each) => reported.push(each));
    for (const n of [1, 2, 3]) pending.add(decision(`http://a.test/${n}`));
    expect(reported.map((d) => d.url)).toEqual(['http://a.test/1']);
  });
});
