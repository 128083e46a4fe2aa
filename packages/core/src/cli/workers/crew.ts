// The processes of `mannerly crawl --workers`, as the command sees them: started one after another, told to stop, and
// started again when one dies, within a bound. When one is stopped by a handler, so are all. What they have in common
// is the store; the command itself fetches nothing.

import type { CrawlProgress, CrawlReport } from '../../report/crawl-report.js';
import { EXIT } from '../exit-codes.js';
import type { FromWorker, ToWorker, WorkerProcess } from './messages.js';

/** What a crew is made of. */
export interface CrewParts {
  readonly count: number;
  readonly start: () => WorkerProcess;
  /** The first word to a worker. */
  readonly order: (isFirst: boolean) => Extract<ToWorker, { kind: 'start' }>;
  readonly say: (line: string) => void;
}

/** A crew at work. */
export interface Crew {
  /** The result of each worker, when all have ended. */
  readonly ended: Promise<readonly WorkerEnd[]>;
  progress(): readonly CrawlProgress[];
  /** How many are at work. */
  atWork(): number;
  /** What is in flight comes to its end, and no one is started any more. A second call does nothing. */
  stop(): void;
  /** Ends all processes, whatever they do. */
  kill(): void;
}

/** The result of a worker. */
export interface WorkerEnd {
  /** `null`: it broke, or was killed once too often. */
  readonly report: CrawlReport | null;
  readonly code: number;
}

/** How often one worker is started again at most. */
const MOST_RESTARTS = 5;

/** Starts a crew: the first worker opens the crawl, the others join when it has. @throws Never */
export function startCrew({ count, start, order, say }: CrewParts): Crew {
  const processes = new Set<WorkerProcess>();
  const progress = new Map<number, CrawlProgress>();
  let isStopping = false;
  let isOpen = (): void => undefined;
  let hasFailed = false;
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve;
  });

  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    for (const worker of processes) worker.send({ kind: 'stop' });
  };

  const life = (number: number, isFirst: boolean): Promise<WorkerEnd & { readonly signal: string | null }> =>
    new Promise((resolve) => {
      const worker = start();
      processes.add(worker);
      let end: WorkerEnd | null = null;
      const heard: { readonly [K in FromWorker['kind']]: (message: Extract<FromWorker, { kind: K }>) => void } = {
        ready: () => isOpen(),
        progress: (message) => void progress.set(number, message.progress),
        line: ({ text }) => say(text),
        // Where no one has told it to, a handler has: what stops one stops the crawl.
        stopping: () => stop(),
        report({ report }) {
          // It may be over before it could say that it stops.
          if (report.state === 'stopped') stop();
          end = { report, code: EXIT.ok };
        },
        failed({ lines, code }) {
          for (const line of lines) say(line);
          end = { report: null, code };
        },
      };
      worker.onMessage((message) => heard[message.kind](message as never));
      worker.onExit((code, signal) => {
        processes.delete(worker);
        const left = progress.get(number);
        if (left !== undefined) progress.set(number, { ...left, inFlight: 0 });
        resolve({ report: null, code: code ?? EXIT.broken, ...end, signal });
      });
      worker.send(order(isFirst));
    });

  const work = async (number: number): Promise<WorkerEnd> => {
    for (let restarts = 0; ; restarts += 1) {
      const ended = await life(number, number === 1 && restarts === 0);
      if (number === 1) isOpen();
      const isDead = ended.report === null && ended.code !== EXIT.usage;
      if (ended.report !== null || !isDead || isStopping || restarts >= MOST_RESTARTS) {
        if (isDead)
          say(
            `Worker ${number} ${how(ended)}${isStopping ? '' : ` for the ${MOST_RESTARTS + 1}th time: it stays away`}.`,
          );
        hasFailed ||= number === 1 && ended.code === EXIT.usage;
        return { report: ended.report, code: ended.code };
      }
      say(`Worker ${number} ${how(ended)}; another one takes its place.`);
    }
  };

  const first = work(1);
  const others = Array.from({ length: count - 1 }, async (_, at): Promise<WorkerEnd | null> => {
    await Promise.race([opened, first]);
    // What the first was refused the others would be refused too; where it was stopped they would stop.
    return hasFailed || isStopping ? null : work(at + 2);
  });
  return {
    ended: Promise.all([first, ...others]).then((ends) => ends.filter((end) => end !== null)),
    progress: () => [...progress.values()],
    atWork: () => processes.size,
    stop,
    kill() {
      isStopping = true;
      for (const worker of processes) worker.kill();
    },
  };
}

function how({ code, signal }: { readonly code: number; readonly signal: string | null }): string {
  return signal === null ? `ended with code ${code}` : `was killed (${signal})`;
}
