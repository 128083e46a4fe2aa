// The result of a piece of work, as a value: a decision about a page with candidates for admission, or a settlement
// that only the frontier sees. It holds no part of the page.

import { type NewUrl, type PageWork, retryUrl, type Settlement } from '@mannerly/frontier';
import { exchangeOf, type FailedOutcome, type FetchOutcome, isRefusedByGuard } from '../fetch/outcome.js';
import type { PageOutcome } from '../journal/journal.js';
import type { Item } from '../output/sink.js';
import type { ItemsWithheld } from '../page/exclusion.js';
import type { Run } from './run.js';

/** A page, and what is committed with its decision. */
export interface Decided {
  readonly kind: 'decided';
  readonly decision: PageOutcome;
  /** Links and the like, before admission. */
  readonly candidates: readonly NewUrl[];
  /** Written before the commit, after a tombstone of the page. The items of most pages are already written. */
  readonly items: readonly Item[];
}

export type WorkResult = Decided | { readonly kind: 'settlement'; readonly settlement: Settlement };

export function decided(
  decision: PageOutcome,
  candidates: readonly NewUrl[] = [],
  items: readonly Item[] = [],
): Decided {
  return { kind: 'decided', decision, candidates, items };
}

export function settled(settlement: Settlement): WorkResult {
  return { kind: 'settlement', settlement };
}

/** The URL is requested once more. */
export function requestAgain(notBeforeMs: number): WorkResult {
  return settled({ kind: 'again', notBeforeMs });
}

/** The URL returns to the queue. */
export const RETURNED: WorkResult = settled({ kind: 'returned', untilMs: null });

/** The URL leaves the queue, because it is already decided. */
export const ALREADY_DECIDED: WorkResult = settled({ kind: 'done', countsAsPage: false, links: [] });

/** The decision about a page whose items may not be kept. If a licence is not met, it is held (licensing C13). */
export function withoutItems(httpStatus: number, { reason, detail }: ItemsWithheld): PageOutcome {
  const status = reason === 'license' ? 'held' : 'excluded';
  return { status, reason, layer: 'page', detail, httpStatus, isPage: true };
}

/** A page that failed. */
export function failed(failure: Omit<PageOutcome, 'status' | 'isPage'>): Decided {
  return decided({ status: 'failed', ...failure, isPage: true });
}

/** Whether an exchange is retried; `null`: our own guard refused it, so the host was not requested. */
export function retryOf({ options }: Run, work: PageWork, outcome: FetchOutcome): ReturnType<typeof retryUrl> | null {
  return isRefusedByGuard(outcome) ? null : retryUrl(exchangeOf(outcome), work.record.tries, options.retries);
}

/** No response was received. @param wasRequested - `false`: our own guard refused the request. */
export function unanswered(
  { record }: PageWork,
  { failure: reason, detail }: FailedOutcome,
  wasRequested: boolean,
): WorkResult {
  const status = wasRequested ? 'failed' : 'dropped';
  return decided({ status, reason, layer: 'fetch', detail, isPage: wasRequested && record.via !== 'companion' });
}

/**
 * A redirect. Its target waits for the time that the answer names (access §10).
 *
 * @param target - `null`: the redirect is not followed here.
 */
export function redirected(
  httpStatus: number,
  { url: detail, notBeforeMs }: { readonly url: string; readonly notBeforeMs: number | null },
  target: NewUrl | null,
): WorkResult {
  const decision = { status: 'fetched', reason: 'redirect', layer: 'fetch', httpStatus, detail } as const;
  if (target === null) return decided(decision);
  return decided(decision, [notBeforeMs === null ? target : { ...target, notBeforeMs }]);
}
