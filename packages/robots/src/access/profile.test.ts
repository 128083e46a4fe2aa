// The options decide what a missing answer means. A misspelt one must not be taken for the default.
import { describe, expect, it } from 'vitest';
import { type AccessOptions, resolveAccessOptions } from './profile.js';

describe('the options of access', () => {
  const cases: [AccessOptions, object][] = [
    [{}, { profile: 'rfc9309', onForbidden: 'allow', afterUnreachable: 'copy-or-hold', maxRedirects: 5 }],
    [{ dialect: 'google' }, { profile: 'google', onForbidden: 'allow', afterUnreachable: 'google' }],
    [{ dialect: '1994' }, { profile: '1996', onForbidden: 'deny', afterUnreachable: 'hold', maxRedirects: 20 }],
    [
      { dialect: 'google', policy: 'strictest' },
      { profile: 'strictest', onForbidden: 'deny' },
    ],
    [
      { policy: 'strictest', accessProfile: 'rfc9309' },
      { profile: 'rfc9309', onForbidden: 'allow' },
    ],
    [
      { dialect: '1996', onForbidden: 'allow' },
      { profile: '1996', onForbidden: 'allow' },
    ],
    [{ unreachableDays: 60 }, { unreachableMs: 60 * 86_400_000, maxHoldMs: 86_400_000 }],
  ];
  it.each(cases)('%j', (options, expected) => {
    expect(resolveAccessOptions(options)).toMatchObject(expected);
  });

  const refused: [object, string][] = [
    [{ onForbiden: 'deny' }, 'option-unknown'],
    [{ onForbidden: 'no' }, 'option-invalid'],
    [{ unreachableDays: 0 }, 'option-invalid'],
    [{ unreachableDays: 3651 }, 'option-invalid'],
    [{ unreachableDays: Number.NaN }, 'option-invalid'],
    [{ maxHoldMs: -1 }, 'option-invalid'],
    [{ maxHoldMs: 3651 * 86_400_000 }, 'option-invalid'],
  ];
  it.each(refused)('%j is refused', (options, code) => {
    expect(() => resolveAccessOptions(options as AccessOptions)).toThrow(expect.objectContaining({ code }));
  });
});
