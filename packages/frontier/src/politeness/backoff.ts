// Whether a URL is retried, and when: the URL column of the table in access §10.
// The host's own pause is kept by the host clock; the later of both times counts.

import { parseRetryAfter } from '@mannerly/robots/access';
import type { Exchange } from '../work.js';
import { answerKind } from './host-clock.js';
import { RETRY_AFTER_MAX_MS, RETRY_WAITS } from './limits.js';

/** What becomes of a URL after an exchange that did not give its page. */
export type UrlRetry =
  | { readonly kind: 'again'; readonly notBeforeMs: number }
  /** All retries are made. `last`: what the last try came to, in the words of `give-up`. */
  | { readonly kind: 'exhausted'; readonly last: string }
  /**
   * `reason`: the failure word where no response came, else `throttled` (429, 503), `server-error` (other 5xx, 408),
   * `refused-by-site` (401, 402, 403, 407, 451) or `status-not-retried`.
   */
  | { readonly kind: 'give-up'; readonly reason: string };

/** How long a URL waits before each retry, milliseconds. A list is as long as there are retries. */
export interface RetryWaits {
  /** After failures and 5xx. */
  readonly failureWaitsMs: readonly number[];
  /** After a 429 or 503. Retry-After makes a wait longer, never shorter. */
  readonly throttleWaitsMs: readonly number[];
}

/** Failures that the same request would meet again at once. */
const LASTING: ReadonlySet<string> = new Set([
  'headers-too-large',
  'encoding',
  'address-forbidden',
  'port-forbidden',
  'scheme-unsupported',
  'internal',
]);

/**
 * Retry or give up.
 *
 * @param tries - Exchanges made for this URL before this one, all of which ended in a retry.
 * @param waits - Absent: three retries, after 10, 20, 40 s; after a 429 or 503 after 30, 60, 120 s.
 * @returns `notBeforeMs` in epoch milliseconds, finite, after the end of the exchange.
 * @throws Never.
 * @see specification, access §10
 */
export function retryUrl(exchange: Exchange, tries: number, waits: RetryWaits = RETRY_WAITS): UrlRetry {
  const kind = answerKind(exchange);
  if (kind === 'good') return { kind: 'give-up', reason: 'status-not-retried' };
  if (kind === 'refused') return { kind: 'give-up', reason: 'refused-by-site' };
  const isLasting = kind !== 'throttled' && exchange.failure !== null && LASTING.has(exchange.failure);
  if (isLasting) return { kind: 'give-up', reason: reasonFor(exchange, kind) };
  const isThrottled = kind === 'throttled';
  const waitMs = (isThrottled ? waits.throttleWaitsMs : waits.failureWaitsMs)[tries];
  if (waitMs === undefined) return { kind: 'exhausted', last: reasonFor(exchange, kind) };
  const requiredMs = isThrottled ? Math.min(retryAfterMs(exchange) ?? 0, RETRY_AFTER_MAX_MS) : 0;
  return { kind: 'again', notBeforeMs: exchange.endedAtMs + Math.max(waitMs, requiredMs) };
}

/**
 * The time from which a redirect with Retry-After may be followed.
 *
 * @returns Epoch milliseconds, at most 24 hours after the exchange; `null` when the answer requires no wait.
 * @throws Never.
 * @see specification, access §10
 */
export function redirectNotBeforeMs(exchange: Exchange): number | null {
  const { status } = exchange;
  if (status === null || status < 300 || status > 399) return null;
  const requiredMs = retryAfterMs(exchange);
  return requiredMs === null || requiredMs === 0 ? null : exchange.endedAtMs + Math.min(requiredMs, RETRY_AFTER_MAX_MS);
}

function retryAfterMs(exchange: Exchange): number | null {
  return exchange.retryAfter === null ? null : parseRetryAfter(exchange.retryAfter, exchange.endedAtMs);
}

function reasonFor(exchange: Exchange, kind: 'throttled' | 'failing' | 'ours'): string {
  if (kind === 'throttled') return 'throttled';
  return exchange.failure ?? 'server-error';
}
