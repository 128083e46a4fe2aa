// A worker of `mannerly crawl --workers`: crawls as the command says, and reports to it. Ctrl-C reaches all processes
// of a terminal. A worker ignores it and waits for the command's message. It stops if the command ends.

import type { Crawler } from '../../crawler.js';
import type { MetricFamily } from '../../metrics/joined-metrics.js';
import type { CrawlPhase } from '../../run/activity.js';
import type { CrawlFlags } from '../crawl-flags.js';
import { setUpCrawl } from '../crawl-setup.js';
import { exitCodeOf } from '../exit-codes.js';
import { reportFailure, UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { makeCrawl } from '../live-crawl.js';
import { metricsOf } from '../open-dashboard.js';
import type { ParentProcess, StartMessage, WorkerState } from '../workers/messages.js';

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
  let crawler: Crawler | null = null;
  let isStopped = false;
  const phaseOf = (of: Crawler): CrawlPhase => of.activity({ limit: 0 }).phase;
  // A second `stop` would abort requests in flight, and the command also sends `stop` to workers that stopped first.
  const stop = (): void => {
    isStopped = true;
    if (crawler !== null && phaseOf(crawler) !== 'stopping') crawler.stop();
  };
  parent.onGone(stop);
  const { seeds, flags, out, isFirst, takesAdded } = await new Promise<StartMessage>((resolve) => {
    parent.onMessage((message) => {
      if (message.kind === 'start') resolve(message);
      else if (message.kind === 'stop') stop();
      else crawler?.[message.kind]();
    });
  });
  const setup = await setUpCrawl(seeds, flags as CrawlFlags);
  const made = await makeCrawl(setup, isFirst, (text) => parent.send({ kind: 'line', text }), takesAdded);
  crawler = made.crawler;
  if (isStopped) crawler.stop();
  const view = await openView(crawler, setup.flags);
  const tell = async (shown: ReturnType<NonNullable<typeof view>> | null = null): Promise<void> => {
    const seen = await shown;
    parent.send({ kind: 'state', progress: made.crawler.progress(), phase: phaseOf(made.crawler), ...seen });
  };
  const ends = [io.every(STATE_MS, () => void tell()), io.every(VIEW_MS, () => void tell(view?.()))];
  try {
    const report = await made.run(out);
    await tell(view?.());
    parent.send({ kind: 'report', report });
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
  const { keepView } = await import('../../dashboard/view.js');
  const view = keepView(crawler, false);
  const registry = metrics === true ? await metricsOf(crawler) : null;
  return async () => ({
    view: view.read(),
    metrics: ((await registry?.getMetricsAsJSON()) ?? []) as unknown as readonly MetricFamily[],
  });
}
