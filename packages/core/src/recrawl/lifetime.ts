// Until when a site itself says that asking again is pointless: an explicit lifetime of its response (RFC 9111 4.2),
// never a guess.

import { type HeaderLines, headerValue } from '../fetch/outcome.js';
import { IMMUTABLE_DAYS } from './limits.js';

const DAY_MS = 86_400_000;

/**
 * Epoch milliseconds before which the page is not worth a request; `null`: the response does not say.
 *
 * `max-age` counts before `Expires`, less `Age`; `s-maxage` is for shared caches. `no-cache` and a lifetime of 0 say
 * nothing about changes. Thirty days at most where the response is `immutable` (RFC 8246).
 *
 * @param trustDays - What is believed at most, otherwise; 0: nothing.
 */
export function freshUntilMs(headers: HeaderLines, fetchedAtMs: number, trustDays: number): number | null {
  const control = cacheControl(headers);
  if (control.has('no-cache') || control.has('no-store')) return null;
  const lifetimeMs = control.has('max-age') ? seconds(control.get('max-age')) : expiresAfterMs(headers, fetchedAtMs);
  const leftMs = lifetimeMs - seconds(headerValue(headers, 'age'));
  if (!(leftMs > 0) || trustDays === 0) return null;
  const mostDays = control.has('immutable') ? Math.max(IMMUTABLE_DAYS, trustDays) : trustDays;
  return fetchedAtMs + Math.min(leftMs, mostDays * DAY_MS);
}

/** Whether the response must leave no trace: its validators are part of it (RFC 9111 5.2.2.5). */
export function isNoStore(headers: HeaderLines): boolean {
  return cacheControl(headers).has('no-store');
}

/** Directives by their names in lower case. */
function cacheControl(headers: HeaderLines): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const part of (headerValue(headers, 'cache-control') ?? '').split(',')) {
    const [name = '', value = ''] = part.split('=', 2);
    const key = name.trim().toLowerCase();
    if (key !== '' && !directives.has(key)) directives.set(key, value.trim().replace(/^"|"$/g, ''));
  }
  return directives;
}

/** Milliseconds; 0 of what is no whole number of seconds. */
function seconds(value: string | null | undefined): number {
  return value !== null && value !== undefined && /^\d{1,10}$/.test(value.trim()) ? Number(value) * 1_000 : 0;
}

function expiresAfterMs(headers: HeaderLines, fetchedAtMs: number): number {
  const expires = Date.parse(headerValue(headers, 'expires') ?? '');
  const date = Date.parse(headerValue(headers, 'date') ?? '');
  return Number.isNaN(expires) ? 0 : expires - (Number.isNaN(date) ? fetchedAtMs : date);
}
