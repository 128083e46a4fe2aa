// `mannerly crawl --workers`: a crawl by several processes, with the combined progress and report.

import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { resolveOptions } from '../../options/options.js';
import type { CrawlReport } from '../../report/crawl-report.js';
import { totalsFromLogs } from '../../report/from-logs.js';
import { progressText } from '../../report/progress-line.js';
import { plural } from '../../report/table.js';
import { activityBase } from '../../run/activity.js';
import type { CrawlSetup } from '../crawl-setup.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { stopOnInterrupt } from '../live-crawl.js';
import { combinedSource, openDashboard } from '../open-dashboard.js';
import { type ProgressDisplay, startProgressLine } from '../progress.js';
import { combineProgress, combineReports } from './combine-reports.js';
import { WorkerPool } from './worker-pool.js';
import { watchWorkers } from './workers-view.js';

/** The default of `network.concurrency`. */
const DEFAULT_CONCURRENCY = 64;

/** Crawls with several processes. @returns The exit code if no worker has a report: they have printed why */
export async function crawlWithWorkers(setup: CrawlSetup, out: string, io: CliIo): Promise<CrawlReport | number> {
  const { seeds, flags, options } = setup;
  const { workers: count = 1 } = flags;
  const { concurrency = DEFAULT_CONCURRENCY } = options.network ?? {};
  const shared = { ...flags, concurrency: Math.ceil(concurrency / count) };
  let display: ProgressDisplay | null = null;
  const pool = new WorkerPool({
    count,
    start: () => io.startWorker(),
    firstMessage: (who) => ({ kind: 'start', seeds, flags: shared, out, ...who }),
    print: (line) => (display === null ? io.err(line) : display.line(line)),
  });
  const lineOf = (width: number): string => {
    const progress = combineProgress(pool.workers().map((worker) => worker.progress));
    const mark = `${plural(pool.running(), 'process', 'processes')} · `;
    return `${mark}${progress === null ? 'opening' : progressText(progress, io.nowMs(), width - mark.length)}`;
  };
  const families = () => new Map(pool.workers().map(({ name, metrics = [] }) => [name, metrics]));
  const crawl = watchWorkers(pool, activityBase(resolveOptions(options)), io.nowMs);
  const opening = openDashboard(crawl, flags, () => combinedSource(families), io);
  const dashboard = await opening.catch((error: unknown) => {
    pool.kill();
    throw error;
  });
  display = startProgressLine(io, lineOf, flags.progress);
  const stop = (): void => pool.stop();
  const release = stopOnInterrupt(io, display.line, stop, () => pool.kill());
  try {
    const ends = await pool.ended;
    const [first, ...others] = ends.flatMap(({ report }) => report ?? []);
    const worst = Math.max(...ends.map(({ code }) => code));
    if (first === undefined) return worst === EXIT.ok ? EXIT.broken : worst;
    const logged = await totalsFromLogs(await readCrawlDirectory(out));
    return combineReports([first, ...others], logged);
  } finally {
    display.stop();
    release();
    await dashboard?.close();
  }
}
