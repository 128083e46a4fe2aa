// What can be said of a run: while it goes on, and when it is over and everything is closed. Numbers come from what was
// recorded; where the run went on with earlier ones, from the logs of all of them.

import type { Frontier, FrontierCounts, HostWait } from '@mannerly/frontier';
import type { LoopEnd } from '../crawl/crawl-loop.js';
import type { Stages } from '../crawl/stages.js';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/directory-parts.js';
import { MAX_REPORTED_WAITS } from '../limits.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Tally } from '../record/tally.js';
import type { CrawlProgress, CrawlReport } from '../report/crawl-report.js';
import { totalsFromLogs } from '../report/from-logs.js';
import type { PolitenessLedger } from '../report/politeness.js';
import type { OutcomeCounts } from '../report/stats.js';
import type { CrawlTotals } from './crawl-totals.js';
import type { RunStop } from './run-stop.js';

/** Where the facts of a run are. */
export interface RunAccount {
  readonly parts: {
    readonly options: ResolvedOptions;
    readonly clock: { nowMs(): number };
    readonly isShared: boolean;
  };
  /** Why the store cannot be reached; `null`: it can. */
  readonly holding: () => string | null;
  readonly startedAtMs: number;
  readonly directory: CrawlDirectory | null;
  readonly ledger: PolitenessLedger;
  readonly counts: OutcomeCounts;
  readonly tally: Tally;
  readonly totals: CrawlTotals;
  readonly frontier: Frontier;
  readonly stages: Pick<Stages, 'learned'>;
  readonly stop: Pick<RunStop, 'reason'>;
}

/** How it ended, and what the frontier said before it was closed. */
export interface RunEnd {
  readonly end: LoopEnd;
  readonly counts: FrontierCounts;
  readonly waits: readonly HostWait[];
}

/** What is going on now. Never throws. */
export function progressOf({ frontier, counts, tally, ledger, holding }: RunAccount): CrawlProgress {
  const why = holding();
  const { queued, inFlight, pages, hosts, runningMs } = frontier.counts();
  const waits = frontier.waits(MAX_REPORTED_WAITS);
  return {
    pages,
    requests: tally.requests,
    inFlight: inFlight,
    hosts: Math.max(hosts, ledger.hostCount()),
    queued,
    excluded: counts.count('excluded'),
    dropped: counts.count('dropped'),
    failed: counts.count('failed'),
    items: tally.itemCount,
    bytes: tally.bytes,
    runningMs,
    waitingFor: inFlight > 0 ? null : (waits[0] ?? null),
    waitingHosts: waits.length,
    ...(why === null ? {} : { holding: why }),
  };
}

/** What a run ends with; everything but the directory is closed. @throws The platform's error when a log cannot be read. */
export async function reportOf(run: RunAccount, { end, counts: last, waits }: RunEnd): Promise<CrawlReport> {
  const { startedAtMs, tally, counts, ledger, parts, directory, totals } = run;
  const resumed = totals.earlierRuns() > 0;
  const stoppedBy = run.stop.reason();
  // The logs of the others are still being written.
  const isPart = parts.isShared;
  const logged =
    resumed && directory !== null
      ? await totalsFromLogs(isPart ? directory : { ...directory, parts: await partsOf(directory.path) })
      : null;
  return {
    ...end,
    ...(stoppedBy === null ? {} : { stopReason: stoppedBy }),
    resumed,
    ...(isPart ? { part: run.frontier.partName() } : {}),
    alreadyFinished: resumed && tally.ownRequests === 0 && (end.state === 'finished' || end.state === 'bounded'),
    startedAtMs,
    endedAtMs: parts.clock.nowMs(),
    runningMs: last.runningMs,
    pages: last.pages,
    requests: tally.requests,
    items: tally.itemCount,
    ...(tally.rejectedCount === 0 ? {} : { rejected: tally.rejectedCount }),
    bytes: tally.bytes,
    queued: last.queued,
    outcomes: counts.outcomes(),
    politeness: ledger.report(),
    politenessOf: resumed ? 'run' : 'crawl',
    // The logs have the exact numbers of all runs, killed ones included.
    ...(logged === null ? {} : { ...logged, politenessOf: 'crawl' }),
    waiting: waits,
    scopeMoves: run.stages.learned.moves(),
    traps: run.stages.learned.traps(),
    relaxedDefaults: parts.options.relaxedDefaults,
  };
}
