// Fetches what archived pages need to be displayed: style sheets and their imports, scripts, images, fonts, icons. Each
// is an ordinary request (scope, hooks, robots.txt, the host's clock, egress), goes into the archive but to no handler,
// and is fetched once for all pages. A page waits for its requisites before it is handled.

import type { PageWork } from '@mannerly/frontier';
import { hostKeyOf } from '@mannerly/frontier/internal';
import PQueue from 'p-queue';
import type { ResponseOutcome } from '../fetch/outcome.js';
import { keepLatest } from '../keep-latest.js';
import type { FetchedPage } from '../page/page.js';
import { excludedFetch, type NotFetched, type PageFetch } from '../page/page-fetch.js';
import { followRedirects } from '../page/redirect.js';
import { cssRequisites, htmlRequisites, type Requisite } from '../page/requisites.js';
import { MAX_CONCURRENT_REQUISITES, MAX_KNOWN_REQUISITES, MAX_PAGE_FETCH_WAIT_MS } from './limits.js';
import type { RequestingRun } from './page-requests.js';

/** How much is fetched for pages, and from where. */
export interface ResolvedRequisites {
  /** `site`: from the scope and from the page's own registrable domain. */
  readonly hosts: 'site' | 'any';
  readonly perPage: number;
  readonly bytesPerPage: number;
  readonly total: number;
  readonly totalBytes: number;
}

const NEEDED_BY = 'needed by an archived page';

/** Fetches what a page needs and the archive lacks. `stopped`: the page has to be fetched again. */
export type FetchRequisites = (work: PageWork, page: FetchedPage) => Promise<'done' | 'stopped'>;

/** @param isArchived - Whether the archive already has a good answer for the URL, from this run or an earlier one. */
export function createRequisites(
  { frontier, journal, pageRequests, scope, stop, totals }: RequestingRun,
  options: ResolvedRequisites,
  isArchived: (url: string) => boolean,
): FetchRequisites {
  /** URLs that a page of this run has begun to fetch. A forgotten one is requested at most once more. */
  const requested = new Map<string, true>();
  let inFlight = 0;

  /** Whether the crawl has fetched as much as it may. Each request in flight counts as one. */
  const isBudgetSpent = (): boolean => {
    const { requisiteRequests, requisiteBytes } = totals.counts;
    const bound = frontier.reachedBound();
    if (bound === 'bytes' || bound === 'minutes') return true;
    return requisiteRequests + inFlight >= options.total || requisiteBytes >= options.totalBytes;
  };
  /** Whether the file is on a host that pages may load from. */
  const isAllowedHost = (url: string, pageUrl: string): boolean => {
    const isSameDomain = hostKeyOf(url, 'domain') === hostKeyOf(pageUrl, 'domain');
    return options.hosts === 'any' || isSameDomain || scope.contains(url);
  };
  const request = async (page: FetchedPage, { url, type }: Requisite): Promise<PageFetch> => {
    if (type === 'image' && !page.exclusion.effects.takeImages) return excludedFetch('noimageindex', url);
    inFlight += 1;
    // A redirect from another origin gets no credential.
    const fetchUrl = async (each: string, from: string): Promise<PageFetch> => {
      if (!isAllowedHost(each, page.url)) return { kind: 'dropped', url: each, reason: 'out-of-scope' };
      const origin = { url: from, depth: page.depth };
      return pageRequests.request('requisite', each, { waitMs: MAX_PAGE_FETCH_WAIT_MS }, stop.signal, origin);
    };
    return followRedirects(url, page.url, fetchUrl).finally(() => {
      inFlight -= 1;
    });
  };

  return async (work, page) => {
    if (page.kind !== 'html' || !page.exclusion.keepsBody) return 'done';
    const queue = new PQueue({ concurrency: MAX_CONCURRENT_REQUISITES });
    /** Hosts that gave no turn in time. The page does not wait for them again. */
    const heldByHost = new Map<string, NotFetched>();
    let remaining = options.perPage;
    let bytes = 0;
    let isStopped = false;
    let isFull = false;
    /** Reported once for the page, with the first URL that is left out. */
    const reportFull = (url: string): void => {
      if (!isFull) journal.notLoaded(work, { kind: 'dropped', url, reason: 'requisite-limit' }, NEEDED_BY);
      isFull = true;
    };
    const enqueue = (found: readonly Requisite[]): void => {
      for (const requisite of found) {
        const { url } = requisite;
        if (requested.has(url) || isArchived(url)) continue;
        if (remaining === 0) {
          reportFull(url);
          return;
        }
        remaining -= 1;
        keepLatest(requested, url, true, MAX_KNOWN_REQUISITES);
        queue.add(() => load(requisite)).catch((error: unknown) => thrown.push(error));
      }
    };
    const thrown: unknown[] = [];
    const load = async (requisite: Requisite): Promise<void> => {
      const { url, type } = requisite;
      if (isStopped || bytes >= options.bytesPerPage || isBudgetSpent()) {
        requested.delete(url);
        if (!isStopped) reportFull(url);
        return;
      }
      const host = hostKeyOf(url, 'host') ?? '';
      const heldAnswer = heldByHost.get(host);
      const answer = heldAnswer === undefined ? await request(page, requisite) : { ...heldAnswer, url };
      if (answer.kind === 'response') {
        bytes += answer.encodedBytes;
        if (type === 'stylesheet' && answer.status >= 200 && answer.status <= 299) enqueue(sheetRequisites(answer));
      } else if (answer.kind !== 'failed') {
        const isStopping = answer.kind === 'held' && answer.reason === 'stopping';
        isStopped ||= isStopping;
        // Another page may try again.
        if (answer.kind === 'held') requested.delete(url);
        if (answer.kind === 'held' && !isStopping) heldByHost.set(host, answer);
        if (!isStopping) journal.notLoaded(work, answer, NEEDED_BY);
      }
    };
    enqueue(htmlRequisites(await page.text(), page.url));
    await queue.onIdle();
    if (thrown.length > 0) throw thrown[0];
    return isStopped ? 'stopped' : 'done';
  };
}

/** Charsets differ only outside ASCII, and URLs hardly ever contain such characters. */
function sheetRequisites({ url, body }: ResponseOutcome): Requisite[] {
  return cssRequisites(new TextDecoder().decode(body), url);
}
