// The option `recrawl`, resolved.

import type { JsonValue } from '@mannerly/frontier';
import type { FetchedPage } from '../page/page.js';

/** The key of the record of what is expected of pages that were fetched once. */
export const PRIORS_KEY = 'visit-groups';

/** Returns what counts as a page's content, as any JSON. It is called before the handler. */
export type ContentFunction = (page: FetchedPage) => JsonValue | undefined | Promise<JsonValue | undefined>;

/** What decides whether a page has changed and when it is visited again. */
export interface ResolvedRecrawlOptions {
  /**
   * What counts as content: what a reader sees, the bytes of the body, what the handler emits, or the user's function.
   */
  readonly change: 'text' | 'payload' | 'items' | ContentFunction;
  /** Interval in days for a page that always changes; `null`: the bounds of the run decide. */
  readonly everyDays: number | null;
  readonly minDays: number;
  readonly maxDays: number;
  /** Version of the handlers; `null`: none is named. */
  readonly version: string | null;
  /** Share of a run's pages reserved for URLs never fetched, if there are any. */
  readonly newShare: number;
  /** Share of conditional visits made without conditions, to check whether validators are honest. */
  readonly verify: number;
  /** Days for which a site's own statement that a page stays the same may prevent a request; 0: none. */
  readonly trustFreshnessDays: number;
  /** Revisit records of a page in an archive, after which its payload is written again. */
  readonly maxChain: number;
  /** How important a page is, 0.01 to 100; `undefined`: as usual. `null`: all pages are as usual. */
  readonly importance: ((url: string, userData: JsonValue | null) => number | undefined) | null;
}
