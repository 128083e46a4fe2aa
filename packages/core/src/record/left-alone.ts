// URLs left alone for a reason that another road may lift: a nofollow link that a second page also links openly, a URL
// too deep by one path and not by another. They are told at the end of the run, and only if nothing admitted them meanwhile.

import type { UrlDecision } from '../report/decision.js';

/** Candidates whose word is not final yet, within a bounded memory. */
export interface LeftAlone {
  /** Remembers the first reason for a URL; past the bound the oldest is told at once. */
  note(decision: UrlDecision): void;
  /** The URL went through the door after all. */
  admitted(url: string): void;
  /** Tells all that is left. */
  tellAll(): void;
}

/** Makes the memory of one run. @param limit - URLs remembered at most. @param tell - Told each decision that became final. */
export function createLeftAlone(limit: number, tell: (decision: UrlDecision) => void): LeftAlone {
  const waiting = new Map<string, UrlDecision>();
  return {
    note(decision) {
      if (waiting.has(decision.url)) return;
      waiting.set(decision.url, decision);
      if (waiting.size > limit) {
        const [oldest, word] = waiting.entries().next().value as [string, UrlDecision];
        waiting.delete(oldest);
        tell(word);
      }
    },
    admitted(url) {
      if (waiting.size > 0) waiting.delete(url);
    },
    tellAll() {
      for (const decision of waiting.values()) tell(decision);
      waiting.clear();
    },
  };
}
