// The processes of `mannerly crawl --workers`: what the command and its workers say to each other, as plain JSON over
// the channel that Node.js opens between them, and how the command starts, stops and restarts workers. They share the
// store. The command itself fetches nothing.

import type { ChildProcess } from 'node:child_process';
import type { DashboardView } from '../../dashboard/view.js';
import type { MetricFamily } from '../../metrics/combine-metrics.js';
import type { CrawlProgress, CrawlReport } from '../../report/crawl-report.js';
import type { CrawlPhase } from '../../run/activity.js';
import { EXIT } from '../exit-codes.js';

export interface StartMessage {
  readonly kind: 'start';
  /** The seeds of the command line; none: those of the configuration file. */
  readonly args: readonly string[];
  /** `CrawlFlags`. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly out: string;
  /** The first worker resets, unparks and retries. */
  readonly isFirst: boolean;
}

/** From the command to a worker. After `stop`, requests in flight are completed. */
export type ToWorker = StartMessage | { readonly kind: 'stop' | 'pause' | 'resume' };

/** The state of a worker. A message or a handler may have stopped it. */
export interface WorkerState {
  readonly progress: CrawlProgress;
  readonly phase: CrawlPhase;
  /** For the live view and the metrics of all, if they are wanted; in one of ten messages. */
  readonly view?: DashboardView;
  readonly metrics?: readonly MetricFamily[];
}

/** From a worker to the command: its state ten times a second. */
export type FromWorker =
  | ({ readonly kind: 'state' } & WorkerState)
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'report'; readonly report: CrawlReport }
  | { readonly kind: 'failed'; readonly lines: readonly string[]; readonly code: number };

/** What is used of a child process. It sends `FromWorker`. */
export type WorkerProcess = Pick<
  ChildProcess,
  'connected' | 'exitCode' | 'signalCode' | 'on' | 'once' | 'send' | 'kill'
>;

interface WorkerPoolOptions {
  readonly count: number;
  readonly start: () => WorkerProcess;
  readonly firstMessage: (who: Pick<StartMessage, 'isFirst'>) => StartMessage;
  readonly print: (line: string) => void;
}

interface WorkerEnd {
  /** `null`: it failed, or was killed too often. */
  readonly report: CrawlReport | null;
  readonly code: number;
}

/** The state of a worker, with the last view that it sent. */
interface WorkerSnapshot extends WorkerState {
  readonly name: string;
}

/** How often one worker is restarted at most. */
const MAX_RESTARTS = 5;

/** Starts workers: the first opens the crawl; the others load the program meanwhile and join once it is open. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #processes = new Set<WorkerProcess>();
  /** Workers that have not been told to crawl. */
  readonly #idle: Set<WorkerProcess>;
  readonly #workers = new Map<number, WorkerSnapshot>();
  #markOpen = (): void => undefined;
  #isOpen = false;
  #isRefused = false;
  #isStopping = false;
  /** The result of each worker, when all have ended. Never rejects. */
  readonly ended: Promise<readonly WorkerEnd[]>;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    const opened = new Promise<void>((resolve) => {
      this.#markOpen = resolve;
    });
    const first = this.#runWorker(1, options.start());
    this.#idle = new Set(Array.from({ length: options.count - 1 }, options.start));
    const others = [...this.#idle].map(async (process, at) => {
      await Promise.race([opened, first]);
      this.#idle.delete(process);
      // An error of the first worker would also be one of the others.
      if (!this.#isRefused && !this.#isStopping) return [await this.#runWorker(at + 2, process)];
      process.kill('SIGKILL');
      return [];
    });
    this.ended = Promise.all([first, ...others]).then((ends) => ends.flat());
  }

  workers(): readonly WorkerSnapshot[] {
    return [...this.#workers.values()];
  }

  broadcast(kind: 'pause' | 'resume' | 'stop'): void {
    for (const worker of this.#processes) send(worker, { kind });
  }

  running(): number {
    return this.#processes.size;
  }

  /** Completes requests in flight and starts no more workers. A second call does nothing. */
  stop(): void {
    if (!this.#isStopping) this.broadcast('stop');
    this.#isStopping = true;
  }

  kill(): void {
    this.#isStopping = true;
    for (const worker of [...this.#processes, ...this.#idle]) worker.kill('SIGKILL');
  }

  /** A worker and its replacements. */
  async #runWorker(number: number, process: WorkerProcess): Promise<WorkerEnd> {
    const { print, start } = this.#options;
    for (let next = process, restarts = 0; ; restarts += 1, next = start()) {
      const { end, code, how } = await this.#runOnce(next, number);
      // What it said would also end the one that replaces it.
      if (end !== null) {
        this.#isRefused ||= end.report === null && number === 1;
        if (end.report === null && this.#isOpen) print(`Worker ${number} ${how}.`);
        return end;
      }
      const isLast = this.#isStopping || restarts >= MAX_RESTARTS;
      const ordinal = this.#isStopping ? '' : ` for the ${MAX_RESTARTS + 1}th time and is not restarted`;
      print(`Worker ${number} ${how}${isLast ? ordinal : ' and is restarted'}.`);
      if (isLast) return { report: null, code };
    }
  }

  /** @returns `end`: what it said at its end; `null` if it died. */
  #runOnce(worker: WorkerProcess, number: number): Promise<{ end: WorkerEnd | null; code: number; how: string }> {
    const { firstMessage, print } = this.#options;
    this.#processes.add(worker);
    return new Promise((resolve) => {
      let end: WorkerEnd | null = null;
      worker.on('message', (given) => {
        const message = given as FromWorker;
        switch (message.kind) {
          case 'state':
            this.#onState(number, message);
            break;
          case 'line':
            print(message.text);
            break;
          case 'report':
            // It may have ended before it could report that it stops.
            if (message.report.state === 'stopped') this.stop();
            end = { report: message.report, code: EXIT.ok };
            break;
          case 'failed':
            for (const line of message.lines) print(line);
            end = { report: null, code: message.code };
        }
      });
      const onExit = (code: number | null, signal: string | null): void => {
        this.#processes.delete(worker);
        const last = this.#workers.get(number);
        if (last !== undefined)
          this.#workers.set(number, { ...last, progress: { ...last.progress, inFlight: 0 }, phase: 'over' });
        const how = signal === null ? `ended with code ${code}` : `was killed (${signal})`;
        resolve({ end, code: code ?? EXIT.broken, how });
      };
      if (worker.exitCode === null && worker.signalCode === null) worker.once('exit', onExit);
      else onExit(worker.exitCode, worker.signalCode);
      const isFirst = number === 1 && !this.#isOpen;
      send(worker, firstMessage({ isFirst }));
    });
  }

  #onState(number: number, { kind: _, ...state }: Extract<FromWorker, { kind: 'state' }>): void {
    this.#workers.set(number, { ...this.#workers.get(number), ...state, name: `worker ${number}` });
    const { phase } = state;
    this.#isOpen ||= phase !== 'idle' && phase !== 'opening';
    if (this.#isOpen) this.#markOpen();
    // A handler stopped it, if the command did not: stopping one stops the crawl.
    if (phase === 'stopping') this.stop();
  }
}

/** A message to a worker that has ended is lost: its exit says so. */
function send(worker: WorkerProcess, message: ToWorker): void {
  if (worker.connected) worker.send(message, () => undefined);
}
