// Opens pages in a browser, between their exchange and their handler. The browser gets the fetched document, and loads
// everything else through the crawl: scope, hooks, robots.txt, the host's clock and the address guard apply to each
// request and each redirect hop (access §11). A refusal goes to the browser, the page and the decision log.

import type { PageWork } from '@mannerly/frontier';
import { failureDetail } from '../fetch/failure-code.js';
import { callRenderer } from '../fetch/fetch-call.js';
import type { ResponseOutcome } from '../fetch/outcome.js';
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
import { excludedFetch, type PageFetch } from '../page/page-fetch.js';
import { followRedirects } from '../page/redirect.js';
import type { RequestingRun } from './page-requests.js';
import { SubresourceCache } from './subresource-cache.js';

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
  const { handlerPool, journal, options, stop } = run;
  const loadFor = createLoader(run);
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
    const load = async (subresource: Subresource): Promise<PageFetch> => {
      const answer = await loadFor(page, subresource);
      isInterrupted ||= answer.kind === 'held' && answer.reason === 'stopping' && stop.isRequested;
      // What the page itself gave up because it is over was not refused.
      const isGivenUp = answer.kind === 'held' && answer.reason === 'stopping';
      if (answer.kind !== 'response' && answer.kind !== 'failed' && !isGivenUp)
        journal.notLoaded(work, answer, 'asked for by a page in a browser');
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

/** What a page in a browser loads: from the files of earlier pages, or by a request of the crawl. */
function createLoader({ pageRequests, scope, nowMs }: RequestingRun) {
  const cache = new SubresourceCache(nowMs);
  return async (page: FetchedPage, subresource: Subresource): Promise<PageFetch> => {
    const { url, type, headers, maxBodyBytes, signal } = subresource;
    const untilMs = nowMs() + subresource.waitMs;
    if (type === 'image' && !page.exclusion.effects.takeImages) return excludedFetch('noimageindex', url);
    const cached = cache.find(subresource, page.url);
    if (cached !== null) return cached;
    const fetchUrl = async (each: string, from: string): Promise<PageFetch> => {
      if (!subresource.anywhere && !scope.contains(each)) return { kind: 'dropped', url: each, reason: 'out-of-scope' };
      const request = { headers, maxBodyBytes, waitMs: Math.max(0, untilMs - nowMs()), isAbortable: true };
      // A redirect from another origin gets no credential.
      return pageRequests.request('subresource', each, request, signal, { url: from, depth: page.depth });
    };
    const answer = await followRedirects(url, page.url, fetchUrl);
    if (answer.kind === 'response') cache.store(subresource, answer);
    return answer;
  };
}
