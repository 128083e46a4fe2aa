// The latest final words, kept in memory for `explain` where they have no line in a decision log. Bounded: the oldest go first.

import type { UrlDecision } from './decision.js';
import { MAX_RECENT_DECISIONS } from './limits.js';

/** A short memory of decisions. */
export interface RecentDecisions {
  decision(decision: UrlDecision): void;
  /** `null` when it was never told, or is forgotten. */
  find(url: string): UrlDecision | null;
  /** All that are remembered, the last of each URL, the oldest first. */
  all(): readonly UrlDecision[];
}

/** Makes an empty memory. @param limit - Decisions kept. @default MAX_RECENT_DECISIONS */
export function createRecentDecisions(limit = MAX_RECENT_DECISIONS): RecentDecisions {
  const recent = new Map<string, UrlDecision>();
  return {
    decision(decision) {
      recent.delete(decision.url);
      recent.set(decision.url, decision);
      if (recent.size <= limit) return;
      for (const oldest of recent.keys()) {
        recent.delete(oldest);
        break;
      }
    },
    find: (url) => recent.get(url) ?? null,
    all: () => [...recent.values()],
  };
}
