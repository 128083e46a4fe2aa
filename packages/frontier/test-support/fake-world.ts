// For tests: sites that answer on a manual clock, and a worker that takes, requests and settles. Tests judge the log of
// requests, which is independent of what the frontier computes.

import type { ManualClock } from '../src/clock.js';
import type { Frontier } from '../src/frontier.js';
import type { NewUrl } from '../src/url-record.js';
import type { Exchange, PageWork, Settlement, StartAnswer, Work } from '../src/work.js';

export interface Reply {
  /** `null`: no response, see `failure`. */
  readonly status: number | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long the exchange takes, milliseconds. @default 10 */
  readonly ms?: number;
  readonly failure?: 'reset' | 'timeout-exchange';
}

/** One exchange as the sites saw it. */
export interface Seen {
  readonly url: string;
  readonly host: string;
  readonly authority: string;
  readonly isRobots: boolean;
  /** The authority whose robots.txt was requested; `null` for pages. */
  readonly robotsAuthority: string | null;
  readonly startMs: number;
  endMs: number;
  readonly status: number | null;
}

export interface WorkerOptions {
  readonly clock: ManualClock;
  readonly concurrency?: number;
  /** The worker stops at this time, epoch milliseconds. */
  readonly untilMs: number;
  /** The time from the end of an exchange to its settlement, milliseconds. @default 0 */
  readonly handleMs?: number;
  readonly links?: (work: PageWork, reply: Reply) => readonly NewUrl[];
  readonly isStopped?: () => boolean;
  /** The address of a URL's host, for `mayConnect`. @default `mayConnect` is not called */
  readonly addressOf?: (url: string) => string;
}

/** `answer` gets the URL, the number of requests for it so far, and the time. */
export function createFakeWorld(answer: (url: string, earlierRequests: number, nowMs: number) => Reply) {
  const log: Seen[] = [];
  const times = new Map<string, number>();
  /** Settlements in flight, of all workers: time stands still for them. */
  const pending = new Set<Promise<unknown>>();

  const startExchange = (work: Work, nowMs: number) => {
    const earlierRequests = times.get(work.url) ?? 0;
    times.set(work.url, earlierRequests + 1);
    const reply = answer(work.url, earlierRequests, nowMs);
    const { hostname, protocol, host } = new URL(work.url);
    const seen: Seen = {
      url: work.url,
      host: hostname,
      authority: `${protocol}//${host}`,
      isRobots: work.kind === 'robots',
      robotsAuthority: work.kind === 'robots' ? work.authority : null,
      startMs: nowMs,
      endMs: nowMs + (reply.ms ?? 10),
      status: reply.status,
    };
    log.push(seen);
    return { seen, reply };
  };

  return {
    log,
    /** Works until nothing is left or the time is over. @returns Why it ended. */
    async work(frontier: Frontier, options: WorkerOptions): Promise<'finished' | 'time' | 'stopped'> {
      const { clock, untilMs, handleMs = 0 } = options;
      let inFlight = 0;
      const track = (promise: Promise<unknown>) => {
        pending.add(promise);
        void promise.finally(() => pending.delete(promise));
      };
      const perform = (work: Work) => {
        if (options.addressOf === undefined) {
          send(work, frontier.mayStart(work));
          return;
        }
        const answer = frontier.mayConnect(work, options.addressOf(work.url));
        track(answer.then((start) => send(work, start.kind === 'go' ? frontier.mayStart(work) : start)));
      };
      const send = (work: Work, start: StartAnswer) => {
        if (start.kind !== 'go') {
          track(frontier.settle(work, { kind: 'returned', untilMs: start.kind === 'wait' ? start.untilMs : null }));
          return;
        }
        inFlight += 1;
        const { seen, reply } = startExchange(work, clock.nowMs());
        clock.after(seen.endMs - seen.startMs, () => {
          const exchange = exchangeOf(seen, reply, clock.nowMs());
          frontier.exchanged(work, exchange);
          const settle = () => {
            inFlight -= 1;
            track(frontier.settle(work, settlementOf(work, reply, exchange, options)));
          };
          if (handleMs > 0) clock.after(handleMs, settle);
          else settle();
        });
      };
      for (;;) {
        if (options.isStopped?.() === true) return 'stopped';
        const space = (options.concurrency ?? 16) - inFlight;
        const works = space > 0 ? await frontier.take(space) : [];
        for (const work of works) perform(work);
        await Promise.all(pending);
        if (works.length > 0) continue;
        const nextAt = space > 0 ? await frontier.nextAt() : null;
        await Promise.all(pending);
        if (nextAt === null && inFlight === 0) {
          if (space > 0) return 'finished';
          continue; // Another worker has moved the clock meanwhile, which ended exchanges.
        }
        const timerAt = clock.nextTimerAt();
        const soonest = Math.min(nextAt ?? Number.MAX_SAFE_INTEGER, timerAt ?? Number.MAX_SAFE_INTEGER);
        if (soonest > untilMs) {
          clock.advanceTo(untilMs);
          return 'time';
        }
        // Another worker may have work in flight, and may have moved the clock meanwhile.
        while (pending.size > 0) await Promise.all(pending);
        clock.advanceTo(soonest);
        await Promise.all(pending);
      }
    },
  };
}

function exchangeOf(seen: Seen, reply: Reply, nowMs: number): Exchange {
  return {
    startedAtMs: seen.startMs,
    endedAtMs: nowMs,
    status: reply.status,
    retryAfter: reply.headers?.['retry-after'] ?? null,
    failure: reply.failure ?? null,
    bytes: reply.body?.length ?? 0,
  };
}

function settlementOf(work: Work, reply: Reply, { endedAtMs }: Exchange, { links }: WorkerOptions): Settlement {
  if (work.kind === 'robots') return { kind: 'robots', answer: robotsAnswer(work.url, reply) };
  const isRetried = reply.status === null || reply.status === 429 || reply.status >= 500;
  if (isRetried && work.record.tries < 3) return { kind: 'again', notBeforeMs: endedAtMs + 30_000 };
  return { kind: 'done', countsAsPage: true, links: links?.(work, reply) ?? [] };
}

function robotsAnswer(url: string, { status, headers = {}, body = '' }: Reply) {
  if (status === null) return { kind: 'failure', failure: 'timeout' } as const;
  const bytes = new TextEncoder().encode(body);
  return { kind: 'response', status, headers, body: bytes, robotsUrl: url, finalUrl: url } as const;
}
