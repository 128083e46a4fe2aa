// Combines several processes of one crawl: their progress while they run, their reports when all have ended.

import { sumStages } from '../../handle/item-stages.js';
import { present } from '../../present.js';
import { largest, sums, withoutZeros } from '../../report/combined-counts.js';
import type { CrawlProgress, CrawlReport, RecrawlCounts, RunState } from '../../report/crawl-report.js';
import type { LoggedTotals } from '../../report/from-logs.js';
import { limitingBounds, sumOutcomes, wholeOutcomes } from '../../report/outcome-counts.js';
import type { CrawlPhase } from '../../run/activity.js';

/** The phase of all: the first of these that any process has. */
const PHASES: readonly CrawlPhase[] = ['running', 'stopping', 'paused', 'opening', 'idle', 'over'];

export function combinePhases(phases: readonly CrawlPhase[]): CrawlPhase {
  return PHASES.find((phase) => phases.includes(phase)) ?? 'opening';
}

/** The progress of all. Of a count of the crawl, the latest known to any of them counts. `null`: none has reported. */
export function combineProgress(all: readonly CrawlProgress[]): CrawlProgress | null {
  if (all.length === 0) return null;
  const waits = all.flatMap(({ waitingFor }) => waitingFor ?? []);
  const added = sums(all, 'requests', 'inFlight', 'excluded', 'dropped', 'failed', 'items', 'bytes');
  const holding = all.find((each) => each.holding !== undefined)?.holding;
  return {
    ...added,
    ...largest(all, 'pages', 'hosts', 'queued', 'runningMs', 'waitingHosts'),
    waitingFor:
      added.inFlight > 0 ? null : (waits.sort((a, b) => (a.untilMs ?? Infinity) - (b.untilMs ?? Infinity))[0] ?? null),
    ...present({ holding }),
  };
}

/** States in order of precedence: a stop, then waiting hosts, then a bound. */
const STATES: readonly RunState[] = ['stopped', 'waiting', 'bounded', 'finished'];

/** The report of all. @param logged - The counts of all logs; `null`: the logs are too long, so reports are summed. */
export function combineReports(
  reports: readonly [CrawlReport, ...CrawlReport[]],
  logged: LoggedTotals | null,
): CrawlReport {
  const [first] = reports;
  const counted = reports.map((report) => ({ rejected: 0, truncated: 0, signed: 0, ...report }));
  const { rejected, truncated, signed, ...added } = sums(
    counted,
    ...(['rejected', 'truncated', 'signed', 'items', 'requests', 'bytes'] as const),
  );
  const queued = Math.min(...reports.map((report) => report.queued));
  // A process without hosts reports hosts of others as waiting. The one that ended last knows what is left.
  const ends = reports.filter((report) => queued > 0 || report.state !== 'waiting');
  const state = STATES.find((each) => ends.some((report) => report.state === each)) ?? 'finished';
  const { part: _, rejected: _own, truncated: _cut, signed: _mine, stopReason: _why, ...rest } = first;
  const outcomes = wholeOutcomes(logged?.outcomes ?? sumOutcomes(reports.map((report) => report.outcomes)));
  const recrawl = sumRecrawlCounts(reports.flatMap((report) => report.recrawl ?? []));
  const stopReason = reports.find((report) => report.stopReason !== undefined)?.stopReason;
  return {
    ...rest,
    state,
    bounds: limitingBounds(outcomes),
    bound: state === 'bounded' ? (reports.find(({ bound }) => bound !== null)?.bound ?? null) : null,
    resumed: reports.some(({ resumed }) => resumed),
    alreadyFinished: reports.every(({ alreadyFinished }) => alreadyFinished),
    startedAtMs: Math.min(...reports.map(({ startedAtMs }) => startedAtMs)),
    ...largest(reports, 'endedAtMs', 'runningMs', 'pages'),
    queued,
    items: logged?.items ?? added.items,
    ...withoutZeros({ rejected, truncated, signed: logged === null ? signed : (logged.signed ?? 0) }),
    ...(first.stages === undefined ? {} : { stages: sumStages(reports.flatMap(({ stages = [] }) => stages)) }),
    longestStallMs: Math.max(...reports.map(({ longestStallMs = 0 }) => longestStallMs)),
    ...present({ stopReason, recrawl }),
    requests: logged?.requests ?? added.requests,
    bytes: logged?.bytes ?? added.bytes,
    outcomes,
    politeness: logged?.politeness ?? reports.flatMap(({ politeness }) => politeness),
    politenessOf: logged === null ? 'run' : 'crawl',
    waiting: firstOfEach(
      ends.flatMap(({ waiting }) => waiting),
      ({ host }) => host,
    ),
    scopeMoves: reports.map(({ scopeMoves }) => scopeMoves).reduce((one, two) => (two.length > one.length ? two : one)),
    traps: firstOfEach(
      reports.flatMap(({ traps }) => traps),
      ({ pattern }) => pattern,
    ),
  };
}

/** The sum of the counts of several processes; `null` if there are none. */
function sumRecrawlCounts(all: readonly RecrawlCounts[]): RecrawlCounts | null {
  if (all.length === 0) return null;
  const shares = all.flatMap(({ freshBefore: before, freshAfter: after }) =>
    before === null || after === null ? [] : [{ before, after }],
  );
  const before = shares[0]?.before ?? null;
  const due = all.flatMap(({ nextDueAtMs }) => nextDueAtMs ?? []);
  return {
    ...sums(all, 'visits', 'notModified', 'sameContent', 'cosmetic', 'changed', 'gone', 'bytesSaved'),
    ...largest(all, 'known'),
    freshBefore: before,
    // Each process knows what it visited itself.
    freshAfter: before === null ? null : shares.reduce((sum, each) => sum + each.after - each.before, before),
    nextDueAtMs: due.length === 0 ? null : Math.min(...due),
  };
}

function firstOfEach<T>(all: readonly T[], keyOf: (each: T) => string): T[] {
  const keys = all.map(keyOf);
  return all.filter((_, at) => keys.indexOf(keys[at] as string) === at);
}
