// What several processes of one crawl tell, as one: their progress while they run, their reports when all have ended.

import type { CrawlProgress, CrawlReport, RunState } from '../../report/crawl-report.js';
import type { LoggedTotals } from '../../report/from-logs.js';
import { OutcomeCounts } from '../../report/outcome-counts.js';

/**
 * The progress of all; what is the crawl's own is the latest that any of them knows. `null`: none has told anything
 * yet. Never throws.
 */
export function joinedProgress(all: readonly CrawlProgress[]): CrawlProgress | null {
  const [first] = all;
  if (first === undefined) return null;
  const sum = (of: (each: CrawlProgress) => number): number => all.reduce((total, each) => total + of(each), 0);
  const most = (of: (each: CrawlProgress) => number): number => Math.max(...all.map(of));
  const waits = all.flatMap(({ waitingFor }) => waitingFor ?? []);
  const inFlight = sum((each) => each.inFlight);
  const holding = all.find((each) => each.holding !== undefined)?.holding;
  return {
    pages: most((each) => each.pages),
    requests: sum((each) => each.requests),
    inFlight,
    hosts: most((each) => each.hosts),
    queued: most((each) => each.queued),
    excluded: sum((each) => each.excluded),
    dropped: sum((each) => each.dropped),
    failed: sum((each) => each.failed),
    items: sum((each) => each.items),
    bytes: sum((each) => each.bytes),
    runningMs: most((each) => each.runningMs),
    waitingFor:
      inFlight > 0 ? null : (waits.sort((a, b) => (a.untilMs ?? Infinity) - (b.untilMs ?? Infinity))[0] ?? null),
    waitingHosts: most((each) => each.waitingHosts),
    ...(holding === undefined ? {} : { holding }),
  };
}

/** The state that says most of what is left: a stop, then hosts that wait, then a bound. */
const STATES: readonly RunState[] = ['stopped', 'waiting', 'bounded', 'finished'];

/**
 * The report of all. Counts are those of the logs of all processes, where they were read.
 *
 * @param logged - What the logs of the directory tell; `null`: they are too long to be read now, and the reports are
 *   added up.
 * @throws Never
 */
export function joinedReport(
  reports: readonly [CrawlReport, ...CrawlReport[]],
  logged: LoggedTotals | null,
): CrawlReport {
  const [first] = reports;
  const sum = (of: (report: CrawlReport) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const most = (of: (report: CrawlReport) => number): number => Math.max(...reports.map(of));
  const state = STATES.find((each) => reports.some((report) => report.state === each)) ?? first.state;
  const { part: _, rejected: _own, stopReason: _why, ...rest } = first;
  const rejected = sum((report) => report.rejected ?? 0);
  const stopReason = reports.find((report) => report.stopReason !== undefined)?.stopReason;
  return {
    ...rest,
    state,
    bound: state === 'bounded' ? (reports.find(({ bound }) => bound !== null)?.bound ?? null) : null,
    resumed: reports.some(({ resumed }) => resumed),
    alreadyFinished: reports.every(({ alreadyFinished }) => alreadyFinished),
    startedAtMs: Math.min(...reports.map(({ startedAtMs }) => startedAtMs)),
    endedAtMs: most(({ endedAtMs }) => endedAtMs),
    runningMs: most(({ runningMs }) => runningMs),
    pages: most(({ pages }) => pages),
    queued: Math.min(...reports.map(({ queued }) => queued)),
    items: logged?.items ?? sum(({ items }) => items),
    ...(rejected === 0 ? {} : { rejected }),
    ...(stopReason === undefined ? {} : { stopReason: stopReason }),
    requests: logged?.requests ?? sum(({ requests }) => requests),
    bytes: logged?.bytes ?? sum(({ bytes }) => bytes),
    outcomes: logged?.outcomes ?? addedOutcomes(reports),
    politeness: logged?.politeness ?? reports.flatMap(({ politeness }) => politeness),
    politenessOf: logged === null ? 'run' : 'crawl',
    waiting: reports
      .flatMap(({ waiting }) => waiting)
      .filter(({ host }, at, all) => all.findIndex((each) => each.host === host) === at),
    scopeMoves: reports.reduce(
      (longest, { scopeMoves }) => (scopeMoves.length > longest.length ? scopeMoves : longest),
      first.scopeMoves,
    ),
    traps: reports
      .flatMap(({ traps }) => traps)
      .filter(({ pattern }, at, all) => all.findIndex((each) => each.pattern === pattern) === at),
  };
}

function addedOutcomes(reports: readonly CrawlReport[]): CrawlReport['outcomes'] {
  const counts = new OutcomeCounts();
  for (const { outcomes } of reports) counts.goOnFrom(outcomes);
  return counts.outcomes();
}
