// One of the processes of `mannerly crawl --workers`: crawls as the command that started it says, and tells it what
// happens. Ctrl-C reaches every process of a terminal; a worker leaves it to the command, which asks it to stop. When
// the command is gone a worker stops too, since no one would.

import type { CrawlFlags } from '../crawl-flags.js';
import { setUpCrawl } from '../crawl-setup.js';
import { exitCodeOf } from '../exit-codes.js';
import { reportFailure, UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { makeCrawl, printWarnings } from '../live-crawl.js';
import type { ParentProcess, ToWorker } from '../workers/messages.js';

/** Milliseconds between two words about the progress. */
const PROGRESS_MS = 250;

/**
 * Runs the worker.
 *
 * @returns The exit code.
 * @throws UsageError where no command started this process.
 */
export async function workerCommand(io: CliIo): Promise<number> {
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
  const { start, stops } = await firstWord(parent);
  const { seeds, out, isFirst } = start;
  const flags = start.flags as unknown as CrawlFlags;
  const { crawler, run } = await makeCrawl(await setUpCrawl(seeds, flags), isFirst);
  stops(() => crawler.stop());
  printWarnings(crawler, (text) => parent.send({ kind: 'line', text }));
  let isReady = false;
  let isStopping = false;
  const tell = (): void => {
    // Directory and store are open: others may join.
    if (!isReady && crawler.progress().runningMs > 0) parent.send({ kind: 'ready' });
    isReady ||= crawler.progress().runningMs > 0;
    // At once, since what is in flight may take a while to come to its end.
    if (!isStopping && crawler.activity({ limit: 0 }).phase === 'stopping') {
      isStopping = true;
      parent.send({ kind: 'stopping' });
    }
    parent.send({ kind: 'progress', progress: crawler.progress() });
  };
  const end = io.every(PROGRESS_MS, tell);
  try {
    const report = await run(out);
    tell();
    parent.send({ kind: 'report', report });
    return exitCodeOf(report);
  } finally {
    end();
  }
}

/** Waits for what to do; a stop that comes before it is told then. */
function firstWord(parent: ParentProcess): Promise<{
  readonly start: Extract<ToWorker, { kind: 'start' }>;
  readonly stops: (stop: () => void) => void;
}> {
  let early = 0;
  let stop = (): void => {
    early += 1;
  };
  const stops = (later: () => void): void => {
    stop = later;
    for (; early > 0; early -= 1) later();
  };
  parent.onGone(() => stop());
  return new Promise((resolve) => {
    parent.onMessage((message) => {
      if (message.kind === 'stop') stop();
      else resolve({ start: message, stops });
    });
  });
}
