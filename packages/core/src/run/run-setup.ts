// What a run is started with: the options of `run`, and what the crawler or a plan makes of them.

import type { Clock, Frontier, FrontierStore } from '@mannerly/frontier';
import type { CallOptions } from '../call-options.js';
import { type CrawlPaths, crawlPaths } from '../directory/crawl-paths.js';
import { MannerlyError } from '../errors.js';
import type { Fetcher } from '../fetch/fetcher.js';
import type { Handlers } from '../handle/handlers.js';
import type { CrawlLog } from '../journal/crawl-log.js';
import type { CrawlEmitter } from '../journal/events.js';
import type { JournalListener } from '../journal/journal.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Sink } from '../output/sink.js';
import type { FailureFilter, RetryFilter } from './retry-failures.js';
import type { RunStop } from './run-stop.js';

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

/** What a run is started with. The run opens and closes the store, fetcher and sinks. */
export interface RunSetup {
  readonly options: ResolvedOptions;
  readonly handlers: Handlers;
  readonly emitter: CrawlEmitter;
  readonly stop: RunStop;
  readonly store: FrontierStore;
  /** Why the store cannot be reached; `null`: it can be. */
  readonly storeProblem: () => string | null;
  readonly fetcher: Fetcher;
  readonly sinks: readonly Sink[];
  readonly clock: Clock;
  /** The crawl directory; `null`: none. */
  readonly out: string | null;
  /** Whether other processes work on the same crawl. */
  readonly isShared: boolean;
  /** Whether the store is in the directory. */
  readonly isOwnStore: boolean;
  readonly reset: boolean;
  /** Whether known pages are visited again. */
  readonly again: boolean;
  /** Whether the run takes the URLs of `mannerly add` from its directory. */
  readonly takesAdded: boolean;
  /** Whether the run waits for added URLs when nothing is left. @default false */
  readonly keepOpen?: boolean;
  /** Called when URLs can be added, and awaited before the first request. @default not called */
  readonly opened?: () => Promise<void>;
  readonly unpark: readonly string[];
  /** Failures to queue once more at the start; `null`: none. */
  readonly retry: FailureFilter | null;
  /** What was found damaged in the directory, one sentence each. @default nothing */
  readonly damage?: readonly string[];
  /** Receives what happens. @default none */
  readonly log?: CrawlLog;
  /** For a plan: counts pages instead of fetching them. @default none */
  readonly survey?: JournalListener & { wrap(frontier: Frontier): Frontier };
}

/** A run that resets nothing and writes no items, the basis of a plan and of a polite fetch. */
export const BARE_RUN = {
  storeProblem: () => null,
  isShared: false,
  isOwnStore: true,
  sinks: [],
  reset: false,
  again: false,
  takesAdded: false,
  unpark: [],
  retry: null,
} satisfies Partial<RunSetup>;

/** Refuses impossible combinations. @throws MannerlyError `option-invalid` */
export function checkSetup({ options, isShared, out }: RunSetup): void {
  archiveFolder(options, out === null ? null : crawlPaths(out));
  if (options.orderSeed === null || !isShared) return;
  throw new MannerlyError('option-invalid', '`orderSeed` only works with one process, and several share this crawl', {
    hint: 'Crawl with one process, or without `orderSeed`: no seed can decide the order in which several processes take URLs.',
  });
}

/** The folder of the WARC files; `null`: no archive is wanted. @throws MannerlyError `option-invalid` */
export function archiveFolder({ archive }: ResolvedOptions, paths: Pick<CrawlPaths, 'archivePath'> | null) {
  if (archive === null) return null;
  const folder = archive.folder ?? paths?.archivePath ?? null;
  if (folder !== null) return folder;
  throw new MannerlyError('option-invalid', '`archive` needs a place: `run({ out })`, or `archive.folder`', {
    hint: 'Without a crawl directory, set `archive.folder` for the archive.',
  });
}
