// A stored state that is misread could open a closed site after a restart.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ACCESS_RECORD_BYTES } from '../limits.js';
import { resolveAccessOptions } from './profile.js';
import { decodeAccess, encodeAccess } from './record.js';
import { type AccessState, accessAdvice, initialAccess, nextAccess } from './state.js';

const GOOGLE = resolveAccessOptions({ dialect: 'google' });
const HOUR = 3_600_000;

const withCopy = (headers: Record<string, string>, maxBodyBytes = 20): AccessState =>
  nextAccess(
    initialAccess(),
    {
      kind: 'answer',
      answer: {
        kind: 'response',
        status: 200,
        headers,
        body: new Uint8Array(maxBodyBytes).fill(0x0a),
        robotsUrl: 'https://example.com/robots.txt',
        finalUrl: 'https://example.org/é',
      },
    },
    0,
    GOOGLE,
  );
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (content: string) => new TextEncoder().encode(content);

describe('the stored form of an access state', () => {
  it('keeps body and validators, including line feeds in the body', () => {
    const state = withCopy({ etag: '"1"', 'content-type': 'text/plain; charset=KOI8-R' });
    expect(decodeAccess(encodeAccess(state))).toEqual(state);
    expect(state.copy?.charset).toBe('koi8-r');
  });

  it('stays within its bound and leaves out a body that does not fit', () => {
    const fits = encodeAccess(withCopy({}, MAX_ACCESS_RECORD_BYTES - 1000));
    expect(fits.length).toBeGreaterThan(MAX_ACCESS_RECORD_BYTES - 1000);
    const tooLong = encodeAccess(withCopy({}, MAX_ACCESS_RECORD_BYTES));
    expect(tooLong.length).toBeLessThan(1000);
    expect(decodeAccess(tooLong)).toEqual(initialAccess());
  });

  it.each([{ 'cache-control': 'no-store', etag: '"1"' }, {}])(
    'takes a left-out body from the state in memory',
    (headers) => {
      const state = withCopy(headers, 'etag' in headers ? 20 : MAX_ACCESS_RECORD_BYTES);
      const stored = encodeAccess(state);
      expect(decodeAccess(stored)).toEqual(initialAccess());
      // `toEqual` takes seconds for bodies of this size.
      expect(isDeepStrictEqual(decodeAccess(stored, state.copy?.body), state)).toBe(true);
      // A record that contains its body ignores another one.
      expect(decodeAccess(encodeAccess(withCopy({})), new Uint8Array(3))).toEqual(withCopy({}));
    },
  );

  it('losing a no-store copy during an outage starts the long wait again (no amnesty in google)', () => {
    const failure = { kind: 'answer', answer: { kind: 'failure', failure: 'dns' } } as const;
    const failing = nextAccess(withCopy({ 'cache-control': 'no-store' }), failure, HOUR, GOOGLE);
    const late = nextAccess(failing, failure, 14 * HOUR, GOOGLE);
    expect(accessAdvice(late, 14 * HOUR, GOOGLE).kind).toBe('by-rules');
    const decoded = decodeAccess(encodeAccess(late));
    expect(decoded).toMatchObject({ phase: 'unreachable', copy: null, failures: 2, retryAtMs: late.retryAtMs });
    expect(accessAdvice(decoded ?? initialAccess(), 14 * HOUR, GOOGLE).kind).toBe('hold');
  });

  const state = withCopy({});
  const whole = text(encodeAccess(state));
  const noRules: AccessState = { ...initialAccess(), phase: 'no-rules', freshUntilMs: HOUR };
  const broken: [string, string][] = [
    ['nothing', ''],
    ['no line', text(encodeAccess(noRules)).replace('\n', ' ')],
    ['not JSON', 'rubbish\n'],
    ['another version', whole.replace('"v":1', '"v":2')],
    ['an unknown phase', whole.replace('"rules"', '"open"')],
    ['a time that is text', whole.replace(/"freshUntilMs":\d+/, '"freshUntilMs":"soon"')],
    ['a time beyond all', whole.replace(/"freshUntilMs":\d+/, '"freshUntilMs":1e999')],
    ['half a failure', whole.replace('"failures":0', '"failures":0.5')],
    ['a copy that is text', whole.replace(/"copy":\{.*?\}/, '"copy":"x"')],
    ['a copy that is a list', whole.replace(/"copy":\{.*?\}/, '"copy":[]')],
    ['a copy of no URL', whole.replace(/"finalUrl":"[^"]*"/, '"finalUrl":7')],
    ['a copy of no time', whole.replace(/"receivedAtMs":\d+/, '"receivedAtMs":"soon"')],
    ['a negative count', whole.replace('"failures":0', '"failures":-1')],
    ['a body cut short', whole.slice(0, -1)],
    ['a body too long', `${whole}x`],
  ];
  it.each(broken)('%s is not a record', (_, content) => {
    expect(decodeAccess(bytes(content))).toBeNull();
  });

  const unreachable: AccessState = {
    ...noRules,
    phase: 'unreachable',
    freshUntilMs: null,
    firstFailureMs: 1,
    retryAtMs: 2,
  };
  const lastGood: AccessState = { ...unreachable, phase: 'last-good' };
  const impossible: [string, AccessState][] = [
    ['rules without a copy', { ...state, copy: null }],
    ['a kept copy that is missing', { ...state, phase: 'kept', copy: null }],
    ['rules without an end', { ...state, freshUntilMs: null }],
    ['rules that wait for a retry', { ...state, retryAtMs: HOUR }],
    ['no answer that is fresh', { ...noRules, phase: 'none-yet' }],
    ['no answer that waits for a retry', { ...unreachable, phase: 'none-yet' }],
    ['failures that are fresh', { ...unreachable, freshUntilMs: HOUR }],
    ['failures without a retry', { ...lastGood, retryAtMs: null }],
    ['failures without a first', { ...lastGood, firstFailureMs: null }],
    // Its copy, which must not be stored, is lost with the process.
    ['a closed authority without its copy', { ...withCopy({ 'cache-control': 'no-store' }), phase: 'restricted' }],
  ];
  it.each(impossible)('%s: the file is requested as if there were no record', (_, given) => {
    expect(decodeAccess(encodeAccess(given))).toEqual(initialAccess());
  });
  it.each([noRules, unreachable, lastGood, { ...noRules, phase: 'restricted' } as const])(
    'a record of a state that has no copy is read: %j',
    (given) => {
      expect(decodeAccess(encodeAccess(given))).toEqual(given);
    },
  );

  it('random bytes never throw, and never permit', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), (random, at) => {
        const mutated = encodeAccess(state);
        mutated[at % mutated.length] = random[0] ?? 0;
        for (const each of [random, mutated]) {
          const decoded = decodeAccess(each);
          if (decoded !== null) expect(accessAdvice(decoded, 1, GOOGLE).kind).not.toBe('allow');
        }
      }),
    );
  });
});
