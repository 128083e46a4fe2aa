// What the crawler or a plan starts a run with.

import type { Clock, Frontier, FrontierStore } from '@mannerly/frontier';
import { type CrawlPaths, crawlPaths } from '../directory/crawl-paths.js';
import { MannerlyError } from '../errors.js';
import type { Fetcher } from '../fetch/fetcher.js';
import type { Handlers } from '../handle/handlers.js';
import type { CrawlLog } from '../journal/crawl-log.js';
import type { CrawlEmitter } from '../journal/events.js';
import type { JournalListener } from '../journal/journal.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Sink } from '../output/sink.js';
import type { FailureFilter } from './retry-failures.js';
import type { RunStop } from './run-stop.js';

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
  /** Whether the run waits for added URLs when nothing is left. @default false */
  readonly keepOpen?: boolean;
  /** Called when URLs can be added, and awaited before the first request. @default not called */
  readonly opened?: () => Promise<void>;
  readonly unpark: readonly string[];
  /** Failures to queue once more at the start; `null`: none. */
  readonly retry: FailureFilter | null;
  /** Receives what happens. @default none */
  /** What was found damaged in the directory, one sentence each. @default nothing */
  readonly damage?: readonly string[];
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
export function archiveFolder(
  { archive }: ResolvedOptions,
  paths: Pick<CrawlPaths, 'archivePath'> | null,
): string | null {
  if (archive === null) return null;
  const folder = archive.folder ?? paths?.archivePath ?? null;
  if (folder !== null) return folder;
  throw new MannerlyError('option-invalid', '`archive` needs a place: `run({ out })`, or `archive.folder`', {
    hint: 'Without a crawl directory, set `archive.folder` for the archive.',
  });
}
