// Which pages a recrawl visits, the most valuable ones first.

import { MannerlyError } from '../errors.js';
import type { VisitLook } from '../report/visit-look.js';
import { changesPerDay } from './change-estimate.js';
import type { Claim } from './lastmod-trust.js';
import { MAX_IMPORTANCE, MIN_IMPORTANCE, MISSING_DAYS } from './limits.js';
import { lastTryMs, type PageVisit } from './page-visit.js';
import type { ResolvedRecrawlOptions } from './recrawl-options.js';
import { dueAfterDays, visitValue } from './visit-value.js';

const DAY_MS = 86_400_000;
/** A seed is worth four other pages. Recrawl 8.3. */
const SEED_IMPORTANCE = 4;
const USUAL_IMPORTANCE = 1;

interface DueOptions {
  /** Interval of a page that always changes, days; others are visited less often. `null`: every page is due. */
  readonly everyDays: number | null;
  readonly minDays: number;
  readonly maxDays: number;
}

/** Whether two visits in a row have found no page, or one that was final. */
export function isGone({ missing }: Pick<PageVisit, 'missing'>): boolean {
  return missing > 1;
}

/**
 * When a page is due, epoch milliseconds; `null`: it is gone.
 *
 * @param claim - What a sitemap or feed says of it, of one that is gone since the last try. @default nothing
 */
export function dueAtMs(visit: PageVisit, options: DueOptions, claim: Claim | null = null): number | null {
  return dueOf(visit, options, claim).atMs;
}

/** The same with the reason. */
export function dueOf(
  visit: PageVisit,
  { everyDays, minDays, maxDays }: DueOptions,
  claim: Claim | null,
): { readonly atMs: number | null; readonly why: VisitLook['why'] } {
  if (visit.reason === 'unavailable-after') return { atMs: null, why: 'gone' };
  if (isGone(visit)) {
    // What has moved for good is visited where it is now.
    const isNamed = claim?.says === 'changed' && visit.reason !== 'redirect';
    return isNamed ? { atMs: lastTryMs(visit), why: 'named' } : { atMs: null, why: 'gone' };
  }
  const perDay = changesPerDay(visit.estimate);
  const afterDays =
    everyDays === null ? 0 : Math.min(maxDays, Math.max(minDays, dueAfterDays(perDay, everyDays, claim)));
  const lastDays = (lastTryMs(visit) - visit.atMs) / DAY_MS;
  if (visit.missing === 1) {
    const days = lastDays > 0 ? Math.min(MISSING_DAYS, 2 * lastDays) : MISSING_DAYS;
    return { atMs: lastTryMs(visit) + days * DAY_MS, why: 'missing' };
  }
  const { failures = 0 } = visit;
  const failedDays = failures === 0 ? 0 : Math.min(maxDays, Math.max(minDays, afterDays) * 2 ** failures);
  const reasons = [
    { atMs: visit.atMs + afterDays * DAY_MS, why: everyDays === null ? 'bounds' : 'interval' },
    { atMs: lastTryMs(visit) + failedDays * DAY_MS, why: 'failed' },
    { atMs: visit.freshUntilMs ?? 0, why: 'lifetime' },
  ] as const;
  return reasons.reduce((latest, each) => (each.atMs > latest.atMs ? each : latest));
}

/**
 * The value of a visit now.
 *
 * @param importance - Of the page. @default `importanceOf`
 * @param claim - As for `dueAtMs`.
 */
export function valueNow(
  visit: PageVisit,
  nowMs: number,
  importance = importanceOf(visit),
  claim: Claim | null = null,
): number {
  const days = Math.max(0, nowMs - visit.atMs) / DAY_MS;
  return visitValue(changesPerDay(visit.estimate), days, importance, claim);
}

/**
 * How important a page is.
 *
 * @param own - The user's function. @default none
 * @throws MannerlyError `option-invalid` with what it threw, or for what is no number from 0.01 to 100.
 */
export function importanceOf(
  { url, userData, depth }: PageVisit,
  own: ResolvedRecrawlOptions['importance'] = null,
): number {
  const expected = `\`recrawl.importance\` must return a number from ${MIN_IMPORTANCE} to ${MAX_IMPORTANCE}, or undefined`;
  let given: number | undefined;
  try {
    given = own?.(url, userData);
  } catch (cause) {
    throw new MannerlyError('option-invalid', `${expected}; it threw for ${url}: ${String(cause)}`, { cause });
  }
  if (given === undefined) return depth === 0 ? SEED_IMPORTANCE : USUAL_IMPORTANCE;
  if (typeof given === 'number' && given >= MIN_IMPORTANCE && given <= MAX_IMPORTANCE) return given;
  throw new MannerlyError('option-invalid', `${expected}; for ${url} it returned ${String(given)}`);
}

/** The most valuable pages of those that are offered; others are forgotten. */
export class Choice {
  readonly #most: number;
  /** At most twice as many as are wanted: then the lesser half goes. */
  #chosen: { readonly value: number; readonly visit: PageVisit }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  offer(visit: PageVisit, value: number): void {
    this.#chosen.push({ value, visit });
    if (this.#chosen.length >= 2 * this.#most + 1_000) this.#cut();
  }

  /** In the order of their values; equal ones by URL, so that a run is the same whatever the store's order. */
  best(): readonly PageVisit[] {
    this.#cut();
    return this.#chosen.map(({ visit }) => visit);
  }

  #cut(): void {
    this.#chosen.sort((a, b) => b.value - a.value || (a.visit.url < b.visit.url ? -1 : 1));
    this.#chosen.length = Math.min(this.#chosen.length, this.#most);
  }
}
