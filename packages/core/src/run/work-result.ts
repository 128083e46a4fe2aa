// The result of a piece of work, as a value: a decision about a page with candidates for admission, or a settlement
// that only the frontier sees. It holds no part of the page.

import type { NewUrl, Settlement } from '@mannerly/frontier';
import type { PageOutcome } from '../journal/journal.js';
import type { Item } from '../output/sink.js';

/** A page, and what is committed with its decision. */
export interface Decided {
  readonly kind: 'decided';
  readonly decision: PageOutcome;
  /** Links and the like, before admission. */
  readonly candidates: readonly NewUrl[];
  /** Written before the commit, after a tombstone of the page. The items of most pages are already written. */
  readonly items: readonly Item[];
}

export type WorkResult = Decided | Settlement;

export function decided(
  decision: PageOutcome,
  candidates: readonly NewUrl[] = [],
  items: readonly Item[] = [],
): Decided {
  return { kind: 'decided', decision, candidates, items };
}

/** A page that failed. */
export function failed(failure: Omit<PageOutcome, 'status' | 'isPage'>): Decided {
  return decided({ status: 'failed', ...failure, isPage: true });
}

/** The URL returns to the queue. */
export const RETURNED = { kind: 'returned', untilMs: null } as const satisfies Settlement;
