// What came of URLs, counted for the report: final words by reason with a few examples, the lines of robots.txt that closed
// most, and words by depth. Bounded by the number of reasons, of rules told apart and of depths.

import type { UrlDecision, UrlStatus } from '../decision.js';
import type { LeftOutLine } from '../decision-log.js';
import { MAX_COUNTED_REASONS, MAX_REPORT_TEXT } from '../limits.js';
import { reasonOf } from '../reasons.js';
import { MAX_COUNTED_RULES, MAX_PAGE_EXAMPLES, MAX_PAGE_RULES } from './limits.js';
import type { ReportedDepth, ReportedReason, ReportedRule } from './report-data.js';

/** Counts decisions. */
export interface DecisionCounts {
  decision(decision: UrlDecision): void;
  /** URLs without a line of their own. */
  leftOut(counts: LeftOutLine['leftOut']): void;
  outcomes(): Record<UrlStatus, number>;
  reasons(): ReportedReason[];
  rules(): ReportedRule[];
  depths(): ReportedDepth[];
}

const NO_WORDS: Readonly<Record<UrlStatus, number>> = { fetched: 0, excluded: 0, dropped: 0, failed: 0, held: 0 };

/** Makes empty counts. Never throws. */
export function createDecisionCounts(): DecisionCounts {
  const reasons = new Map<string, { status: UrlStatus; reason: string; urls: number; examples: string[] }>();
  const rules = new Map<string, { -readonly [Key in keyof ReportedRule]: ReportedRule[Key] }>();
  const depths = new Map<number, Record<UrlStatus, number>>();
  const outcomes = { ...NO_WORDS };

  const countRule = ({ url, line, pattern, robots }: UrlDecision): void => {
    if (line === null || robots === null) return;
    const key = `${robots.authority} ${robots.hash} ${line}`;
    const known = rules.get(key);
    if (known !== undefined) known.urls += 1;
    else if (rules.size < MAX_COUNTED_RULES) {
      const { authority, hash, receivedAtMs } = robots;
      rules.set(key, { authority, line, pattern: cut(pattern ?? ''), hash, receivedAtMs, urls: 1, example: cut(url) });
    }
  };

  const reasonCount = (status: UrlStatus, given: string) => {
    const known = reasons.has(`${status} ${given}`) || reasons.size < MAX_COUNTED_REASONS;
    const reason = known ? given : 'other';
    let counted = reasons.get(`${status} ${reason}`);
    if (counted === undefined) {
      counted = { status, reason, urls: 0, examples: [] };
      reasons.set(`${status} ${reason}`, counted);
    }
    return counted;
  };

  return {
    leftOut(counts) {
      for (const [status, byReason] of Object.entries(counts) as [UrlStatus, Record<string, number>][]) {
        for (const [reason, urls] of Object.entries(byReason)) {
          outcomes[status] += urls;
          reasonCount(status, reason).urls += urls;
        }
      }
    },
    decision(decision) {
      const { status, depth, url } = decision;
      outcomes[status] += 1;
      const counted = reasonCount(status, decision.reason);
      counted.urls += 1;
      if (status !== 'fetched' && counted.examples.length < MAX_PAGE_EXAMPLES) counted.examples.push(cut(url));
      if (status === 'excluded' && decision.layer === 'robots') countRule(decision);
      if (depth === null) return;
      let atDepth = depths.get(depth);
      if (atDepth === undefined) {
        atDepth = { ...NO_WORDS };
        depths.set(depth, atDepth);
      }
      atDepth[status] += 1;
    },
    outcomes: () => ({ ...outcomes }),
    reasons: () =>
      [...reasons.values()]
        .sort((a, b) => b.urls - a.urls)
        .map((each) => ({ ...each, means: reasonOf(each.reason)?.means ?? '' })),
    rules: () => [...rules.values()].sort((a, b) => b.urls - a.urls).slice(0, MAX_PAGE_RULES),
    depths: () => [...depths].sort(([a], [b]) => a - b).map(([depth, counts]) => ({ depth, ...counts })),
  };
}

function cut(text: string): string {
  return text.length <= MAX_REPORT_TEXT ? text : `${text.slice(0, MAX_REPORT_TEXT)}…`;
}
