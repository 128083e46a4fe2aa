// Several processes of one crawl in one live view: their combined data, and a row for each.

import { MAX_DASHBOARD_HOSTS, MAX_DASHBOARD_RECENT } from '../../dashboard/limits.js';
import type { DashboardView, HostRow, ProcessRow, WatchedCrawl } from '../../dashboard/view.js';
import { keepLatest } from '../../keep-latest.js';
import { sums } from '../../report/combined-counts.js';
import { NO_PROGRESS } from '../../report/crawl-report.js';
import type { activityBase, CrawlPhase } from '../../run/activity.js';
import { combineProgress, sumOutcomes } from './combine-reports.js';
import type { WorkerPool } from './worker-pool.js';

/** The phase of all: the first of these that any process has. */
const PHASES: readonly CrawlPhase[] = ['running', 'stopping', 'paused', 'opening', 'idle', 'over'];

/** The workers as one crawl for the live view. @param about - What the options say about it. */
export function watchWorkers(
  pool: Pick<WorkerPool, 'workers' | 'broadcast' | 'stop'>,
  about: ReturnType<typeof activityBase>,
  nowMs: () => number,
): WatchedCrawl {
  const workers = () => pool.workers();
  const views = (): DashboardView[] => workers().flatMap(({ view }) => view ?? []);
  return {
    // Every worker listens to its own events.
    events: { on: () => () => undefined },
    pause: () => pool.broadcast('pause'),
    resume: () => pool.broadcast('resume'),
    stop: () => pool.stop(),
    progress: () => combineProgress(workers().map(({ progress }) => progress)) ?? NO_PROGRESS,
    activity() {
      const underway = views().flatMap((view) => view.underway);
      return {
        ...about,
        phase: combinePhases(workers().map(({ phase }) => phase)),
        ended: null,
        nowMs: nowMs(),
        underway,
        ...sums(views(), 'underwayCount', 'waitingHosts'),
        ready: [],
        waits: [],
      };
    },
    combinedView: () => ({
      hosts: combineHosts(views().map(({ hosts }) => hosts)),
      answers: sumByName(views().map(({ answers }) => answers)),
      outcomes: sumOutcomes(views()),
      recent: latest(views().flatMap(({ recent }) => recent)),
      notes: latest(views().flatMap(({ notes }) => notes)),
      processes: workers().map(({ name, phase, progress }): ProcessRow => {
        const { inFlight: underway, requests, items, bytes } = progress;
        return { name, phase, underway, requests, items, bytes };
      }),
    }),
  };
}

/** @throws Never */
export function combinePhases(phases: readonly CrawlPhase[]): CrawlPhase {
  return PHASES.find((phase) => phases.includes(phase)) ?? 'opening';
}

const STATES: readonly HostRow['state'][] = ['asking', 'ready', 'waiting', 'parked', 'quiet'];

/** One process works on a host at a time, and others may remember it: the row with most information counts. */
function combineHosts(lists: readonly (readonly HostRow[])[]): HostRow[] {
  const rows = new Map<string, HostRow>();
  for (const row of lists.flat()) {
    const other = rows.get(row.host);
    const isMore = other === undefined || STATES.indexOf(row.state) < STATES.indexOf(other.state);
    keepLatest(rows, row.host, withTally(isMore ? row : other, isMore ? other : row), MAX_DASHBOARD_HOSTS);
  }
  const rank = ({ state, untilMs }: HostRow): number => STATES.indexOf(state) * 1e15 + (untilMs ?? 0);
  return [...rows.values()].sort((one, two) => rank(one) - rank(two));
}

/** The row with the sum of the requests of both. */
function withTally(row: HostRow, other: HostRow | undefined): HostRow {
  if (other?.tally == null) return row;
  if (row.tally === null) return { ...row, tally: other.tally };
  const [last, before] =
    row.tally.lastEndedAtMs >= other.tally.lastEndedAtMs ? [row.tally, other.tally] : [other.tally, row.tally];
  const gaps = [last.smallestGapMs, before.smallestGapMs].filter((gapMs) => gapMs !== null);
  const tally = {
    ...last,
    requests: last.requests + before.requests,
    errors: last.errors + before.errors,
    bytes: last.bytes + before.bytes,
    smallestGapMs: gaps.length === 0 ? null : Math.min(...gaps),
  };
  return { ...row, tally };
}

function sumByName(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of all.flatMap((each) => Object.entries(each))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function latest<T extends { readonly atMs: number }>(all: readonly T[]): T[] {
  return [...all].sort((one, two) => two.atMs - one.atMs).slice(0, MAX_DASHBOARD_RECENT);
}
