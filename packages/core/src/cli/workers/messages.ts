// What the command and its workers send to each other: plain JSON over the channel that Node.js opens between them.

import type { DashboardView } from '../../dashboard/view.js';
import type { MetricFamily } from '../../metrics/joined-metrics.js';
import type { CrawlProgress, CrawlReport } from '../../report/crawl-report.js';
import type { CrawlPhase } from '../../run/activity.js';

/** What a worker is to crawl. */
export interface StartMessage {
  readonly kind: 'start';
  readonly seeds: readonly string[];
  /** `CrawlFlags`. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly out: string;
  /** The first worker resets, unparks and retries. */
  readonly isFirst: boolean;
  /** It takes what `mannerly add` hands over: the first, or one that has replaced it. */
  readonly takesAdded: boolean;
}

/** From the command to a worker. */
export type ToWorker =
  | StartMessage
  /** Requests in flight are completed. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' };

/** What a worker does. It may be stopping by a message, or by a handler. */
export interface WorkerState {
  readonly progress: CrawlProgress;
  readonly phase: CrawlPhase;
  /** For the live view and the metrics of all, where they are wanted; in one message of ten. */
  readonly view?: DashboardView;
  readonly metrics?: readonly MetricFamily[];
}

/** From a worker to the command. */
export type FromWorker =
  /** Ten times a second. */
  | ({ readonly kind: 'state' } & WorkerState)
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'report'; readonly report: CrawlReport }
  | { readonly kind: 'failed'; readonly lines: readonly string[]; readonly code: number };

/** A worker, as the command sees it. */
export interface WorkerProcess {
  readonly pid: number;
  send(message: ToWorker): void;
  onMessage(listener: (message: FromWorker) => void): void;
  /** Called once, when it has ended or where it has: with a code, or by a signal. */
  onExit(listener: (code: number | null, signal: string | null) => void): void;
  kill(): void;
}

/** The command, as a worker sees it. */
export interface ParentProcess {
  send(message: FromWorker): void;
  onMessage(listener: (message: ToWorker) => void): void;
  /** Closes the channel, so that this process can end. */
  leave(): void;
  /** Called when the command has ended. */
  onGone(listener: () => void): void;
}
