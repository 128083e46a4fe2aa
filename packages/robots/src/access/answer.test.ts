// Each row that moves from "hold" to "allow" by mistake opens every host that answers with it.
import { describe, expect, it } from 'vitest';
import { type AnswerMeaning, classifyAnswer, declaredCharset, type RobotsAnswer } from './answer.js';
import { resolveAccessOptions } from './profile.js';

const answer = (status: number, type?: string, body = ''): RobotsAnswer => ({
  kind: 'response',
  status,
  headers: type === undefined ? {} : { 'content-type': type },
  body: new TextEncoder().encode(body),
  robotsUrl: 'https://example.com/robots.txt',
  finalUrl: 'https://example.com/robots.txt',
});
const PROFILES = ['rfc9309', 'google', '1996', 'strictest'] as const;
const meanings = (given: RobotsAnswer, isRevalidation = false) =>
  PROFILES.map(
    (accessProfile) => classifyAnswer(given, isRevalidation, resolveAccessOptions({ accessProfile })).meaning,
  );

describe('what a response means (access §4)', () => {
  const t = 'transient';
  const u = 'unavailable';
  const r = 'restricted';
  const all = (meaning: AnswerMeaning): AnswerMeaning[] => [meaning, meaning, meaning, meaning];
  const table: [number[], AnswerMeaning[]][] = [
    // rfc9309, google, 1996, strictest
    [[200, 201, 204, 205, 226, 299], all('parse')],
    [[206], all(t)],
    [[304, 300, 305, 306, 301, 302, 100, 199, 600, 999, 0, -1, Number.NaN, 200.5 - 0.5 + 399.6], all(t)],
    [[404, 410], all('gone')],
    [
      [401, 402, 403],
      [u, u, r, r],
    ],
    [[429], all(t)],
    [
      [408, 421, 425],
      [t, u, t, t],
    ],
    [
      [400, 407, 418, 451, 499],
      [u, u, u, r],
    ],
    [[500, 502, 503, 599], all(t)],
  ];
  const rows = table.flatMap(([statuses, expected]) => statuses.map((status) => [status, expected] as const));
  it.each(rows)('%s', (status, expected) => {
    expect(meanings(answer(status))).toEqual(expected);
  });

  it('304 to a conditional request confirms the copy', () => {
    expect(meanings(answer(304), true)).toEqual(all('not-modified'));
  });

  it('a failure is transient, a chain that is too long is unavailable, and strictest closes', () => {
    expect(meanings({ kind: 'failure', failure: 'short-body' })).toEqual(all(t));
    expect(meanings({ kind: 'redirect-limit' })).toEqual([u, u, u, r]);
  });

  const notes: [RobotsAnswer, string[]][] = [
    [answer(200), []],
    [answer(200, 'Text/Plain; charset=utf-8'), []],
    [answer(200, 'application/json'), ['robots-content-type']],
    [answer(200, 'text/html'), ['robots-content-type', 'robots-html']],
    [answer(200, 'application/xhtml+xml'), ['robots-content-type', 'robots-html']],
    [answer(200, 'text/plain', '\uFEFF \n<!doctype html>'), ['robots-html']],
    [answer(200, 'text/plain', 'User-agent: <x>'), []],
    [answer(403), ['robots-forbidden']],
    [answer(404), []],
    [{ kind: 'redirect-limit' }, ['robots-redirect-limit']],
  ];
  it.each(notes)('%# is reported to the operator', (given, expected) => {
    expect(classifyAnswer(given, false, resolveAccessOptions()).notes).toEqual(expected);
  });

  it('reads the declared charset', () => {
    expect(declaredCharset({ 'content-type': 'text/plain;charset="Windows-1251"' })).toBe('windows-1251');
    expect(declaredCharset({})).toBeNull();
  });
});
