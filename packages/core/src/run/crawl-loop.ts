// The crawl loop: takes work from the frontier, starts it, and waits until more is due, with one timer for the earliest
// host. `perform-work.ts` performs each piece of work.

import type { Work } from '@mannerly/frontier';
import type { RunState } from '../report/crawl-report.js';
import { releaseMemory } from '../wakeup.js';
import {
  FIRST_WAIT_MS,
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

/** @throws The first error of a store, a sink or a bug, after everything in flight has ended. */
export async function crawlLoop(run: Run): Promise<LoopEnd> {
  const loop = new Loop(run);
  for (;;) {
    const round = await loop.begin();
    if (await loop.startWork(round)) continue;
    const end = await loop.tryToEnd(round);
    if (end === 'chosen') continue;
    if (end !== null) return end;
    await loop.waitForWork(round);
  }
}

type Round = Awaited<ReturnType<Loop['begin']>>;

class Loop {
  readonly #run: Run;
  readonly #failures: unknown[] = [];
  #inFlight = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  /** What one iteration may do. A stop or a pause in the meantime counts from the next one. */
  async begin() {
    const { frontier, pageChoice, pageRequests, stop } = this.#run;
    const isEnding = this.#failures.length > 0 || stop.isRequested;
    // While paused, no work is handed out, and only a stop ends the run.
    const isPaused = frontier.isPaused();
    const isIdle = isEnding || isPaused;
    const capacity = isIdle ? 0 : capacityOf(this.#run, this.#inFlight);
    if (isEnding) frontier.cancelAsks();
    if (!isIdle && pageChoice !== null) await this.#collectFailure(pageChoice.choose(false), false);
    // `take` also gives turns to handlers' own requests, even when no more pages may be taken.
    const hasRequests = Object.values(pageRequests.waiting).some((count) => count > 0);
    return { isEnding, isPaused, capacity, mayTake: !isPaused && (capacity > 0 || hasRequests) };
  }

  /** @returns Whether any work was due. */
  async startWork({ capacity, mayTake }: Round): Promise<boolean> {
    if (!mayTake) return false;
    const count = Math.min(Math.max(0, capacity), MAX_TAKE_BATCH);
    const batch = await this.#collectFailure(this.#run.frontier.take(count), []);
    for (const work of batch) this.#perform(work);
    // Requests that are prepared together leave together, so the first is as late as the last. Only a few are prepared
    // at a time, and sockets are read in between.
    if (batch.length === MAX_TAKE_BATCH) await new Promise(setImmediate);
    return batch.length > 0;
  }

  /** `null`: the run goes on. `chosen`: it goes on with known pages that were chosen just now. */
  async tryToEnd({ isEnding }: Round): Promise<LoopEnd | 'chosen' | null> {
    const { frontier, pageChoice } = this.#run;
    // The crawl may have been paused in the meantime.
    const mayEnd = (): boolean => isEnding || !frontier.isPaused();
    if (this.#isWorking() || !mayEnd()) return null;
    const end = isEnding ? STOPPED : await this.#collectFailure(endOf(this.#run), null);
    const mayChoose = pageChoice !== null && end !== null && !isEnding;
    if (mayChoose && (await this.#collectFailure(pageChoice.choose(true), false))) return 'chosen';
    if (this.#failures.length > 0) throw this.#failures[0];
    return mayEnd() ? end : null;
  }

  async waitForWork({ isEnding, isPaused, mayTake }: Round): Promise<void> {
    const run = this.#run;
    const dueAtMs = isEnding || !mayTake ? null : await this.#collectFailure(run.frontier.nextAt(), null);
    run.scheduler.requestDueAt(dueAtMs);
    const nextCheckMs = mayTake ? nextCheckAt(run, dueAtMs) : dueAtMs;
    if (this.#isWorking() || (isPaused && !isEnding)) await run.wakeup.sleep(nextCheckMs);
    // With nothing in flight and nothing due, the next iteration ends the run.
    else if (nextCheckMs !== null) {
      const untilMs = Math.min(nextCheckMs, runningTimeEndsAt(run));
      releaseMemory(untilMs - run.nowMs());
      await run.wakeup.sleep(untilMs);
    }
  }

  #isWorking(): boolean {
    const { licenses, signIn } = this.#run;
    return this.#inFlight > 0 || licenses.isLoading || signIn?.isInProgress() === true;
  }

  #perform(work: Work): void {
    this.#inFlight += 1;
    performWork(this.#run, work)
      .catch((error: unknown) => {
        this.#failures.push(error);
      })
      .finally(() => {
        this.#inFlight -= 1;
        this.#run.wakeup.wake();
      });
  }

  /** The answer, or `fallback` if it fails, so that what is in flight ends first. */
  async #collectFailure<T>(answer: Promise<T>, fallback: T): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.#failures.push(error);
      return fallback;
    }
  }
}

const STOPPED: LoopEnd = { state: 'stopped', bound: null };

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
  const times = [dueAtMs, sharedCheckMs, keepOpenCheckMs, run.pageChoice?.untilMs() ?? null];
  const nextMs = Math.min(...times.map((atMs) => atMs ?? Number.POSITIVE_INFINITY));
  return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
}

/** How the run ends; `null`: it continues. Call it only while nothing is in flight. */
async function endOf(run: Run): Promise<LoopEnd | null> {
  const { frontier, options } = run;
  const bound = frontier.reachedBound();
  if (bound !== null) return { state: 'bounded', bound };
  if (run.setup.keepOpen === true) return null;
  await run.takeAdded?.();
  const nextAt = await frontier.nextAt();
  if (nextAt === null) return { state: frontier.waits(1).length > 0 ? 'waiting' : 'finished', bound: null };
  // When a crawl is continued, all addresses rest first.
  const ownWaitMs = run.totals.earlierRuns > 0 && run.totals.ownRequests === 0 ? FIRST_WAIT_MS : SHORT_WAIT_MS;
  // The hosts of other processes are due when their leases end, which are renewed until then.
  const minWaitMs = run.setup.isShared ? SHARED_WAIT_MS : ownWaitMs;
  const maxWaitMs = Math.max(options.maxIdleMs * (1 + WAIT_JITTER), minWaitMs);
  return nextAt - run.nowMs() > maxWaitMs ? { state: 'waiting', bound: null } : null;
}

/** When the crawl's running time is used up, epoch milliseconds. No wait is longer. */
function runningTimeEndsAt(run: Run): number {
  const { minutes } = run.options.bounds;
  if (minutes === null) return Number.POSITIVE_INFINITY;
  return run.nowMs() + minutes * 60_000 - run.frontier.counts().runningMs;
}
