// The requests that handlers make by themselves, and pages in a browser: through the door, into the frontier beside its queue, out by the egress,
// and back to the handler. Every answer is a value; what the frontier cannot give in time is `held`.

import type { Frontier, NewUrl, PageWork } from '@mannerly/frontier';
import PQueue from 'p-queue';
import type { Admit } from '../admit/admit.js';
import type { Egress } from '../fetch/egress.js';
import { exchangeOf } from '../fetch/exchange.js';
import { type EgressOutcome, type FetchOutcome, isRefusedByGuard } from '../fetch/outcome.js';
import type { OwnFetcher, PageFetch, PageFetchOptions } from '../page/own-fetch.js';
import type { Hooks } from './hooks.js';
import { DEFAULT_OWN_WAIT_MS, MAX_OWN_WAIT_MS } from './limits.js';
import type { Wakeup } from './wakeup.js';

/** The requests of one run's handlers, and of its pages in a browser. */
export interface OwnRequests {
  readonly fetch: OwnFetcher;
  /** The same for a page in a browser, which is allowed a time as a whole: when `signal` is aborted, what is in flight is broken off. */
  readonly subresource: OwnFetcher;
  /** Handlers that wait for the turn of a host: their pages are in hand, and must not keep others from being taken. */
  waiting(): number;
  /** Whether anybody waits for the turn of a host. */
  isAsking(): boolean;
  /** Exchanges under way. */
  inFlight(): number;
}

/** What they are made of. */
export interface OwnRequestsParts {
  readonly frontier: Pick<Frontier, 'ask' | 'exchanged' | 'mayConnect' | 'mayStart' | 'settle'>;
  readonly admit: Admit;
  /** `null`: the user has none. @default null */
  readonly hooks?: Hooks | null;
  readonly egress: Egress;
  readonly wakeup: Wakeup;
  readonly nowMs: () => number;
  /** Exchanges at the same time. */
  readonly concurrency: number;
  readonly maxBodyBytes: number;
  /** Called with what came, before a handler sees it. @default nothing is done */
  readonly keep?: ((outcome: FetchOutcome) => Promise<void>) | undefined;
  readonly isStopping: () => boolean;
  /** Aborted when the crawl stops at once. */
  readonly signal: AbortSignal;
}

/** Who requirements: the road by which its URLs come, and the purpose of its requests. */
type Asker = 'handler' | 'subresource';

/** Makes the requests of one run. */
export function createOwnRequests(parts: OwnRequestsParts): OwnRequests {
  const { frontier, wakeup, nowMs } = parts;
  const queue = new PQueue({ concurrency: parts.concurrency });
  const waiting: Record<Asker, number> = { handler: 0, subresource: 0 };

  const send = async (
    work: PageWork,
    asker: Asker,
    { headers = {}, maxBodyBytes }: PageFetchOptions,
    signal: AbortSignal,
  ): Promise<EgressOutcome> => {
    const outcome = await parts.egress.send({
      url: work.url,
      purpose: asker,
      headers,
      maxBodyBytes: Math.min(Math.max(1, maxBodyBytes ?? parts.maxBodyBytes), parts.maxBodyBytes),
      host: work.lease.host,
      requirements: work.lease.requirements,
      robots: work.robots,
      mayConnect: (address) => frontier.mayConnect(work, address),
      mayStart: () => frontier.mayStart(work),
      signal,
    });
    if (outcome.kind !== 'not-sent' && !isRefusedByGuard(outcome)) frontier.exchanged(work, exchangeOf(outcome));
    if (outcome.kind !== 'not-sent') await parts.keep?.(outcome);
    return outcome;
  };

  /** Its turn has come: the answer, or `null` when nothing left and the frontier is to be asked again. */
  const act = async (
    work: PageWork,
    asker: Asker,
    options: PageFetchOptions,
    signal: AbortSignal,
  ): Promise<PageFetch | null> => {
    const outcome = await queue.add(() => send(work, asker, options, signal));
    const isSent = outcome.kind !== 'not-sent';
    await frontier.settle(
      work,
      isSent ? { kind: 'done', countsAsPage: false, links: [] } : { kind: 'returned', untilMs: outcome.untilMs },
    );
    wakeup.wake();
    return isSent ? outcome : null;
  };

  /** One turn. */
  const turn = async (
    candidate: NewUrl,
    untilMs: number,
    asker: Asker,
    options: PageFetchOptions,
    signal: AbortSignal,
  ): Promise<PageFetch | null> => {
    waiting[asker] += 1;
    // A page that is over gives up its place in the line; a handler's request keeps it, and is archived when it comes.
    const givenUp = asker === 'subresource' ? signal : undefined;
    const asked = frontier.ask(candidate, untilMs, givenUp).finally(() => {
      waiting[asker] -= 1;
    });
    wakeup.wake();
    const answer = await asked;
    if (answer.kind !== 'go') return { ...answer, url: candidate.url };
    if (givenUp?.aborted !== true) return act(answer.work, asker, options, signal);
    // Nobody waits for it any more: the turn goes to whoever is next.
    await frontier.settle(answer.work, { kind: 'returned', untilMs: null });
    wakeup.wake();
    return { kind: 'held', url: candidate.url, reason: 'stopping', untilMs: null };
  };

  const fetcherFor =
    (asker: Asker): OwnFetcher =>
    async (page, url, options, signal) => {
      const { admitted, refused } = parts.admit([{ url, depth: page.depth, via: asker, from: page.url }]);
      const [candidate] = admitted;
      if (candidate === undefined) return { kind: 'dropped', url, reason: refused[0]?.reason ?? 'url-invalid' };
      const said = parts.hooks ? await parts.hooks.beforeFetch(plannedOf(candidate), asker) : null;
      if (said?.kind === 'refused') return { kind: 'dropped', url, reason: 'hook-refused' };
      const waitMs = Math.min(Math.max(0, options.waitMs ?? DEFAULT_OWN_WAIT_MS), MAX_OWN_WAIT_MS);
      const untilMs = nowMs() + waitMs;
      // A handler's exchange comes to its end although the handler may not: its answer is kept in the archive all the same.
      const inFlight = asker === 'handler' ? parts.signal : AbortSignal.any([parts.signal, signal]);
      for (;;) {
        if (signal.aborted || parts.isStopping()) return { kind: 'held', url, reason: 'stopping', untilMs: null };
        const answer = await turn(candidate, untilMs, asker, options, inFlight);
        if (answer !== null) return answer;
      }
    };

  return {
    waiting: () => waiting.handler,
    isAsking: () => waiting.handler + waiting.subresource > 0,
    inFlight: () => queue.pending + queue.size,
    fetch: fetcherFor('handler'),
    subresource: fetcherFor('subresource'),
  };
}

/** What a hook is told of it. */
function plannedOf({ url, depth, via, from }: NewUrl): Pick<PageWork, 'url' | 'record'> {
  return { url, record: { url, depth, via, from: from ?? null, hops: 0, label: null, userData: null, tries: 0 } };
}
