// For tests: sites that answer under a manual clock, and a worker that takes, asks, settles. The world keeps a log of
// what was really asked, which is what tests judge; it knows nothing of what the frontier computes.

import type { ManualClock } from '../clock.js';
import type { Frontier } from '../frontier.js';
import type { NewUrl } from '../url-record.js';
import type { Exchange, PageWork, StartAnswer, Work } from '../work.js';

/** What a site answers. */
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
  /** For which authority the robots.txt was asked; `null` for pages. */
  readonly wantedBy: string | null;
  readonly startMs: number;
  endMs: number;
  readonly status: number | null;
}

/** How a worker works. */
export interface WorkerOptions {
  readonly clock: ManualClock;
  /** Requests in flight. @default 16 */
  readonly concurrency?: number;
  /** Stops here, epoch milliseconds. */
  readonly untilMs: number;
  /** From the end of the exchange to the settlement. @default 0 */
  readonly handleMs?: number;
  readonly links?: (work: PageWork, reply: Reply) => readonly NewUrl[];
  /** What a page's exchange comes to, if not `done`. @default retried at 429, 503 and failures after 30 s */
  readonly isStopped?: () => boolean;
  /** Where a URL's host lives; asked about before `mayStart`. @default never asked about */
  readonly addressOf?: (url: string) => string;
}

/** A world of sites. */
export interface FakeWorld {
  readonly log: Seen[];
  /** Works until nothing is left, or the time is over. @returns Why it ended. */
  work(frontier: Frontier, options: WorkerOptions): Promise<'finished' | 'time' | 'stopped'>;
}

/**
 * @param answer - What the URL is answered, the how-manieth request to it this is (from 0), and when.
 */
export function createFakeWorld(answer: (url: string, nth: number, nowMs: number) => Reply): FakeWorld {
  const log: Seen[] = [];
  const times = new Map<string, number>();
  /** Settlements under way, of all workers: time stands still for them. */
  const pending = new Set<Promise<unknown>>();

  const begin = (work: Work, nowMs: number) => {
    const nth = times.get(work.url) ?? 0;
    times.set(work.url, nth + 1);
    const reply = answer(work.url, nth, nowMs);
    const { hostname, protocol, host } = new URL(work.url);
    const seen: Seen = {
      url: work.url,
      host: hostname,
      authority: `${protocol}//${host}`,
      isRobots: work.kind === 'robots',
      wantedBy: work.kind === 'robots' ? work.authority : null,
      startMs: nowMs,
      endMs: nowMs + (reply.ms ?? 10),
      status: reply.status,
    };
    log.push(seen);
    return { seen, reply };
  };

  return {
    log,
    async work(frontier, options) {
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
        const asked = frontier.mayConnect(work, options.addressOf(work.url));
        track(asked.then((said) => send(work, said.kind === 'go' ? frontier.mayStart(work) : said)));
      };
      const send = (work: Work, start: StartAnswer) => {
        if (start.kind !== 'go') {
          track(frontier.settle(work, { kind: 'returned', untilMs: start.kind === 'wait' ? start.untilMs : null }));
          return;
        }
        inFlight += 1;
        const { seen, reply } = begin(work, clock.nowMs());
        clock.after(seen.endMs - seen.startMs, () => {
          const exchange = exchangeOf(seen, reply, clock.nowMs());
          frontier.exchanged(work, exchange);
          const settle = () => {
            inFlight -= 1;
            track(finish(frontier, work, reply, exchange, options));
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
          continue; // Another worker's time has passed meanwhile, and made space.
        }
        const timerAt = clock.nextTimerAt();
        const soonest = Math.min(nextAt ?? Number.MAX_SAFE_INTEGER, timerAt ?? Number.MAX_SAFE_INTEGER);
        if (soonest > untilMs) {
          clock.advanceTo(untilMs);
          return 'time';
        }
        // Another worker may have something under way, and may have moved the clock meanwhile.
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

async function finish(frontier: Frontier, work: Work, reply: Reply, exchange: Exchange, options: WorkerOptions) {
  if (work.kind === 'robots') {
    await frontier.settle(work, { kind: 'robots', answer: robotsAnswer(work.url, reply) });
    return;
  }
  const isRetried = reply.status === null || reply.status === 429 || reply.status >= 500;
  if (isRetried && work.record.tries < 3) {
    await frontier.settle(work, { kind: 'again', notBeforeMs: exchange.endedAtMs + 30_000 });
    return;
  }
  const links = options.links?.(work, reply) ?? [];
  await frontier.settle(work, { kind: 'done', countsAsPage: true, links });
}

function robotsAnswer(url: string, { status, headers = {}, body = '' }: Reply) {
  if (status === null) return { kind: 'failure', failure: 'timeout' } as const;
  const bytes = new TextEncoder().encode(body);
  return { kind: 'response', status, headers, body: bytes, robotsUrl: url, finalUrl: url } as const;
}
