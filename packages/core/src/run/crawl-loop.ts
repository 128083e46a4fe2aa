// The crawl loop: takes work from the frontier, starts it, and waits until more is due, with one timer for the earliest
// host. `perform-work.ts` performs each piece of work.

import type { Work } from '@mannerly/frontier';
import type { RunState } from '../report/crawl-report.js';
import { releaseMemory } from '../wakeup.js';
import {
  KEEP_OPEN_POLL_MS,
  MAX_HANDLED_PAGES,
  MAX_TAKE_BATCH,
  SHARED_POLL_MS,
  SHARED_WAIT_MS,
  SHORT_WAIT_MS,
  WAIT_JITTER,
} from './limits.js';
import { performWork } from './perform-work.js';
import type { Run } from './run.js';

export interface LoopEnd {
  readonly state: RunState;
  readonly bound: 'pages' | 'minutes' | 'bytes' | null;
}

const MS_PER_MINUTE = 60_000;

/**
 * Runs until the crawl ends. @throws The first error of a store, a sink or a bug, after everything in flight has ended.
 */
export async function crawlLoop(run: Run): Promise<LoopEnd> {
  const { frontier, wakeup, stop } = run;
  const { waiting } = run.pageRequests;
  let inFlight = 0;
  const failures: unknown[] = [];
  const start = (work: Work): void => {
    inFlight += 1;
    performWork(run, work)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => {
        inFlight -= 1;
        wakeup.wake();
      });
  };
  /** The frontier's answer, or `fallback` if it fails, so that what is in flight ends first. */
  const collectFailure = async <T>(answer: Promise<T>, fallback: T): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      failures.push(error);
      return fallback;
    }
  };

  for (;;) {
    const isEnding = failures.length > 0 || stop.isRequested;
    // While paused, no work is handed out, and only a stop ends the run.
    const isPaused = frontier.isPaused();
    const isIdle = isEnding || isPaused;
    const capacity = isIdle ? 0 : capacityOf(run, inFlight);
    if (isEnding) frontier.cancelAsks();
    // `take` also gives turns to handlers' own requests, even when no more pages may be taken.
    if (!isIdle && run.pageChoice !== null) await collectFailure(run.pageChoice.choose(false), false);
    const mayTake = !isPaused && (capacity > 0 || Object.values(waiting).some((count) => count > 0));
    const batch = mayTake
      ? await collectFailure(frontier.take(Math.min(Math.max(0, capacity), MAX_TAKE_BATCH)), [])
      : [];
    for (const work of batch) start(work);
    // Requests that are prepared together leave together, so the first is as late as the last. Only a few are prepared
    // at a time, and sockets are read in between.
    if (batch.length === MAX_TAKE_BATCH) await new Promise(setImmediate);
    if (batch.length > 0) continue;
    // The crawl may have been paused in the meantime.
    const mayEnd = (): boolean => isEnding || !frontier.isPaused();
    const isWorking = (): boolean => inFlight > 0 || run.licenses.isLoading || run.signIn?.isInProgress() === true;
    if (!isWorking() && mayEnd()) {
      const end = isEnding ? { state: 'stopped' as const, bound: null } : await collectFailure(endOf(run), null);
      const mayChoose = end !== null && !isEnding;
      if (mayChoose && run.pageChoice !== null && (await collectFailure(run.pageChoice.choose(true), false))) continue;
      if (failures.length > 0) throw failures[0];
      if (end !== null && mayEnd()) return end;
    }
    const dueAtMs = isEnding || !mayTake ? null : await collectFailure(frontier.nextAt(), null);
    run.scheduler.requestDueAt(dueAtMs);
    const nextCheckMs = mayTake ? nextCheckAt(run, dueAtMs) : dueAtMs;
    if (isWorking() || (isPaused && !isEnding)) await wakeup.sleep(nextCheckMs);
    // With nothing in flight and nothing due, the next iteration ends the run.
    else if (nextCheckMs !== null) {
      const untilMs = Math.min(nextCheckMs, runningTimeEndsAt(run));
      releaseMemory(untilMs - run.nowMs());
      await wakeup.sleep(untilMs);
    }
  }
}

/** How many pages may be taken: while there is a place for their requests, and for their handlers. */
function capacityOf({ options, fetches, pageRequests }: Run, inFlight: number): number {
  const { concurrency } = options.network;
  const { exchanges, waiting } = pageRequests;
  return Math.min(
    concurrency - fetches.pending - fetches.size - exchanges.pending - exchanges.size,
    concurrency + MAX_HANDLED_PAGES - inFlight + waiting.handler,
  );
}

/** When to check again: other processes may make something due, and a recrawl waits for its sitemaps. */
function nextCheckAt(run: Run, dueAtMs: number | null): number | null {
  const sharedCheckMs = run.setup.isShared ? run.nowMs() + SHARED_POLL_MS : null;
  const keepOpenCheckMs = run.setup.keepOpen === true ? run.nowMs() + KEEP_OPEN_POLL_MS : null;
  const times = [dueAtMs, sharedCheckMs, keepOpenCheckMs, run.pageChoice?.untilMs() ?? null].filter(
    (atMs) => atMs !== null,
  );
  return times.length === 0 ? null : Math.min(...times);
}

/** How the run ends; `null`: it continues. Call it only while nothing is in flight. */
async function endOf(run: Run): Promise<LoopEnd | null> {
  const { frontier, options } = run;
  const bound = frontier.reachedBound();
  if (bound !== null) return { state: 'bounded', bound };
  if (run.setup.keepOpen === true) return null;
  const nextAt = await frontier.nextAt();
  if (nextAt === null) return { state: frontier.waits(1).length > 0 ? 'waiting' : 'finished', bound: null };
  // The hosts of other processes are due when their leases end, which are renewed until then.
  const minWaitMs = run.setup.isShared ? SHARED_WAIT_MS : SHORT_WAIT_MS;
  const maxWaitMs = Math.max(options.maxIdleMs * (1 + WAIT_JITTER), minWaitMs);
  return nextAt - run.nowMs() > maxWaitMs ? { state: 'waiting', bound: null } : null;
}

/** When the crawl's running time is used up, epoch milliseconds. No wait is longer. */
function runningTimeEndsAt(run: Run): number {
  const { minutes } = run.options.bounds;
  if (minutes === null) return Number.POSITIVE_INFINITY;
  return run.nowMs() + minutes * MS_PER_MINUTE - run.frontier.counts().runningMs;
}
