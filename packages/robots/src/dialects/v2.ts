// The 2.0.0 proposal: groups declare it by `Robot-version`; values are equal or they do not match, `*` is the only
// wildcard, and classes of rules decide: explicit Allow, Disallow, wildcard Allow, and what the kinds of lines present
// imply.

import { isKnownField, ROBOT_VERSION, USER_AGENT } from '../fields.js';
import { records } from '../packed-records.js';
import type { Dialect, GroupSpan, Selection } from './dialect.js';
import { plainKind, rfc9309 } from './rfc9309.js';

/** What a `Robot-version` makes of its group: `two` is the 2.0.0 reading, `base` has no effect. */
export type VersionReading = 'base' | 'two' | 'experimental' | 'unsupported';

/** A version as written, with missing parts as zero (R22). */
export interface RobotVersion {
  readonly major: number;
  readonly minor: number;
  /** Three numbers with dots. */
  readonly text: string;
  readonly isShort: boolean;
}

/** @see robots §5.5, §6.3, §7.5 */
export const v2: Dialect = { ...rfc9309, name: '2.0.0', form: 'decoded-star', precedence: 'classes' };

/**
 * Reads a `Robot-version` (robots §5.5, R22).
 * @returns `null` when it is not one to three numbers with dots.
 */
export function parseRobotVersion(value: string): RobotVersion | null {
  if (!/^\d{1,9}(\.\d{1,9}){0,2}$/.test(value)) return null;
  const [major = 0, minor = 0, revision] = value.split('.').map(Number);
  return { major, minor, text: `${major}.${minor}.${revision ?? 0}`, isShort: revision === undefined };
}

/** Which reading a version asks for (robots §5.5, R24). */
export function versionReading(version: RobotVersion | null): VersionReading {
  if (version === null) return 'base';
  const { major, minor } = version;
  if (major !== 1 && major !== 2) return 'unsupported';
  if (minor % 2 === 1) return 'experimental';
  return major === 2 ? 'two' : 'base';
}

/**
 * The version a group declares: its first `Robot-version`, if no other recognised field stands between it and the
 * User-agent lines.
 * @returns `null` when there is none, it is misplaced or it cannot be read.
 */
export function declaredVersion(packed: string, span: GroupSpan): RobotVersion | null {
  for (const record of records(packed, span.from, span.to)) {
    const kind = plainKind(record);
    if (kind === ROBOT_VERSION) return parseRobotVersion(record.value);
    if (isKnownField(kind) && kind !== USER_AGENT) return null;
  }
  return null;
}

/**
 * The 2.0.0 groups that address a token by a general match: the longest agent that is a prefix of the token (robots
 * §4.3).
 * @param groups - Groups that declare 2.x.
 */
export function selectGeneral(groups: readonly GroupSpan[], tokens: readonly string[]): Selection {
  for (const token of tokens) {
    const names = groups.flatMap(({ agents }) => agents).filter((agent) => token.startsWith(agent));
    const longest = names.reduce((known, agent) => (agent.length > known.length ? agent : known), '');
    if (longest !== '') return { spans: groups.filter(({ agents }) => agents.includes(longest)), agent: token };
  }
  return { spans: [], agent: null };
}
