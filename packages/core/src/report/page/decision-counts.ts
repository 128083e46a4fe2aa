// What happened to URLs, counted for the report: by status and reason with a few examples, by line of robots.txt, and
// by depth.

import type { UrlDecision, UrlStatus } from '../decision.js';
import type { LeftOutLine } from '../decision-log.js';
import { MAX_COUNTED_REASONS } from '../limits.js';
import { cut } from '../politeness.js';
import { reasonOf } from '../reasons.js';
import { MAX_COUNTED_RULES, MAX_PAGE_EXAMPLES, MAX_PAGE_RULES } from './limits.js';
import type { ReportedDepth, ReportedReason, ReportedRule } from './report-data.js';

const NO_URLS: Readonly<Record<UrlStatus, number>> = { fetched: 0, excluded: 0, dropped: 0, failed: 0, held: 0 };

/** Counts decisions. Bounded by reasons, rules and depths. */
export class DecisionCounts {
  readonly outcomes = { ...NO_URLS };
  readonly #reasons = new Map<string, { status: UrlStatus; reason: string; urls: number; examples: string[] }>();
  readonly #rules = new Map<string, { rule: Omit<ReportedRule, 'urls'>; urls: number }>();
  readonly #depths = new Map<number, Record<UrlStatus, number>>();

  decision(decision: UrlDecision): void {
    const { status, reason, depth, url, layer } = decision;
    const counted = this.#count(status, reason, 1);
    if (status !== 'fetched' && counted.examples.length < MAX_PAGE_EXAMPLES) counted.examples.push(cut(url));
    if (status === 'excluded' && layer === 'robots') this.#countRule(decision);
    if (depth === null) return;
    const atDepth = this.#depths.get(depth) ?? { ...NO_URLS };
    this.#depths.set(depth, atDepth);
    atDepth[status] += 1;
  }

  /** Takes URLs that have no line of their own. */
  leftOut(counts: LeftOutLine['leftOut']): void {
    for (const [status, byReason] of Object.entries(counts) as [UrlStatus, Record<string, number>][])
      for (const [reason, urls] of Object.entries(byReason)) this.#count(status, reason, urls);
  }

  /** The most frequent first. */
  reasons(): ReportedReason[] {
    return [...this.#reasons.values()]
      .sort((a, b) => b.urls - a.urls)
      .map((each) => ({ ...each, means: reasonOf(each.reason)?.means ?? '' }));
  }

  /** Those that excluded most URLs, at most `MAX_PAGE_RULES`. */
  rules(): ReportedRule[] {
    return [...this.#rules.values()]
      .sort((a, b) => b.urls - a.urls)
      .slice(0, MAX_PAGE_RULES)
      .map(({ rule, urls }) => ({ ...rule, urls }));
  }

  depths(): ReportedDepth[] {
    return [...this.#depths].sort(([a], [b]) => a - b).map(([depth, counts]) => ({ depth, ...counts }));
  }

  #count(status: UrlStatus, given: string, urls: number) {
    this.outcomes[status] += urls;
    const isKnown = this.#reasons.has(`${status} ${given}`) || this.#reasons.size < MAX_COUNTED_REASONS;
    const reason = isKnown ? given : 'other';
    const counted = this.#reasons.get(`${status} ${reason}`) ?? { status, reason, urls: 0, examples: [] };
    this.#reasons.set(`${status} ${reason}`, counted);
    counted.urls += urls;
    return counted;
  }

  #countRule({ url, line, pattern, robots }: UrlDecision): void {
    if (line === null || robots === null) return;
    const { authority, hash, receivedAtMs } = robots;
    const key = `${authority} ${hash} ${line}`;
    const known = this.#rules.get(key);
    if (known !== undefined) known.urls += 1;
    else if (this.#rules.size < MAX_COUNTED_RULES) {
      const rule = { authority, line, pattern: cut(pattern ?? ''), hash, receivedAtMs, example: cut(url) };
      this.#rules.set(key, { rule, urls: 1 });
    }
  }
}
