// What the parts in this folder need from a run. The run creates each part from those that it has created before.

import type { Clock, Frontier } from '@mannerly/frontier';
import type { Admit } from '../admit/admit.js';
import type { Scope } from '../admit/scope.js';
import type { ResolvedTrapOptions } from '../admit/trap-rules.js';
import type { CrawlArchive } from '../archive/crawl-archive.js';
import type { Egress } from '../fetch/egress.js';
import type { HandlerPool } from '../handle/handler-pool.js';
import type { Journal } from '../journal/journal.js';
import type { Licenses } from '../licensing/licenses.js';
import type { PageReader } from '../page/read-page.js';
import type { Wakeup } from '../wakeup.js';
import type { Hooks } from './hooks.js';

export interface CrawlRun {
  readonly options: {
    readonly identity: { readonly userAgent: string };
    readonly network: { readonly concurrency: number; readonly maxBodyBytes: number };
    /** `null`: traps are not detected. */
    readonly traps: ResolvedTrapOptions | null;
    readonly nearDuplicates: false | 'tell' | 'drop';
  };
  /** `isShared`: other processes work on the crawl at the same time. */
  readonly setup: { readonly clock: Clock; readonly isShared: boolean };
  readonly nowMs: () => number;
  readonly stop: { readonly signal: AbortSignal; readonly isRequested: boolean; requestFor(reason: string): void };
  readonly wakeup: Wakeup;
  readonly journal: Journal;
  readonly hooks: Hooks | null;
  readonly scope: Scope;
  readonly frontier: Frontier;
  readonly admit: Admit;
  readonly egress: Egress;
  readonly licenses: Licenses;
  readonly reader: PageReader;
  readonly handlerPool: HandlerPool;
  /** Receives each outcome before a handler sees it. */
  readonly archive: Pick<CrawlArchive, 'writeExchange'> | null;
  /** What the crawl has fetched for archived pages, earlier runs included, in bytes as received. */
  readonly totals: { readonly counts: { readonly requisiteRequests: number; readonly requisiteBytes: number } };
}
