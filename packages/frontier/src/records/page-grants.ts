// How many pages a process may hand out before it asks again, so that all processes together never pass the crawl's
// bound. Each part says what it was granted; a process that asks adds all of that up and takes a share of the rest.
// What a dead process was granted and did not use is free again once it has been silent for long enough. Pure; nothing
// throws.

import { GRANT_MOST } from './limits.js';

/** What the other parts have. */
export interface Granted {
  /** Pages that are done, and pages that living parts may still hand out. */
  readonly taken: number;
  /** Other parts that live. */
  readonly alive: number;
}

/** Pages of the crawl that no process was granted. @param own - Ours: done, in flight or granted. */
export function pagesLeft(limit: number, { taken }: Granted, own: number): number {
  return Math.max(0, limit - taken - own);
}

/** How many of the pages left one process takes at a time: all that it may, unless others want some too. */
export function grantOf(left: number, alive: number): number {
  return Math.min(left, GRANT_MOST, alive === 0 ? left : Math.ceil(left / (2 * (alive + 1))));
}

/**
 * How many granted pages that are not handed out a process keeps while nothing is left for others: half of them are
 * free again at every look, since a process without work may have them.
 */
export function keptOf(unused: number, left: number, alive: number): number {
  return left > 0 || alive === 0 ? unused : Math.floor(unused / 2);
}
