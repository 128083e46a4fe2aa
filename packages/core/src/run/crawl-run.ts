// One run of a crawl: lets the loop go on what `open-run.ts` has opened, closes everything in order whatever happened, and
// computes the report from what was recorded.

import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { ListRequest, NewUrl, QueueListing } from '@mannerly/frontier';
import { seedUrls } from '../admit/seeds.js';
import { crawlLoop } from '../crawl/crawl-loop.js';
import { MannerlyError } from '../errors.js';
import { MAX_REPORTED_WAITS } from '../limits.js';
import { agreedTerms, termsOf, termsRecord } from '../options/crawl-terms.js';
import type { CrawlProgress, CrawlReport } from '../report/crawl-report.js';
import { type Explanation, explain, explainHost } from '../report/explain.js';
import { isHostName, requestedForm } from '../report/explain-host.js';
import { letAllIn } from '../seeded/wave-frontier.js';
import {
  type ActivityBase,
  type ActivityOptions,
  activityOf,
  type CrawlActivity,
  type CrawlPhase,
  endedActivity,
} from './activity.js';
import { isAtWork, readTotals, TOTALS_KEY } from './crawl-totals.js';
import { MAX_HELD_TOLD, MAX_RESET_REST_MS } from './limits.js';
import { type OpenRun, openRun } from './open-run.js';
import { type FailureFilter, findFailures, type RetryAnswer, retryAnswer, retryOf } from './retry.js';
import { beginRunManifest, endRunManifest, type RunManifest } from './run-manifest.js';
import type { RunParts } from './run-parts.js';
import { progressOf, type RunEnd, reportOf } from './run-report.js';
import { asMannerlyError } from './store-errors.js';

/** A run that is under way, or over. */
export interface CrawlRun {
  /** Resolves when everything is closed. Rejects with what broke, after closing. */
  readonly report: Promise<CrawlReport>;
  /** Hands out no more work; what is in hand comes to its end. A second call aborts it. */
  stop(): void;
  /** Hands out no more work until `resume`; what is in hand comes to its end, and the run does not end by itself. */
  pause(): void;
  resume(): void;
  progress(): CrawlProgress;
  /** What is being asked and which hosts wait. */
  activity(options: ActivityOptions): Omit<CrawlActivity, keyof ActivityBase | 'ended' | 'nowMs'>;
  explain(url: string): Promise<Explanation>;
  /** A page of what is queued. */
  queued(request: ListRequest): Promise<QueueListing>;
  /** Queues failures for one more visit. */
  retry(filter: FailureFilter): Promise<RetryAnswer>;
  /** A parked host is due again; after the run nothing happens. */
  unpark(host: string): Promise<void>;
}

/** Puts something in the place of parts of a run that is open and has not begun. */
export type RunStandIn = (run: OpenRun) => OpenRun;

/**
 * Starts a run: opens directory and logs and lets the loop go; store and sinks are opened by it.
 *
 * @param stand - What stands in for parts of the run before it goes: a plan counts pages instead of asking for them.
 * @throws What could not be opened.
 */
export async function startRun(parts: RunParts, stand: RunStandIn = (opened) => opened): Promise<CrawlRun> {
  const run = stand(await openRun(parts));
  const { frontier, logs, stop } = run;
  let isOver = false;
  let lastWaits: CrawlReport['waiting'] = [];
  return {
    report: perform(run)
      .then((report) => {
        lastWaits = report.waiting;
        return report;
      })
      .finally(() => {
        isOver = true;
      }),
    stop: () => stop.request(),
    pause() {
      frontier.pause();
    },
    resume() {
      frontier.resume();
      run.stages.wakeup.wake();
    },
    progress: () => progressOf(run),
    activity: (options) => ({
      phase: phaseOf(run, isOver),
      ...(isOver ? endedActivity(lastWaits, options) : activityOf(run, options)),
    }),
    async explain(urlOrHost) {
      if (!isOver && isHostName(urlOrHost)) return explainHost(await frontier.inspectHost(urlOrHost));
      const url = requestedForm(urlOrHost);
      return explain(url, await logs.find(url), isOver ? null : await frontier.look(url));
    },
    async queued(request) {
      if (isOver) throw notRunning();
      return frontier.list(request);
    },
    async retry(filter) {
      if (isOver) throw notRunning();
      const answer = await retryFailed(run, filter);
      run.stages.wakeup.wake();
      return answer;
    },
    async unpark(host) {
      if (isOver) return;
      await frontier.unpark(host);
      run.stages.wakeup.wake();
    },
  };
}

/** Where the run stands. */
function phaseOf({ frontier, stop }: OpenRun, isOver: boolean): CrawlPhase {
  if (isOver) return 'over';
  if (stop.isRequested()) return 'stopping';
  return frontier.isPaused() ? 'paused' : 'running';
}

/** The run itself: whatever happens, everything is closed. */
async function perform(run: OpenRun): Promise<CrawlReport> {
  const failures: unknown[] = [];
  const ended = await crawlToEnd(run).catch((error: unknown) => void failures.push(error));
  failures.push(...(await closeAll(run)));
  // What broke first is told: what breaks while closing may only come of it.
  try {
    if (ended === undefined || failures.length > 0) throw asMannerlyError(failures[0], run.directory?.path ?? null);
    const report = await reportOf(run, ended.end);
    if (run.directory !== null && ended.manifest !== null)
      await endRunManifest(run.directory, ended.manifest, report, run.parts.isShared);
    return report;
  } finally {
    // Nobody else writes the logs while they are read for the report.
    await run.directory?.release();
  }
}

/** Open, seed, loop, and say what is left. */
async function crawlToEnd(run: OpenRun): Promise<{ readonly end: RunEnd; readonly manifest: RunManifest | null }> {
  const { frontier, items, stages, record, directory } = run;
  await rest(run);
  await frontier.open(partName(run));
  await frontier.exclusively(() => join(run));
  await stages.learned.open();
  if (run.parts.options.orderSeed === null) await letAllIn(frontier, record.seedAnswered);
  await items.open();
  await stages.archive?.open();
  const manifest = directory === null ? null : await beginRunManifest(directory, run.parts.options, run.startedAtMs);
  for (const host of run.parts.unpark) await frontier.unpark(host);
  await stages.offer(stages.sitemaps.given());
  await stages.offer({ candidates: seedUrls(run.parts.options.scope.seeds) });
  if (run.parts.retry !== null) await retryFailed(run, run.parts.retry);
  const end = await crawlLoop(stages);
  await tellHeld(run);
  record.end();
  const counts = run.parts.isShared ? await frontier.recount() : frontier.counts();
  return { end: { end, counts, waits: frontier.waits(MAX_REPORTED_WAITS) }, manifest };
}

/** What this process has done stands in the store under this name, and is gone on with under it; `undefined`: any that is free. */
function partName({ directory, parts }: OpenRun): string | undefined {
  if (directory === null) return undefined;
  const own = directory.part === null ? 'main' : String(directory.part);
  if (parts.isOwnStore) return own;
  // Several machines have directories of their own.
  const where = `${hostname()} ${resolve(directory.path)} ${directory.manifest.createdAtMs}`;
  return `${hash('sha256', where).slice(0, PART_NAME_CHARS)}-${own}`;
}

/** Enters into the crawl, whoever else is at work on it: on the same terms as they. */
async function join({ frontier, parts, totals }: OpenRun): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const others = [...readTotals(await frontier.readParts(TOTALS_KEY))].filter(([part]) => part !== frontier.partName());
  const isAlone = !others.some(([, other]) => isAtWork(other, nowMs));
  const kept = termsRecord.decode(await frontier.readRecord(termsRecord.key));
  const terms = agreedTerms(kept, termsOf(parts.options, nowMs), isAlone);
  await frontier.writeRecord(termsRecord.key, termsRecord.encode(terms));
  await totals.open();
}

/** Characters of a hash that tell directories apart. */
const PART_NAME_CHARS = 16;

/** Failures through the door once more. */
async function retryFailed({ logs, frontier, stages, record }: OpenRun, filter: FailureFilter): Promise<RetryAnswer> {
  const { failures, more } = await findFailures(logs.decisions(), filter);
  const candidates = failures.flatMap((failure) => retryOf(failure) ?? []);
  const { admitted, refused } = stages.admit(candidates);
  for (const refusal of refused) record.refusal(refusal);
  const answers = await frontier.add(admitted);
  for (const [at, answer] of answers.entries()) record.seedAnswered(admitted[at] as NewUrl, answer);
  return retryAnswer(candidates.length, answers, more);
}

function notRunning(): MannerlyError {
  return new MannerlyError('not-running', 'the queue is open during a run only', {
    hint: 'Ask while `run` is under way.',
  });
}

/** A crawl that starts over does not ask anybody sooner than the one it replaces would have. A stop ends the wait. */
async function rest({ stages, startedAtMs, restedAtMs }: OpenRun): Promise<void> {
  const untilMs = Math.min(restedAtMs, startedAtMs + MAX_RESET_REST_MS);
  while (!stages.isStopping() && stages.nowMs() < untilMs) await stages.wakeup.sleep(untilMs);
}

/** URLs that still wait for a host that is held or parked: no answer yet, said one by one within a bound. */
async function tellHeld({ frontier, record }: OpenRun): Promise<void> {
  let room = MAX_HELD_TOLD;
  for (const wait of frontier.waits(MAX_REPORTED_WAITS)) {
    if (room <= 0) return;
    const records = await frontier.queued(wait.host, room);
    room -= records.length;
    for (const queued of records) record.held(queued, wait);
  }
}

/** Closes everything, in an order in which nothing is lost. @returns What failed; never rejects. */
async function closeAll(run: OpenRun): Promise<unknown[]> {
  const { stop, egress, items, stages, totals, frontier, logs, parts } = run;
  stop.over();
  const closing = [
    () => egress.close(),
    () => parts.fetcher.close(),
    () => items.close(),
    () => stages.archive?.close(),
    () => totals.close(),
    () => frontier.close(),
    () => logs.close(),
  ];
  const failures: unknown[] = [];
  for (const close of closing) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}
