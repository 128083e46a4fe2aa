// What becomes of a URL after an exchange that did not return its page, by the URL column of the table in access §10.
// Its host may have to wait longer (`host-clock.ts`): the later of both times counts. Pure.

import type { Exchange } from '../work.js';
import { answerKind, requiredWaitMs } from './host-clock.js';
import { RETRY_WAITS } from './limits.js';

/** What becomes of a URL after an exchange that did not return its page. */
export type UrlRetry =
  | { readonly kind: 'again'; readonly notBeforeMs: number }
  /** All retries are used up. `last`: the result of the last try, as a `reason` of `give-up`. */
  | { readonly kind: 'exhausted'; readonly last: string }
  /**
   * `reason`: the failure code if there was no response, otherwise `throttled` (429, 503), `server-error` (other 5xx,
   * 408), `refused-by-site` (401, 402, 403, 407, 451) or `status-not-retried`.
   */
  | { readonly kind: 'give-up'; readonly reason: string };

/** How long a URL waits before each retry, milliseconds. The length of a list is the number of retries. */
export interface RetryWaits {
  /** After failures and 5xx. Retry-After makes a wait longer, never shorter. */
  readonly failureWaitsMs: readonly number[];
  /** After a 429 or 503. The same. */
  readonly throttleWaitsMs: readonly number[];
}

/** Failures that the same request would hit again at once. */
const LASTING_FAILURES: ReadonlySet<string> = new Set([
  ...['headers-too-large', 'encoding', 'address-forbidden', 'port-forbidden', 'scheme-unsupported', 'proxy-refused'],
  'internal',
]);

/**
 * Decides between retrying and giving up.
 *
 * @param attempts - Exchanges made for this URL before this one, all of which ended in a retry.
 * @param waits - Absent: three retries, after 10, 20, 40 s; after a 429 or 503 after 30, 60, 120 s.
 * @returns `notBeforeMs` in epoch milliseconds, finite, after the end of the exchange.
 * @throws Never.
 * @see specification, access §10
 */
export function retryUrl(exchange: Exchange, attempts: number, waits: RetryWaits = RETRY_WAITS): UrlRetry {
  const kind = answerKind(exchange);
  if (kind === 'good') return { kind: 'give-up', reason: 'status-not-retried' };
  if (kind === 'refused') return { kind: 'give-up', reason: 'refused-by-site' };
  const isThrottled = kind === 'throttled';
  const reason = isThrottled ? kind : (exchange.failure ?? 'server-error');
  if (!isThrottled && LASTING_FAILURES.has(reason)) return { kind: 'give-up', reason };
  const waitMs = (isThrottled ? waits.throttleWaitsMs : waits.failureWaitsMs)[attempts];
  if (waitMs === undefined) return { kind: 'exhausted', last: reason };
  return { kind: 'again', notBeforeMs: exchange.endedAtMs + Math.max(waitMs, requiredWaitMs(exchange)) };
}

/**
 * The time from which a redirect with Retry-After may be followed.
 *
 * @returns Epoch milliseconds, at most 24 hours after the exchange; `null`: the answer requires no wait.
 * @throws Never.
 * @see specification, access §10
 */
export function redirectNotBeforeMs(exchange: Exchange): number | null {
  const { status } = exchange;
  if (status === null || status < 300 || status > 399) return null;
  const requiredMs = requiredWaitMs(exchange);
  return requiredMs === 0 ? null : exchange.endedAtMs + requiredMs;
}
