// The assertions are tested: one that never fails would let every impolite crawler pass, and one without a useful
// message would not help.

import { describe, expect, it } from 'vitest';
import {
  assertKeepsGap,
  assertKeepsPace,
  assertNotRequested,
  assertOneAtATime,
  assertRequested,
  assertRobotsFirst,
  type PolitenessMatchers,
  politenessMatchers,
  type SeenRequest,
} from './politeness-assertions.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the runner's own declaration has it
  interface Matchers<T = any> extends PolitenessMatchers<T> {}
}
expect.extend(politenessMatchers);

const T = Date.UTC(2026, 0, 1);

function seen(url: string, startMs: number, endMs = startMs + 10): SeenRequest {
  return { url, host: new URL(url).hostname, startMs: T + startMs, endMs: T + endMs };
}

const ROBOTS = seen('https://a.test/robots.txt', 0);
/** Gaps of 100 and 200 ms; starts 110 and 210 ms apart. */
const POLITE = [
  ROBOTS,
  seen('https://a.test/', 110),
  seen('https://a.test/b', 320),
  seen('https://b.test/robots.txt', 5),
];

type Check = (requests: readonly SeenRequest[]) => void;

/** Assertion → a log that fails it, and words of the message. */
const CASES: readonly (readonly [what: string, check: Check, log: readonly SeenRequest[], says: RegExp])[] = [
  [
    'a gap that is too short',
    (log) => assertKeepsGap(log, 'a.test', 150),
    POLITE,
    /^a\.test was asked too soon: https:\/\/a\.test\/ at 2026-01-01T00:00:00\.110Z, 100 ms after the end of https:\/\/a\.test\/robots\.txt \(2026-01-01T00:00:00\.010Z\) instead of 150 ms$/,
  ],
  ['each of them', (log) => assertKeepsGap(log, 'a.test', 250), POLITE, /; and 1 more like it$/],
  [
    'a gap, whatever the order of the log',
    (log) => assertKeepsGap([...log].reverse(), 'a.test', 150),
    POLITE,
    /100 ms/,
  ],
  ['an overlap as a gap', (log) => assertKeepsGap(log, 'a.test', 0), [ROBOTS, seen('https://a.test/', 9)], /was until/],
  [
    'an interval',
    (log) => assertKeepsPace(log, 'a.test', 111),
    POLITE,
    /110 ms after the start of .* instead of 111 ms/,
  ],
  [
    'two at once',
    (log) => assertOneAtATime(log, 'a.test'),
    [ROBOTS, seen('https://a.test/', 9)],
    /while .*robots\.txt/,
  ],
  [
    'an exchange that never ended',
    (log) => assertOneAtATime(log, 'a.test'),
    [seen('https://a.test/', 0, Number.POSITIVE_INFINITY), seen('https://a.test/b', 9_999)],
    /was still being answered/,
  ],
  [
    'a page before the rules are there',
    (log) => assertRobotsFirst(log, 'a.test'),
    [ROBOTS, seen('https://a.test/', 9)],
    /https:\/\/a\.test\/ at .*\.009Z, before its robots\.txt was there at .*\.010Z$/,
  ],
  [
    'a page of another port, whose rules were never requested',
    (log) => assertRobotsFirst(log, 'a.test'),
    [ROBOTS, seen('https://a.test:8443/', 50)],
    /https:\/\/a\.test:8443\/ .* and never for its robots\.txt$/,
  ],
  [
    'a request that is missing',
    (log) => assertRequested(log, 'https://a.test/c'),
    POLITE,
    /These were:\n {2}https:\/\/a\.test\/r/,
  ],
  [
    'a pattern that nothing matches',
    (log) => assertRequested(log, /\.pdf$/),
    POLITE,
    /^\/\\\.pdf\$\/ was not asked for/,
  ],
  ['a request too many', (log) => assertNotRequested(log, 'https://a.test/b'), POLITE, /b was asked for at .*\.320Z$/],
  ['a pattern that something matches', (log) => assertNotRequested(log, /a\.test/g), POLITE, /, 3 times in all$/],
  [
    'the gap of a host that was asked once',
    (log) => assertKeepsGap(log, 'b.test', 1),
    POLITE,
    /nothing is shown: b\.test/,
  ],
  [
    'the pace of a host that got no request',
    (log) => assertKeepsPace(log, 'c.test', 1),
    POLITE,
    /nothing is shown: c\.test/,
  ],
  ['the order at a host that got no request', (log) => assertRobotsFirst(log, 'c.test'), POLITE, /nothing is shown/],
  [
    'a run that did not wait',
    (log) => assertKeepsGap({ exchanges: log as SeenRequest[], report: { state: 'waiting' } }, 'c.test', 1),
    POLITE,
    /`waiting`\): raise `maxIdleMs`$/,
  ],
  ['silence where nothing was asked', (log) => assertNotRequested(log, 'https://a.test/'), [], /nothing is shown/],
];

describe('the assertions on politeness', () => {
  it('find nothing wrong with a polite log', () => {
    for (const log of [POLITE, { exchanges: POLITE }]) {
      assertKeepsGap(log, 'a.test', 100);
      assertKeepsPace(log, 'a.test', 110);
      assertOneAtATime(log, 'a.test');
      assertRobotsFirst(log, 'a.test');
      assertRequested(log, 'https://a.test');
      assertRequested(log, /\/b$/);
      assertNotRequested(log, 'https://a.test/c');
      assertNotRequested(log, /c$/);
    }
  });

  it.each(CASES)('report %s', (_what, check, log, says) => {
    expect(() => check(log)).toThrow(expect.objectContaining({ code: 'ERR_ASSERTION' }));
    expect(() => check(log)).toThrow(says);
  });

  it('take a URL whose fragment is never sent, and refuse a path, which would match nothing', () => {
    assertRequested(POLITE, 'https://a.test/b#part');
    expect(() => assertNotRequested(POLITE, 'https://a.test/b#part')).toThrow(/b was asked for at/);
    for (const check of [assertRequested, assertNotRequested])
      expect(() => check(POLITE, '/b')).toThrow(/expected `url` to be an absolute URL or a RegExp, got "\/b"/);
  });

  it('are matchers too', () => {
    expect(POLITE).toKeepGap('a.test', 100);
    expect(POLITE).toKeepPace('a.test', 110);
    expect({ exchanges: POLITE }).toBeOneAtATime('a.test');
    expect(POLITE).toHaveAskedRobotsFirst('a.test');
    expect(POLITE).toHaveRequested('https://a.test/b');
    expect(POLITE).notToHaveRequested('https://a.test/c');
    expect(POLITE).not.toHaveRequested(/c$/);
    expect(POLITE).not.toKeepGap('a.test', 101);
    expect(() => expect(POLITE).toKeepGap('a.test', 101)).toThrow(/100 ms after the end of/);
    expect(() => expect(POLITE).not.toKeepGap('b.test', 101)).toThrow(/nothing is shown/);
    expect(() => expect([]).notToHaveRequested(/x/)).toThrow(/nothing is shown/);
  });
});
