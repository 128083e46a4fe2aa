// A worker of `mannerly crawl --workers`: crawls as the command says, and reports to it. Ctrl-C reaches all processes
// of a terminal. A worker ignores it and waits for the command's message. It stops if the command ends.

import type { Crawler } from '../../crawler.js';
import type { MetricFamily } from '../../metrics/combine-metrics.js';
import type { CrawlPhase } from '../../run/activity.js';
import type { CrawlFlags } from '../crawl-flags.js';
import { createCommandCrawl, setUpCrawl } from '../crawl-setup.js';
import { exitCodeOf } from '../exit-codes.js';
import { reportFailure, UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { metricsOf } from '../open-dashboard.js';
import type { FromWorker, StartMessage, ToWorker, WorkerState } from '../workers/worker-pool.js';

/** Milliseconds between two messages about its state: other workers may join once it is open. */
const STATE_MS = 100;
/** Milliseconds between two views. */
const VIEW_MS = 1_000;

/** Runs the worker. @throws UsageError if no command started this process. */
export async function workerCommand(_flags: object, io: CliIo): Promise<number> {
  const { parent } = io;
  if (parent === null) throw new UsageError('workers are started by mannerly crawl --workers <n>');
  const release = io.onInterrupt(() => undefined);
  try {
    return await runWorker(parent, io);
  } catch (error) {
    const lines: string[] = [];
    const code = reportFailure(error, { ...io, err: (line) => lines.push(line) });
    send(parent, { kind: 'failed', lines, code });
    return code;
  } finally {
    release();
    // So that this process can end.
    if (parent.connected) parent.disconnect();
  }
}

async function runWorker(parent: NodeJS.Process, io: CliIo): Promise<number> {
  let crawler: Crawler | null = null;
  let isStopped = false;
  const phaseOf = (of: Crawler): CrawlPhase => of.activity({ limit: 0 }).phase;
  // A second `stop` would abort requests in flight, and the command also sends `stop` to workers that stopped first.
  const stop = (): void => {
    isStopped = true;
    if (crawler !== null && phaseOf(crawler) !== 'stopping') crawler.stop();
  };
  parent.once('disconnect', stop);
  const { args, flags, out, isFirst } = await new Promise<StartMessage>((resolve) => {
    parent.on('message', (message: ToWorker) => {
      if (message.kind === 'start') resolve(message);
      else if (message.kind === 'stop') stop();
      else crawler?.[message.kind]();
    });
  });
  const setup = await setUpCrawl(args, flags as CrawlFlags);
  const crawl = await createCommandCrawl(setup, isFirst, (text) => send(parent, { kind: 'line', text }));
  crawler = crawl.crawler;
  if (isStopped) crawler.stop();
  const view = await openView(crawler, setup.flags);
  const sendState = async (nextView: ReturnType<NonNullable<typeof view>> | null = null): Promise<void> => {
    const viewState = await nextView;
    send(parent, { kind: 'state', progress: crawl.crawler.progress(), phase: phaseOf(crawl.crawler), ...viewState });
  };
  const ends = [io.every(STATE_MS, () => void sendState()), io.every(VIEW_MS, () => void sendState(view?.()))];
  try {
    const report = await crawl.run(out);
    await sendState(view?.());
    send(parent, { kind: 'report', report });
    return exitCodeOf(report);
  } finally {
    for (const end of ends) end();
  }
}

/** What the live view and the metrics of all processes need from this one; `null` if there are none. */
async function openView(
  crawler: Crawler,
  { dashboard, metrics }: CrawlFlags,
): Promise<(() => Promise<Pick<WorkerState, 'view' | 'metrics'>>) | null> {
  if (dashboard === undefined) return null;
  const { createView } = await import('../../dashboard/view.js');
  const view = createView(crawler, false);
  const registry = metrics === true ? await metricsOf(crawler) : null;
  return async () => ({
    view: view.read(),
    metrics: ((await registry?.getMetricsAsJSON()) ?? []) as unknown as readonly MetricFamily[],
  });
}

function send(parent: NodeJS.Process, message: FromWorker): void {
  if (parent.connected) parent.send?.(message, undefined, undefined, () => undefined);
}
