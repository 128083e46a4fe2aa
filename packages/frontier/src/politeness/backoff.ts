// Whether a URL is retried, and when: the URL column of the table in access §10.
// The host's own pause is kept by the host clock; the later of both times counts.

import { parseRetryAfter } from '@mannerly/robots/access';
import { URL_RETRIES_MAX } from '../limits.js';
import type { Exchange } from '../work.js';
import { answerKind, throttlePauseMs } from './host-clock.js';
import { RETRY_AFTER_MAX_MS, URL_BACKOFF_MS } from './limits.js';

/** What becomes of a URL after an exchange that did not give its page. */
export type UrlRetry =
  | { readonly kind: 'again'; readonly notBeforeMs: number }
  /** All retries are made. `last`: what the last try came to, in the words of `give-up`. */
  | { readonly kind: 'exhausted'; readonly last: string }
  /**
   * `reason`: the failure word where no response came, else `throttled` (429, 503), `server-error` (other 5xx, 408),
   * `refused-by-site` (401, 403, 407, 451) or `status-not-retried`.
   */
  | { readonly kind: 'give-up'; readonly reason: string };

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
 * @param tries - Exchanges made for this URL before this one, all of which ended in a retry. At most 3 retries.
 * @returns `notBeforeMs` in epoch milliseconds, finite, after the end of the exchange.
 * @throws Never.
 * @see specification, access §10
 */
export function retryUrl(exchange: Exchange, tries: number): UrlRetry {
  const kind = answerKind(exchange);
  if (kind === 'good') return { kind: 'give-up', reason: 'status-not-retried' };
  if (kind === 'refused') return { kind: 'give-up', reason: 'refused-by-site' };
  const isLasting = kind !== 'throttled' && exchange.failure !== null && LASTING.has(exchange.failure);
  if (isLasting) return { kind: 'give-up', reason: reasonFor(exchange, kind) };
  if (tries >= URL_RETRIES_MAX) return { kind: 'exhausted', last: reasonFor(exchange, kind) };
  const waitMs =
    kind === 'throttled' ? throttlePauseMs(tries + 1, retryAfterMs(exchange)) : URL_BACKOFF_MS * 2 ** tries;
  return { kind: 'again', notBeforeMs: exchange.endedAtMs + waitMs };
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
