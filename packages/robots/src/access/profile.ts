// The access profile: which column of the specification's tables applies, and the other options (access §4, §5). No
// other file of this folder supplies a default.

import { MAX_ROBOTS_REDIRECTS, MAX_ROBOTS_REDIRECTS_1996 } from '../limits.js';
import { readOptions } from '../options.js';

/** A column of the tables. `1994` shares the column `1996`. */
export type AccessProfile = 'rfc9309' | 'google' | '1996' | 'strictest';

/**
 * What happens when robots.txt has been unreachable for `unreachableDays`: `copy-or-hold` and `copy-or-allow` use the
 * good copy, and if there is none hold or allow; `allow` always allows; `hold` holds without a limit; `google` is that
 * profile's own table. `copy-at-once` uses the good copy from the first failure until it is that many days old (RFC
 * 9309 §2.4), and then holds; it also holds if there is no copy.
 */
type AfterUnreachable = 'copy-or-hold' | 'copy-or-allow' | 'allow' | 'hold' | 'google' | 'copy-at-once';

/** The options as a caller gives them. */
export interface AccessOptions {
  /** The dialect in use; the profile follows it. @default 'rfc9309' */
  readonly dialect?: 'rfc9309' | 'google' | '1996' | '1994' | undefined;
  /** The policy in use; `strictest` brings its own profile. @default 'declared' */
  readonly policy?: 'base' | 'declared' | 'declared-only' | 'strictest' | undefined;
  /** Sets the profile regardless of the dialect. @default follows policy and dialect */
  readonly accessProfile?: AccessProfile | '1994' | undefined;
  /** What 401 and 403 mean. @default 'deny' in 1996 and strictest, otherwise 'allow' */
  readonly onForbidden?: 'allow' | 'deny' | undefined;
  /**
   * What happens after a long time without an answer. All values except `hold`, `copy-or-hold` and `copy-at-once` visit
   * hosts whose rules are unknown. @default 'hold' in 1996, 'google' in google, else 'copy-or-hold'
   */
  readonly afterUnreachable?: AfterUnreachable | undefined;
  /** Days from the first failure of a series to `afterUnreachable`, 1 to 3650; fewer is bolder. @default 30 */
  readonly unreachableDays?: number | undefined;
  /** Milliseconds that a request may be held in the queue before it fails as `robots-unreachable`. @default 24 h */
  readonly maxHoldMs?: number | undefined;
}

/** The options with every field filled in. */
export interface ResolvedAccessOptions {
  readonly profile: AccessProfile;
  readonly onForbidden: 'allow' | 'deny';
  readonly afterUnreachable: AfterUnreachable;
  readonly unreachableMs: number;
  readonly maxHoldMs: number;
  readonly maxRedirects: number;
}

const DAY_MS = 86_400_000;
const AFTER_UNREACHABLE = ['copy-or-hold', 'copy-or-allow', 'allow', 'hold', 'google', 'copy-at-once'];
const DIALECTS = ['rfc9309', 'google', '1996', '1994'];

/** Fills in the options of access (access §4, §5). @throws RobotsError `option-invalid`, `option-unknown`. */
export function resolveAccessOptions(options: AccessOptions = {}): ResolvedAccessOptions {
  const { dialect = 'rfc9309', policy } = options;
  const byPolicy = policy === 'strictest' ? 'strictest' : dialect;
  const requested = options.accessProfile ?? byPolicy;
  const profile = requested === '1994' ? '1996' : requested;
  const isOld = profile === '1996';
  const after = isOld ? 'hold' : profile === 'google' ? 'google' : 'copy-or-hold';
  const read = readOptions(
    {
      dialect: DIALECTS,
      policy: ['declared', 'base', 'declared-only', 'strictest'],
      accessProfile: withDefault(byPolicy, [...DIALECTS, 'strictest']),
      onForbidden: isOld || profile === 'strictest' ? ['deny', 'allow'] : ['allow', 'deny'],
      afterUnreachable: withDefault(after, AFTER_UNREACHABLE),
      unreachableDays: [30, 1, 3650],
      maxHoldMs: [DAY_MS, 0, 3650 * DAY_MS],
    },
    options,
  );
  return Object.freeze({
    profile,
    onForbidden: read['onForbidden'] as 'allow' | 'deny',
    afterUnreachable: read['afterUnreachable'] as AfterUnreachable,
    unreachableMs: (read['unreachableDays'] as number) * DAY_MS,
    maxHoldMs: read['maxHoldMs'] as number,
    maxRedirects: isOld ? MAX_ROBOTS_REDIRECTS_1996 : MAX_ROBOTS_REDIRECTS,
  });
}

/** The values with the default first. */
function withDefault(defaultValue: string, values: readonly string[]): readonly string[] {
  return [defaultValue, ...values.filter((value) => value !== defaultValue)];
}
