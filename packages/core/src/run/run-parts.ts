// What a run is made of; the crawler hands it over, the run opens and closes store, fetcher and sinks.

import type { Clock, FrontierStore } from '@mannerly/frontier';
import type { Fetcher } from '../fetch/fetcher.js';
import type { Handlers } from '../handle/handlers.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Sink } from '../output/sink.js';
import type { CrawlEmitter } from '../record/events.js';
import type { FailureFilter } from './retry.js';

/** The parts of one run. */
export interface RunParts {
  readonly options: ResolvedOptions;
  readonly handlers: Handlers;
  readonly emitter: CrawlEmitter;
  readonly store: FrontierStore;
  /** Why the store cannot be reached; `null`: it can. */
  readonly holding: () => string | null;
  readonly fetcher: Fetcher;
  readonly sinks: readonly Sink[];
  readonly clock: Clock;
  /** The crawl directory; `null`: none. */
  readonly out: string | null;
  /** Whether other processes work on the same crawl at the same time, in this directory or elsewhere. */
  readonly isShared: boolean;
  /** Whether the store is kept in the directory. */
  readonly isOwnStore: boolean;
  /** Whether what the directory has kept is removed first. */
  readonly reset: boolean;
  /** Parked hosts that an operator has looked at. */
  readonly unpark: readonly string[];
  /** Failures to begin with once more; `null`: none. */
  readonly retry: FailureFilter | null;
}
