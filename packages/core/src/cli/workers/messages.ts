// The messages between the command and its workers: plain JSON over the channel that Node.js opens between them.

import type { DashboardView } from '../../dashboard/view.js';
import type { MetricFamily } from '../../metrics/combine-metrics.js';
import type { CrawlProgress, CrawlReport } from '../../report/crawl-report.js';
import type { CrawlPhase } from '../../run/activity.js';

/** What a worker has to crawl. */
export interface StartMessage {
  readonly kind: 'start';
  readonly seeds: readonly string[];
  /** `CrawlFlags`. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly out: string;
  /** The first worker resets, unparks and retries. */
  readonly isFirst: boolean;
  /** It takes the URLs of `mannerly add`: the first worker, or one that has replaced it. */
  readonly takesAdded: boolean;
}

/** From the command to a worker. */
export type ToWorker =
  | StartMessage
  /** Requests in flight are completed. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' };

/** The state of a worker. A message or a handler may have stopped it. */
export interface WorkerState {
  readonly progress: CrawlProgress;
  readonly phase: CrawlPhase;
  /** For the live view and the metrics of all, if they are wanted; in one of ten messages. */
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
  /** Called once, when it ends or if it has already ended: with a code, or with a signal. */
  onExit(listener: (code: number | null, signal: string | null) => void): void;
  kill(): void;
}

/** The command, as a worker sees it. */
export interface ParentProcess {
  send(message: FromWorker): void;
  onMessage(listener: (message: ToWorker) => void): void;
  /** Closes the channel, so that this process can end. */
  disconnect(): void;
  /** Called when the command has ended. */
  onDisconnect(listener: () => void): void;
}
