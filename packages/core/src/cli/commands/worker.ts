// A worker of `mannerly crawl --workers`: crawls as the command says, and reports to it. Ctrl-C reaches all processes
// of a terminal. A worker ignores it and waits for the message of the command. When the command is gone it stops too.

import type { CrawlFlags } from '../crawl-flags.js';
import { setUpCrawl } from '../crawl-setup.js';
import { exitCodeOf } from '../exit-codes.js';
import { reportFailure, UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { makeCrawl } from '../live-crawl.js';
import type { ParentProcess, ToWorker } from '../workers/messages.js';

/** Milliseconds between two messages about the progress. */
const PROGRESS_MS = 250;

/** Runs the worker. @throws UsageError where no command started this process. */
export async function workerCommand(_flags: object, io: CliIo): Promise<number> {
  const { parent } = io;
  if (parent === null) throw new UsageError('a worker is started by mannerly crawl --workers <n>');
  const release = io.onInterrupt(() => undefined);
  try {
    return await work(parent, io);
  } catch (error) {
    const lines: string[] = [];
    const code = reportFailure(error, { ...io, err: (line) => lines.push(line) });
    parent.send({ kind: 'failed', lines, code });
    return code;
  } finally {
    release();
    parent.leave();
  }
}

async function work(parent: ParentProcess, io: CliIo): Promise<number> {
  const { start, onStop } = await firstMessage(parent);
  const { seeds, out, isFirst } = start;
  const flags = start.flags as unknown as CrawlFlags;
  const { crawler, run } = await makeCrawl(await setUpCrawl(seeds, flags), isFirst, (text) =>
    parent.send({ kind: 'line', text }),
  );
  const isStoppingNow = (): boolean => crawler.activity({ limit: 0 }).phase === 'stopping';
  // A second `stop` would abort what is in flight, and the command also tells those to stop that stopped first.
  onStop(() => {
    if (!isStoppingNow()) crawler.stop();
  });
  let isReady = false;
  let isStopping = false;
  const report = (): void => {
    const progress = crawler.progress();
    // Directory and store are open: others may join.
    if (!isReady && progress.runningMs > 0) parent.send({ kind: 'ready' });
    isReady ||= progress.runningMs > 0;
    // At once: requests in flight may take a while.
    if (!isStopping && isStoppingNow()) {
      isStopping = true;
      parent.send({ kind: 'stopping' });
    }
    parent.send({ kind: 'progress', progress });
  };
  const end = io.every(PROGRESS_MS, report);
  try {
    const ended = await run(out);
    report();
    parent.send({ kind: 'report', report: ended });
    return exitCodeOf(ended);
  } finally {
    end();
  }
}

/** Waits for the first message. A stop that comes before it takes effect then. */
function firstMessage(
  parent: ParentProcess,
): Promise<{ readonly start: Extract<ToWorker, { kind: 'start' }>; readonly onStop: (stop: () => void) => void }> {
  let isEarly = false;
  let stop = (): void => {
    isEarly = true;
  };
  const onStop = (later: () => void): void => {
    stop = later;
    if (isEarly) later();
  };
  parent.onGone(() => stop());
  return new Promise((resolve) => {
    parent.onMessage((message) => {
      if (message.kind === 'stop') stop();
      else resolve({ start: message, onStop });
    });
  });
}
