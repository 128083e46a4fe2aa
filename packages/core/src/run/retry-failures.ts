// Retries of failures: URLs whose last decision is a failure that matches a filter are queued for one more visit. The
// visit is numbered after the failure, so that a second retry, or one after a crash, queues nothing twice.

import type { AddAnswer, NewUrl } from '@mannerly/frontier';
import { invalidOption } from '../errors.js';
import { present } from '../present.js';
import type { UrlDecision } from '../report/decision.js';
import { isRetryable, REASONS, reasonOf } from '../report/reasons.js';
import { MAX_RETRIED_URLS } from './limits.js';

/** Which failures to retry. Absent fields match everything. */
export interface RetryFilter {
  /** Reasons, such as `timeout-exchange`. A `*` at the end matches any ending, as in `status-5*`. */
  readonly reason?: string | readonly string[];
  /** Host name of the URL. */
  readonly host?: string;
  /** Only failures at or after this time, epoch milliseconds. */
  readonly sinceMs?: number;
  /** The most URLs, 1 to 100,000; the next call retries the rest. @default 100,000 */
  readonly limit?: number;
}

/** The result of a retry. */
export interface RetryAnswer {
  /** URLs queued for one more visit. */
  readonly queued: number;
  /** URLs still waiting for a visit from an earlier retry. */
  readonly known: number;
  /**
   * URLs now excluded by robots.txt, the scope or a bound, or for which the queue is full. Each has its decision in the
   * log.
   */
  readonly refused: number;
  /** Whether the limit left some out. */
  readonly more: boolean;
}

export interface FailureFilter {
  readonly matches: (decision: UrlDecision) => boolean;
  readonly limit: number;
}

/** Checks a filter. @throws MannerlyError `option-invalid`. */
export function resolveRetryFilter(filter: RetryFilter): FailureFilter {
  if (typeof filter !== 'object' || filter === null) throw invalidOption('retry', 'an object', filter);
  const { reason, host, sinceMs = 0, limit = MAX_RETRIED_URLS, ...others } = filter;
  if (Object.keys(others).length > 0)
    throw invalidOption('retry', 'an object of reason, host, sinceMs and limit', filter);
  const reasons = reason === undefined ? null : typeof reason === 'string' ? [reason] : reason;
  if (reasons?.some((pattern) => typeof pattern !== 'string' || pattern === '') === true) {
    throw invalidOption('retry.reason', 'a reason, or a list of them', reason);
  }
  const unknown = reasons?.find((pattern) => !FAILURES.some((failure) => matchesReason(failure, pattern)));
  if (unknown !== undefined) {
    const hint = /^[1-5](\d\d|\d?\*)$/.test(unknown) ? `Did you mean status-${unknown}?` : `Failures: ${FAILURE_LIST}.`;
    throw invalidOption('retry.reason', 'the reason of a failure', unknown, hint);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RETRIED_URLS) {
    throw invalidOption('retry.limit', `a whole number from 1 to ${MAX_RETRIED_URLS}`, limit);
  }
  const matches = (decision: UrlDecision): boolean => {
    if (!isRetryable(decision) || decision.atMs < sinceMs) return false;
    if (host !== undefined && new URL(decision.url).hostname !== host.toLowerCase()) return false;
    return reasons === null || reasons.some((pattern) => hasReason(decision, pattern));
  };
  return { matches, limit };
}

/** Every reason of a failure; each HTTP status has its own. */
const FAILURES = Object.keys(REASONS).flatMap((reason) => {
  if (reason === 'status') return Array.from({ length: 500 }, (_, at) => `status-${100 + at}`);
  return reasonOf(reason)?.statuses.some((status) => isRetryable({ status, reason })) === true ? [reason] : [];
});

const FAILURE_LIST = [...FAILURES.filter((each) => !each.startsWith('status-')), 'status-404 and the like'].join(', ');

function matchesReason(reason: string, pattern: string): boolean {
  return pattern.endsWith('*') ? reason.startsWith(pattern.slice(0, -1)) : reason === pattern;
}

/** If a URL's retries are exhausted, its detail begins with the reason of its last failure. */
function hasReason({ reason, detail }: UrlDecision, pattern: string): boolean {
  const last = reason === 'retries-exhausted' ? (/^[a-z0-9-]+/.exec(detail ?? '')?.[0] ?? '') : '';
  return matchesReason(reason, pattern) || (last !== '' && matchesReason(last, pattern));
}

/** The URLs whose last decision matches. The limit bounds the memory. @throws What the decisions throw. */
export async function findFailures(
  decisions: AsyncIterable<UrlDecision>,
  { matches, limit }: FailureFilter,
): Promise<{ readonly failures: readonly UrlDecision[]; readonly more: boolean }> {
  const found = new Map<string, UrlDecision>();
  let more = false;
  for await (const decision of decisions) {
    if (!matches(decision)) found.delete(decision.url);
    else if (found.size < limit || found.has(decision.url)) found.set(decision.url, decision);
    else more = true;
  }
  return { failures: [...found.values()], more };
}

/** The candidate for one more visit; `null` for companion files, which are requested again anyway. */
export function retryCandidate({ url, depth, from, atMs, carried, reason, replaces }: UrlDecision): NewUrl | null {
  if (carried?.via === 'companion') return null;
  // The process may have died after the first visit's items were written. The same visit gives them the same ids.
  const isSameVisit = reason === 'poison' && replaces === undefined;
  return {
    url,
    depth: depth ?? 0,
    via: carried?.via ?? (from === null ? 'seed' : 'link'),
    ...(isSameVisit ? { dedupe: false } : { visit: Math.max(1, Math.ceil(atMs)) }),
    ...present({ from, label: carried?.label, userData: carried?.userData }),
  };
}

/** Summarizes the answers to a retry's candidates. Never throws. */
export function summarizeRetry(offered: number, answers: readonly AddAnswer[], more: boolean): RetryAnswer {
  const count = (kind: AddAnswer['kind']): number => answers.filter((answer) => answer.kind === kind).length;
  const [queued, known] = [count('new'), count('known')];
  return { queued, known, refused: offered - queued - known, more };
}
