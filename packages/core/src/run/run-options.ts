// The options of `run`, and their check.

import type { CallOptions } from '../call-options.js';
import type { RetryFilter } from './retry-failures.js';

/** Options of `run`. */
export interface RunOptions {
  /**
   * The crawl directory. It is created, or continued if it holds the same crawl: same name and tokens, and at least its
   * seeds. It holds the frontier too, unless `store` is given. @default none
   */
  readonly out?: string;
  /** Deletes the crawl in `out` and starts over. A directory that holds something else is refused. @default false */
  readonly reset?: boolean;
  /**
   * Visits the known pages of the crawl again, those most likely to have changed first, with conditional requests. The
   * bounds count from the start of this run. Needs visits that `recrawl` has kept. @default false
   */
  readonly again?: boolean;
  /** Queues failures of earlier runs again: URLs whose last decision matches. @default none */
  readonly retry?: RetryFilter;
  /**
   * Whether other processes work on the same crawl at the same time, with the same `store` or in the same `out`. Each
   * writes its own logs and items, and all need the same options (`crawl-differs`). @default false
   */
  readonly shared?: boolean;
  /**
   * When nothing is left or only long waits remain, waits for URLs from `add` instead of ending. `stop`, a bound or the
   * signal ends the run. @default false
   */
  readonly keepOpen?: boolean;
  /** Aborting it stops the run, like `stop`. */
  readonly signal?: AbortSignal;
}

export const RUN_OPTIONS: CallOptions<RunOptions> = {
  out: 'string',
  reset: 'boolean',
  again: 'boolean',
  retry: 'any',
  shared: 'boolean',
  keepOpen: 'boolean',
  signal: 'signal',
};
export const RUN_HINT = 'URLs are `scope.seeds` of `createCrawler`, and so are all other options of a crawl.';
