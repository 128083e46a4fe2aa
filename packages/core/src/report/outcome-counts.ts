// Counts of URLs by status and reason: the `outcomes` of the crawl report, and the bounds that kept URLs out according
// to them. Limited by the number of reasons.

import { createRecentSet } from '@mannerly/frontier/internal';
import type { OutcomeTable, UrlDecision, UrlStatus } from './decision.js';
import { MAX_COUNTED_REASONS, MAX_KNOWN_EXCLUSIONS } from './limits.js';
import { reasonOf } from './reasons.js';

/** How many URLs have one status for one reason. */
export interface CountedReason {
  readonly status: UrlStatus;
  readonly reason: string;
  urls: number;
}

export class OutcomeCounts {
  /** Every status with its reasons, in the order in which they were met. */
  readonly reasons: CountedReason[] = [];
  readonly #byStatus = new Map<UrlStatus, Map<string, CountedReason>>();

  decision({ status, reason, replaces }: UrlDecision): CountedReason {
    if (replaces !== undefined) this.uncount(replaces);
    return this.#add(status, reason, 1);
  }

  uncount({ status, reason }: Pick<UrlDecision, 'status' | 'reason'>): void {
    this.#add(status, reason, -1);
  }

  /** Adds URLs without a decision of their own: from earlier runs or other processes. */
  leftOut(outcomes: OutcomeTable): void {
    for (const [status, reasons] of Object.entries(outcomes))
      for (const [reason, urls] of Object.entries(reasons)) this.#add(status as UrlStatus, reason, urls);
  }

  /** The URLs of a status; as in `wholeOutcomes`, a count below 0 has none. */
  count(status: UrlStatus): number {
    return this.reasons.reduce((sum, each) => (each.status === status ? sum + Math.max(0, each.urls) : sum), 0);
  }

  outcomes(): OutcomeTable {
    const table: Record<string, Record<string, number>> = {};
    for (const { status, reason, urls } of this.reasons) {
      if (urls === 0) continue;
      table[status] ??= {};
      table[status][reason] = urls;
    }
    return table;
  }

  #add(status: UrlStatus, given: string, urls: number): CountedReason {
    const counts = this.#byStatus.get(status) ?? new Map<string, CountedReason>();
    this.#byStatus.set(status, counts);
    const reason = counts.has(given) || this.reasons.length < MAX_COUNTED_REASONS ? given : 'other';
    let counted = counts.get(reason);
    if (counted === undefined) {
      counted = { status, reason, urls: 0 };
      counts.set(reason, counted);
      this.reasons.push(counted);
    }
    counted.urls += urls;
    return counted;
  }
}

export function sumOutcomes(tables: readonly OutcomeTable[]): OutcomeTable {
  const counts = new OutcomeCounts();
  for (const table of tables) counts.leftOut(table);
  return counts.outcomes();
}

/**
 * The counts of a whole crawl. A process that was killed has not saved its last ones, and a later visit of such a page
 * subtracts what was never added: a count below 0 has no URL. Only the parts of a crawl, which are summed, keep it.
 */
export function wholeOutcomes(table: OutcomeTable): OutcomeTable {
  const counts = Object.entries(table).map(([status, reasons]) => {
    const counted = Object.entries(reasons).filter(([, urls]) => urls > 0);
    return [status, Object.fromEntries(counted)] as const;
  });
  return Object.fromEntries(counts.filter(([, reasons]) => Object.keys(reasons).length > 0));
}

/**
 * Splits decided URLs from open ones: the next run decides what this one leaves held. A page that a licence holds
 * counts as decided until an operator has it retried.
 */
export function splitOutcomes({ held = {}, ...others }: OutcomeTable): {
  readonly decided: OutcomeTable;
  readonly open: OutcomeTable;
} {
  const { license, ...open } = held;
  return { decided: license === undefined ? others : { ...others, held: { license } }, open: { held: open } };
}

/** Makes a test for decisions in their order: whether the URL was excluded or dropped before, and counts already. */
export function createRepeatedExclusionCheck(): (decision: UrlDecision) => boolean {
  const known = createRecentSet(MAX_KNOWN_EXCLUSIONS);
  return ({ status, url, reason, replaces = { status, reason } }) => {
    const isKnown = (status === 'excluded' || status === 'dropped') && !known.add(url);
    return isKnown && replaces.status === status && replaces.reason === reason;
  };
}

export interface LimitingBound {
  /** The option: `bounds.depth`, `bounds.pages`, `traps`. */
  readonly bound: string;
  /** URLs that were dropped for good because of it. */
  readonly dropped: number;
  /** URLs that are still queued: a crawl with a larger bound takes them. */
  readonly left: number;
}

/** The bounds that kept URLs out, those with the most URLs first. Never throws. */
export function limitingBounds(outcomes: OutcomeTable): LimitingBound[] {
  const byBound = new Map<string, { bound: string; dropped: number; left: number }>();
  for (const [status, reasons] of Object.entries(outcomes)) {
    for (const [reason, urls] of Object.entries(reasons)) {
      const bound = reasonOf(reason)?.bound;
      if (bound === undefined) continue;
      const counts = byBound.get(bound) ?? { bound, dropped: 0, left: 0 };
      byBound.set(bound, counts);
      counts[status === 'held' ? 'left' : 'dropped'] += urls;
    }
  }
  return [...byBound.values()].sort((a, b) => b.dropped + b.left - (a.dropped + a.left));
}

/** `257 URLs by traps, 3 by bounds.depth`; empty if there are none. */
export function droppedByBounds(bounds: readonly LimitingBound[]): string {
  const dropped = bounds.filter((each) => each.dropped > 0);
  return dropped
    .map(({ bound, dropped: urls }, at) => `${urls}${at > 0 ? '' : urls === 1 ? ' URL' : ' URLs'} by \`${bound}\``)
    .join(', ');
}
