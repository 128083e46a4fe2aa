/** Explains a decision, and what would have decided otherwise. For people; decisions do not run this code. */

import { textOf } from './bytes.js';
import { type DialectName, plainKind, rfc9309 } from './dialects.js';
import type { RobotsDocument } from './document.js';
import { ALLOW } from './fields.js';
import { groupSpans } from './groups.js';
import { MAX_IGNORED_RULES } from './limits.js';
import { ruleEffect } from './line-effect.js';
import { canonical } from './normalize.js';
import { isRule, PackedRecord, records } from './packed-records.js';
import { type Target, targetOf } from './pattern.js';
import type { Reading } from './reading.js';
import { findEveryRule, isAllowRule, originOf, patternAt, weightOf } from './rule-index.js';
import { type Decision, decideTarget, type RobotsRules } from './rules.js';

interface MatchingRule {
  readonly kind: 'allow' | 'disallow';
  /** The value as written. */
  readonly pattern: string;
  /** The lines that count in its place if a repair changed it; empty if it counts as written. */
  readonly readAs: readonly string[];
  readonly line: number;
}

/** A rule line without effect, such as `Allow: images/`. */
type IgnoredRule = Omit<MatchingRule, 'readAs'>;

/** What one reading says about a URL. */
interface ReadingExplanation {
  readonly dialect: DialectName;
  readonly agent: string | null;
  readonly allowed: boolean;
  /** Every rule that matches, the deciding one first. */
  readonly matching: readonly MatchingRule[];
  /** What the reading answers if no rule matches. */
  readonly withoutRules: 'allow' | 'disallow';
}

/** A decision with its reasons. */
export interface Explanation {
  readonly decision: Decision;
  /** The readings in the order of evaluation; the URL is fetched only if all allow. */
  readonly readings: readonly ReadingExplanation[];
  /** The strongest opposite rule of the deciding reading, which was outweighed; `null` for none. */
  readonly otherwise: MatchingRule | null;
  /** Rule lines of the crawler's groups that do not count in the deciding reading, at most 100. */
  readonly ignored: readonly IgnoredRule[];
  /** One sentence in English. */
  readonly sentence: string;
}

/** Why `rules.decide` answers as it does, and which rule would have decided otherwise (robots §7, §8). */
export function explain(rules: RobotsRules, url: string): Explanation {
  const { readings } = rules;
  const target = targetOf(url);
  const verdict = decideTarget(readings, target);
  const decision = rules.decide(url);
  const explained = readings.map((reading): ReadingExplanation => {
    const matching = matchingRules(rules.document, reading, target);
    const withoutRules = reading.fallback === 'open' ? 'allow' : 'disallow';
    const deciding = reading.fallback === 'overfull' ? withoutRules : (matching[0]?.kind ?? withoutRules);
    return {
      dialect: reading.dialect.name,
      agent: reading.agent,
      allowed: deciding === 'allow' || decision.reason === 'robots-url',
      matching,
      withoutRules,
    };
  });
  const { matching } = explained[readings.indexOf(verdict.reading)] as ReadingExplanation;
  const isByRule = decision.reason === 'rule';
  const opposite = decision.allowed ? 'disallow' : 'allow';
  const otherwise = (isByRule && matching.find(({ kind }) => kind === opposite)) || null;
  const sentence = sentenceOf(decision, (isByRule && matching[0]?.readAs) || [], otherwise);
  return { decision, readings: explained, otherwise, ignored: ignoredRules(rules, verdict.reading), sentence };
}

/** The rule lines of the crawler's groups that do not count. */
function ignoredRules({ document, groupLines }: RobotsRules, { dialect }: Reading): IgnoredRule[] {
  const { packed } = document;
  const ours = groupSpans(document, rfc9309).filter(({ agentLines }) =>
    agentLines.some((line) => groupLines.includes(line)),
  );
  return ours
    .flatMap(({ from, to }) => Array.from(records(packed, from, to)))
    .filter((record) => isRule(plainKind(record)) && !ruleEffect(document, dialect, record).counts)
    .slice(0, MAX_IGNORED_RULES)
    .map((record) => ({
      kind: dialect.kindOf(record) === ALLOW ? 'allow' : 'disallow',
      pattern: textOf(record.value),
      line: record.line,
    }));
}

/** Every rule of a reading that matches, the deciding one first; each once, even if several of its spellings match. */
function matchingRules(document: RobotsDocument, reading: Reading, { path }: Target): MatchingRule[] {
  const { form } = reading.dialect;
  const plain = canonical(path, form, false);
  const query = form === 'n0' ? canonical(path, 'n1', false) : plain;
  const found = findEveryRule(reading, plain, query === plain);
  if (query !== plain) found.push(...findEveryRule(reading, query, true));
  const byOrigin = new Map(found.map((rule) => [originOf(patternAt(reading, rule)), rule]));
  return [...byOrigin]
    .sort(
      ([aOrigin, a], [bOrigin, b]) =>
        weightOf(patternAt(reading, b)) - weightOf(patternAt(reading, a)) || aOrigin - bOrigin,
    )
    .map(([origin, rule]) => {
      const record = new PackedRecord(reading.packed, origin);
      const { readAs } = ruleEffect(document, reading.dialect, record);
      const kind = isAllowRule(reading, rule) ? 'allow' : 'disallow';
      return { kind, pattern: textOf(record.value), readAs, line: record.line };
    });
}

function sentenceOf(decision: Decision, readAs: readonly string[], otherwise: MatchingRule | null): string {
  const verdict = decision.allowed ? 'allowed' : 'disallowed';
  const group = decision.agent === null ? '' : ` in the group for ${decision.agent}`;
  const repaired = readAs.length === 0 ? '' : ` (read as ${readAs.join(', ')})`;
  const outweighed =
    otherwise === null ? '' : `; it outweighs line ${otherwise.line}, ${otherwise.kind} ${otherwise.pattern}`;
  switch (decision.reason) {
    case 'rule':
      return `${verdict} by line ${decision.line}, ${decision.pattern}${repaired}${group} (${decision.dialect})${outweighed}`;
    case 'no-match':
      return `${verdict}: no rule${group} matches (${decision.dialect})`;
    case 'no-group':
      return `${verdict}: no group applies to this crawler (${decision.dialect})`;
    case 'robots-url':
      return 'allowed: robots.txt itself always is';
    case 'oversize':
      return 'disallowed: the file or the group is larger than this crawler holds';
    case 'closed-rate':
      return 'disallowed now: the request rate in force is zero';
  }
}
