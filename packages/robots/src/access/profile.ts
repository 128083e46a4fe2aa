/**
 * The access profile: which column of the specification's tables holds, and the options beside it.
 *
 * Clause: specification, access §4, §5. No other file of this folder supplies a default.
 */
import { RobotsError } from '../errors.js';
import { MAX_ROBOTS_REDIRECTS, MAX_ROBOTS_REDIRECTS_1996 } from '../limits.js';

/** A column of the tables. `1994` shares the column `1996`. */
export type AccessProfile = 'rfc9309' | 'google' | '1996' | 'strictest';

/**
 * What follows when robots.txt has been unreachable for `unreachableDays`: the good copy and without one hold or
 * allow; `allow` whatever there is; `hold` for as long as it takes; `google` is that profile's own table.
 */
export type AfterUnreachable = 'copy-or-hold' | 'copy-or-allow' | 'allow' | 'hold' | 'google';

/** The options as a caller gives them. */
export interface AccessOptions {
  /** The dialect in use; the profile follows it. @default 'rfc9309' */
  readonly dialect?: 'rfc9309' | 'google' | '1996' | '1994' | undefined;
  /** The policy in use; `strictest` brings its own profile. @default 'declared' */
  readonly policy?: 'base' | 'declared' | 'declared-only' | 'strictest' | undefined;
  /** Sets the profile whatever the dialect. @default follows policy and dialect */
  readonly accessProfile?: AccessProfile | '1994' | undefined;
  /** What 401 and 403 mean. @default 'deny' in 1996 and strictest, else 'allow' */
  readonly onForbidden?: 'allow' | 'deny' | undefined;
  /**
   * What follows a long time without answer. Every value but `hold` and `copy-or-hold` visits hosts whose wishes
   * are unknown. @default 'hold' in 1996, 'google' in google, else 'copy-or-hold'
   */
  readonly afterUnreachable?: AfterUnreachable | undefined;
  /** Days from the first failure of a series to `afterUnreachable`, 1 to 3650; fewer is bolder. @default 30 */
  readonly unreachableDays?: number | undefined;
  /** Milliseconds that a request may be held in the queue before it fails as `robots-unreachable`. @default 24 h */
  readonly holdMaxMs?: number | undefined;
}

/** The options with every field filled in. */
export interface ResolvedAccessOptions {
  readonly profile: AccessProfile;
  readonly onForbidden: 'allow' | 'deny';
  readonly afterUnreachable: AfterUnreachable;
  readonly unreachableMs: number;
  readonly holdMaxMs: number;
  readonly maxRedirects: number;
}

const DAY_MS = 86_400_000;
const DIALECTS = ['rfc9309', 'google', '1996', '1994'] as const;
const POLICIES = ['base', 'declared', 'declared-only', 'strictest'] as const;
const PROFILES = ['rfc9309', 'google', '1996', '1994', 'strictest'] as const;
const AFTER = ['copy-or-hold', 'copy-or-allow', 'allow', 'hold', 'google'] as const;
const KNOWN: readonly string[] = [
  'dialect',
  'policy',
  'accessProfile',
  'onForbidden',
  'afterUnreachable',
  'unreachableDays',
  'holdMaxMs',
];

/**
 * Fills in the options of access.
 *
 * @param options - Absent fields mean their default.
 * @throws RobotsError `option-invalid`, `option-unknown`.
 * @see specification, access §4, §5
 */
export function resolveAccessOptions(options: AccessOptions = {}): ResolvedAccessOptions {
  for (const key of Object.keys(options)) {
    if (!KNOWN.includes(key)) throw new RobotsError('option-unknown', `unknown access option \`${key}\``);
  }
  const dialect = oneOf('dialect', options.dialect, DIALECTS, 'rfc9309');
  const policy = oneOf('policy', options.policy, POLICIES, 'declared');
  const named = oneOf('accessProfile', options.accessProfile, PROFILES, policy === 'strictest' ? 'strictest' : dialect);
  const profile = named === '1994' ? '1996' : named;
  const isOld = profile === '1996';
  const forbidden = isOld || profile === 'strictest' ? 'deny' : 'allow';
  const after = isOld ? 'hold' : profile === 'google' ? 'google' : 'copy-or-hold';
  return Object.freeze({
    profile,
    onForbidden: oneOf('onForbidden', options.onForbidden, ['allow', 'deny'] as const, forbidden),
    afterUnreachable: oneOf('afterUnreachable', options.afterUnreachable, AFTER, after),
    unreachableMs: numberIn('unreachableDays', options.unreachableDays, 1, 3650, 30) * DAY_MS,
    holdMaxMs: numberIn('holdMaxMs', options.holdMaxMs, 0, 3650 * DAY_MS, DAY_MS),
    maxRedirects: isOld ? MAX_ROBOTS_REDIRECTS_1996 : MAX_ROBOTS_REDIRECTS,
  });
}

function oneOf<const T extends string>(
  name: string,
  value: string | undefined,
  known: readonly T[],
  fallback: NoInfer<T>,
): T {
  if (value === undefined) return fallback;
  const found = known.find((word) => word === value);
  if (found !== undefined) return found;
  throw new RobotsError(
    'option-invalid',
    `expected \`${name}\` to be one of ${known.join(', ')}, got ${String(value)}`,
  );
}

function numberIn(name: string, value: number | undefined, least: number, greatest: number, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value >= least && value <= greatest) return value;
  const range = `a number from ${least} to ${greatest}`;
  throw new RobotsError('option-invalid', `expected \`${name}\` to be ${range}, got ${String(value)}`);
}
