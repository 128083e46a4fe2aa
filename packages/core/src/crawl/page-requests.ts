// Requests for a page outside the queue: by its handler (`page.fetch`), and by a page in a browser. They pass scope,
// hooks, robots.txt and the host's clock like others. Every answer is a value; a request that gets no turn in time is
// `held`.

import type { NewUrl, PageWork } from '@mannerly/frontier';
import PQueue from 'p-queue';
import { type EgressOutcome, exchangeOf, isRefusedByGuard } from '../fetch/outcome.js';
import { abortedByEither } from '../on-abort.js';
import { excludedFetch, type FetchForPage, type PageFetch, type PageFetchOptions } from '../page/page-fetch.js';
import type { CrawlRun } from './crawl-run.js';
import { DEFAULT_PAGE_FETCH_WAIT_MS, MAX_PAGE_FETCH_WAIT_MS } from './limits.js';

/** `license`: even outside the scope, and without hooks (licensing §11). `login`: what the operator has named. */
type Purpose = 'handler' | 'subresource' | 'requisite' | 'license' | 'login';

type RequestOptions = PageFetchOptions & {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly body?: string;
  /** Whether aborting its signal ends the wait for its turn, and the exchange. @default false */
  readonly isAbortable?: boolean;
};

/** One request while it waits for its turn. */
interface PlannedRequest {
  readonly candidate: NewUrl;
  readonly purpose: Purpose;
  readonly options: RequestOptions;
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

/** A run whose parts make requests. */
export interface RequestingRun extends CrawlRun {
  readonly pageRequests: PageRequests;
}

export class PageRequests {
  readonly #run: CrawlRun;
  readonly #works = new WeakMap<PageFetch, PageWork>();
  /** Exchanges that are queued or under way. */
  readonly exchanges: PQueue;
  /** Requests that wait for their host's turn, and the handlers with them: their pages must not keep others waiting. */
  readonly waiting: Record<Purpose, number> = { handler: 0, subresource: 0, requisite: 0, license: 0, login: 0 };

  constructor(run: CrawlRun) {
    this.#run = run;
    this.exchanges = new PQueue({ concurrency: run.options.network.concurrency });
  }

  /**
   * Never rejects. @param signal - Aborted when nothing waits for it any more, such as the page that it is for.
   * @param page - That page. @default none: the URL is requested for its own sake
   */
  async request(
    purpose: Purpose,
    url: string,
    options: RequestOptions,
    signal: AbortSignal,
    page: Parameters<FetchForPage>[0] = { url, depth: 0 },
  ): Promise<PageFetch> {
    const { admit, hooks, nowMs, stop } = this.#run;
    let candidate: NewUrl | undefined = { url, depth: page.depth, via: 'companion', from: page.url };
    if (purpose === 'handler' || purpose === 'subresource' || purpose === 'requisite') {
      const { admitted, refused } = admit([{ ...candidate, via: purpose === 'requisite' ? 'subresource' : purpose }]);
      [candidate] = admitted;
      if (candidate === undefined) return { kind: 'dropped', url, reason: refused[0]?.reason ?? 'url-invalid' };
    }
    if (purpose !== 'license') {
      const { via, from = null } = candidate;
      const record = { url, depth: page.depth, via, from, hops: 0, label: null, userData: null, tries: 0 };
      const verdict = await hooks?.beforeFetch({ url: candidate.url, record }, purpose);
      if (verdict?.kind === 'refused') return { kind: 'dropped', url, reason: 'hook-refused' };
    }
    const { isAbortable = false } = options;
    const waitMs = Math.min(Math.max(0, options.waitMs ?? DEFAULT_PAGE_FETCH_WAIT_MS), MAX_PAGE_FETCH_WAIT_MS);
    // A handler's exchange ends even if the handler has already ended: its answer is still archived.
    const isLasting = purpose === 'handler' && !isAbortable;
    const either = isLasting ? null : abortedByEither(stop.signal, signal);
    const request = { candidate, purpose, options, untilMs: nowMs() + waitMs, signal: either?.signal ?? stop.signal };
    try {
      for (;;) {
        if (signal.aborted || stop.isRequested) return { kind: 'held', url, reason: 'stopping', untilMs: null };
        const answer = await this.#attempt(request);
        if (answer !== null) return answer;
      }
    } finally {
      either?.release();
    }
  }

  /** The work of a received answer, with what robots.txt says about its URL; `undefined` for any other answer. */
  workOf(answer: PageFetch): PageWork | undefined {
    return this.#works.get(answer);
  }

  /** Waits for the host's turn and uses it. `null`: no request was sent, and another turn is needed. */
  async #attempt(request: PlannedRequest): Promise<PageFetch | null> {
    const { frontier, wakeup, licenses } = this.#run;
    const { candidate, purpose, options, untilMs, signal } = request;
    this.waiting[purpose] += 1;
    // An aborted request leaves the queue. The request of a handler that has ended keeps its place.
    const abortSignal = options.isAbortable === true ? signal : undefined;
    const pending = frontier.ask(candidate, untilMs, abortSignal).finally(() => {
      this.waiting[purpose] -= 1;
    });
    wakeup.wake();
    const answer = await pending;
    if (answer.kind !== 'go') return { ...answer, url: candidate.url };
    if (abortSignal?.aborted === true) {
      await frontier.settle(answer.work, { kind: 'returned', untilMs: null });
      wakeup.wake();
      return { kind: 'held', url: candidate.url, reason: 'stopping', untilMs: null };
    }
    const licensed = purpose === 'license' ? null : await licenses.before(answer.work);
    if (licensed !== null && licensed.effect !== 'none') {
      const untilMs = licensed.effect === 'wait' ? licensed.untilMs : null;
      await frontier.settle(answer.work, { kind: 'returned', untilMs, waits: 'authority' });
      wakeup.wake();
      const { url } = candidate;
      if (licensed.effect === 'held') return { kind: 'held', url, reason: 'license', untilMs };
      if (licensed.effect === 'prohibited') return excludedFetch('license-prohibits', url);
      await licenses.close();
      return this.#run.nowMs() < request.untilMs ? null : { kind: 'held', url, reason: 'license', untilMs };
    }
    const outcome = await this.exchanges.add(() => this.#send(answer.work, request));
    const isSent = outcome.kind !== 'not-sent';
    const done = { kind: 'done', countsAsPage: false, links: [] } as const;
    await frontier.settle(answer.work, isSent ? done : { kind: 'returned', untilMs: outcome.untilMs });
    wakeup.wake();
    if (!isSent) return null;
    this.#works.set(outcome, answer.work);
    return outcome;
  }

  async #send(work: PageWork, { candidate, purpose, options, signal }: PlannedRequest): Promise<EgressOutcome> {
    const { egress, frontier, archive } = this.#run;
    const { maxBodyBytes } = this.#run.options.network;
    const outcome = await egress.send({
      work,
      purpose,
      method: options.method ?? 'GET',
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(purpose === 'subresource' || purpose === 'requisite' ? { from: candidate.from ?? null } : {}),
      headers: options.headers ?? {},
      maxBodyBytes: Math.min(Math.max(1, options.maxBodyBytes ?? maxBodyBytes), maxBodyBytes),
      signal,
    });
    const exchange = outcome.kind === 'not-sent' ? outcome.exchange : outcome;
    if (exchange === undefined) return outcome;
    if (!isRefusedByGuard(exchange)) frontier.exchanged(work, exchangeOf(exchange));
    await archive?.writeExchange(exchange);
    return outcome;
  }
}
