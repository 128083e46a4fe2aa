// Which bounds kept URLs out of a crawl, and how many, by the reasons of its decisions.

import type { OutcomeTable } from './decision.js';
import { reasonOf } from './reasons.js';

/** A bound that kept URLs out. */
export interface BoundMet {
  /** The option: `bounds.depth`, `bounds.pages`, `traps`. */
  readonly bound: string;
  /** URLs that were dropped because of it, for good. */
  readonly dropped: number;
  /** URLs that are still queued: a crawl with a larger bound takes them. */
  readonly left: number;
}

/** The bounds that kept URLs out, the one that cost most first. Never throws. */
export function boundsMet(outcomes: OutcomeTable): BoundMet[] {
  const met = new Map<string, { bound: string; dropped: number; left: number }>();
  for (const [status, reasons] of Object.entries(outcomes)) {
    for (const [reason, urls] of Object.entries(reasons)) {
      const bound = reasonOf(reason)?.bound;
      if (bound === undefined) continue;
      const counts = met.get(bound) ?? { bound, dropped: 0, left: 0 };
      met.set(bound, counts);
      counts[status === 'held' ? 'left' : 'dropped'] += urls;
    }
  }
  return [...met.values()].sort((a, b) => b.dropped + b.left - (a.dropped + a.left));
}

/** `257 URLs by traps, 3 by bounds.depth`; empty without any. */
export function droppedByBounds(bounds: readonly BoundMet[]): string {
  const dropped = bounds.filter((each) => each.dropped > 0);
  return dropped
    .map(({ bound, dropped: urls }, at) => `${urls}${at > 0 ? '' : urls === 1 ? ' URL' : ' URLs'} by \`${bound}\``)
    .join(', ');
}
