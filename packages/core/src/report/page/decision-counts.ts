// Counts the decisions of a report: by reason with examples, by the rule that excluded them, and by depth. Bounded by
// reasons and rules, and by `MAX_PAGE_DEPTHS`.

import type { RobotsCopyRef } from '@mannerly/frontier';
import type { UrlDecision, UrlStatus } from '../decision.js';
import { MAX_COUNTED_RULES, MAX_PAGE_DEPTHS, MAX_PAGE_EXAMPLES, MAX_PAGE_RULES } from '../limits.js';
import { type CountedReason, OutcomeCounts } from '../outcome-counts.js';
import { truncate } from '../politeness.js';
import { reasonOf } from '../reasons.js';
import { countStatus, NO_URLS } from './host-account.js';

/** A line of a robots.txt, the copy that has it, and how many URLs it closed. */
export interface ClosingRule extends Pick<RobotsCopyRef, 'authority' | 'hash' | 'receivedAtMs'> {
  readonly line: number;
  readonly pattern: string;
  readonly example: string;
  urls: number;
}

export class DecisionCounts {
  readonly counts = new OutcomeCounts();
  readonly #examples = new Map<CountedReason, string[]>();
  readonly #rules = new Map<string, ClosingRule>();
  readonly #depths = new Map<number, Record<UrlStatus, number>>();

  add(decision: UrlDecision): void {
    const { status, depth, url, layer } = decision;
    const counted = this.counts.decision(decision);
    const examples = this.#examples.get(counted) ?? [];
    this.#examples.set(counted, examples);
    if (status !== 'fetched' && examples.length < MAX_PAGE_EXAMPLES) examples.push(truncate(url));
    if (status === 'excluded' && layer === 'robots') this.#addRule(decision);
    if (depth === null) return;
    const row = Math.min(depth, MAX_PAGE_DEPTHS - 1);
    const atDepth = this.#depths.get(row) ?? { ...NO_URLS };
    this.#depths.set(row, atDepth);
    countStatus(atDepth, decision);
  }

  #addRule({ url, line, pattern, robots }: UrlDecision): void {
    if (line === null || robots === null) return;
    const { authority, hash, receivedAtMs } = robots;
    const key = `${authority} ${hash} ${line}`;
    const known = this.#rules.get(key);
    if (known !== undefined) known.urls += 1;
    else if (this.#rules.size < MAX_COUNTED_RULES) {
      const rule = { authority, line, pattern: truncate(pattern ?? ''), hash, receivedAtMs };
      this.#rules.set(key, { ...rule, example: truncate(url), urls: 1 });
    }
  }

  /** The most frequent first. */
  reasons() {
    const ranked = this.counts.reasons.toSorted((a, b) => b.urls - a.urls);
    return ranked.map((counted) => {
      const { status, reason, urls } = counted;
      return {
        status,
        reason,
        urls,
        examples: this.#examples.get(counted) ?? [],
        means: reasonOf(reason)?.meaning ?? '',
      };
    });
  }

  /** The rules that excluded the most URLs, at most `MAX_PAGE_RULES`. */
  rules(): readonly Readonly<ClosingRule>[] {
    return [...this.#rules.values()].sort((a, b) => b.urls - a.urls).slice(0, MAX_PAGE_RULES);
  }

  /** The last of `MAX_PAGE_DEPTHS` also counts everything deeper. */
  depths() {
    return [...this.#depths]
      .sort(([a], [b]) => a - b)
      .map(([depth, counts]) => ({ depth, ...(depth === MAX_PAGE_DEPTHS - 1 ? { orDeeper: true } : {}), ...counts }));
  }
}
