// If the state machine ever treats a missing answer as permission, so does every crawl.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOST_ANSWERS_MS } from '../limits.js';
import type { RobotsAnswer } from './answer.js';
import { resolveAccessOptions } from './profile.js';
import { decodeAccess, encodeAccess } from './record.js';
import {
  type AccessEvent,
  type AccessPhase,
  type AccessState,
  accessAdvice,
  initialAccess,
  isFetchDue,
  nextAccess,
} from './state.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const OPEN = resolveAccessOptions();
const CLOSING = resolveAccessOptions({ onForbidden: 'deny' });
const ROBOTS = 'https://example.com/robots.txt';

const response = (status: number, headers: Record<string, string> = {}, body = ''): RobotsAnswer => ({
  kind: 'response',
  status,
  headers,
  body: new TextEncoder().encode(body),
  robotsUrl: ROBOTS,
  finalUrl: ROBOTS,
});
const PARSE = response(200, { etag: '"1"', 'cache-control': 'max-age=3600' }, 'User-agent: *\nDisallow: /x\n');
const FAILURE: RobotsAnswer = { kind: 'failure', failure: 'timeout' };

const answer = (given: RobotsAnswer): AccessEvent => ({ kind: 'answer', answer: given });
const run = (options: typeof OPEN, ...steps: [number, AccessEvent][]): AccessState =>
  steps.reduce((state, [at, event]) => nextAccess(state, event, at, options), initialAccess());

/** Each phase with its fetch due at `at`. */
const PREPARED: Record<AccessPhase, { state: AccessState; at: number }> = {
  'none-yet': { state: initialAccess(), at: 0 },
  rules: { state: run(OPEN, [0, answer(PARSE)]), at: HOUR },
  'no-rules': { state: run(OPEN, [0, answer(response(404))]), at: DAY },
  restricted: { state: run(CLOSING, [0, answer(response(403))]), at: DAY },
  kept: { state: run(OPEN, [0, answer(PARSE)], [HOUR, answer(response(403))]), at: 2 * HOUR },
  unreachable: { state: run(OPEN, [0, answer(PARSE)], [HOUR, answer(FAILURE)]), at: 2 * HOUR },
  'last-good': {
    state: run(OPEN, [0, answer(PARSE)], [HOUR, answer(FAILURE)], [31 * DAY, answer(FAILURE)]),
    at: 32 * DAY,
  },
};
const PHASES = Object.keys(PREPARED) as AccessPhase[];

const ADVICE: Record<AccessPhase, string> = {
  'none-yet': 'hold',
  rules: 'by-rules',
  'no-rules': 'allow',
  restricted: 'deny',
  kept: 'by-rules',
  unreachable: 'hold',
  'last-good': 'by-rules',
};

describe('state × answer (access §8)', () => {
  const columns = [
    ['200', PARSE, OPEN],
    ['304', response(304), OPEN],
    ['404', response(404), OPEN],
    ['403, open', response(403), OPEN],
    ['403, closing', response(403), CLOSING],
    ['503', response(503), OPEN],
    ['timeout', FAILURE, OPEN],
  ] as const;
  const table: Record<AccessPhase, AccessPhase[]> = {
    //             200      304            404         403, open   closing       503            timeout
    'none-yet': ['rules', 'unreachable', 'no-rules', 'no-rules', 'restricted', 'unreachable', 'unreachable'],
    rules: ['rules', 'rules', 'no-rules', 'kept', 'restricted', 'unreachable', 'unreachable'],
    'no-rules': ['rules', 'unreachable', 'no-rules', 'no-rules', 'restricted', 'unreachable', 'unreachable'],
    restricted: ['rules', 'unreachable', 'no-rules', 'no-rules', 'restricted', 'unreachable', 'unreachable'],
    kept: ['rules', 'rules', 'no-rules', 'kept', 'restricted', 'unreachable', 'unreachable'],
    unreachable: ['rules', 'rules', 'no-rules', 'kept', 'restricted', 'unreachable', 'unreachable'],
    'last-good': ['rules', 'rules', 'no-rules', 'no-rules', 'restricted', 'last-good', 'last-good'],
  };
  const cells = PHASES.flatMap((phase) =>
    columns.map(([name, given, options], column) => [phase, name, table[phase][column], given, options] as const),
  );

  it.each(cells)('%s, %s → %s', (phase, name, expected, given, options) => {
    const { state, at } = PREPARED[phase];
    expect(state.phase).toBe(phase);
    expect(isFetchDue(state, at)).toBe(true);
    expect(accessAdvice(state, at, options)).toEqual({ kind: 'hold', untilMs: at });
    const asking = nextAccess(state, { kind: 'ask' }, at, options);
    expect(asking.fetching).toBe(true);
    expect(accessAdvice(asking, at, options).kind).toBe('hold');

    const after = nextAccess(asking, answer(given), at + SECOND, options);
    expect(after.phase).toBe(expected);
    expect(after.fetching).toBe(false);
    expect(isFetchDue(after, at + SECOND)).toBe(false);
    expect(accessAdvice(after, at + SECOND, options).kind).toBe(ADVICE[after.phase]);
    if (name === '404') expect(after.copy).toBeNull();
    const isSilent = after.phase === 'unreachable' || after.phase === 'last-good';
    expect(after.failures).toBe(isSilent ? state.failures + 1 : 0);
  });
});

describe('state × the other events (access §8)', () => {
  it.each(PHASES)('%s', (phase) => {
    const { state, at } = PREPARED[phase];
    const asking = nextAccess(state, { kind: 'ask' }, at, OPEN);
    // A second ask starts nothing, and an ask before the time changes nothing.
    expect(nextAccess(asking, { kind: 'ask' }, at, OPEN)).toBe(asking);
    const dueMs = state.freshUntilMs ?? state.retryAtMs;
    if (dueMs !== null) expect(nextAccess(state, { kind: 'ask' }, dueMs - 1, OPEN)).toBe(state);
    if (dueMs !== null) expect(nextAccess(state, { kind: 'ask' }, dueMs, OPEN).fetching).toBe(true);
    // A restart loses only the request in flight.
    expect(nextAccess(asking, { kind: 'restored' }, at, OPEN)).toEqual(state);
    expect(nextAccess(state, { kind: 'host-answered' }, at, OPEN)).toEqual(
      state.failures === 0 ? state : { ...state, hostAnsweredAtMs: at },
    );
  });
});

describe('details of the machine', () => {
  it('a copy is kept for at most 24 hours after a 403 (DECISION A12)', () => {
    const state = run(OPEN, [0, answer(PARSE)], [DAY - 60 * SECOND, answer(response(403))]);
    expect(state).toMatchObject({ phase: 'kept', freshUntilMs: DAY });
  });

  it('a 304 makes the copy fresh and young again', () => {
    const state = run(OPEN, [0, answer(PARSE)], [2 * DAY, answer(response(304))]);
    expect(state).toMatchObject({ phase: 'rules', freshUntilMs: 3 * DAY, copy: { receivedAtMs: 2 * DAY } });
  });

  it('the google profile stops for 12 hours, then uses its copy, then requires a host that answers', () => {
    const google = resolveAccessOptions({ dialect: 'google' });
    const failing = run(google, [0, answer(FAILURE)], [12 * HOUR, answer(FAILURE)]);
    const at = 12 * HOUR + SECOND;
    expect(accessAdvice(failing, at, google).kind).toBe('allow');
    const late = nextAccess(failing, answer(FAILURE), 31 * DAY, google);
    expect(accessAdvice(late, 31 * DAY, google).kind).toBe('hold');
    const answering = nextAccess(late, { kind: 'host-answered' }, 31 * DAY, google);
    expect(accessAdvice(answering, 31 * DAY, google).kind).toBe('allow');
    const dayLong = response(503, { 'retry-after': '86400' });
    const busy = nextAccess(answering, { kind: 'answer', answer: dayLong, jitter: 0.1 }, 31 * DAY, google);
    expect(accessAdvice(busy, 31 * DAY + HOST_ANSWERS_MS - 1, google).kind).toBe('allow');
    expect(accessAdvice(busy, 31 * DAY + HOST_ANSWERS_MS, google).kind).toBe('hold');
  });

  const options: [string, boolean, string][] = [
    ['copy-or-hold', true, 'by-rules'],
    ['copy-or-hold', false, 'hold'],
    ['copy-or-allow', true, 'by-rules'],
    ['copy-or-allow', false, 'allow'],
    ['allow', true, 'allow'],
    ['hold', true, 'hold'],
  ];
  it.each(options)('after 30 days, afterUnreachable %s, copy %s → %s', (option, hasCopy, kind) => {
    const options = resolveAccessOptions({ afterUnreachable: option as 'hold' });
    const first: AccessEvent = hasCopy ? answer(PARSE) : { kind: 'ask' };
    const state = run(options, [0, first], [HOUR, answer(FAILURE)], [HOUR + 30 * DAY, answer(FAILURE)]);
    expect(accessAdvice(state, HOUR + 30 * DAY, options).kind).toBe(kind);
    expect(accessAdvice(state, HOUR + 30 * DAY - SECOND, options).kind).toBe('hold');
  });

  it('copy-at-once uses the copy from the first failure until it is 30 days old, and holds without one', () => {
    const atOnce = resolveAccessOptions({ afterUnreachable: 'copy-at-once' });
    const failing = run(atOnce, [DAY, answer(PARSE)], [3 * DAY, answer(FAILURE)]);
    expect(failing.phase).toBe('last-good');
    expect(accessAdvice(failing, 3 * DAY + SECOND, atOnce)).toEqual({ kind: 'by-rules' });
    expect(isFetchDue(failing, 3 * DAY + HOUR)).toBe(true);
    const late = nextAccess(failing, answer(FAILURE), 31 * DAY - HOUR, atOnce);
    expect(accessAdvice(late, 31 * DAY - HOUR, atOnce).kind).toBe('by-rules');
    expect(nextAccess(late, { kind: 'ask' }, 31 * DAY, atOnce).phase).toBe('unreachable');
    const old = nextAccess(late, answer(FAILURE), 31 * DAY, atOnce);
    expect(old.phase).toBe('unreachable');
    expect(accessAdvice(old, 31 * DAY + SECOND, atOnce).kind).toBe('hold');
    const without = run(atOnce, [0, answer(FAILURE)]);
    expect(accessAdvice(without, SECOND, atOnce).kind).toBe('hold');
  });

  it('while a fetch is under way, the time to ask again is not before it can have ended', () => {
    const asking = run(OPEN, [0, { kind: 'ask' }]);
    expect(accessAdvice(asking, SECOND, OPEN)).toEqual({ kind: 'hold', untilMs: 31 * SECOND });
  });

  it('a later failure does not shorten a long Retry-After of the same series', () => {
    const busy = response(503, { 'retry-after': '36000' });
    const state = run(OPEN, [0, answer(busy)], [SECOND, answer(FAILURE)]);
    expect(state).toMatchObject({ failures: 2, retryAtMs: 10 * HOUR });
  });

  it('jitter makes the retry later', () => {
    const state = run(OPEN, [0, { kind: 'answer', answer: FAILURE, jitter: 0.05 }]);
    expect(state.retryAtMs).toBe(63 * SECOND);
  });

  it.each(['rules', 'unreachable'] as const)('%s without what it needs holds', (phase) => {
    const allowing = resolveAccessOptions({ afterUnreachable: 'copy-or-allow' });
    const state: AccessState = { ...initialAccess(), phase, freshUntilMs: 90 * DAY };
    expect(accessAdvice(state, 60 * DAY, allowing).kind).toBe('hold');
  });

  it('a clock set back does not freeze a state', () => {
    const fresh = run(OPEN, [400 * DAY, answer(PARSE)]);
    const state = nextAccess(fresh, answer(response(503, { 'retry-after': '86400' })), 401 * DAY, OPEN);
    const back = nextAccess(state, { kind: 'restored' }, 9 * DAY, OPEN);
    expect(back).toMatchObject({ firstFailureMs: 9 * DAY, retryAtMs: 10.1 * DAY, copy: { receivedAtMs: 9 * DAY } });
    expect(nextAccess(fresh, { kind: 'restored' }, 9 * DAY, OPEN).freshUntilMs).toBe(16 * DAY);
  });
});

describe('random histories', () => {
  const status = fc.constantFrom(200, 206, 304, 300, 401, 403, 404, 410, 418, 429, 451, 500, 503, 600, 0);
  const headers = fc.constantFrom<Record<string, string>>(
    {},
    { etag: '"a"' },
    { 'retry-after': '7200' },
    { 'cache-control': 'max-age=60' },
    { 'cache-control': 'no-store' },
  );
  const given: fc.Arbitrary<RobotsAnswer> = fc.oneof(
    fc.tuple(status, headers).map(([code, fields]) => response(code, fields, 'User-agent: *\n')),
    fc.constant<RobotsAnswer>(FAILURE),
    fc.constant<RobotsAnswer>({ kind: 'redirect-limit' }),
  );
  const event: fc.Arbitrary<AccessEvent> = fc.oneof(
    { weight: 4, arbitrary: fc.constant<AccessEvent>({ kind: 'ask' }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('answer' as const), answer: given, jitter: fc.constantFrom(0, 0.1) }),
    },
    fc.constantFrom<AccessEvent>({ kind: 'host-answered' }, { kind: 'restored' }),
  );
  const step = fc.tuple(fc.constantFrom(0, SECOND, 60 * SECOND, HOUR, DAY, 10 * DAY), event);
  const history = fc.array(step, { minLength: 1, maxLength: 40 });
  const profile = fc.constantFrom('rfc9309' as const, '1996' as const, 'strictest' as const);

  /** The unavailable answers of access §3 and §4, restated. */
  const isUnavailable = (last: RobotsAnswer | null, name: string) => {
    if (last === null || last.kind === 'failure') return false;
    if (last.kind === 'redirect-limit') return name !== 'strictest';
    const open4xx = name === 'rfc9309' ? [401, 403, 418, 451] : name === '1996' ? [418, 451] : [];
    return [404, 410, ...open4xx].includes(last.status);
  };

  it('allow only by rules or an answer that counts as unavailable, fetch once at a time, and retry only later', () => {
    fc.assert(
      fc.property(profile, history, (name, steps) => {
        const options = resolveAccessOptions({ accessProfile: name });
        let state = initialAccess();
        let now = 0;
        let underWay = 0;
        let last: RobotsAnswer | null = null;
        for (const [later, next] of steps) {
          now += later;
          if (next.kind === 'answer' && underWay === 0) continue;
          const before = state;
          state = nextAccess(state, next, now, options);
          if (next.kind === 'ask' && !before.fetching && state.fetching) underWay += 1;
          if (next.kind === 'restored') underWay = 0;
          if (next.kind === 'answer') {
            underWay -= 1;
            last = next.answer;
          }
          expect(underWay).toBeLessThanOrEqual(1);
          expect(state.fetching).toBe(underWay === 1);
          expect(isFetchDue(state, now) && state.fetching).toBe(false);
          const advice = accessAdvice(state, now, options);
          if (advice.kind === 'allow') expect(isUnavailable(last, name)).toBe(true);
          if (advice.kind === 'by-rules') expect(state.copy).not.toBeNull();
          if (advice.kind === 'hold') expect(advice.untilMs).toBeGreaterThanOrEqual(now);
          const isSeries = next.kind === 'answer' && before.failures > 0 && state.failures > before.failures;
          if (isSeries) expect(state.retryAtMs).toBeGreaterThan(before.retryAtMs ?? Infinity);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('a state survives its record, and a copy that may not be stored never comes back as permission', () => {
    fc.assert(
      fc.property(profile, history, (name, steps) => {
        const options = resolveAccessOptions({ accessProfile: name });
        let state = initialAccess();
        let now = 0;
        for (const [later, next] of steps) {
          now += later;
          state = nextAccess(state, next, now, options);
          const decoded = decodeAccess(encodeAccess(state));
          if (state.copy?.mayStore !== false) expect(decoded).toEqual(state);
          else expect(accessAdvice(decoded ?? initialAccess(), now, options).kind).toBe('hold');
        }
      }),
      { numRuns: 200 },
    );
  });
});
