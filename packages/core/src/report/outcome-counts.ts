// Counts of URLs by status and reason: the `outcomes` of the crawl report. Bounded by the number of reasons.

import type { UrlDecision, UrlStatus } from './decision.js';
import { MAX_COUNTED_REASONS } from './limits.js';

/** Counts decisions as they are made. */
export interface OutcomeCounts {
  decision(decision: UrlDecision): void;
  /** Adds the counts of earlier runs. */
  goOnFrom(outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>): void;
  /** How many URLs have this status so far. */
  count(status: UrlStatus): number;
  /** URLs by status and reason: `{ excluded: { 'robots-rule': 3 } }`. A fresh copy. */
  outcomes(): Record<string, Record<string, number>>;
}

/** Makes empty counts. @throws Never */
export function createOutcomeCounts(): OutcomeCounts {
  const totals = new Map<string, number>();
  const reasons = new Map<string, Map<string, number>>();
  let kinds = 0;
  const add = (status: string, reason: string, urls: number): void => {
    totals.set(status, (totals.get(status) ?? 0) + urls);
    const counts = reasons.get(status) ?? new Map<string, number>();
    reasons.set(status, counts);
    const key = counts.has(reason) || kinds < MAX_COUNTED_REASONS ? reason : 'other';
    if (!counts.has(key)) kinds += 1;
    counts.set(key, (counts.get(key) ?? 0) + urls);
  };
  return {
    decision: ({ status, reason }) => add(status, reason, 1),
    goOnFrom(outcomes) {
      for (const [status, counted] of Object.entries(outcomes))
        for (const [reason, urls] of Object.entries(counted)) add(status, reason, urls);
    },
    count: (status) => totals.get(status) ?? 0,
    outcomes: () => Object.fromEntries([...reasons].map(([status, counts]) => [status, Object.fromEntries(counts)])),
  };
}
