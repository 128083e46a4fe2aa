// How long an answer is fresh, from its cache headers: computed once, on receipt (access §6). `s-maxage` is ignored,
// because a crawler is a private cache (DECISION A10).

import {
  FIRST_ROBOTS_RETRY_MS,
  LIFETIME_1996_MS,
  LIFETIME_MS,
  MAX_JITTER,
  MAX_RETRY_AFTER_MS,
  MAX_ROBOTS_RETRY_MS,
  MIN_LIFETIME_MS,
} from '../limits.js';
import { parseHttpDate } from './http-date.js';
import type { AccessProfile } from './profile.js';

/** Response header fields: lower-case name → value; several lines of one field are joined by a comma. */
export type HeaderLookup = Readonly<Record<string, string | undefined>>;

/** The lifetime of a robots.txt answer: ten minutes to a day, in 1996 to a week (access §6, DECISIONS A9 and A10). */
export function robotsLifetimeMs(headers: HeaderLookup, receivedAtMs: number, profile: AccessProfile): number {
  return lifetimeMs(headers, receivedAtMs, profile === '1996' ? LIFETIME_1996_MS : LIFETIME_MS);
}

/** The same for any longest lifetime, which is also the default (access §6; data-txt §6). */
export function lifetimeMs(headers: HeaderLookup, receivedAtMs: number, longestMs: number): number {
  return Math.min(Math.max(freshnessMs(headers, receivedAtMs) ?? longestMs, MIN_LIFETIME_MS), longestMs);
}

/** Whether an answer may be written to disk: not with `no-store` (access §6, DECISION A9). */
export function mayStore(headers: HeaderLookup): boolean {
  return !cacheDirectives(headers['cache-control']).has('no-store');
}

function freshnessMs(headers: HeaderLookup, receivedAtMs: number): number | null {
  const directives = cacheDirectives(headers['cache-control']);
  if (directives.has('no-store') || directives.has('no-cache')) return 0;
  const maxAge = seconds(directives.get('max-age'));
  if (maxAge !== null) return (maxAge - (seconds(headers['age']) ?? 0)) * 1000;
  const expires = headers['expires'];
  if (expires === undefined) return null;
  const expiresMs = parseHttpDate(expires);
  return expiresMs === null ? 0 : expiresMs - (parseHttpDate(headers['date'] ?? '') ?? receivedAtMs);
}

/** Name → argument; a repeated max-age counts with its smaller value, so that order cannot lengthen anything. */
function cacheDirectives(value: string | undefined): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const match of (value ?? '').matchAll(/([^\s,;="]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g)) {
    const name = (match[1] ?? '').toLowerCase();
    const argument = match[2] ?? match[3] ?? '';
    const earlier = directives.get(name);
    const isShorter = (seconds(argument) ?? Infinity) < (seconds(earlier) ?? Infinity);
    if (earlier === undefined || isShorter) directives.set(name, argument);
  }
  return directives;
}

function seconds(text: string | undefined): number | null {
  return text !== undefined && /^[ \t]*\d+[ \t]*$/.test(text) ? Number(text) : null;
}

/**
 * Reads a Retry-After value: delta-seconds, or an HTTP-date in any of its three forms. The caller caps it (RFC 9110
 * §10.2.3).
 * @param nowMs - Epoch milliseconds that a date is measured from: the response's `Date`, or the time of receipt.
 * @returns Milliseconds ≥ 0; 0 for a past date; null for anything invalid, negative numbers included.
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  // A server and its proxy may both write the field: the longest wait counts.
  if (/^\d+(?:\s*,\s*\d+)*$/.test(text)) {
    const longest = text.split(',').reduce((max, seconds) => Math.max(max, Number(seconds)), 0);
    return Math.min(longest * 1000, Number.MAX_SAFE_INTEGER);
  }
  const dateMs = parseHttpDate(text);
  return dateMs === null ? null : Math.max(dateMs - nowMs, 0);
}

/**
 * The Retry-After of a response; a date counts from the response's own `Date`, so that clocks need not agree (access
 * §5).
 * @param receivedAtMs - Epoch milliseconds of receipt, used if `Date` is missing.
 * @returns Milliseconds, or null if there is no valid value.
 */
export function retryAfterMs(headers: HeaderLookup, receivedAtMs: number): number | null {
  const value = headers['retry-after'];
  if (value === undefined) return null;
  return parseRetryAfter(value, parseHttpDate(headers['date'] ?? '') ?? receivedAtMs);
}

/**
 * The pause after failure number `failures` in a row: a minute, doubling to an hour, or Retry-After (at most a day)
 * when that is longer (access §5).
 * @param jitter - Share added, clamped to 0 to 0.1.
 */
export function robotsRetryMs(failures: number, retryAfter: number | null, jitter = 0): number {
  const backoff = Math.min(FIRST_ROBOTS_RETRY_MS * 2 ** (Math.max(failures, 1) - 1), MAX_ROBOTS_RETRY_MS);
  const pause = Math.max(backoff, Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_MS));
  const share = jitter > 0 ? Math.min(jitter, MAX_JITTER) : 0;
  return Math.floor(pause * (1 + share));
}
