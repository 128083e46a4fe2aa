// The option `recrawl`, resolved.

import type { JsonValue } from '@mannerly/frontier';
import type { FetchedPage } from '../page/page.js';

/** The record of what is expected of pages that were fetched once. */
export const PRIORS_KEY = 'visit-groups';

/** What counts as a page's content: any JSON. It is called before the handler. */
export type ContentFunction = (page: FetchedPage) => JsonValue | undefined | Promise<JsonValue | undefined>;

/** What decides whether a page has changed and when it is visited again. */
export interface ResolvedRecrawlOptions {
  /** What counts as content: what a reader sees, every byte of the body, what the handler emits, or the user's word. */
  readonly change: 'text' | 'payload' | 'items' | ContentFunction;
  /** Interval of a page that always changes, days; `null`: the bounds of the run decide. */
  readonly everyDays: number | null;
  readonly minDays: number;
  readonly maxDays: number;
  /** Of the handlers; `null`: none is named. */
  readonly version: string | null;
  /** Share of a run's pages that is for URLs never fetched, where there are any. */
  readonly newShare: number;
  /** Share of the visits with conditions that are made without, to see whether validators are honest. */
  readonly verify: number;
  /** Days for which a site's own word that a page stays as it is keeps it from being requested; 0: none. */
  readonly trustFreshnessDays: number;
  /** Revisit records of a page in an archive after which its payload is written again. */
  readonly maxChain: number;
  /** How important a page is, 0.01 to 100; `undefined`: as usual. `null`: all are as usual. */
  readonly importance: ((url: string, userData: JsonValue | null) => number | undefined) | null;
}
