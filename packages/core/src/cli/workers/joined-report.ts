// Several processes of one crawl as one: their progress while they run, their reports when all have ended.

import { boundsMet } from '../../report/bounds-met.js';
import type { CrawlProgress, CrawlReport, RunState } from '../../report/crawl-report.js';
import type { LoggedTotals } from '../../report/from-logs.js';
import { OutcomeCounts } from '../../report/outcome-counts.js';
import { addedRecrawlCounts } from '../../report/recrawl-counts.js';

/** The progress of all. What counts for the crawl is the latest that any of them knows. `null`: none has reported. */
export function joinedProgress(all: readonly CrawlProgress[]): CrawlProgress | null {
  if (all.length === 0) return null;
  const { sum, most } = figures(all);
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

/** The report of all. @param logged - The counts of all logs; `null`: the logs are too long, so reports are added. */
export function joinedReport(
  reports: readonly [CrawlReport, ...CrawlReport[]],
  logged: LoggedTotals | null,
): CrawlReport {
  const [first] = reports;
  const { sum, most } = figures(reports);
  const queued = Math.min(...reports.map((report) => report.queued));
  // A process without hosts takes those that others have for waits. The one that ended last knows what is left.
  const ends = reports.filter((report) => queued > 0 || report.state !== 'waiting');
  const state = STATES.find((each) => ends.some((report) => report.state === each)) ?? 'finished';
  const { part: _, rejected: _own, signed: _mine, stopReason: _why, ...rest } = first;
  const outcomes = logged?.outcomes ?? addedOutcomes(reports);
  const rejected = sum((report) => report.rejected ?? 0);
  const signed = logged === null ? sum((report) => report.signed ?? 0) : (logged.signed ?? 0);
  const recrawl = addedRecrawlCounts(reports.flatMap((report) => report.recrawl ?? []));
  const stopReason = reports.find((report) => report.stopReason !== undefined)?.stopReason;
  return {
    ...rest,
    state,
    bounds: boundsMet(outcomes),
    bound: state === 'bounded' ? (reports.find(({ bound }) => bound !== null)?.bound ?? null) : null,
    resumed: reports.some(({ resumed }) => resumed),
    alreadyFinished: reports.every(({ alreadyFinished }) => alreadyFinished),
    startedAtMs: Math.min(...reports.map(({ startedAtMs }) => startedAtMs)),
    endedAtMs: most(({ endedAtMs }) => endedAtMs),
    runningMs: most(({ runningMs }) => runningMs),
    pages: most(({ pages }) => pages),
    queued,
    items: logged?.items ?? sum(({ items }) => items),
    ...(rejected === 0 ? {} : { rejected }),
    ...(signed === 0 ? {} : { signed }),
    ...(first.stages === undefined ? {} : { stages: joinedStages(reports) }),
    ...(stopReason === undefined ? {} : { stopReason }),
    longestStallMs: most(({ longestStallMs = 0 }) => longestStallMs),
    ...(recrawl === null ? {} : { recrawl }),
    requests: logged?.requests ?? sum(({ requests }) => requests),
    bytes: logged?.bytes ?? sum(({ bytes }) => bytes),
    outcomes,
    politeness: logged?.politeness ?? reports.flatMap(({ politeness }) => politeness),
    politenessOf: logged === null ? 'run' : 'crawl',
    waiting: firstOfEach(
      ends.flatMap(({ waiting }) => waiting),
      ({ host }) => host,
    ),
    scopeMoves: reports.reduce(
      (longest, { scopeMoves }) => (scopeMoves.length > longest.length ? scopeMoves : longest),
      first.scopeMoves,
    ),
    traps: firstOfEach(
      reports.flatMap(({ traps }) => traps),
      ({ pattern }) => pattern,
    ),
  };
}

/** Every process has the same stages. */
function joinedStages(reports: readonly CrawlReport[]): NonNullable<CrawlReport['stages']> {
  const lists = reports.map(({ stages = [] }) => stages);
  const sum = (at: number, key: 'in' | 'out' | 'dropped' | 'failed'): number =>
    lists.reduce((total, list) => total + (list[at]?.[key] ?? 0), 0);
  return (lists[0] ?? []).map(({ name }, at) => ({
    name,
    ...{ in: sum(at, 'in'), out: sum(at, 'out'), dropped: sum(at, 'dropped'), failed: sum(at, 'failed') },
  }));
}

function addedOutcomes(reports: readonly CrawlReport[]): CrawlReport['outcomes'] {
  const counts = new OutcomeCounts();
  for (const { outcomes } of reports) counts.leftOut(outcomes);
  return counts.outcomes();
}

/** The sum and the largest of a figure over all. */
function figures<T>(all: readonly T[]) {
  return {
    sum: (of: (each: T) => number): number => all.reduce((total, each) => total + of(each), 0),
    most: (of: (each: T) => number): number => Math.max(...all.map(of)),
  };
}

function firstOfEach<T>(all: readonly T[], keyOf: (each: T) => string): T[] {
  const keys = all.map(keyOf);
  return all.filter((_, at) => keys.indexOf(keys[at] as string) === at);
}
