// Which known pages a recrawl visits, and how fresh the copy is expected to be: one look at every record of a visit, by
// what is expected of it now. It changes nothing.

import type { Frontier } from '@mannerly/frontier';
import { expectedFresh } from './change-estimate.js';
import { Choice, dueAtMs, importanceOf, isGone, valueNow } from './choose-visits.js';
import { GroupPriors } from './group-priors.js';
import type { Lastmods } from './lastmod.js';
import type { Claim, LastmodTrust } from './lastmod-trust.js';
import { MAX_CHOSEN, VISITS_READ_AT_ONCE } from './limits.js';
import { decodeVisit, lastTryMs, type PageVisit, VISIT_PREFIX } from './page-visit.js';
import type { ResolvedRecrawlOptions } from './recrawl-options.js';

interface ChoiceParts {
  readonly options: ResolvedRecrawlOptions;
  readonly priors: GroupPriors;
  /** What sitemaps and feeds say, and how far it is believed. */
  readonly lastmods: Lastmods;
  readonly lastmodTrust: LastmodTrust;
  readonly nowMs: number;
  /** When the recrawl began: what it has visited since is not visited once more. */
  readonly sinceMs: number;
  /** Pages that it may fetch; `null`: any number. */
  readonly maxPages: number | null;
}

/** What is expected of a known page now. */
export interface ExpectedVisit {
  /** With the estimate of its group where nothing was seen of it yet. */
  readonly visit: PageVisit;
  readonly claim: Claim | null;
  /** When it is due, epoch milliseconds; `null`: it is gone. */
  readonly dueMs: number | null;
  readonly importance: number;
  /** What a visit now is worth. */
  readonly value: number;
}

interface VisitChoice {
  readonly visits: readonly PageVisit[];
  readonly most: number;
  /** Records of visits, pages that are gone included. */
  readonly records: number;
  /** Pages of the copy, and how many of them are expected to be as they were visited. */
  readonly known: number;
  readonly fresh: number;
  /** When the first page is due that is not due now, epoch milliseconds; `null`: none. */
  readonly nextDueMs: number | null;
  readonly groups: GroupPriors;
}

/** What is expected of a page. @throws MannerlyError `option-invalid` of its importance; what the store throws. */
export async function expectedVisit(kept: PageVisit, parts: Omit<ChoiceParts, 'sinceMs' | 'maxPages'>) {
  const { options, priors, lastmods, lastmodTrust, nowMs } = parts;
  const visit = priors.expected(kept);
  const sinceMs = isGone(visit) ? lastTryMs(visit) : visit.atMs;
  const claim = await lastmodTrust.claim(visit.url, lastmods, sinceMs, nowMs);
  const importance = importanceOf(visit, options.importance);
  const value = valueNow(visit, nowMs, importance, claim);
  return { visit, claim, importance, value, dueMs: dueAtMs(visit, options, claim) } satisfies ExpectedVisit;
}

/**
 * Chooses.
 *
 * @param seen - Called with each page that may be visited again. @default nothing
 * @param gone - Called with each page that is gone. @default nothing
 * @throws As `expectedVisit`; MannerlyError or FrontierError where the store cannot list its records.
 */
export async function chooseVisits(
  store: Pick<Frontier, 'listRecords'>,
  parts: ChoiceParts,
  seen: (expected: ExpectedVisit, isDue: boolean) => void = () => undefined,
  gone: (visit: PageVisit) => void = () => undefined,
): Promise<VisitChoice> {
  const { nowMs, sinceMs, maxPages } = parts;
  const most = Math.min(maxPages ?? MAX_CHOSEN, MAX_CHOSEN);
  const choice = new Choice(most);
  const groups = new GroupPriors();
  let [records, known, fresh] = [0, 0, 0];
  let nextDueMs: number | null = null;
  for await (const { value } of recordsOf(store, VISIT_PREFIX, VISITS_READ_AT_ONCE)) {
    const kept = decodeVisit(value);
    if (kept === null) continue;
    records += 1;
    groups.add(kept);
    const expected = await expectedVisit(kept, parts);
    const { dueMs, visit } = expected;
    if (isGone(visit)) gone(visit);
    if (dueMs === null) continue;
    if (!isGone(visit)) {
      known += 1;
      fresh += freshNow(visit, nowMs);
    }
    const isDue = dueMs <= nowMs && lastTryMs(visit) < sinceMs;
    if (isDue) choice.offer(visit, expected.value);
    else if (dueMs > nowMs) nextDueMs = Math.min(nextDueMs ?? dueMs, dueMs);
    seen(expected, isDue);
  }
  return { visits: choice.best(), most, records, known, fresh, nextDueMs, groups };
}

/** How likely the copy of a page is as the page is now. */
export function freshNow({ estimate, atMs }: PageVisit, nowMs: number): number {
  return expectedFresh(estimate, Math.max(0, nowMs - atMs) / DAY_MS);
}

const DAY_MS = 86_400_000;

/** All records whose keys begin so, some at a time. */
export async function* recordsOf(
  store: Pick<Frontier, 'listRecords'>,
  prefix: string,
  atOnce: number,
): AsyncGenerator<{ readonly key: string; readonly value: Uint8Array }> {
  let cursor: string | null = null;
  do {
    const listing: Awaited<ReturnType<Frontier['listRecords']>> = await store.listRecords(prefix, cursor, atOnce);
    yield* listing.items;
    cursor = listing.cursor;
  } while (cursor !== null);
}
