// A run from start to end: opens the store, offers the seeds, crawls, closes everything, and computes the report.

import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { QueueListing } from '@mannerly/frontier';
import { writeJsonAtomically } from '../directory/atomic-file.js';
import { deleteIfNothingDone } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/crawl-paths.js';
import { closeFetcher } from '../fetch/fetch-call.js';
import { readJson, writeJson } from '../json-record.js';
import { MAX_REPORTED_WAITS } from '../limits.js';
import { storedSettings } from '../options/crawl-settings.js';
import { type CrawlTerms, reconcileTerms, TERMS_KEY, termsOf } from '../options/crawl-terms.js';
import { releaseAllWaiting } from '../order-seed/wave-frontier.js';
import { present } from '../present.js';
import { withoutZeros } from '../report/combined-counts.js';
import type { CrawlReport, RunState } from '../report/crawl-report.js';
import { totalsFromLogs } from '../report/from-logs.js';
import { limitingBounds, wholeOutcomes } from '../report/outcome-counts.js';
import { asMannerlyError } from '../store-error.js';
import { addedFileReader } from './added-file.js';
import { compareClocks } from './clock-comparison.js';
import { crawlLoop, type LoopEnd } from './crawl-loop.js';
import { ORDER_KEY, orderFileSource, watchOrders } from './crawl-orders.js';
import { isAtWork, readTotals, TOTALS_KEY } from './crawl-totals.js';
import { ADDED_POLL_MS, HELD_BATCH_URLS, MAX_REPORTED_HELD, MAX_RESET_WAIT_MS } from './limits.js';
import { countFromRecrawl, createPageChoice, endRecrawl } from './recrawl-run.js';
import { repeatEvery } from './repeat-every.js';
import type { Run } from './run.js';
import { createRunArchive, runFiles } from './run-archive.js';
import { beginRunManifest, endRunManifest } from './run-manifest.js';

/** Performs a run. Resolves when everything is closed. @throws The first error, after closing. */
export async function performRun(run: Run): Promise<CrawlReport> {
  const { directory, setup } = run;
  let opened: Awaited<ReturnType<typeof openAll>> | null = null;
  let ended: Awaited<ReturnType<typeof crawl>> | null = null;
  let waits: CrawlReport['waiting'] = [];
  run.stalls.start();
  try {
    const failures: unknown[] = [];
    try {
      opened = await openAll(run);
      ended = await crawl(run, opened.againAtMs);
    } catch (error) {
      failures.push(error);
    }
    failures.push(...(await closeAll(run)));
    // Errors while closing may only be consequences of the first one.
    if (opened === null || ended === null || failures.length > 0)
      throw asMannerlyError(failures[0], setup.isOwnStore ? (directory?.path ?? null) : null);
    // A run that continues, or has lost pages, may meet items of pages that it handles again.
    if (run.totals.earlierRuns === 0 && !run.hasLostPages)
      for (const known of run.items.knownItems()) setup.log?.itemsKnown(known);
    const report = await reportOf(run, ended);
    if (directory !== null && opened.manifest !== null)
      await endRunManifest(directory, opened.manifest, report, setup.isShared);
    waits = report.waiting;
    return report;
  } finally {
    // The logs stay locked until the report has read them.
    await directory?.release();
    // A crawl that was never open has done nothing. What fails here hides no first error: the directory stays as it is.
    if (opened === null && directory?.isNew === true && !setup.reset)
      await deleteIfNothingDone(directory.path).catch(() => undefined);
    run.stop.markOver();
    run.stalls.stop();
    run.markEnded(waits);
  }
}

/** @returns `againAtMs`: when the latest recrawl began, epoch milliseconds; `null`: the crawl was never recrawled. */
async function openAll(run: Run) {
  const { setup, options, frontier, journal, directory } = run;
  await waitAfterReset(run);
  await frontier.open(partName(run));
  run.licenses.open();
  await run.recrawl?.knownPages.open();
  if (run.recrawl !== null) journal.addListener(run.recrawl.unrequested);
  const { crawlStartedAtMs, againAtMs } = await frontier.exclusively(async () => ({
    crawlStartedAtMs: await joinCrawl(run),
    againAtMs: await countFromRecrawl(frontier, setup.again, run.nowMs()),
  }));
  const orderSources = [
    ...(setup.isOwnStore ? [] : [() => frontier.readRecord(ORDER_KEY)]),
    ...(directory === null ? [] : [orderFileSource(directory.orderPath)]),
  ];
  run.cleanups.push(await watchOrders(setup.clock, orderSources, (order) => run.applyOrder(order)));
  run.cleanups.push(await compareClocks(frontier, setup.clock, run.logs));
  await run.knowledge.open();
  const { nearDuplicates: texts } = run.knowledge;
  if (texts !== null) for await (const line of run.logs.decisions()) texts.restore(line);
  if (options.orderSeed === null) await releaseAllWaiting(frontier, (url, answer) => journal.added(url, answer));
  await run.items.open();
  const archive = await createRunArchive(run);
  await archive?.open();
  run.archive = archive;
  const requisites = options.archive?.requisites ?? null;
  if (archive !== null && requisites !== null) {
    const { createRequisites } = await import('../crawl/requisites.js');
    run.fetchRequisites = createRequisites(run, requisites, (url) => archive.hasPayloadOf(url));
  }
  if (directory !== null) await writeJsonAtomically(directory.settingsPath, storedSettings(options));
  const manifest = directory && (await beginRunManifest(directory, options, run.startedAtMs, crawlStartedAtMs));
  return { againAtMs, manifest };
}

/** Seeds, crawls, and reports what is left. @returns What the frontier reported before it is closed. */
async function crawl(run: Run, againAtMs: number | null) {
  const { setup, options, frontier, journal, directory } = run;
  for (const host of setup.unpark) {
    const inspection = await frontier.inspectHost(host);
    if (inspection.isParked !== true) setup.log?.notParked(inspection);
    await frontier.unpark(host);
  }
  await run.offer(run.sitemaps.configured());
  await run.offer({ candidates: options.seedUrls });
  if (setup.retry !== null) await run.retry(setup.retry);
  if (setup.again && againAtMs !== null) run.pageChoice = await createPageChoice(run, againAtMs);
  // Of several processes in a directory, the first takes them.
  if (setup.takesAdded && directory !== null && (directory.part ?? 1) === 1) {
    run.takeAdded = addedFileReader(run, directory.addedPath);
    await run.takeAdded();
    run.cleanups.push(repeatEvery(setup.clock, ADDED_POLL_MS, run.takeAdded));
  }
  await setup.opened?.();
  const end = await crawlLoop(run);
  run.takesUrls = false;
  await run.recrawl?.close();
  if (end.state !== 'stopped') await endRecrawl(frontier);
  await reportHeld(run, end, againAtMs !== null);
  journal.end();
  // Counted from the store: ours may be off where a server's answer was lost and the call repeated.
  const counts = await frontier.recount();
  return { end, counts, waits: frontier.waits(MAX_REPORTED_WAITS) };
}

/** A crawl that starts over sends no request earlier than the crawl it replaces would have. A stop ends the wait. */
async function waitAfterReset({ stop, wakeup, startedAtMs, resetWaitUntilMs, setup }: Run): Promise<void> {
  const untilMs = Math.min(resetWaitUntilMs, startedAtMs + MAX_RESET_WAIT_MS);
  while (!stop.isRequested && setup.clock.nowMs() < untilMs) await wakeup.sleep(untilMs);
}

/** The name under which the store keeps this process's work; `undefined`: any free name. */
function partName({ directory, setup }: Run): string | undefined {
  if (directory === null) return undefined;
  const ownName = directory.part === null ? 'main' : String(directory.part);
  if (setup.isOwnStore) return ownName;
  // Each of several machines has its own directory.
  const directoryKey = `${hostname()} ${resolve(directory.path)} ${directory.manifest.createdAtMs}`;
  return `${hash('sha256', directoryKey).slice(0, 16)}-${ownName}`;
}

/** @returns When the crawl began, epoch milliseconds. @throws MannerlyError `crawl-differs` */
async function joinCrawl(run: Run): Promise<number> {
  const { frontier, options, totals, setup } = run;
  const nowMs = setup.clock.nowMs();
  const parts = readTotals(await frontier.readParts(TOTALS_KEY));
  const isAlone = ![...parts].some(([part, other]) => part !== frontier.partName() && isAtWork(other, nowMs));
  const storedTerms = await readJson<CrawlTerms>(frontier, TERMS_KEY);
  const terms = reconcileTerms(storedTerms, termsOf(options, nowMs), isAlone);
  await writeJson(frontier, TERMS_KEY, terms);
  if (storedTerms !== null && storedTerms.said['scope'] !== terms.said['scope']) setup.log?.scopeChanged();
  await totals.open(frontier, run.logs.latest(), () => {
    const { phase, underwayCount } = run.activity({ limit: 0 });
    return { phase, underway: underwayCount };
  });
  return terms.createdAtMs;
}

/** Waits that are only a host's pace. At the end of a bounded run, the bound is what keeps such a host's URLs. */
const PACE_REASONS: ReadonlySet<string> = new Set(['interval', 'crawl-delay', 'request-rate', 'address-shared']);

/** Gives every URL that is still queued a decision: one each up to a limit, the others together. */
async function reportHeld(run: Run, { bound }: LoopEnd, isRecrawl: boolean): Promise<void> {
  const { frontier, journal, setup } = run;
  const waits = new Map(frontier.waits(MAX_REPORTED_WAITS).map((wait) => [wait.host, wait]));
  const ended = bound === null ? 'run-ended' : `bound-${bound}`;
  let remaining = MAX_REPORTED_HELD;
  let cursor: string | null = null;
  do {
    // The current time: if another process finishes a URL while it is listed, that decision is then the later one.
    const atMs = run.nowMs();
    const listing: QueueListing = await frontier.list({ cursor, limit: HELD_BATCH_URLS });
    for (const { host, record } of listing.items) {
      // A known page that was not visited again already has its decision.
      if (isRecrawl && record.visit !== undefined) continue;
      const wait = waits.get(host);
      const isHostHeld = wait !== undefined && isHeldUntil(atMs, bound !== null, wait);
      if (journal.held(record, isHostHeld ? wait : { host, reason: ended, untilMs: null }, atMs)) remaining -= 1;
    }
    cursor = listing.cursor;
  } while (cursor !== null && remaining > 0);
  // Of a shared queue, each process knows only its own part of what is left.
  if (cursor === null || setup.isShared || isRecrawl) return;
  const unlisted = frontier.counts().queued - (MAX_REPORTED_HELD - remaining);
  if (unlisted > 0) journal.heldCounts({ [ended]: unlisted });
}

/** Whether the wait of a host, and not the end of the run, is what keeps its URLs. */
function isHeldUntil(atMs: number, isBounded: boolean, { untilMs, reason }: CrawlReport['waiting'][number]): boolean {
  return (untilMs === null || untilMs > atMs) && !(isBounded && PACE_REASONS.has(reason));
}

/** Closes everything, in an order that loses nothing. @returns The errors; never rejects. */
async function closeAll(run: Run): Promise<unknown[]> {
  run.stop.closing();
  for (const end of run.cleanups) end();
  const parts = [
    run.licenses,
    run.signIn,
    run.egress,
    { close: () => endFetcher(run) },
    run.items,
    run.archive,
    { close: () => keepFiles(run) },
    run.totals,
    run.frontier,
    run.readings,
    run.pending,
    { close: async () => run.logs.stages(run.stages.counts()) },
    run.logs,
  ];
  const failures: unknown[] = [];
  for (const part of parts) {
    try {
      await part?.close();
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}

/** Everything has been received by now: a fetcher that fails to close is reported, and the run goes on. */
async function endFetcher({ setup, journal, stop }: Run): Promise<void> {
  await closeFetcher(setup.fetcher, stop.signal).catch((error: unknown) =>
    journal.codeError(error, { code: 'hook-error', url: null, hook: 'fetcher' }),
  );
}

/** Runs after the archive is closed, so that its last files are whole. */
async function keepFiles(run: Run): Promise<void> {
  const { directory, items, setup } = run;
  const process = setup.isShared && !setup.isOwnStore ? partName(run) : undefined;
  if (directory !== null) await items.keepFiles(runFiles(directory, process ?? null));
}

/** The report of a run whose parts are closed. */
async function reportOf(
  run: Run,
  { end, counts: finalCounts, waits }: Awaited<ReturnType<typeof crawl>>,
): Promise<CrawlReport> {
  const { setup, startedAtMs, ledger, totals, knowledge } = run;
  const resumed = totals.earlierRuns > 0;
  const stages = run.stages.counts();
  const recrawl = run.recrawl?.counts();
  const { ofRuns, logged, outcomes } = await totalsOf(run);
  const { requests, signed, items, rejected, bytes } = ofRuns;
  const bounds = limitingBounds(outcomes);
  const state = end.state === 'finished' ? finishedState(run, bounds.length > 0, recrawl) : end.state;
  return {
    ...end,
    state,
    bounds,
    ...present({ stopReason: run.stop.reason }),
    resumed,
    ...(setup.isShared ? { part: run.frontier.partName() } : {}),
    alreadyFinished: resumed && totals.ownRequests === 0 && (state === 'finished' || state === 'bounded'),
    startedAtMs,
    endedAtMs: setup.clock.nowMs(),
    runningMs: finalCounts.runningMs,
    pages: finalCounts.pages,
    requests,
    ...withoutZeros({ signed }),
    items,
    ...withoutZeros({ rejected, truncated: totals.truncatedCount }),
    ...(stages.length === 0 ? {} : { stages }),
    bytes,
    queued: finalCounts.queued,
    outcomes,
    politeness: ledger.report(),
    politenessOf: resumed ? 'run' : 'crawl',
    // The logs have the exact numbers of all runs, including killed ones.
    ...(logged === null ? {} : { ...logged, outcomes, politenessOf: 'crawl' }),
    waiting: waits,
    scopeMoves: knowledge.moves.values,
    traps: knowledge.knownTraps.values,
    ...present({ duplicateText: knowledge.nearDuplicates?.report() }),
    relaxedDefaults: run.options.relaxedDefaults,
    longestStallMs: run.stalls.longestMs(),
    ...(recrawl !== undefined && (setup.again || recrawl.visits > 0) ? { recrawl } : {}),
  };
}

/** The numbers of this run and, if it continued earlier ones, those of all logs; `logged`: `null` if it did not. */
async function totalsOf({ setup, counts, directory, totals }: Run) {
  // Other processes may still be writing their logs.
  const isPart = setup.isShared;
  const ofRuns = isPart ? { ...totals.counts, outcomes: counts.outcomes() } : totals.ofCrawl();
  const logged =
    totals.earlierRuns > 0 && directory !== null
      ? await totalsFromLogs(isPart ? directory : { ...directory, parts: await partsOf(directory.path) })
      : null;
  const outcomes = logged === null ? ofRuns.outcomes : isPart ? logged.outcomes : wholeOutcomes(logged.outcomes);
  return { ofRuns, logged, outcomes };
}

/** What is left of a finished crawl: URLs beyond its bounds, known pages that will be due, or nothing. */
function finishedState({ setup, options }: Run, isBounded: boolean, recrawl: CrawlReport['recrawl']): RunState {
  if (isBounded) return 'bounded';
  // A standing crawl ends only for now: something will be due.
  const isStanding = setup.again && (options.recrawl?.everyDays ?? null) !== null;
  return isStanding && (recrawl?.nextDueAtMs ?? null) !== null ? 'waiting' : 'finished';
}
