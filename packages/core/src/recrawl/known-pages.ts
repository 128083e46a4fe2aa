// The known pages as one run sees them: which of them are queued for another visit, and how fresh the copy is, before
// that and after the run's visits since.

import { FrontierError, type NewUrl } from '@mannerly/frontier';
import { writeJson } from '../json-record.js';
import type { RecrawlCounts } from '../report/crawl-report.js';
import { GroupPriors } from './change-estimate.js';
import { NO_VALIDATORS } from './conditions.js';
import type { LastmodTrust } from './host-trust.js';
import { DAY_MS, GONE_LINKED_DAYS, MAX_GONE_PAGES } from './limits.js';
import { lastAttemptMs, type PageVisit, revisitUrl, visitKey } from './page-visit.js';
import { PRIORS_KEY, type ResolvedRecrawlOptions } from './recrawl-options.js';
import type { SitemapVisits } from './sitemap-visits.js';
import { chooseVisits, dueOf, freshNow, isInCopy, type VisitStore } from './visit-choice.js';

/** Priorities of known pages: most come before new ones, a share comes after them. */
const PRIORITY_BEFORE_NEW = 3;
const PRIORITY_AFTER_NEW = 5;

interface KnownPagesParts {
  readonly store: VisitStore;
  readonly options: ResolvedRecrawlOptions;
  readonly sitemaps: SitemapVisits;
  readonly lastmodTrust: LastmodTrust;
  readonly nowMs: () => number;
}

/** Promises reject with what the store throws. */
export class KnownPages {
  /** What is expected of pages that were fetched once; read by `open`. */
  priors = new GroupPriors();
  readonly #parts: KnownPagesParts;
  /** Since pages were chosen: the pages of the copy, how many are expected to be unchanged, and their share then. */
  #copy: {
    readonly atMs: number;
    readonly known: number;
    readonly fresh: number;
    readonly before: number | null;
    /** The priors of these expectations; the run keeps learning. */
    readonly priors: GroupPriors;
  } | null = null;
  /** Pages that have been gone for long, by URL; set by `choose`. */
  readonly #gone = new Map<string, PageVisit>();
  /** How the last visits of the chosen pages were decided, by URL, until this run decides about them. */
  readonly #lastDecisions = new Map<string, Pick<PageVisit, 'status' | 'reason'>>();
  #nextDueAtMs: number | null = null;

  constructor(parts: KnownPagesParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    this.priors = new GroupPriors(await this.#parts.store.readRecord(PRIORS_KEY));
  }

  async close(): Promise<void> {
    await this.#parts.store.writeRecord(PRIORS_KEY, this.priors.encode());
  }

  counts(): Pick<RecrawlCounts, 'known' | 'freshBefore' | 'freshAfter' | 'nextDueAtMs'> {
    const { known = 0, fresh = 0, before = null } = this.#copy ?? {};
    // A sum of many shares may exceed its limit by a rounding error.
    const freshAfter = known === 0 ? null : Math.min(1, fresh / known);
    return { known, freshBefore: before, freshAfter, nextDueAtMs: this.#nextDueAtMs };
  }

  /**
   * The known pages that are due, the most valuable first, considering what sitemaps say by then.
   * @param maxPages - The most pages that the run may fetch; `null`: any number.
   * @param sinceMs - When the recrawl began: pages that it visited before a stop are not visited again.
   */
  async choose(
    maxPages: number | null,
    sinceMs: number,
  ): Promise<{ readonly pages: readonly NewUrl[]; readonly known: number }> {
    const { store, options, sitemaps, lastmodTrust } = this.#parts;
    const nowMs = this.#parts.nowMs();
    await sitemaps.readDates();
    const collectGone = (visit: PageVisit): void => {
      const isLongGone = lastAttemptMs(visit) <= nowMs - GONE_LINKED_DAYS * DAY_MS;
      if (isLongGone && visit.reason !== 'redirect' && this.#gone.size < MAX_GONE_PAGES)
        this.#gone.set(visit.url, visit);
    };
    const expectations = { options, priors: this.priors, lastmods: sitemaps.dates, lastmodTrust, nowMs };
    const choice = await chooseVisits(store, { ...expectations, sinceMs, maxPages }, undefined, collectGone);
    for (const { visit } of choice.visits) {
      const { url, status, reason } = visit;
      this.#gone.delete(url);
      this.#lastDecisions.set(url, { status, reason });
    }
    const { records, known, fresh, visits, maxVisits } = choice;
    const { priors } = this;
    this.priors = choice.groups;
    this.#noteDue(choice.nextDueMs);
    this.#copy = { atMs: nowMs, known, fresh, before: known === 0 ? null : fresh / known, priors };
    const beforeNewCount = Math.ceil(maxVisits * (1 - options.newShare));
    const urlOf = ({ visit }: (typeof visits)[number], at: number) =>
      revisitUrl(visit, nowMs, {
        priority: at < beforeNewCount ? PRIORITY_BEFORE_NEW : PRIORITY_AFTER_NEW,
        via: visit.from === null ? 'seed' : 'link',
      });
    return { pages: visits.map(urlOf), known: records };
  }

  /** How the last visit of a chosen page was decided, once; `null`: it was not chosen, or is decided already. */
  takeLastDecision(url: string): Pick<PageVisit, 'status' | 'reason'> | null {
    const last = this.#lastDecisions.get(url) ?? null;
    this.#lastDecisions.delete(url);
    return last;
  }

  /** The links of a new or changed page. Links to pages that were gone become one more visit, once a run. */
  revisitGone(links: readonly NewUrl[]): readonly NewUrl[] {
    if (this.#gone.size === 0) return links;
    return links.map((link) => {
      const visit = this.#gone.get(link.url.replace(/#.*$/s, ''));
      if (visit === undefined) return link;
      this.#gone.delete(visit.url);
      return revisitUrl(visit, this.#parts.nowMs(), { priority: PRIORITY_AFTER_NEW, via: link.via });
    });
  }

  /** A page has moved permanently: its expectations move along, and its handler gets it from there. */
  async move(before: PageVisit, target: string): Promise<void> {
    if ((await this.#parts.store.readRecord(visitKey(target))) !== null) return;
    await this.write({ ...before, ...NO_VALIDATORS, url: target, archived: null, isRemoved: true });
  }

  /** Keeps a visit. If its user data is too long for a record, it is not kept, so the page is not visited again. */
  async write(visit: PageVisit): Promise<void> {
    const { store, options } = this.#parts;
    this.#noteDue(dueOf(visit, options).atMs);
    try {
      await writeJson(store, visitKey(visit.url), visit);
    } catch (error) {
      if (!(error instanceof FrontierError) || error.code !== 'record-too-large') throw error;
    }
  }

  /**
   * The copy now has the current version of a page that was outdated, or no longer has the page.
   * @param lastVisit - Its last visit as it was kept.
   */
  updateCopy(lastVisit: PageVisit | null, isGone = false): void {
    const copy = this.#copy;
    if (copy === null) return;
    const wasKnown = lastVisit !== null && isInCopy(lastVisit) ? 1 : 0;
    const wasFresh =
      wasKnown === 1 && lastVisit !== null ? freshNow(copy.priors.withExpectedEstimate(lastVisit), copy.atMs) : 0;
    const isKnown = isGone ? 0 : 1;
    this.#copy = { ...copy, known: copy.known + isKnown - wasKnown, fresh: copy.fresh + isKnown - wasFresh };
  }

  #noteDue(dueMs: number | null): void {
    if (dueMs === null || dueMs <= this.#parts.nowMs()) return;
    this.#nextDueAtMs = Math.min(this.#nextDueAtMs ?? Number.POSITIVE_INFINITY, Math.ceil(dueMs));
  }
}
