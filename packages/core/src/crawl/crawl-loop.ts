// The crawl, in the order in which it happens: take, send, read, exclude, handle, write, settle, and links back to the door.
// Read this file first, and `ending.ts` after it. They contain the calls and little else: each stage returns facts, and only
// here do they meet. Nothing waits but the loop itself, on one timer for the earliest host.

import type { Work } from '@mannerly/frontier';
import PQueue from 'p-queue';
import { giveMemoryBack } from '../engine.js';
import { exchangeOf } from '../fetch/exchange.js';
import type { ResponseHead } from '../fetch/fetcher.js';
import { type EgressOutcome, type FetchOutcome, isRefusedByGuard } from '../fetch/outcome.js';
import { MAX_SITEMAP_BYTES } from '../limits.js';
import type { RunState } from '../report/crawl-report.js';
import { type Ending, type PageEnding, pageEnding, refusedByHook, robotsEnding, settled } from './ending.js';
import { LONG_INTERVAL_MS, MAX_TAKEN_AT_ONCE, SHORT_WAIT_MS } from './limits.js';
import type { Stages } from './stages.js';

/** How a run ended. */
export interface LoopEnd {
  readonly state: RunState;
  readonly bound: 'pages' | 'minutes' | 'bytes' | null;
}

/**
 * Runs until nothing is left, a bound is reached, only long waits remain, or a stop is asked for.
 *
 * @throws What broken machinery threw (a store, a sink, a bug), after everything in hand has come to its end.
 */
export async function crawlLoop(stages: Stages): Promise<LoopEnd> {
  const { frontier, wakeup } = stages;
  const fetches = new PQueue({ concurrency: stages.concurrency });
  let inFlight = 0;
  const broken: unknown[] = [];
  // Whatever breaks, what is in hand comes to its end first.
  const orBroken = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      broken.push(error);
      return otherwise;
    }
  };

  const start = (work: Work): void => {
    inFlight += 1;
    perform(stages, fetches, work)
      .catch((error: unknown) => {
        broken.push(error);
      })
      .finally(() => {
        inFlight -= 1;
        wakeup.wake();
      });
  };

  for (;;) {
    const isEnding = broken.length > 0 || stages.isStopping();
    // Nothing is handed out, and nothing ends, until somebody resumes or stops.
    const isPaused = frontier.isPaused();
    const room =
      isEnding || isPaused
        ? 0
        : Math.min(
            stages.concurrency - fetches.pending - fetches.size - stages.own.inFlight(),
            stages.maxInHand - inFlight + stages.own.waiting(),
          );
    if (isEnding) frontier.endAsks();
    // A handler, or a page in a browser, that waits for a request of its own gets its turn from `take`, whether or not there is
    // room for pages.
    const isAsked = !isPaused && (room > 0 || stages.own.isAsking());
    const taken = isAsked ? await orBroken(frontier.take(Math.min(Math.max(0, room), MAX_TAKEN_AT_ONCE)), []) : [];
    for (const work of taken) start(work);
    // Requests that are prepared together leave together, the first as late as the last: so a few at a time, and what comes
    // from sockets is read in between.
    if (taken.length === MAX_TAKEN_AT_ONCE) await new Promise(setImmediate);
    if (taken.length > 0) continue;
    // Asked again, since a pause may have come while something was taken: it ends nothing.
    const mayEnd = (): boolean => isEnding || !frontier.isPaused();
    if (inFlight === 0 && mayEnd()) {
      const end = isEnding ? { state: 'stopped' as const, bound: null } : await orBroken(endOf(stages), null);
      if (broken.length > 0) throw broken[0];
      if (end !== null && mayEnd()) return end;
    }
    const dueAtMs = isEnding || !isAsked ? null : await orBroken(frontier.nextAt(), null);
    stages.turns.requestDueAt(dueAtMs);
    // With nothing in hand and nothing due, another round ends the run.
    const lookAtMs = isAsked ? lookAgainAt(stages, dueAtMs) : dueAtMs;
    if (inFlight > 0 || (isPaused && !isEnding)) await wakeup.sleep(lookAtMs);
    else if (lookAtMs !== null) {
      const untilMs = Math.min(lookAtMs, overAt(stages));
      giveMemoryBack(untilMs - stages.nowMs());
      await wakeup.sleep(untilMs);
    }
  }
}

/** Where other processes work on the crawl, something may be due, or be over, sooner than was known when we looked. */
function lookAgainAt({ nowMs, lookAgainMs }: Stages, dueAtMs: number | null): number | null {
  if (lookAgainMs === null) return dueAtMs;
  const soonMs = nowMs() + lookAgainMs;
  return dueAtMs === null ? soonMs : Math.min(dueAtMs, soonMs);
}

/** Whether the run is over although nobody stopped it; asked only while nothing is in hand. */
async function endOf({ frontier, nowMs, maxIdleMs }: Stages): Promise<LoopEnd | null> {
  const bound = frontier.reachedBound();
  if (bound !== null) return { state: 'bounded', bound };
  const nextAt = await frontier.nextAt();
  if (nextAt === null) return { state: frontier.waits(1).length > 0 ? 'waiting' : 'finished', bound: null };
  return nextAt - nowMs() > Math.max(maxIdleMs, SHORT_WAIT_MS) ? { state: 'waiting', bound: null } : null;
}

/** The time at which the running time is used up, epoch milliseconds: no wait is longer than that. */
function overAt({ frontier, nowMs, maxRunningMs }: Stages): number {
  return maxRunningMs === null ? Number.POSITIVE_INFINITY : nowMs() + maxRunningMs - frontier.counts().runningMs;
}

/**
 * One piece of work from its request to its settlement. What was fetched is let go before the frontier keeps what came of
 * it: that may take a while, and pages are large.
 */
async function perform(stages: Stages, fetches: PQueue, work: Work): Promise<void> {
  const ending = await workOn(stages, fetches, work);
  if (ending.kind === 'settlement') await stages.frontier.settle(work, ending.settlement);
  else await finish(stages, ending);
}

/** The request, and what it comes to. */
async function workOn(stages: Stages, fetches: PQueue, work: Work): Promise<Ending> {
  if (stages.hooks !== null && work.kind === 'page' && work.record.via !== 'companion') {
    const said = await stages.hooks.beforeFetch(work);
    if (said !== null) return refusedByHook(stages, work, said, null);
  }
  const { outcome, hadTurn } = await fetches.add(() => send(stages, work));
  if (outcome.kind === 'not-sent') return settled({ kind: 'returned', untilMs: outcome.untilMs });
  if (!hadTurn) await stages.turns.next();
  if (isCutByUs(stages, outcome)) return settled({ kind: 'returned', untilMs: null });
  return work.kind === 'robots' ? robotsEnding(stages, work, outcome) : pageEnding(stages, work, outcome);
}

/** A stop at once broke the exchange off: that is no try of the URL's, and nothing that robots.txt failed to answer. */
function isCutByUs({ signal }: Stages, outcome: FetchOutcome): boolean {
  return signal.aborted && outcome.kind === 'failed' && outcome.failure === 'aborted';
}

/** The request, in its host's slot. The slot frees here, at the last byte; what follows takes its own time. */
async function send(
  stages: Stages,
  work: Work,
): Promise<{ readonly outcome: EgressOutcome; readonly hadTurn: boolean }> {
  const { egress, frontier, companions, turns, wakeup, signal } = stages;
  const answered = countsFromEnd(work) ? turns.exchangeStarted() : null;
  let hadTurn = false;
  // A host that waits long after each exchange loses nothing when its body is decoded in the page's own turn.
  const beforeDecoding = (): Promise<void> => {
    answered?.();
    hadTurn = true;
    return turns.next();
  };
  const purpose = work.kind === 'robots' ? 'robots' : companions.purposeOf(work);
  const outcome = await egress.send({
    url: work.url,
    purpose,
    largeBody: (head) => largeBody(stages, work, head),
    headers: work.kind === 'robots' ? conditional(work.etag, work.lastModified) : {},
    host: work.lease.host,
    requirements: work.lease.requirements,
    ...(work.kind === 'robots' ? { robotsOf: work.authority } : { robots: work.robots }),
    beforeDecoding: work.kind === 'page' && answered !== null ? beforeDecoding : undefined,
    mayConnect: (address) => frontier.mayConnect(work, address),
    mayStart: () => frontier.mayStart(work),
    signal,
  });
  answered?.();
  if (outcome.kind !== 'not-sent' && !isRefusedByGuard(outcome)) frontier.exchanged(work, exchangeOf(outcome));
  wakeup.wake();
  return { outcome, hadTurn };
}

/** Whether the host's next request comes long after the end of this one: it asked for that, or may ask for it in this answer. */
function countsFromEnd({ kind, lease: { requirements } }: Work): boolean {
  return (
    kind === 'robots' ||
    Math.max(requirements.crawlDelayMs ?? 0, requirements.requestIntervalMs ?? 0) >= LONG_INTERVAL_MS
  );
}

/** Bytes that a body may have which need not be held: a sitemap's, or what the handler that will get the page requirements for. */
function largeBody({ companions, handlers }: Stages, work: Work, { status, headers }: ResponseHead): number | null {
  if (work.kind === 'robots' || status < 200 || status > 299) return null;
  const purpose = companions.purposeOf(work);
  if (purpose === 'sitemap') return MAX_SITEMAP_BYTES;
  return purpose === 'page' ? handlers.bodyBytesFor(work.record.label, headers) : null;
}

function conditional(etag: string | null, lastModified: string | null): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/** The last step of every page: one commit with its links, then the word about it. */
async function finish(stages: Stages, { work, word, links, refused }: PageEnding): Promise<void> {
  const answer = await stages.frontier.settle(work, { kind: 'done', countsAsPage: word.isPage, links });
  for (const refusal of refused) stages.record.refusal(refusal);
  // Lost: another process holds the host by now, and will fetch the page and tell.
  if (answer === 'ok') stages.record.page(work, { ...word, queued: stages.frontier.counts().queued });
}
