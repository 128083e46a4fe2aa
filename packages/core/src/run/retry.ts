// Retries of failures: the URLs whose last decision is a failure that a filter names, queued for one more visit. The
// visit is numbered after the failure, so that a second retry, or one after a crash, queues nothing twice.

import type { AddAnswer, NewUrl } from '@mannerly/frontier';
import { invalidOption } from '../errors.js';
import { present } from '../present.js';
import type { UrlDecision } from '../report/decision.js';
import { REASONS, reasonOf } from '../report/reasons.js';
import { MAX_RETRIED_URLS } from './limits.js';

/** Which failures. What is absent does not narrow. */
export interface RetryFilter {
  /** Reasons, such as `timeout-exchange`; a `*` at the end stands for any ending, as in `status-5*`. */
  readonly reason?: string | readonly string[];
  /** Host name of the URL. */
  readonly host?: string;
  /** Only failures of this time or later, epoch milliseconds. */
  readonly sinceMs?: number;
  /** URLs at most, 1 to 100,000; the rest with the next call. @default 100,000 */
  readonly limit?: number;
}

/** What became of a retry. */
export interface RetryAnswer {
  /** Queued for one more visit. */
  readonly queued: number;
  /** Waiting for a visit of an earlier retry. */
  readonly known: number;
  /** Closed by robots.txt, the scope or a bound by now, or the queue is full; each has its decision in the log. */
  readonly refused: number;
  /** Whether the limit left some out. */
  readonly more: boolean;
}

export interface FailureFilter {
  readonly fits: (decision: UrlDecision) => boolean;
  readonly limit: number;
}

/** Checks a filter. @throws MannerlyError `option-invalid`. */
export function resolveRetryFilter(filter: RetryFilter): FailureFilter {
  if (typeof filter !== 'object' || filter === null) throw invalidOption('retry', 'an object', filter);
  const { reason, host, sinceMs = 0, limit = MAX_RETRIED_URLS, ...others } = filter;
  if (Object.keys(others).length > 0)
    throw invalidOption('retry', 'an object of reason, host, sinceMs and limit', filter);
  const words = reason === undefined ? null : typeof reason === 'string' ? [reason] : reason;
  if (words?.some((word) => typeof word !== 'string' || word === '') === true) {
    throw invalidOption('retry.reason', 'a reason, or a list of them', reason);
  }
  const unknown = words?.find((word) => !FAILURES.some((failure) => fitsReason(failure, word)));
  if (unknown !== undefined) {
    const hint = /^[1-5](\d\d|\d?\*)$/.test(unknown) ? `Did you mean status-${unknown}?` : `Failures: ${LISTED}.`;
    throw invalidOption('retry.reason', 'the reason of a failure', unknown, hint);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RETRIED_URLS) {
    throw invalidOption('retry.limit', `a whole number from 1 to ${MAX_RETRIED_URLS}`, limit);
  }
  const fits = (decision: UrlDecision): boolean => {
    if (!isRetried(decision) || decision.atMs < sinceMs) return false;
    if (host !== undefined && new URL(decision.url).hostname !== host.toLowerCase()) return false;
    return words === null || words.some((word) => saysReason(decision, word));
  };
  return { fits, limit };
}

/** Failures, and what a licence held: a person may have acted since. */
function isRetried({ status, reason }: UrlDecision): boolean {
  return status === 'failed' || (status === 'held' && reason === 'license');
}

/** Every reason of a failure; each status is one of its own. */
const FAILURES = Object.keys(REASONS).flatMap((reason) => {
  if (reason === 'status') return Array.from({ length: 500 }, (_, at) => `status-${100 + at}`);
  return reasonOf(reason)?.statuses.includes('failed') === true || reason === 'license' ? [reason] : [];
});

const LISTED = [...FAILURES.filter((reason) => !reason.startsWith('status-')), 'status-404 and the like'].join(', ');

function fitsReason(reason: string, word: string): boolean {
  return word.endsWith('*') ? reason.startsWith(word.slice(0, -1)) : reason === word;
}

/** The last failure of a URL whose retries are exhausted is at the beginning of its detail. */
function saysReason({ reason, detail }: UrlDecision, word: string): boolean {
  const last = reason === 'retries-exhausted' ? (/^[a-z0-9-]+/.exec(detail ?? '')?.[0] ?? '') : '';
  return fitsReason(reason, word) || (last !== '' && fitsReason(last, word));
}

/** The URLs whose last decision fits; memory is bounded by the limit. @throws What the decisions throw. */
export async function findFailures(
  decisions: AsyncIterable<UrlDecision>,
  { fits, limit }: FailureFilter,
): Promise<{ readonly failures: readonly UrlDecision[]; readonly more: boolean }> {
  const found = new Map<string, UrlDecision>();
  let more = false;
  for await (const decision of decisions) {
    if (!fits(decision)) found.delete(decision.url);
    else if (found.size < limit || found.has(decision.url)) found.set(decision.url, decision);
    else more = true;
  }
  return { failures: [...found.values()], more };
}

/** The candidate for one more visit; `null` for companion files, which are requested again by themselves. */
export function retriedUrl({ url, depth, from, atMs, carried, reason, replaces }: UrlDecision): NewUrl | null {
  if (carried?.via === 'companion') return null;
  // The process may have died after the items of its first visit were written: the same visit has the same ids.
  const isSameVisit = reason === 'poison' && replaces === undefined;
  return {
    url,
    depth: depth ?? 0,
    via: carried?.via ?? (from === null ? 'seed' : 'link'),
    ...(isSameVisit ? { dedupe: false } : { visit: Math.max(1, Math.ceil(atMs)) }),
    ...present({ from, label: carried?.label, userData: carried?.userData }),
  };
}

/** What became of the candidates of a retry. Never throws. */
export function retryAnswer(offered: number, answers: readonly AddAnswer[], more: boolean): RetryAnswer {
  const count = (kind: AddAnswer['kind']): number => answers.filter((answer) => answer.kind === kind).length;
  const [queued, known] = [count('new'), count('known')];
  return { queued, known, refused: offered - queued - known, more };
}
