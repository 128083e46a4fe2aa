// Fetches what archived pages need to be displayed: style sheets and their imports, scripts, images, fonts, icons. Each
// is an ordinary request (scope, hooks, robots.txt, the host's clock, egress), goes into the archive but to no handler,
// and is fetched once for all pages. A page waits for its requisites before it is handled.

import type { PageWork } from '@mannerly/frontier';
import { hostKeyOf } from '@mannerly/frontier/internal';
import PQueue from 'p-queue';
import { isSuccess } from '../fetch/outcome.js';
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

/** Fetches what a page needs and the archive lacks. `stopped`: the page has to be fetched again. */
export type FetchRequisites = (work: PageWork, page: FetchedPage) => Promise<'done' | 'stopped'>;

/** @param isArchived - Whether the archive already has a good answer for the URL, from this run or an earlier one. */
export function createRequisites(
  run: RequestingRun,
  options: ResolvedRequisites,
  isArchived: (url: string) => boolean,
): FetchRequisites {
  const shared = createShared(run, options, isArchived);
  return async (work, page) =>
    page.kind === 'html' && page.exclusion.keepsBody ? new PageRequisites(shared, work, page).fetchAll() : 'done';
}

/** What the pages of a run share: its budget, and the URLs that were requested for any of them. */
function createShared(
  { frontier, journal, pageRequests, scope, stop, totals }: RequestingRun,
  options: ResolvedRequisites,
  isArchived: (url: string) => boolean,
) {
  /** URLs that a page of this run has begun to fetch. A forgotten one is requested at most once more. */
  const requested = new Map<string, true>();
  let inFlight = 0;
  /** Whether the file is on a host that pages may load from. */
  const isAllowedHost = (url: string, pageUrl: string): boolean => {
    const isSameDomain = hostKeyOf(url, 'domain') === hostKeyOf(pageUrl, 'domain');
    return options.hosts === 'any' || isSameDomain || scope.contains(url);
  };
  return {
    options,
    isWanted: (url: string): boolean => !requested.has(url) && !isArchived(url),
    begin: (url: string): void => keepLatest(requested, url, true, MAX_KNOWN_REQUISITES),
    /** Another page may try again. */
    forget: (url: string): void => void requested.delete(url),
    notLoaded: (work: PageWork, answer: NotFetched): void =>
      journal.notLoaded(work, answer, 'needed by an archived page'),
    /** Whether the crawl has fetched as much as it may. Each request in flight counts as one. */
    isBudgetSpent(): boolean {
      const { requisiteRequests, requisiteBytes } = totals.counts;
      const bound = frontier.reachedBound();
      if (bound === 'bytes' || bound === 'minutes') return true;
      return requisiteRequests + inFlight >= options.total || requisiteBytes >= options.totalBytes;
    },
    async request(page: FetchedPage, { url, type }: Requisite): Promise<PageFetch> {
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
    },
  };
}

/** The requisites of one page. */
class PageRequisites {
  readonly #shared: ReturnType<typeof createShared>;
  readonly #work: PageWork;
  readonly #page: FetchedPage;
  readonly #queue = new PQueue({ concurrency: MAX_CONCURRENT_REQUISITES });
  readonly #thrown: unknown[] = [];
  /** Hosts that gave no turn in time. The page does not wait for them again. */
  readonly #heldByHost = new Map<string, NotFetched>();
  #begun = 0;
  #bytes = 0;
  #isStopped = false;
  #isFull = false;

  constructor(shared: ReturnType<typeof createShared>, work: PageWork, page: FetchedPage) {
    this.#shared = shared;
    this.#work = work;
    this.#page = page;
  }

  async fetchAll(): Promise<'done' | 'stopped'> {
    this.#enqueue(htmlRequisites(await this.#page.text(), this.#page.url));
    await this.#queue.onIdle();
    if (this.#thrown.length > 0) throw this.#thrown[0];
    return this.#isStopped ? 'stopped' : 'done';
  }

  #enqueue(found: readonly Requisite[]): void {
    for (const requisite of found) {
      if (!this.#shared.isWanted(requisite.url)) continue;
      if (this.#begun >= this.#shared.options.perPage) {
        this.#reportFull(requisite.url);
        return;
      }
      this.#begun += 1;
      this.#shared.begin(requisite.url);
      this.#queue.add(() => this.#load(requisite)).catch((error: unknown) => this.#thrown.push(error));
    }
  }

  async #load(requisite: Requisite): Promise<void> {
    const { url, type } = requisite;
    if (this.#isStopped || this.#bytes >= this.#shared.options.bytesPerPage || this.#shared.isBudgetSpent()) {
      this.#shared.forget(url);
      if (!this.#isStopped) this.#reportFull(url);
      return;
    }
    const host = hostKeyOf(url, 'host') ?? '';
    const held = this.#heldByHost.get(host);
    const answer = held === undefined ? await this.#shared.request(this.#page, requisite) : { ...held, url };
    if (answer.kind === 'failed') return;
    if (answer.kind === 'response') {
      this.#bytes += answer.encodedBytes;
      // Charsets differ only outside ASCII, and URLs hardly ever contain such characters.
      if (type === 'stylesheet' && isSuccess(answer.status))
        this.#enqueue(cssRequisites(new TextDecoder().decode(answer.body), answer.url));
      return;
    }
    if (answer.kind === 'held') {
      this.#shared.forget(url);
      if (answer.reason === 'stopping') {
        this.#isStopped = true;
        return;
      }
      this.#heldByHost.set(host, answer);
    }
    this.#shared.notLoaded(this.#work, answer);
  }

  /** Reported once for the page, with the first URL that is left out. */
  #reportFull(url: string): void {
    if (!this.#isFull) this.#shared.notLoaded(this.#work, { kind: 'dropped', url, reason: 'requisite-limit' });
    this.#isFull = true;
  }
}
