// What is at stake: a URL must not be reported as left alone and as fetched.
import { describe, expect, it } from 'vitest';
import type { UrlDecision } from '../report/decision.js';
import { createLeftAlone } from './left-alone.js';

const word = (url: string, reason = 'link-nofollow'): UrlDecision => ({
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

describe('URLs left alone', () => {
  it('are told at the end, with the first reason', () => {
    const told: UrlDecision[] = [];
    const leftAlone = createLeftAlone(10, (decision) => told.push(decision));
    leftAlone.note(word('http://a.test/1'));
    leftAlone.note(word('http://a.test/1', 'bound-depth'));
    expect(told).toEqual([]);
    leftAlone.tellAll();
    expect(told.map((d) => [d.url, d.reason])).toEqual([['http://a.test/1', 'link-nofollow']]);
    leftAlone.tellAll();
    expect(told).toHaveLength(1);
  });

  it('are not told when another road admitted them', () => {
    const told: UrlDecision[] = [];
    const leftAlone = createLeftAlone(10, (decision) => told.push(decision));
    leftAlone.note(word('http://a.test/1'));
    leftAlone.note(word('http://a.test/2'));
    leftAlone.admitted('http://a.test/1');
    leftAlone.tellAll();
    expect(told.map((d) => d.url)).toEqual(['http://a.test/2']);
  });

  it('are remembered within a bound: the oldest is told early', () => {
    const told: UrlDecision[] = [];
    const leftAlone = createLeftAlone(2, (decision) => told.push(decision));
    for (const n of [1, 2, 3]) leftAlone.note(word(`http://a.test/${n}`));
    expect(told.map((d) => d.url)).toEqual(['http://a.test/1']);
  });
});
