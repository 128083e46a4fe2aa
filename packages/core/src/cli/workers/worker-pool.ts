// The processes of `mannerly crawl --workers`, as the command sees them: started and stopped together, and restarted
// when one dies without a reason, within a bound. They share the store. The command itself fetches nothing.

import type { CrawlReport } from '../../report/crawl-report.js';
import { EXIT } from '../exit-codes.js';
import type { FromWorker, StartMessage, WorkerProcess, WorkerState } from './messages.js';

interface WorkerPoolOptions {
  readonly count: number;
  readonly start: () => WorkerProcess;
  readonly firstMessage: (who: Pick<StartMessage, 'isFirst' | 'takesAdded'>) => StartMessage;
  readonly print: (line: string) => void;
}

interface WorkerEnd {
  /** `null`: it failed, or was killed too often. */
  readonly report: CrawlReport | null;
  readonly code: number;
}

/** The state of a worker, with the last view that it sent. */
export interface WorkerSnapshot extends WorkerState {
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
  readonly #opened = new Promise<void>((resolve) => {
    this.#markOpen = () => {
      this.#isOpen = true;
      resolve();
    };
  });
  #isOpen = false;
  #isRefused = false;
  #isStopping = false;
  /** The result of each worker, when all have ended. Never rejects. */
  readonly ended: Promise<readonly WorkerEnd[]>;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    const first = this.#runWorker(1);
    this.#idle = new Set(Array.from({ length: options.count - 1 }, options.start));
    const others = [...this.#idle].map(async (process, at) => {
      await Promise.race([this.#opened, first]);
      this.#idle.delete(process);
      // An error of the first worker would also be one of the others.
      if (!this.#isRefused && !this.#isStopping) return [await this.#runWorker(at + 2, process)];
      process.kill();
      return [];
    });
    this.ended = Promise.all([first, ...others]).then((ends) => ends.flat());
  }

  /** The workers that have reported their state. */
  workers(): readonly WorkerSnapshot[] {
    return [...this.#workers.values()];
  }

  /** Tells all workers to pause or to continue. */
  broadcast(kind: 'pause' | 'resume'): void {
    for (const worker of this.#processes) worker.send({ kind });
  }

  running(): number {
    return this.#processes.size;
  }

  /** Completes requests in flight and starts no more workers. A second call does nothing. */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const worker of this.#processes) worker.send({ kind: 'stop' });
  }

  kill(): void {
    this.#isStopping = true;
    for (const worker of [...this.#processes, ...this.#idle]) worker.kill();
  }

  /** A worker and its replacements. @param process - The first one if already started; `start` makes the others. */
  async #runWorker(number: number, process?: WorkerProcess): Promise<WorkerEnd> {
    const { print, start } = this.#options;
    let next = process ?? start();
    for (let restarts = 0; ; restarts += 1, next = start()) {
      const isFirst = number === 1 && !this.#isOpen;
      const { report, code, signal, hasReported } = await this.#runOnce(next, number, isFirst);
      if (report !== null) return { report, code };
      const how = signal === null ? `ended with code ${code}` : `was killed (${signal})`;
      // What it said would also end the one that replaces it.
      if (hasReported) {
        this.#isRefused ||= number === 1;
        if (this.#isOpen) print(`Worker ${number} ${how}.`);
        return { report, code };
      }
      if (this.#isStopping || restarts >= MAX_RESTARTS) {
        const ordinal = this.#isStopping ? '' : ` for the ${MAX_RESTARTS + 1}th time and is not restarted`;
        print(`Worker ${number} ${how}${ordinal}.`);
        return { report, code };
      }
      print(`Worker ${number} ${how} and is restarted.`);
    }
  }

  #runOnce(
    worker: WorkerProcess,
    number: number,
    isFirst: boolean,
  ): Promise<WorkerEnd & { readonly signal: string | null; readonly hasReported: boolean }> {
    const { firstMessage, print } = this.#options;
    return new Promise((resolve) => {
      this.#processes.add(worker);
      let end: WorkerEnd | null = null;
      const onMessage: { readonly [K in FromWorker['kind']]: (message: Extract<FromWorker, { kind: K }>) => void } = {
        state: ({ kind: _, ...state }) => {
          this.#workers.set(number, { ...this.#workers.get(number), ...state, name: `worker ${number}` });
          const { phase } = state;
          if (phase !== 'idle' && phase !== 'opening') this.#markOpen();
          // A handler stopped it, if the command did not: stopping one stops the crawl.
          if (phase === 'stopping') this.stop();
        },
        line: ({ text }) => print(text),
        report: ({ report }) => {
          // It may have ended before it could report that it stops.
          if (report.state === 'stopped') this.stop();
          end = { report, code: EXIT.ok };
        },
        failed: ({ lines, code }) => {
          for (const line of lines) print(line);
          end = { report: null, code };
        },
      };
      worker.onMessage((message) => onMessage[message.kind](message as never));
      worker.onExit((code, signal) => {
        this.#processes.delete(worker);
        const last = this.#workers.get(number);
        if (last !== undefined)
          this.#workers.set(number, { ...last, progress: { ...last.progress, inFlight: 0 }, phase: 'over' });
        resolve({ report: null, code: code ?? EXIT.broken, ...end, signal, hasReported: end !== null });
      });
      worker.send(firstMessage({ isFirst, takesAdded: number === 1 }));
    });
  }
}
