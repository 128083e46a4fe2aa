// What a command and the processes it starts tell each other: plain JSON over the channel that node opens between them.

import type { CrawlProgress, CrawlReport } from '../../report/crawl-report.js';

/** From the command to a worker. */
export type ToWorker =
  | {
      readonly kind: 'start';
      readonly seeds: readonly string[];
      /** As `CrawlFlags`; they are plain JSON. */
      readonly flags: Readonly<Record<string, unknown>>;
      readonly out: string;
      /** The first worker resets, wakes and retries; the others join what it has opened. */
      readonly isFirst: boolean;
    }
  /** What is in flight comes to its end; a second one ends at once. */
  | { readonly kind: 'stop' };

/** From a worker to the command. */
export type FromWorker =
  /** The worker has begun. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: CrawlProgress }
  /** A line for the person at the terminal. */
  | { readonly kind: 'line'; readonly text: string }
  /** Its run is stopping: it was told to, or a handler stopped the crawl. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'report'; readonly report: CrawlReport }
  /** It could not go on, and said why. */
  | { readonly kind: 'failed'; readonly lines: readonly string[]; readonly code: number };

/** A process that was started. */
export interface WorkerProcess {
  readonly pid: number;
  send(message: ToWorker): void;
  onMessage(heard: (message: FromWorker) => void): void;
  /** Once, when it is gone: by itself with a code, or by a signal. */
  onExit(gone: (code: number | null, signal: string | null) => void): void;
  kill(): void;
}

/** The command that started this process. */
export interface ParentProcess {
  send(message: FromWorker): void;
  onMessage(heard: (message: ToWorker) => void): void;
  /** Says no more and hears no more, so that this process can end. */
  leave(): void;
  /** It is gone: no one listens any more. */
  onGone(gone: () => void): void;
}
