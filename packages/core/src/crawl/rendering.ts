// Pages that are opened in a browser, after their exchange and before their handler: the browser is handed the document that
// came, and asks here for whatever else the page wants. Each of those is a request of the crawl's own: scope and hooks,
// robots.txt of its own authority, its host's clock and slot, the door with its address guard, budgets and logs. Each hop of
// a redirect is judged like the first (access §11). What is refused is told to the browser, the page and the decision log.

import type { PageWork } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import type { Scope } from '../admit/scope.js';
import type { ResponseOutcome } from '../fetch/outcome.js';
import type { RenderedPage, Renderer, RenderFailure, Subresource, SubresourceAnswer } from '../fetch/renderer.js';
import type { HandlerPool } from '../handle/handler-pool.js';
import type { NotFetched, PageFetch } from '../page/own-fetch.js';
import type { FetchedPage } from '../page/page.js';
import { redirectTarget } from '../page/redirect.js';
import type { Recorder } from '../record/recorder.js';
import { MAX_SUBRESOURCE_HOPS } from './limits.js';
import { createLoadedBefore, type LoadedBefore } from './loaded-before.js';
import type { OwnRequests } from './own-requests.js';

/** What came of a page that may be opened in a browser. */
export type RenderEnd =
  /** It is handled as it came: nobody wants it in a browser. */
  | { readonly kind: 'as-it-came' }
  | RenderedPage
  | RenderFailure
  /** The crawl stops: what the page had asked for was not given to it, so it is to be opened again another time. */
  | { readonly kind: 'stopped' };

/** Opens the pages of one run. */
export interface Renderings {
  /** @param page - The document as it came. Never rejects but with what broken machinery threw. */
  render(work: PageWork, outcome: ResponseOutcome, page: FetchedPage): Promise<RenderEnd>;
}

/** What it is made of. */
export interface RenderingParts {
  /** `null`: the fetcher has none. */
  readonly renderer: Renderer | null;
  readonly own: Pick<OwnRequests, 'subresource'>;
  readonly handlers: Pick<HandlerPool, 'handles'>;
  readonly site: Pick<Scope, 'isInside'>;
  readonly record: Pick<Recorder, 'subresourceLeft'>;
  readonly userAgent: string;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly isStopping: () => boolean;
  /** Aborted when the crawl stops at once. */
  readonly signal: AbortSignal;
}

const AS_IT_CAME: RenderEnd = Object.freeze({ kind: 'as-it-came' });
const STOPPED: RenderEnd = Object.freeze({ kind: 'stopped' });

/** Makes the stage of one run. @throws Never */
export function createRenderings(parts: RenderingParts): Renderings {
  const { renderer, record } = parts;
  const loaded = createLoadedBefore(parts.nowMs);
  return {
    async render(work, outcome, page) {
      // A page that no handler gets costs its site nothing more.
      if (renderer === null || page.kind !== 'html' || !parts.handlers.handles(page)) return AS_IT_CAME;
      const { url, label, headers } = page;
      if (outcome.file !== undefined || !renderer.wants({ url, label, headers })) return AS_IT_CAME;
      const loads = new Set<Promise<SubresourceAnswer>>();
      let isCutShort = false;
      const load = async (wanted: Subresource): Promise<SubresourceAnswer> => {
        const answer = await loadOne(parts, loaded, page, wanted);
        isCutShort ||= answer.kind === 'held' && answer.reason === 'stopping' && parts.isStopping();
        if (isLeft(answer)) record.subresourceLeft(work, answer);
        return answer;
      };
      const rendering = await renderer.render({
        url,
        document: outcome,
        userAgent: parts.userAgent,
        load(wanted) {
          const loading = load(wanted);
          loads.add(loading);
          return loading.finally(() => loads.delete(loading));
        },
        signal: parts.signal,
      });
      // What is in flight ends before the page does, so that no request outlives its run.
      await Promise.allSettled(loads);
      return isCutShort || parts.signal.aborted ? STOPPED : rendering;
    },
  };
}

/** A page that is over gives up what still waits; nobody refused that. */
function isLeft(answer: PageFetch): answer is NotFetched {
  if (answer.kind === 'response' || answer.kind === 'failed') return false;
  return !(answer.kind === 'held' && answer.reason === 'stopping');
}

async function loadOne(
  parts: RenderingParts,
  loaded: LoadedBefore,
  page: FetchedPage,
  wanted: Subresource,
): Promise<PageFetch> {
  const { own, nowMs } = parts;
  const untilMs = nowMs() + wanted.waitMs;
  let { url } = wanted;
  if (wanted.type === 'image' && !page.exclusion.effects.takeImages)
    return { kind: 'excluded', url, reason: 'noimageindex', line: null, pattern: null, dialect: null };
  for (let hops = 0; ; hops += 1) {
    if (!wanted.anywhere && !isInside(parts, url)) return { kind: 'dropped', url, reason: 'out-of-scope' };
    const known = hops === 0 ? loaded.find(wanted) : null;
    if (known !== null) return known;
    const { headers, maxBodyBytes, signal } = wanted;
    const options = { headers, maxBodyBytes, waitMs: Math.max(0, untilMs - nowMs()) };
    const answer = await own.subresource(page, url, options, signal);
    const target = answer.kind === 'response' ? redirectTarget(answer) : null;
    // A Refresh field leads people on, not what a script asks for.
    if (target?.kind !== 'to' || target.by !== 'location') {
      if (answer.kind === 'response') loaded.keep(wanted, answer);
      return answer;
    }
    if (hops >= MAX_SUBRESOURCE_HOPS) return { kind: 'dropped', url: target.url, reason: 'redirect-limit' };
    const { notBeforeMs } = target;
    if (notBeforeMs !== null && notBeforeMs > nowMs())
      return { kind: 'held', url: target.url, reason: 'not-before', untilMs: notBeforeMs };
    url = target.url;
  }
}

function isInside({ site }: RenderingParts, url: string): boolean {
  const parts = parseUrlParts(url);
  return parts !== null && site.isInside(parts);
}
