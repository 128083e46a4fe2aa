// What happened to URLs, counted for the report: by status and reason with a few examples, by line of robots.txt, and
// by depth.

import type { OutcomeTable, UrlDecision, UrlStatus } from '../decision.js';
import { type CountedReason, OutcomeCounts } from '../outcome-counts.js';
import { cut } from '../politeness.js';
import { reasonOf } from '../reasons.js';
import { MAX_COUNTED_RULES, MAX_PAGE_EXAMPLES, MAX_PAGE_RULES } from './limits.js';
import type { ReportedDepth, ReportedReason, ReportedRule } from './report-data.js';

const NO_URLS: Readonly<Record<UrlStatus, number>> = { fetched: 0, excluded: 0, dropped: 0, failed: 0, held: 0 };

/** Counts decisions. Bounded by reasons, rules and depths. */
export class DecisionCounts {
  readonly #counts = new OutcomeCounts();
  readonly #examples = new Map<CountedReason, string[]>();
  readonly #rules = new Map<string, { -readonly [K in keyof ReportedRule]: ReportedRule[K] }>();
  readonly #depths = new Map<number, Record<UrlStatus, number>>();

  decision(decision: UrlDecision): void {
    const { status, depth, url, layer } = decision;
    const counted = this.#counts.decision(decision);
    const examples = this.#examples.get(counted) ?? [];
    this.#examples.set(counted, examples);
    if (status !== 'fetched' && examples.length < MAX_PAGE_EXAMPLES) examples.push(cut(url));
    if (status === 'excluded' && layer === 'robots') this.#countRule(decision);
    if (depth === null) return;
    const atDepth = this.#depths.get(depth) ?? { ...NO_URLS };
    this.#depths.set(depth, atDepth);
    atDepth[status] += 1;
  }

  /** Takes URLs that have no line of their own. */
  leftOut(counts: OutcomeTable): void {
    this.#counts.goOnFrom(counts);
  }

  /** URLs by status. */
  outcomes(): Record<UrlStatus, number> {
    const outcomes = { ...NO_URLS };
    for (const { status, urls } of this.#counts.reasons) outcomes[status] += urls;
    return outcomes;
  }

  /** The most frequent first. */
  reasons(): ReportedReason[] {
    return [...this.#counts.reasons]
      .sort((a, b) => b.urls - a.urls)
      .map((counted) => {
        const { status, reason, urls } = counted;
        const examples = this.#examples.get(counted) ?? [];
        return { status, reason, urls, examples, means: reasonOf(reason)?.means ?? '' };
      });
  }

  /** Those that excluded most URLs, at most `MAX_PAGE_RULES`. */
  rules(): ReportedRule[] {
    return [...this.#rules.values()].sort((a, b) => b.urls - a.urls).slice(0, MAX_PAGE_RULES);
  }

  depths(): ReportedDepth[] {
    return [...this.#depths].sort(([a], [b]) => a - b).map(([depth, counts]) => ({ depth, ...counts }));
  }

  #countRule({ url, line, pattern, robots }: UrlDecision): void {
    if (line === null || robots === null) return;
    const { authority, hash, receivedAtMs } = robots;
    const key = `${authority} ${hash} ${line}`;
    const known = this.#rules.get(key);
    if (known !== undefined) known.urls += 1;
    else if (this.#rules.size < MAX_COUNTED_RULES) {
      const rule = { authority, line, pattern: cut(pattern ?? ''), hash, receivedAtMs, example: cut(url), urls: 1 };
      this.#rules.set(key, rule);
    }
  }
}
