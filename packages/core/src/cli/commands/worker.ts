// A worker of `mannerly crawl --workers`: crawls as the command says, and reports to it. Ctrl-C reaches all processes
// of a terminal. A worker ignores it and waits for the message of the command. When the command is gone it stops too.

import type { Crawler } from '../../crawler.js';
import type { MetricFamily } from '../../metrics/joined-metrics.js';
import type { CrawlFlags } from '../crawl-flags.js';
import { setUpCrawl } from '../crawl-setup.js';
import { exitCodeOf } from '../exit-codes.js';
import { reportFailure, UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { makeCrawl } from '../live-crawl.js';
import { metricsOf } from '../open-dashboard.js';
import type { FromWorker, ParentProcess, ToWorker } from '../workers/messages.js';

/** Milliseconds between two looks whether directory and store are open. */
const READY_MS = 20;
/** Milliseconds between two messages about the progress. */
const PROGRESS_MS = 250;
/** Milliseconds between two views. */
const VIEW_MS = 1_000;

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
  const { start, onStop, onOrder } = await firstMessage(parent);
  const { seeds, out, isFirst } = start;
  const flags = start.flags as unknown as CrawlFlags;
  const { crawler, run } = await makeCrawl(await setUpCrawl(seeds, flags), isFirst, (text) =>
    parent.send({ kind: 'line', text }),
  );
  const view = await openView(crawler, flags);
  const isStoppingNow = (): boolean => crawler.activity({ limit: 0 }).phase === 'stopping';
  // A second `stop` would abort what is in flight, and the command also tells those to stop that stopped first.
  onStop(() => {
    if (!isStoppingNow()) crawler.stop();
  });
  onOrder((order) => crawler[order]());
  const endWaiting = io.every(READY_MS, () => {
    if (crawler.progress().runningMs === 0) return;
    // Others may join.
    parent.send({ kind: 'ready' });
    endWaiting();
  });
  let isStopping = false;
  const report = (): void => {
    const progress = crawler.progress();
    // At once: requests in flight may take a while.
    if (!isStopping && isStoppingNow()) {
      isStopping = true;
      parent.send({ kind: 'stopping' });
    }
    parent.send({ kind: 'progress', progress, phase: crawler.activity({ limit: 0 }).phase });
  };
  const show = async (): Promise<void> => {
    const shown = await view?.();
    if (shown !== undefined) parent.send({ kind: 'view', ...shown });
  };
  const ends = [endWaiting, io.every(PROGRESS_MS, report), io.every(VIEW_MS, () => void show())];
  try {
    const ended = await run(out);
    report();
    await show();
    parent.send({ kind: 'report', report: ended });
    return exitCodeOf(ended);
  } finally {
    for (const end of ends) end();
  }
}

/** What the live view and the metrics of all processes need of this one; `null`: there are none. */
async function openView(
  crawler: Crawler,
  { dashboard, metrics }: CrawlFlags,
): Promise<(() => Promise<Pick<Extract<FromWorker, { kind: 'view' }>, 'view' | 'metrics'>>) | null> {
  if (dashboard === undefined) return null;
  const { keepView } = await import('../../dashboard/view.js');
  const view = keepView(crawler, false);
  const registry = metrics === true ? await metricsOf(crawler) : null;
  return async () => ({
    view: view.read(),
    metrics: ((await registry?.getMetricsAsJSON()) ?? []) as unknown as readonly MetricFamily[],
  });
}

/** Waits for the first message. A stop that comes before it takes effect then. */
function firstMessage(parent: ParentProcess): Promise<{
  readonly start: Extract<ToWorker, { kind: 'start' }>;
  readonly onStop: (stop: () => void) => void;
  readonly onOrder: (obey: (order: 'pause' | 'resume') => void) => void;
}> {
  let isEarly = false;
  let stop = (): void => {
    isEarly = true;
  };
  const onStop = (later: () => void): void => {
    stop = later;
    if (isEarly) later();
  };
  let obey = (_: 'pause' | 'resume'): void => undefined;
  const onOrder = (later: typeof obey): void => {
    obey = later;
  };
  parent.onGone(() => stop());
  return new Promise((resolve) => {
    parent.onMessage((message) => {
      if (message.kind === 'stop') stop();
      else if (message.kind === 'start') resolve({ start: message, onStop, onOrder });
      else obey(message.kind);
    });
  });
}
