// Which known pages a recrawl visits, the most valuable first, and how fresh the copy is expected to be: one pass over
// all records of visits, with current expectations. Each missed change counts a little less than the one before, so
// pages that always change do not take everything, and no page is neglected.

import type { Frontier } from '@mannerly/frontier';
import { MannerlyError, textOf } from '../errors.js';
import type { VisitExplanation } from '../report/explain.js';
import { changesPerDay, expectedFresh, GroupPriors } from './change-estimate.js';
import type { Claim, LastmodTrust } from './host-trust.js';
import type { Lastmods } from './lastmod.js';
import {
  DAY_MS,
  MAX_CHOSEN_URLS,
  MAX_IMPORTANCE,
  MAX_MISSING_DAYS,
  MIN_IMPORTANCE,
  VISIT_BATCH_RECORDS,
} from './limits.js';
import { decodeVisit, lastAttemptMs, type PageVisit, VISIT_PREFIX } from './page-visit.js';
import type { ResolvedRecrawlOptions } from './recrawl-options.js';

export type VisitStore = Pick<Frontier, 'readRecord' | 'writeRecord' | 'listRecords'>;

interface ChoiceParts {
  readonly options: ResolvedRecrawlOptions;
  readonly priors: GroupPriors;
  /** What sitemaps and feeds say, and how much it is trusted. */
  readonly lastmods: Lastmods;
  readonly lastmodTrust: LastmodTrust;
  readonly nowMs: number;
  /** When the recrawl began: what it has visited since is not visited again. */
  readonly sinceMs: number;
  /** The most pages that it may fetch; `null`: any number. */
  readonly maxPages: number | null;
}

export type ExpectedVisit = Awaited<ReturnType<typeof expectedVisit>>;

/** A page that is due; others need no memory. */
type DueVisit = Pick<ExpectedVisit, 'visit' | 'value'>;

/** What is expected of a page. @throws MannerlyError `option-invalid` for its importance; what the store throws. */
export async function expectedVisit(stored: PageVisit, parts: Omit<ChoiceParts, 'sinceMs' | 'maxPages'>) {
  const { options, priors, lastmods, lastmodTrust, nowMs } = parts;
  /** With the estimate of its group if the page was visited only once. */
  const visit = priors.withExpectedEstimate(stored);
  const sinceMs = isGone(visit) ? lastAttemptMs(visit) : visit.atMs;
  const claim = await lastmodTrust.claim(visit.url, lastmods, sinceMs, nowMs);
  const importance = importanceOf(visit, options.importance);
  const value = visitValue(changesPerDay(visit.estimate), daysSince(visit, nowMs), importance, claim);
  // `null`: it is gone.
  const dueMs = dueOf(visit, options, claim).atMs;
  return { visit, claim, importance, value, dueMs };
}

/**
 * Reads all records of visits. `records`: their number, including pages that are gone. `known`: pages of the copy.
 * `fresh`: how many of them are expected to be unchanged. `nextDueMs`: when the next page becomes due that is not due
 * now, epoch milliseconds; `null`: none.
 * @param onVisit - Called with each page that may be visited again. @param onGone - Called with each page that is gone.
 * @throws As `expectedVisit`; MannerlyError or FrontierError if the store cannot list its records.
 */
export async function chooseVisits(
  store: Pick<Frontier, 'listRecords'>,
  parts: ChoiceParts,
  onVisit: (expected: ExpectedVisit, isDue: boolean) => void = () => undefined,
  onGone: (visit: PageVisit) => void = () => undefined,
) {
  const { nowMs, sinceMs, maxPages } = parts;
  const maxVisits = Math.min(maxPages ?? MAX_CHOSEN_URLS, MAX_CHOSEN_URLS);
  let dueVisits: DueVisit[] = [];
  const groups = new GroupPriors();
  let [records, known, fresh] = [0, 0, 0];
  let nextDueMs: number | null = null;
  for await (const { value } of recordsOf(store, VISIT_PREFIX, VISIT_BATCH_RECORDS)) {
    const stored = decodeVisit(value);
    if (stored === null) continue;
    records += 1;
    groups.add(stored);
    const expected = await expectedVisit(stored, parts);
    const { dueMs, visit } = expected;
    if (isGone(visit)) onGone(visit);
    if (dueMs === null) continue;
    if (isInCopy(visit)) {
      known += 1;
      fresh += freshNow(visit, nowMs);
    }
    // A clock was wrong then, or is now. One visit puts that right.
    const isAhead = lastAttemptMs(visit) > nowMs + DAY_MS;
    const isDue = isAhead || (dueMs <= nowMs && lastAttemptMs(visit) < sinceMs);
    if (isDue) {
      dueVisits.push({ visit, value: expected.value });
      if (dueVisits.length >= 2 * maxVisits + 1_000) dueVisits = mostValuable(dueVisits, maxVisits);
    } else if (dueMs > nowMs) nextDueMs = Math.min(nextDueMs ?? dueMs, dueMs);
    onVisit(expected, isDue);
  }
  return { visits: mostValuable(dueVisits, maxVisits), maxVisits, records, known, fresh, nextDueMs, groups };
}

/** Whether the copy has the page: it was fetched, and is not gone. */
export function isInCopy(visit: Pick<PageVisit, 'visits' | 'missing'>): boolean {
  return visit.visits > 0 && !isGone(visit);
}

/** The probability that the copy of a page is current. */
export function freshNow({ estimate, atMs }: PageVisit, nowMs: number): number {
  return expectedFresh(estimate, daysSince({ atMs }, nowMs));
}

/** Days since the last visit with a result. */
export function daysSince({ atMs }: Pick<PageVisit, 'atMs'>, nowMs: number): number {
  return Math.max(0, nowMs - atMs) / DAY_MS;
}

export async function* recordsOf(
  store: Pick<Frontier, 'listRecords'>,
  prefix: string,
  batchSize: number,
): AsyncGenerator<{ readonly key: string; readonly value: Uint8Array }> {
  let cursor: string | null = null;
  do {
    const listing: Awaited<ReturnType<Frontier['listRecords']>> = await store.listRecords(prefix, cursor, batchSize);
    yield* listing.items;
    cursor = listing.cursor;
  } while (cursor !== null);
}

/** A seed is worth four other pages. Recrawl 8.3. */
const SEED_IMPORTANCE = 4;
const USUAL_IMPORTANCE = 1;

type DueOptions = Pick<ResolvedRecrawlOptions, 'everyDays' | 'minDays' | 'maxDays'>;

/** The decision about a page, with the answer. `detail`: for a redirect, its target. */
export type AnsweredDecision = Pick<PageVisit, 'status' | 'reason'> & {
  readonly httpStatus?: number | null;
  readonly detail?: string | null;
};

/** Where a page has moved permanently; `null`: nowhere. */
export function movedTo({ reason, httpStatus, detail }: AnsweredDecision): string | null {
  return reason === 'redirect' && (httpStatus === 301 || httpStatus === 308) ? (detail ?? null) : null;
}

/** Consecutive visits that found no page, after an answer. After two it is gone. */
export function missingAfter({ missing }: Pick<PageVisit, 'missing'>, httpStatus: number | null | undefined): number {
  return httpStatus === 410 ? 2 : httpStatus === 404 ? Math.min(2, missing + 1) : 0;
}

/** Whether two consecutive visits found no page, or one found a final answer. */
export function isGone({ missing }: Pick<PageVisit, 'missing'>): boolean {
  return missing > 1;
}

/**
 * When a page is due, epoch milliseconds, and why; `null`: it is gone. @param claim - What a sitemap or feed says of it
 * since the last try
 */
export function dueOf(
  visit: PageVisit,
  { everyDays, minDays, maxDays }: DueOptions,
  claim: Claim | null = null,
): { readonly atMs: number | null; readonly why: VisitExplanation['why'] } {
  if (visit.reason === 'unavailable-after') return { atMs: null, why: 'gone' };
  if (isGone(visit)) {
    // A page that has moved permanently is visited at its new URL.
    const isListedAgain = claim?.kind === 'changed' && visit.reason !== 'redirect';
    return isListedAgain ? { atMs: lastAttemptMs(visit), why: 'named' } : { atMs: null, why: 'gone' };
  }
  const perDay = changesPerDay(visit.estimate);
  const afterDays =
    everyDays === null ? 0 : Math.min(maxDays, Math.max(minDays, dueAfterDays(perDay, everyDays, claim)));
  const lastDays = (lastAttemptMs(visit) - visit.atMs) / DAY_MS;
  if (visit.missing === 1) {
    const days = lastDays > 0 ? Math.min(MAX_MISSING_DAYS, 2 * lastDays) : MAX_MISSING_DAYS;
    return { atMs: lastAttemptMs(visit) + days * DAY_MS, why: 'missing' };
  }
  const { failures = 0 } = visit;
  // A page that never answered has no interval yet.
  const intervalDays = visit.visits === 0 && failures > 0 && visit.reason !== 'redirect' ? 0 : afterDays;
  const failedDays = failures === 0 ? 0 : Math.min(maxDays, Math.max(minDays, intervalDays) * 2 ** failures);
  const reasons = [
    { atMs: visit.atMs + intervalDays * DAY_MS, why: everyDays === null ? 'bounds' : 'interval' },
    { atMs: lastAttemptMs(visit) + failedDays * DAY_MS, why: 'failed' },
    { atMs: visit.freshUntilMs ?? 0, why: 'lifetime' },
  ] as const;
  return reasons.reduce((latest, each) => (each.atMs > latest.atMs ? each : latest));
}

/**
 * @throws MannerlyError `option-invalid` with what the user's function threw, or if it is not a number from 0.01 to
 * 100.
 */
export function importanceOf(
  { url, userData, depth }: PageVisit,
  userImportance: ResolvedRecrawlOptions['importance'] = null,
): number {
  const expected = `\`recrawl.importance\` must return a number from ${MIN_IMPORTANCE} to ${MAX_IMPORTANCE}, or undefined`;
  let importance: number | undefined;
  try {
    importance = userImportance?.(url, userData);
  } catch (cause) {
    throw new MannerlyError('option-invalid', `${expected}; it threw for ${url}: ${textOf(cause)}`, { cause });
  }
  if (importance === undefined) return depth === 0 ? SEED_IMPORTANCE : USUAL_IMPORTANCE;
  if (typeof importance === 'number' && importance >= MIN_IMPORTANCE && importance <= MAX_IMPORTANCE) return importance;
  throw new MannerlyError('option-invalid', `${expected}; for ${url} it returned ${String(importance)}`);
}

/** The most valuable pages, in order; ties by URL, so that a run does not depend on the store's order. */
function mostValuable(dueVisits: readonly DueVisit[], maxVisits: number): DueVisit[] {
  return [...dueVisits].sort((a, b) => b.value - a.value || (a.visit.url < b.visit.url ? -1 : 1)).slice(0, maxVisits);
}

/** What a sitemap or feed says about the page, as far as the value depends on it; `null`: nothing. */
type ClaimValue = Pick<Claim, 'kind' | 'weight'> | null;

/**
 * The value of a visit, in days of staleness that it ends. It grows without bound with the time since the last visit.
 */
export function visitValue(perDay: number, days: number, importance = 1, claim: ClaimValue = null): number {
  const value = (importance * perDay * days ** 2) / (1 + perDay * days);
  if (claim === null) return value;
  return claim.kind === 'changed' ? Math.max(value, importance * claim.weight * days) : (1 - claim.weight) * value;
}

/**
 * Days after the last visit when `visitValue` of a usual page reaches `everyDays`, which is the interval of a page that
 * always changes; others are visited less often.
 */
export function dueAfterDays(perDay: number, everyDays: number, claim: ClaimValue = null): number {
  const value = claim?.kind === 'unchanged' ? everyDays / (1 - claim.weight) : everyDays;
  const days = (value + Math.sqrt(value ** 2 + (4 * value) / perDay)) / 2;
  return claim?.kind === 'changed' ? Math.min(days, everyDays / claim.weight) : days;
}
