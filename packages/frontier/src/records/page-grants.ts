// How many pages a process may hand out before it asks again, so that all processes together never hand out more than the
// crawl's bound. Each part says what it was granted; whoever asks adds up what all were granted and takes a share of the rest.
// What a dead process was granted and did not use comes back when it has been silent for long enough. Pure.

import { GRANT_MOST } from './limits.js';

/** What the other parts have. */
export interface Granted {
  /** Pages that are done, and pages that may still be handed out by a part that lives. */
  readonly taken: number;
  /** Other parts that live. */
  readonly alive: number;
}

/**
 * Pages of the crawl that nobody was granted.
 *
 * @param own - Ours: done, in hand or granted.
 * @throws Never
 */
export function pagesLeft(limit: number, { taken }: Granted, own: number): number {
  return Math.max(0, limit - taken - own);
}

/** How many of the pages left one process takes at a time: all that it may, unless others want some too. @throws Never */
export function grantOf(left: number, alive: number): number {
  return Math.min(left, GRANT_MOST, alive === 0 ? left : Math.ceil(left / (2 * (alive + 1))));
}

/**
 * How many of the pages that were granted and are not handed out a process keeps while others find nothing left: half of
 * them go back at every look, since they may lie with whoever has nothing to ask for.
 *
 * @throws Never
 */
export function keptOf(unused: number, left: number, alive: number): number {
  return left > 0 || alive === 0 ? unused : Math.floor(unused / 2);
}
