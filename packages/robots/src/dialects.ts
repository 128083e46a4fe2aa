// A dialect: the four steps that depend on it (assembling groups, choosing the group, comparing, deciding). Everything
// else about a file is the same in all dialects (robots §1). Product tokens are lower case. Repairs of agents are
// outside the guiding rule P1: they are needed to find the group at all.

import { textOf } from './bytes.js';
import { ALLOW, BAD, DISALLOW, fieldName, UNKNOWN, USER_AGENT } from './fields.js';
import type { Form } from './normalize.js';
import { foldName, MISSING_COLON, type PackedRecord, TOO_LONG } from './packed-records.js';

/** The base dialects. `2.0.0` is not one: groups declare it, and `policy` says whether that counts. */
export type BaseDialect = 'rfc9309' | 'google' | '1996' | '1994';

/** The name of the reading that decided. */
export type DialectName = BaseDialect | '2.0.0';

/** A group as a range of the packed file. */
export interface GroupSpan {
  /** Lower-case agents and `*`. */
  readonly agents: readonly string[];
  readonly agentLines: readonly number[];
  /** Where its first User-agent record (or its remark) begins. */
  readonly from: number;
  /** Where its last record ends. */
  readonly to: number;
  /** Its `Robot-version`; `null` if it is absent, unreadable or not next to the User-agent lines. */
  readonly version: RobotVersion | null;
}

/** Which groups apply to a crawler, and the name that selected them. */
export interface Selection {
  readonly spans: readonly GroupSpan[];
  /** The crawler's token that was addressed, `*`, or `null` when no group applies. */
  readonly agent: string | null;
}

export interface Dialect {
  readonly name: DialectName;
  /** Whether blank lines end a record (1994, 1996) and only the first matching record counts. */
  readonly hasRecords: boolean;
  /** Whether `Allow` is a known field. */
  readonly hasAllow: boolean;
  /** Whether the dialect applies the repairs of robots §3.6, §3.7 and §4.4. */
  readonly repairs: boolean;
  readonly form: Form;
  /** `longest` pattern, `first` in the file, or `classes` of 2.0.0. */
  readonly precedence: 'longest' | 'first' | 'classes';
  /** The kind of field (fields.ts) that the dialect takes a line for. */
  kindOf(record: PackedRecord): number;
  /** The value that the dialect reads in a line, in bytes. */
  valueOf(record: PackedRecord): string;
  /** The agents that a User-agent value names, lower case. */
  agentsOf(value: string, repair: boolean): string[];
  /** Whether the name of a group, not `*`, addresses a token. */
  matchesToken(agent: string, token: string): boolean;
}

/**
 * The kind of a line in all dialects but Google's: a line that is too long is dropped unless it is a rule (robots
 * §2.5).
 */
export function plainKind({ kind, notes }: PackedRecord): number {
  return notes & TOO_LONG && kind !== DISALLOW && kind !== ALLOW ? BAD : kind;
}

/** @see RFC 9309; robots §5.1 */
export const rfc9309: Dialect = {
  name: 'rfc9309',
  hasRecords: false,
  hasAllow: true,
  repairs: true,
  form: 'n0',
  precedence: 'longest',
  kindOf: plainKind,
  valueOf: (record) => record.value,
  agentsOf,
  matchesToken: (agent, token) => agent === token,
};

const PREFIXES: readonly (readonly [kind: number, prefix: RegExp])[] = [
  [USER_AGENT, /^user[- ]?agent/],
  [ALLOW, /^allow/],
  [DISALLOW, /^(dis(allow|sallow|salow|alow|allaw)|diasllow)/],
];

/** @see robots §5.2 */
export const google: Dialect = {
  ...rfc9309,
  name: 'google',
  repairs: false,
  form: 'google',
  kindOf(record) {
    const [name] = fieldOf(record);
    return PREFIXES.find(([, prefix]) => prefix.test(name))?.[0] ?? UNKNOWN;
  },
  valueOf: (record) => fieldOf(record)[1],
  // Its tokens have no digits (R18).
  agentsOf: (value) => agentsOf(value, false, /^(?:\*(?=\s|$)|[a-z_-]*)/),
};

/** Name and value as Google reads them: a line without a colon is a field and exactly one word. */
function fieldOf({ kind, name, value, notes }: PackedRecord): readonly [name: string, value: string] {
  if (kind === BAD) {
    const words = value.split(/[ \t]+/);
    return words.length === 2 && !value.startsWith(':')
      ? [(words[0] as string).toLowerCase(), words[1] as string]
      : ['', ''];
  }
  if (notes & MISSING_COLON && /[ \t]/.test(value)) return ['', ''];
  return [name === '' ? fieldName(kind) : foldName(textOf(name)), value];
}

/** @see robots §5.3 */
export const y1996: Dialect = {
  ...rfc9309,
  name: '1996',
  hasRecords: true,
  form: 'decoded',
  precedence: 'first',
  agentsOf: substringAgents,
  matchesToken: (agent, token) => agent.includes(token),
};

/** The agents of a line for substring comparison: the whole value, or `*` alone or in a list (robots §4.3, §4.4). */
export function substringAgents(value: string, repair: boolean): string[] {
  const text = value.toLowerCase();
  const agents = agentsOf(text, repair);
  if (agents.length > 1) return listedNames(text);
  return agents[0] === '*' ? agents : [text];
}

/** @see robots §5.4, R20, R28 */
export const y1994: Dialect = {
  ...y1996,
  name: '1994',
  hasAllow: false,
  // The standard recommends a substring match without naming a direction, so either direction counts.
  matchesToken(agent, token) {
    const withoutVersion = agent.replace(/\/.*/s, '').trim();
    return agent.includes(token) || (withoutVersion !== '' && token.includes(withoutVersion));
  },
};

/** What a `Robot-version` does to its group: `two` is the 2.0.0 reading, `base` has no effect. */
export type VersionReading = 'base' | 'two' | 'experimental' | 'unsupported';

/** A version as written: three numbers with dots, missing parts as zero (R22). */
type RobotVersion = Readonly<Record<'major' | 'minor', number> & Record<'text', string>>;

/** @see robots §5.5, §6.3, §7.5 */
export const v2: Dialect = { ...rfc9309, name: '2.0.0', form: 'decoded-star', precedence: 'classes' };

/** Reads a `Robot-version` (robots §5.5, R22). @returns `null` unless it is one to three numbers with dots. */
export function parseRobotVersion(value: string): RobotVersion | null {
  if (!/^\d{1,9}(\.\d{1,9}){0,2}$/.test(value)) return null;
  const [major = 0, minor = 0, revision = 0] = value.split('.').map(Number);
  return { major, minor, text: `${major}.${minor}.${revision}` };
}

/** Which reading a version selects (robots §5.5, R24). */
export function versionReading(version: RobotVersion | null): VersionReading {
  if (version === null) return 'base';
  const { major, minor } = version;
  if (major !== 1 && major !== 2) return 'unsupported';
  if (minor % 2 === 1) return 'experimental';
  return major === 2 ? 'two' : 'base';
}

/** The 2.0.0 groups whose longest agent is a prefix of a token: a general match (robots §4.3). */
export function selectGeneral(groups: readonly GroupSpan[], tokens: readonly string[]): Selection {
  for (const token of tokens) {
    const names = groups.flatMap(({ agents }) => agents).filter((agent) => token.startsWith(agent));
    const longest = names.reduce((known, agent) => (agent.length > known.length ? agent : known), '');
    if (longest !== '') return { spans: groups.filter(({ agents }) => agents.includes(longest)), agent: token };
  }
  return { spans: [], agent: null };
}

/** What a User-agent value addresses: all crawlers (an asterisk, alone or before a blank), or its leading token. */
const ADDRESSED = /^(?:\*(?=\s|$)|[\w-]*)/;
/** `*`, or a token followed by an optional version and an optional asterisk (robots §4.4). */
const LISTED_AGENT = /^(?:\*|[\w-]+(?:\/[^*]*)?\*?)$/;

/**
 * The lower-case agents of a User-agent line, or `*`; several only with `repair` (robots §4.3, §4.4, R18, R21b).
 * @param addressed - Matches the beginning that counts.
 */
export function agentsOf(value: string, repair: boolean, addressed: RegExp = ADDRESSED): string[] {
  const text = value.toLowerCase();
  const names = repair && text.includes(',') ? listedNames(text) : [];
  if (names.length > 1 && names.every((name) => LISTED_AGENT.test(name))) {
    return names.map((name) => name.replace(/(?!^)[/*].*/s, ''));
  }
  const [agent = ''] = addressed.exec(text) ?? [];
  return agent === '' ? [] : [agent];
}

/** The names of a value between commas. Blanks separate nothing: `Offline Explorer` is one name (R21b). */
function listedNames(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** Whether a name is a valid product token: letters, digits, hyphen, underscore (robots §4.3). */
export function isProductToken(token: string): boolean {
  return /^[\w-]+$/.test(token);
}
