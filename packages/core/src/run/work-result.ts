// What a piece of work leads to, as a value: a decision with the links that are committed with it, or what only the
// frontier gets to know.

import { setImmediate } from 'node:timers/promises';
import { type NewUrl, type PageWork, retryUrl, type Settlement } from '@mannerly/frontier';
import type { Refusal } from '../admit/admit.js';
import { exchangeOf, type FetchOutcome, isRefusedByGuard } from '../fetch/outcome.js';
import type { PageOutcome } from '../journal/journal.js';
import type { Item } from '../output/sink.js';
import type { ItemsLeft } from '../page/exclusion.js';
import { ADMITTED_AT_ONCE } from './limits.js';
import type { Run } from './run.js';

export type WorkResult =
  /** A page: the decision about it, the links that are committed with it, and those that were refused. */
  | {
      readonly kind: 'page';
      readonly work: PageWork;
      readonly decision: PageOutcome & { readonly isPage: boolean };
      readonly links: readonly NewUrl[];
      readonly refused: readonly Refusal[];
      /** Written before the commit, behind a tombstone of the page. @default none, or they are written already */
      readonly items?: readonly Item[];
    }
  /** Only the frontier gets to know it. */
  | { readonly kind: 'settlement'; readonly settlement: Settlement };

type PageDecided = Extract<WorkResult, { readonly kind: 'page' }>;

export function settled(settlement: Settlement): WorkResult {
  return { kind: 'settlement', settlement };
}

/** Back to the queue. */
export const RETURNED: WorkResult = settled({ kind: 'returned', untilMs: null });

/** Out of the queue, and decided already. */
export const OVER: WorkResult = settled({ kind: 'done', countsAsPage: false, links: [] });

/** The decision about a page. Its candidates are admitted here, so that what waits for a commit is small. */
export function decided(
  run: Run,
  work: PageWork,
  decision: PageOutcome & { readonly isPage: boolean },
  candidates: readonly NewUrl[] = [],
): PageDecided {
  return { kind: 'page', work, decision, ...admitted(run, candidates) };
}

function admitted({ admit, journal }: Run, candidates: readonly NewUrl[]) {
  const { admitted: links, refused, known } = admit(candidates);
  journal.admitted(links);
  journal.admitted(known);
  return { links, refused };
}

/** The same of thousands of candidates, with turns for others. */
export async function admittedInSlices(run: Run, candidates: readonly NewUrl[]) {
  if (candidates.length <= ADMITTED_AT_ONCE) return admitted(run, candidates);
  const links: NewUrl[] = [];
  const refused: Refusal[] = [];
  for (let at = 0; at < candidates.length; at += ADMITTED_AT_ONCE) {
    if (at > 0) await setImmediate();
    const part = admitted(run, candidates.slice(at, at + ADMITTED_AT_ONCE));
    links.push(...part.links);
    refused.push(...part.refused);
  }
  return { links, refused };
}

/** The decision about a page whose items may not be kept. */
export function excluded(run: Run, work: PageWork, httpStatus: number, left: ItemsLeft): WorkResult {
  return decided(run, work, { ...wordOf(left), httpStatus, isPage: true });
}

/** A licence that is not met holds: the site has said how, not no (licensing C13). */
export function wordOf({ reason, detail }: ItemsLeft): PageOutcome {
  return { status: reason === 'license' ? 'held' : 'excluded', reason, layer: 'page', detail };
}

/** The decision about a page that failed. */
export function failed(run: Run, work: PageWork, failure: Omit<PageOutcome, 'status'>): PageDecided {
  return decided(run, work, { status: 'failed', ...failure, isPage: true });
}

/** Whether an exchange is tried again; `null`: our own guard refused it, so the host was not requested. */
export function retryOf({ options }: Run, work: PageWork, outcome: FetchOutcome): ReturnType<typeof retryUrl> | null {
  return isRefusedByGuard(outcome) ? null : retryUrl(exchangeOf(outcome), work.record.tries, options.retries);
}

/** No response came. @param wasRequested - Otherwise our own guard refused it. */
export function failedResult(
  run: Run,
  work: PageWork,
  { failure: reason, detail }: Extract<FetchOutcome, { kind: 'failed' }>,
  wasRequested: boolean,
): WorkResult {
  const status = wasRequested ? 'failed' : 'dropped';
  const isPage = wasRequested && work.record.via !== 'companion';
  return decided(run, work, { status, reason, layer: 'fetch', detail, isPage });
}

/** A redirect. @param target - `null`: it is not followed here. */
export function redirectResult(
  run: Run,
  work: PageWork,
  httpStatus: number,
  detail: string,
  target: NewUrl | null,
): WorkResult {
  const decision = { status: 'fetched', reason: 'redirect', layer: 'fetch', httpStatus, detail } as const;
  return decided(run, work, { ...decision, isPage: false }, target === null ? [] : [target]);
}
