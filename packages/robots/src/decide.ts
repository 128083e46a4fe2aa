// Readings + URL → decision. All readings must allow; the first that denies decides, else the first of all. `explain`
// works out what else would have mattered. A usual URL, as a URL parser writes it, is spelt the same in every form;
// anything else takes the slow path, which may call the platform's URL parser.

import { bytesOf, textOf } from './bytes.js';
import type { DialectName } from './dialects.js';
import { canonical } from './normalize.js';
import { PackedRecord } from './packed-records.js';
import { readUrl } from './read-url.js';
import type { Reading, Readings } from './reading.js';
import { findRule, isAllowRule, originOf, patternAt, TOO_MUCH_WORK } from './rule-index.js';

/**
 * Why a URL may be fetched or not. `rule`: a rule matched; `no-match`: no rule did; `no-group`: no group applies;
 * `robots-url`: the file itself; `oversize`: the file, the group or the matching work exceeds a limit;
 * `closed-rate`: a Request-rate of zero documents is in force (only from `decideAt`).
 */
export type DecisionReason = 'rule' | 'no-match' | 'no-group' | 'robots-url' | 'oversize' | 'closed-rate';

/** Whether a URL may be fetched, and what decided it. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: DecisionReason;
  /** The reading that decided. */
  readonly dialect: DialectName;
  /** Line number of the rule, or `null` when no rule decided. */
  readonly line: number | null;
  /** The rule's value as written, or `null`. */
  readonly pattern: string | null;
  /** The name that selected the deciding groups: one of the crawler's tokens, `*`, or `null` for no group. */
  readonly agent: string | null;
}

/** The path and query of a URL, which rules are compared with. */
export interface Target {
  /** In bytes. */
  readonly path: string;
  /** Whether every form of normalize.ts spells it the same. */
  readonly isUsual: boolean;
}

// Scheme and authority; segments that are not dot segments; a query in which `n0` and `n1` agree.
const USUAL =
  /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#\\]+)?((?:\/(?!\.\.?(?:[/?#]|$))[\w\-.~:[\]@!&'()+,;=]*)+(?:\?[\w\-.~!&'()+,;=]*)?)(?:#|$)/i;

// What the platform's URL parser changes beyond the spelling: blanks around a URL, backslashes, tabs and line ends, dot
// segments, missing or extra slashes after the scheme.
const UNUSUAL = /^[\0- ]|[\0- ]$|[\\\t\n\r]|\/(?:\.|%2e){1,2}(?:[/?#]|$)|^https?:(?!\/\/[^/])/i;

/** The path and query of any URL or path, as they would be requested (robots §6, R26). */
export function targetOf(url: string): Target {
  const usual = USUAL.exec(url);
  if (usual !== null) return { path: usual[1] as string, isUsual: true };
  const path = (UNUSUAL.test(url) ? requested(url) : url)
    .replace(/#.*$/s, '')
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/?\\]*/i, '');
  return { path: bytesOf(path.startsWith('/') ? path : `/${path}`), isUsual: false };
}

/** The URL as the platform's parser writes it; a path as one of some authority. */
function requested(url: string): string {
  const path = url.replace(/^[\0- ]*[/\\]?/, '/');
  // Not even a path of a known authority: then it is compared as it is.
  return (readUrl(url) ?? readUrl(`http://a${path}`))?.href ?? url;
}

/** A verdict as numbers: the reading and its rule; -1: none, -2: the file itself, `TOO_MUCH_WORK`: too costly. */
interface Verdict {
  readonly allowed: boolean;
  readonly reading: Reading;
  readonly rule: number;
}

const ROBOTS_URL = -2;

/** The verdict on a target (robots §7.4, §8). */
export function decideTarget(readings: Readings, target: Target): Verdict {
  const { path, isUsual } = target;
  let first: Verdict | null = null;
  if ((isUsual ? path : canonical(path, 'n0', false)) === '/robots.txt') {
    first = { allowed: true, reading: readings[0], rule: ROBOTS_URL };
  } else {
    for (const reading of readings) {
      const rule = reading.fallback === 'overfull' ? TOO_MUCH_WORK : decidingRule(reading, target);
      const allowed = rule < 0 ? rule !== TOO_MUCH_WORK && reading.fallback === 'open' : isAllowRule(reading, rule);
      const verdict = { allowed, reading, rule };
      if (!allowed) return verdict;
      first ??= verdict;
    }
  }
  return first as Verdict;
}

/** The rule of a reading that decides about a target. @returns A reference, -1 for none, or `TOO_MUCH_WORK`. */
export function decidingRule(reading: Reading, { path, isUsual }: Target): number {
  if (isUsual) return findRule(reading, path, true);
  const { form } = reading.dialect;
  const plain = canonical(path, form, false);
  const query = form === 'n0' ? canonical(path, 'n1', false) : plain;
  const found = findRule(reading, plain, query === plain);
  return query === plain || found === TOO_MUCH_WORK ? found : findRule(reading, query, true, found);
}

/** What decided if no rule did. */
const REASONS: Readonly<Record<number, DecisionReason>> = { [ROBOTS_URL]: 'robots-url', [TOO_MUCH_WORK]: 'oversize' };

/** A verdict as a decision. */
export function decisionOf({ allowed, reading, rule }: Verdict): Decision {
  const { agent, dialect } = reading;
  const record = rule < 0 ? null : new PackedRecord(reading.packed, originOf(patternAt(reading, rule)));
  return {
    allowed,
    reason: record !== null ? 'rule' : (REASONS[rule] ?? (agent === null ? 'no-group' : 'no-match')),
    dialect: dialect.name,
    line: record?.line ?? null,
    pattern: record && textOf(record.value),
    agent,
  };
}
