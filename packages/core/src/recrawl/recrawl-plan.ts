// What the store knows about visits, for people: what the next run with `again` would do, and why a page is visited
// when it is. It makes no request and changes nothing.

import type { Frontier } from '@mannerly/frontier';
import type { VisitExplanation } from '../report/explain.js';
import { changesPerDay, GroupPriors } from './change-estimate.js';
import { conditionsOf, NO_VALIDATORS } from './conditions.js';
import { createLastmodTrust, createValidatorRecords, usableConditions } from './host-trust.js';
import { Lastmods } from './lastmod.js';
import { MAX_LASTMODS, MAX_PLANNED_HOSTS, MAX_PLANNED_PAGES, MIN_VISITS_FOR_VERDICT } from './limits.js';
import { decodeVisit, type PageVisit, visitKey } from './page-visit.js';
import { PRIORS_KEY, type ResolvedRecrawlOptions } from './recrawl-options.js';
import { addStoredDates, dueSitemaps } from './sitemap-visits.js';
import { chooseVisits, dueOf, type ExpectedVisit, expectedVisit, freshNow, isInCopy } from './visit-choice.js';

export interface PlannedVisit {
  readonly url: string;
  /** Days of staleness that the visit is worth (docs/recrawl.md). */
  readonly value: number;
  readonly changesPerDay: number;
  readonly lastVisitMs: number;
}

export interface PlannedVisits {
  readonly host: string;
  /** Pages of the copy, those that are due, and those that the bounds allow. */
  readonly known: number;
  readonly due: number;
  readonly visits: number;
  /** The first visits in order, at most ten. */
  readonly first: readonly PlannedVisit[];
}

/** The result of a recrawl with the same bounds. */
export interface RecrawlPlan {
  readonly format: 1;
  readonly plannedAtMs: number;
  /** Pages of the copy, those that are due, and those that the bounds allow; pages that are gone are left out. */
  readonly known: number;
  readonly due: number;
  readonly visits: number;
  /** Sitemaps and feeds that would be read first. */
  readonly sitemaps: number;
  /**
   * The share of pages expected to be unchanged since their visit, now and after the run; `null`: no pages are known.
   */
  readonly freshNow: number | null;
  readonly freshAfter: number | null;
  /** Visited pages that are expected to have changed. */
  readonly changed: number;
  /** Bytes of bodies that are expected not to be transferred. */
  readonly bytesSaved: number;
  /** When the next page becomes due that is not due now, epoch milliseconds; `null`: none. */
  readonly nextDueAtMs: number | null;
  /** The hosts with the most visits first, at most a thousand. */
  readonly hosts: readonly PlannedVisits[];
}

/** What the plan is based on. `null`: no bound. */
export interface RecrawlPlanParts {
  readonly options: ResolvedRecrawlOptions;
  readonly pages: number | null;
  readonly pagesPerHost: number | null;
  readonly minutes: number | null;
  readonly nowMs: number;
}

type PlanStore = Pick<Frontier, 'readRecord' | 'listRecords' | 'inspectHost' | 'counts'>;

/** Makes the plan. @throws As `chooseVisits`. */
export async function planRecrawl(store: PlanStore, parts: RecrawlPlanParts): Promise<RecrawlPlan> {
  const { options, pages, nowMs } = parts;
  const { validators, expectations } = await readKnowledge(store, options, nowMs);
  const hosts = new Map<string, { known: number; due: number; visits: number; first: PlannedVisit[] }>();
  const hostOf = (visit: PageVisit) => {
    const { host } = new URL(visit.url);
    const counts = hosts.get(host) ?? { known: 0, due: 0, visits: 0, first: [] };
    if (hosts.size < MAX_PLANNED_HOSTS) hosts.set(host, counts);
    return { host, counts };
  };
  let due = 0;
  const countVisit = ({ visit }: ExpectedVisit, isDue: boolean): void => {
    const { counts } = hostOf(visit);
    if (isInCopy(visit)) counts.known += 1;
    if (!isDue) return;
    counts.due += 1;
    due += 1;
  };
  const choice = await chooseVisits(store, { ...expectations, sinceMs: nowMs + 1, maxPages: pages }, countVisit);
  // A part of the bound is for URLs that were never fetched.
  const reservedForNew = Math.min(store.counts().queued, Math.floor(choice.maxVisits * options.newShare));
  const maxVisits = pages === null ? choice.visits.length : Math.max(0, pages - reservedForNew);
  /** Pages that the bounds still allow for each host. */
  const allowed = new Map<string, number>();
  let [visits, freshAfter, changed, bytesSaved] = [0, choice.fresh, 0, 0];
  for (const { visit, value } of choice.visits) {
    const { host, counts } = hostOf(visit);
    const allowedVisits = allowed.get(host) ?? (await maxPagesOf(store, host, parts));
    if (visits >= maxVisits || allowedVisits <= 0) continue;
    allowed.set(host, allowedVisits - 1);
    visits += 1;
    counts.visits += 1;
    const isFresh = freshNow(visit, nowMs);
    freshAfter += 1 - isFresh;
    changed += 1 - isFresh;
    const conditions = usableConditions(conditionsOf(visit, visit.sentAs), await validators.of(host), nowMs);
    if (Object.keys(conditions).length > 0) bytesSaved += isFresh * visit.bytes;
    if (counts.first.length >= MAX_PLANNED_PAGES) continue;
    const { url, atMs: lastVisitMs, estimate } = visit;
    counts.first.push({ url, value, changesPerDay: changesPerDay(estimate), lastVisitMs });
  }
  return {
    format: 1,
    plannedAtMs: nowMs,
    ...{ known: choice.known, due, visits },
    sitemaps: (await dueSitemaps(store, nowMs)).length,
    freshNow: choice.known === 0 ? null : choice.fresh / choice.known,
    freshAfter: choice.known === 0 ? null : freshAfter / choice.known,
    ...{ changed, bytesSaved: Math.round(bytesSaved) },
    nextDueAtMs: choice.nextDueMs,
    hosts: [...hosts]
      .map(([host, each]) => ({ host, ...each }))
      .sort((a, b) => b.visits - a.visits || (a.host < b.host ? -1 : 1)),
  };
}

/** Pages that the bounds allow for a host, at its last known pace. */
async function maxPagesOf(
  store: PlanStore,
  host: string,
  { pagesPerHost, minutes }: RecrawlPlanParts,
): Promise<number> {
  const perHost = pagesPerHost ?? Number.POSITIVE_INFINITY;
  if (minutes === null) return perHost;
  const { interval } = await store.inspectHost(host);
  return Math.min(perHost, Math.ceil((minutes * 60_000) / Math.max(1, interval.ms)));
}

/** What is expected of pages now, and what is known about validators. @throws What the store throws. */
async function readKnowledge(
  store: Pick<Frontier, 'readRecord' | 'listRecords'>,
  options: ResolvedRecrawlOptions,
  nowMs: number,
) {
  const readOnly = { ...store, writeRecord: async () => undefined };
  const lastmods = new Lastmods(MAX_LASTMODS);
  await addStoredDates(store, lastmods, nowMs);
  const priors = new GroupPriors(await store.readRecord(PRIORS_KEY));
  const lastmodTrust = createLastmodTrust(readOnly);
  return {
    validators: createValidatorRecords(readOnly),
    expectations: { options, priors, lastmods, lastmodTrust, nowMs },
  };
}

/** Reads the visit. @returns `null`: no visit of the page was kept. @throws What the store throws. */
export async function inspectVisit(
  store: Pick<Frontier, 'readRecord' | 'listRecords'>,
  url: string,
  options: ResolvedRecrawlOptions,
  nowMs: number,
): Promise<VisitExplanation | null> {
  const stored = decodeVisit(await store.readRecord(visitKey(url)));
  if (stored === null) return null;
  const { expectations, validators } = await readKnowledge(store, options, nowMs);
  const { visit, claim, importance, value } = await expectedVisit(stored, expectations);
  const { host } = new URL(url);
  const { visits, changes, changedAtMs, estimate } = visit;
  const isConditional = Object.keys(conditionsOf(visit, visit.sentAs)).length > 0;
  const { etag, lastModified } = isConditional ? visit : NO_VALIDATORS;
  const { atMs: dueAtMs, why } = dueOf(visit, options, claim);
  const { untrustedUntilMs, restless, deliveryDates } = await validators.of(host);
  return {
    ...{ visits, changes, changedAtMs, etag, lastModified, lastVisitMs: visit.atMs, failures: visit.failures ?? 0 },
    ...estimate,
    changesPerDay: changesPerDay(estimate),
    fresh: freshNow(visit, nowMs),
    ...{ importance, value, dueAtMs, why },
    untrustedUntilMs: untrustedUntilMs > nowMs ? untrustedUntilMs : null,
    isEtagTrusted: restless < MIN_VISITS_FOR_VERDICT,
    isLastModifiedTrusted: deliveryDates < MIN_VISITS_FOR_VERDICT,
    lastmod: claim?.kind ?? null,
    lastmodTrust: await expectations.lastmodTrust.of(host),
  };
}
