// What is open during a run: directory and logs, books, frontier and stages, before anything is asked of anybody.

import { createFrontier, type Frontier } from '@mannerly/frontier';
import { createScope } from '../admit/scope.js';
import { exclusionBook } from '../crawl/hooks.js';
import { createLearned } from '../crawl/learned.js';
import type { Stages } from '../crawl/stages.js';
import { createWakeup } from '../crawl/wakeup.js';
import { MannerlyError } from '../errors.js';
import { createAddressGuard } from '../fetch/address-guard.js';
import { jarMaker } from '../fetch/cookies.js';
import type { Egress } from '../fetch/egress.js';
import { createItemWriter, type ItemWriter } from '../output/item-writer.js';
import { jsonlSink } from '../output/jsonl.js';
import { createRecorder, type Recorder } from '../record/recorder.js';
import { createTally } from '../record/tally.js';
import type { CrawlLogs } from '../report/crawl-logs.js';
import { createPolitenessLedger } from '../report/politeness.js';
import { createOutcomeCounts } from '../report/stats.js';
import { inWaves } from '../seeded/wave-frontier.js';
import { createCrawlTotals } from './crawl-totals.js';
import { frontierOptions } from './frontier-options.js';
import { MAX_WAITING_URLS } from './limits.js';
import { openAccount } from './open-account.js';
import { archiveFolder, openArchive } from './open-archive.js';
import { openStages } from './open-stages.js';
import type { RunParts } from './run-parts.js';
import type { RunAccount } from './run-report.js';
import { createRunStop, type RunStop } from './run-stop.js';
import { createStillWanted } from './still-wanted.js';

/** What is open during a run, and what it records. */
export interface OpenRun extends RunAccount {
  readonly parts: RunParts;
  readonly logs: CrawlLogs;
  readonly restedAtMs: number;
  readonly record: Recorder;
  readonly stop: RunStop;
  readonly egress: Egress;
  readonly items: ItemWriter;
  readonly stages: Stages;
}

/**
 * Opens directory and logs and builds the stages; store and sinks are opened by the run.
 *
 * @throws What could not be opened.
 */
export async function openRun(parts: RunParts): Promise<OpenRun> {
  const { options, clock, emitter } = parts;
  const { network, scope, bounds } = options;
  const nowMs = (): number => clock.nowMs();
  const startedAtMs = nowMs();
  // What may refuse its options comes first, so that a mistake leaves no directory and no open log behind.
  archiveFolder(parts);
  checkOrder(parts);
  const cookies = await jarMaker(network.cookies);
  const guard = createAddressGuard({
    allowAddresses: network.allowAddresses,
    ports: network.ports,
    resolve: network.resolve,
    nowMs,
  });
  const queue = createFrontier(
    frontierOptions(parts, {
      record: () => record,
      companions: () => stages.companions,
      learned: () => learned,
      // Where another process was led by a seed only its learned scope says.
      unwanted: (found) =>
        totals.earlierRuns() > 0 && !(parts.isShared && found.via === 'redirect') ? stillWanted(found) : null,
    }),
  );
  const frontier = ordered(parts, queue, () => record);
  const { directory, logs, restedAtMs } = await openAccount(parts, startedAtMs);
  const ledger = createPolitenessLedger();
  const counts = createOutcomeCounts();
  const tally = createTally();
  const early = (): number => ledger.report().reduce((sum, host) => sum + host.early, 0);
  const totals = createCrawlTotals({ records: frontier, clock, tally, counts, early });
  const onExclusion = exclusionBook(options.hooks, (...failure) => record.hookFailed(...failure));
  const record = createRecorder(emitter, [ledger, counts, tally, logs, ...onExclusion], nowMs);
  const wakeup = createWakeup(clock);
  const stop = createRunStop(clock, () => wakeup.wake());
  const site = createScope(scope);
  const learned = createLearned({
    scope: site,
    options: options.traps,
    records: frontier,
    isShared: parts.isShared,
    tell: record,
  });
  const stillWanted = createStillWanted(site, bounds);
  const items = createItemWriter(
    directory === null ? parts.sinks : [jsonlSink({ path: directory.itemsPath }), ...parts.sinks],
  );
  const filesPath = directory?.filesPath ?? null;
  const archive = await openArchive(parts, directory, () => stages.reader);
  const stages = openStages(parts, {
    frontier,
    guard,
    cookies,
    site,
    learned,
    record,
    wakeup,
    stop,
    items,
    archive,
    filesPath,
  });
  const told = { directory, logs, ledger, counts, tally, totals, record };
  return {
    parts,
    holding: parts.holding,
    startedAtMs,
    restedAtMs,
    ...told,
    stop,
    frontier,
    egress: stages.egress,
    items,
    stages,
  };
}

/** @throws MannerlyError `option-invalid` */
function checkOrder({ options, isShared }: RunParts): void {
  if (options.orderSeed === null || !isShared) return;
  throw new MannerlyError('option-invalid', '`seeded` is for one process, and this crawl is shared by several', {
    hint: 'Crawl with one process, or without `seeded`: which process takes a URL first is nobody’s choice.',
  });
}

/** The frontier as it is, or in the order that a seed decides. */
function ordered({ options, clock }: RunParts, frontier: Frontier, record: () => Recorder): Frontier {
  const { orderSeed, bounds, maxIdleMs } = options;
  if (orderSeed === null) return frontier;
  return inWaves({
    frontier,
    seed: orderSeed,
    maxPages: bounds.pages,
    maxWaiting: Math.min(bounds.queuedUrls ?? MAX_WAITING_URLS, MAX_WAITING_URLS),
    maxIdleMs,
    nowMs: () => clock.nowMs(),
    told: (url, answer) => record().seedAnswered(url, answer),
  });
}
