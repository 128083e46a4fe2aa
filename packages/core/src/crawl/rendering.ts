// Opens pages in a browser, between their exchange and their handler. The browser gets the fetched document, and loads
// everything else through the crawl: scope, hooks, robots.txt, the host's clock and the address guard apply to each
// request and each redirect hop (access §11). A refusal goes to the browser, the page and the decision log.

import type { PageWork } from '@mannerly/frontier';
import { robotsLifetimeMs } from '@mannerly/robots/access';
import { failureDetail } from '../fetch/failure-code.js';
import { callRenderer } from '../fetch/fetch-call.js';
import { headersByName, type ResponseOutcome } from '../fetch/outcome.js';
import type {
  BrowserTab,
  RenderCandidate,
  RenderedPage,
  Renderer,
  RenderFailure,
  Subresource,
  SubresourceAnswer,
} from '../fetch/renderer.js';
import type { FetchedPage } from '../page/page.js';
import { excludedFetch, type NotFetched, type PageFetch } from '../page/page-fetch.js';
import { followRedirects } from '../page/redirect.js';
import { MAX_CACHED_FILES, MAX_CACHED_FILES_BYTES } from './limits.js';
import type { RequestingRun } from './page-requests.js';

export type RenderResult =
  /** The page is handled as received, without a browser. */
  | { readonly kind: 'not-rendered' }
  | RenderedPage
  | RenderFailure
  /** The crawl stopped before the page was loaded. The next run opens it again. */
  | { readonly kind: 'stopped' };

const NOT_RENDERED: RenderResult = Object.freeze({ kind: 'not-rendered' });
/** Halves of surrogate pairs: no bytes of an archive stand for them, and a replay would have another page. */
const HALF_PAIRS = /\p{Cs}/gu;
const STOPPED: RenderResult = Object.freeze({ kind: 'stopped' });

/** Opens a page. @param page - The document as received. Rejects only with errors of broken machinery. */
export type RenderPage = (work: PageWork, outcome: ResponseOutcome, page: FetchedPage) => Promise<RenderResult>;

export function createRendering(run: RequestingRun, renderer: Renderer): RenderPage {
  const { handlerPool, journal, options, pageRequests, scope, nowMs, stop } = run;
  const cache = new SubresourceCache(nowMs);
  const loadFor = async (page: FetchedPage, subresource: Subresource): Promise<PageFetch> => {
    const untilMs = nowMs() + subresource.waitMs;
    const { url } = subresource;
    if (subresource.type === 'image' && !page.exclusion.effects.takeImages) return excludedFetch('noimageindex', url);
    const cached = cache.find(subresource, page.url);
    if (cached !== null) return cached;
    const fetchUrl = async (each: string, from: string): Promise<PageFetch> => {
      if (!subresource.anywhere && !scope.contains(each)) return { kind: 'dropped', url: each, reason: 'out-of-scope' };
      const { headers, maxBodyBytes, signal } = subresource;
      const request = { headers, maxBodyBytes, waitMs: Math.max(0, untilMs - nowMs()), isAbortable: true };
      // A redirect from another origin gets no credential.
      return pageRequests.request('subresource', each, request, signal, { url: from, depth: page.depth });
    };
    const answer = await followRedirects(url, page.url, fetchUrl);
    if (answer.kind === 'response') cache.store(subresource, answer);
    return answer;
  };
  const isWanted = (page: RenderCandidate): boolean => {
    try {
      return renderer.wants(page);
    } catch (error) {
      journal.hookError('fetcher', page.url, error);
      return false;
    }
  };
  return async (work, outcome, page) => {
    const handler = handlerPool.find(page);
    // A page without a handler causes no more requests.
    if (page.kind !== 'html' || handler === null) return NOT_RENDERED;
    const { url, label, headers } = page;
    if (outcome.file !== undefined || !isWanted({ url, label, headers })) return NOT_RENDERED;
    const loads = new Set<Promise<SubresourceAnswer>>();
    let isInterrupted = false;
    const load = async (subresource: Subresource): Promise<SubresourceAnswer> => {
      const answer = await loadFor(page, subresource);
      isInterrupted ||= answer.kind === 'held' && answer.reason === 'stopping' && stop.isRequested;
      if (isRefused(answer)) journal.notLoaded(work, answer, 'asked for by a page in a browser');
      return answer;
    };
    const { inBrowser: userSteps } = handler;
    let thrown: unknown;
    const steps = async (tab: BrowserTab): Promise<void> => {
      try {
        await userSteps?.(tab);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    const rendering = await callRenderer(renderer, {
      url,
      document: outcome,
      userAgent: options.identity.userAgent,
      steps: userSteps === null ? null : steps,
      load(subresource) {
        const loading = load(subresource);
        loads.add(loading);
        return loading.finally(() => loads.delete(loading));
      },
      signal: stop.signal,
    }).catch((error: unknown): RenderFailure => {
      journal.hookError('fetcher', url, error);
      return { kind: 'failed', failure: 'internal', detail: failureDetail(error) };
    });
    // Loads in flight end before the page does, so that no request outlives its run.
    await Promise.allSettled(loads);
    const hasThrown = rendering.kind === 'failed' && rendering.failure === 'steps-threw';
    if (hasThrown) journal.codeError(thrown, { code: 'handler-error', url });
    if (isInterrupted || stop.signal.aborted) return STOPPED;
    if (rendering.kind === 'rendered') return { ...rendering, html: rendering.html.replace(HALF_PAIRS, '\ufffd') };
    if (rendering.failure !== 'no-browser') return rendering;
    // Every later page would be requested for nothing.
    stop.requestFor(`no-browser: ${rendering.detail}`);
    return STOPPED;
  };
}

/** Excludes what the page itself gave up because it is over. */
function isRefused(answer: PageFetch): answer is NotFetched {
  if (answer.kind === 'response' || answer.kind === 'failed') return false;
  return !(answer.kind === 'held' && answer.reason === 'stopping');
}

/** Kinds of subresources whose answer is a file that is the same for every page. */
const CACHED_TYPES: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font', 'image']);

/**
 * Files that pages in a browser have loaded, in memory. Scripts, styles, fonts and images are requested once per run,
 * for as long as a robots.txt would be used (access §6): what the cache fields say, between ten minutes and a day
 * (DECISION A9). The least recently used file is removed first. Data that pages request is requested each time.
 */
export class SubresourceCache {
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, { readonly answer: ResponseOutcome; readonly untilMs: number }>();
  #bytes = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The answer that may be reused for a page; `null`: the file has to be requested. */
  find(
    { url, type, maxBodyBytes }: Pick<Subresource, 'url' | 'type' | 'maxBodyBytes'>,
    pageUrl: string,
  ): ResponseOutcome | null {
    const key = `${type} ${url}`;
    const found = this.#entries.get(key);
    if (found === undefined) return null;
    if (found.untilMs <= this.#nowMs()) {
      this.#forget(key);
      return null;
    }
    // An answer for an account is only for pages of its origin.
    if (found.answer.signedIn === true && new URL(pageUrl).origin !== new URL(url).origin) return null;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found.answer.body.length > maxBodyBytes ? null : found.answer;
  }

  /** Keeps a copy of an answer that may be reused. */
  store({ url, type }: Pick<Subresource, 'url' | 'type'>, answer: ResponseOutcome): void {
    const { status, truncated, body } = answer;
    if (!CACHED_TYPES.has(type) || status !== 200 || truncated !== null || body.length > MAX_CACHED_FILES_BYTES) return;
    const headers = headersByName(answer.headers);
    // An answer that varies by more than its coding is not the same for every page.
    if (!/^(accept-encoding)?$/i.test(headers['vary']?.trim() ?? '')) return;
    const key = `${type} ${url}`;
    this.#forget(key);
    const { encodedBody: _, ...rest } = answer;
    const untilMs = answer.timing.endedAtMs + robotsLifetimeMs(headers, answer.timing.endedAtMs, 'rfc9309');
    this.#entries.set(key, { answer: { ...rest, body: body.slice() }, untilMs });
    this.#bytes += body.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_CACHED_FILES && this.#bytes <= MAX_CACHED_FILES_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.answer.body.length ?? 0;
    this.#entries.delete(key);
  }
}
