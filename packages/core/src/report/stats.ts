// Counts of final words by reason: the `words` of the crawl report. Bounded by the number of reason words.

import type { UrlDecision, UrlStatus } from './decision.js';
import { MAX_COUNTED_REASONS } from './limits.js';

/** Counts decisions as they fall. */
export interface OutcomeCounts {
  decision(decision: UrlDecision): void;
  /** Adds counts that earlier runs came to. */
  goOnFrom(outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>): void;
  /** How many URLs have this word so far. */
  count(word: UrlStatus): number;
  /** URLs by word and reason: `{ excluded: { 'robots-rule': 3 } }`. A fresh copy. */
  outcomes(): Record<string, Record<string, number>>;
}

/** Makes empty counts. @throws Never */
export function createOutcomeCounts(): OutcomeCounts {
  const totals = new Map<UrlStatus, number>();
  const reasons = new Map<UrlStatus, Map<string, number>>();
  let kinds = 0;
  const add = (word: UrlStatus, reason: string, times: number): void => {
    totals.set(word, (totals.get(word) ?? 0) + times);
    let counts = reasons.get(word);
    if (counts === undefined) {
      counts = new Map();
      reasons.set(word, counts);
    }
    let key = reason;
    if (!counts.has(key)) {
      if (kinds >= MAX_COUNTED_REASONS) key = 'other';
      kinds += 1;
    }
    counts.set(key, (counts.get(key) ?? 0) + times);
  };
  return {
    decision: ({ status, reason }) => add(status, reason, 1),
    goOnFrom(outcomes) {
      for (const [word, counted] of Object.entries(outcomes)) {
        for (const [reason, times] of Object.entries(counted)) add(word as UrlStatus, reason, times);
      }
    },
    count: (word) => totals.get(word) ?? 0,
    outcomes: () => Object.fromEntries([...reasons].map(([word, counts]) => [word, Object.fromEntries(counts)])),
  };
}
