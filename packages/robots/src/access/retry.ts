/**
 * When a robots.txt that failed may be asked for again, and the reader of Retry-After that every part of a crawl uses.
 *
 * Clause: specification, access §5. Retry-After can lengthen a pause, never shorten it (DECISION A18).
 */
import { MAX_JITTER, MAX_RETRY_AFTER_MS, ROBOTS_RETRY_FIRST_MS, ROBOTS_RETRY_MAX_MS } from '../limits.js';
import { parseHttpDate } from './http-date.js';
import type { HeaderLookup } from './lifetime.js';

/**
 * Reads a Retry-After value: delta-seconds, or an HTTP-date in any of its three forms. Not capped: the caller capabilities.
 *
 * @param nowMs - Epoch milliseconds that a date is measured from: the response's `Date`, or the time of receipt.
 * @returns Milliseconds ≥ 0; 0 for a date that is past; null for anything invalid, negative numbers included.
 * @throws Never.
 * @see RFC 9110 §10.2.3
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  const dateMs = parseHttpDate(text);
  return dateMs === null ? null : Math.max(dateMs - nowMs, 0);
}

/**
 * The Retry-After of a response; a date counts from the response's own `Date`, so that clocks need not agree.
 *
 * @param receivedAtMs - Epoch milliseconds of receipt; stands for a missing `Date`.
 * @returns Milliseconds, or null when there is none that is valid.
 * @throws Never.
 * @see specification, access §5
 */
export function retryAfterMs(headers: HeaderLookup, receivedAtMs: number): number | null {
  const value = headers['retry-after'];
  if (value === undefined) return null;
  return parseRetryAfter(value, parseHttpDate(headers['date'] ?? '') ?? receivedAtMs);
}

/**
 * The pause after failure number `failures` in a row: a minute, doubling to an hour, or Retry-After (at most a day)
 * when that is longer.
 *
 * @param failures - From 1.
 * @param retryAfter - Milliseconds, or null for none.
 * @param jitter - Share added, 0 to 0.1; other values are moved to the nearer end.
 * @returns Milliseconds.
 * @throws Never.
 * @see specification, access §5
 */
export function robotsRetryMs(failures: number, retryAfter: number | null, jitter = 0): number {
  const backoff = Math.min(ROBOTS_RETRY_FIRST_MS * 2 ** (Math.max(failures, 1) - 1), ROBOTS_RETRY_MAX_MS);
  const pause = Math.max(backoff, Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_MS));
  const share = jitter > 0 ? Math.min(jitter, MAX_JITTER) : 0;
  return Math.floor(pause * (1 + share));
}
