// `mannerly crawl --workers`: a crawl by several processes, with their combined progress, live view and report.

import { MAX_DASHBOARD_HOSTS, MAX_DASHBOARD_RECENT } from '../../dashboard/limits.js';
import type { HostRow, WatchedCrawl } from '../../dashboard/view.js';
import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { keepLatest } from '../../keep-latest.js';
import { resolveOptions } from '../../options/options.js';
import { sums } from '../../report/combined-counts.js';
import { type CrawlReport, NO_PROGRESS } from '../../report/crawl-report.js';
import { totalsFromLogs } from '../../report/from-logs.js';
import { sumOutcomes } from '../../report/outcome-counts.js';
import { progressText } from '../../report/progress-line.js';
import { plural } from '../../report/table.js';
import { activityBase } from '../../run/activity.js';
import { type CrawlSetup, stopOnInterrupt } from '../crawl-setup.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { combinedSource, openDashboard } from '../open-dashboard.js';
import { type ProgressDisplay, startProgressLine } from '../progress.js';
import { combinePhases, combineProgress, combineReports } from './combine-reports.js';
import { WorkerPool } from './worker-pool.js';

/** The default of `network.concurrency`. */
const DEFAULT_CONCURRENCY = 64;

/** Crawls with several processes. @returns The exit code if no worker has a report: they have printed why */
export async function crawlWithWorkers(setup: CrawlSetup, out: string, io: CliIo): Promise<CrawlReport | number> {
  const { args, flags, options } = setup;
  const { workers: count = 1 } = flags;
  const { concurrency = DEFAULT_CONCURRENCY } = options.network ?? {};
  const shared = { ...flags, concurrency: Math.ceil(concurrency / count) };
  let display: ProgressDisplay | null = null;
  const pool = new WorkerPool({
    count,
    start: () => io.startWorker(),
    firstMessage: (who) => ({ kind: 'start', args, flags: shared, out, ...who }),
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

/** The workers as one crawl for the live view. @param about - What the options say about it. */
function watchWorkers(pool: WorkerPool, about: ReturnType<typeof activityBase>, nowMs: () => number): WatchedCrawl {
  const workers = () => pool.workers();
  const views = () => workers().flatMap(({ view }) => view ?? []);
  return {
    // Every worker listens to its own events.
    events: { on: () => () => undefined },
    pause: () => pool.broadcast('pause'),
    resume: () => pool.broadcast('resume'),
    stop: () => pool.stop(),
    progress: () => combineProgress(workers().map(({ progress }) => progress)) ?? NO_PROGRESS,
    activity: () => ({
      ...about,
      phase: combinePhases(workers().map(({ phase }) => phase)),
      ended: null,
      nowMs: nowMs(),
      underway: views().flatMap(({ underway }) => underway),
      ...sums(views(), 'underwayCount', 'waitingHosts'),
      ready: [],
      waits: [],
    }),
    combinedView: () => ({
      hosts: combineHosts(views().flatMap(({ hosts }) => hosts)),
      answers: sumByName(views().map(({ answers }) => answers)),
      outcomes: sumOutcomes(views().map(({ outcomes }) => outcomes)),
      recent: latest(views().flatMap(({ recent }) => recent)),
      notes: latest(views().flatMap(({ notes }) => notes)),
      processes: workers().map(({ name, phase, progress }) => {
        const { inFlight: underway, requests, items, bytes } = progress;
        return { name, phase, underway, requests, items, bytes };
      }),
    }),
  };
}

const STATES: readonly HostRow['state'][] = ['asking', 'ready', 'waiting', 'parked', 'quiet'];

/** One process works on a host at a time, and others may remember it: the row with most information counts. */
function combineHosts(all: readonly HostRow[]): HostRow[] {
  const rows = new Map<string, HostRow>();
  for (const row of all) {
    const other = rows.get(row.host);
    const isMore = other === undefined || STATES.indexOf(row.state) < STATES.indexOf(other.state);
    const tally = combineTallies(row.tally, other?.tally ?? null);
    keepLatest(rows, row.host, { ...(isMore ? row : other), tally }, MAX_DASHBOARD_HOSTS);
  }
  const rank = ({ state, untilMs }: HostRow): number => STATES.indexOf(state) * 1e15 + (untilMs ?? 0);
  return [...rows.values()].sort((one, two) => rank(one) - rank(two));
}

function combineTallies(one: HostRow['tally'], two: HostRow['tally']): HostRow['tally'] {
  if (one === null || two === null) return one ?? two;
  const gaps = [one.smallestGapMs, two.smallestGapMs].filter((gapMs) => gapMs !== null);
  return {
    ...(one.lastEndedAtMs >= two.lastEndedAtMs ? one : two),
    ...sums([one, two], 'requests', 'errors', 'bytes'),
    smallestGapMs: gaps.length === 0 ? null : Math.min(...gaps),
  };
}

function sumByName(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of all.flatMap((each) => Object.entries(each))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function latest<T extends { readonly atMs: number }>(all: readonly T[]): T[] {
  return [...all].sort((one, two) => two.atMs - one.atMs).slice(0, MAX_DASHBOARD_RECENT);
}
