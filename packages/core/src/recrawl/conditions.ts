// Conditional requests for pages: the validators of a response are kept as received and sent back unchanged, so that a
// site answers 304 if nothing has changed (RFC 9110 13, RFC 9111 4.3.1). Also how long the response itself makes a new
// request pointless: an explicit lifetime (RFC 9111 4.2), never a guess.

import { cacheControl, conditionalFields, type HeaderLines, headerValue } from '../fetch/outcome.js';
import { DAY_MS, MAX_ETAG_BYTES, MAX_IMMUTABLE_DAYS, UNTRUSTED_MS } from './limits.js';
import type { PageVisit, StoredVisit } from './page-visit.js';

/** The validators of a page that is requested without conditions. */
export const NO_VALIDATORS = { etag: null, lastModified: null } as const;

type Validators = Pick<PageVisit, 'etag' | 'lastModified' | 'noEtagUntilMs'>;

/**
 * After a 304 that names another ETag than the one sent, as some caches and compressing servers do. Such a visit costs
 * a second request, without conditions, so no ETag of the page is sent for a while.
 */
export function validatorsAfterMismatch(atMs: number): Validators {
  return { ...NO_VALIDATORS, noEtagUntilMs: atMs + UNTRUSTED_MS };
}

/**
 * The validators of a response: none if they may not be kept, or would match another document.
 * @param before - The last visit; `null`: none.
 */
export function validatorsOf(
  headers: HeaderLines,
  before: Pick<StoredVisit, 'noEtagUntilMs'> | null,
  atMs: number,
): Validators {
  const { noEtagUntilMs = 0 } = before ?? {};
  const doubt = atMs < noEtagUntilMs ? { noEtagUntilMs } : {};
  if (!mayStore(headers)) return { ...NO_VALIDATORS, ...doubt };
  const etag = atMs < noEtagUntilMs ? null : headerValue(headers, 'etag');
  return {
    ...doubt,
    etag: etag !== null && etag.length <= MAX_ETAG_BYTES && /^(W\/)?"[^"]*"$/.test(etag) ? etag : null,
    // Only the site's own date, because clocks differ and the site compares it with its own.
    lastModified: headerValue(headers, 'last-modified'),
  };
}

/** The validators after a 304, which replaces those that it names. None if it forbids keeping them. */
export function validatorsAfter(before: StoredVisit, headers: HeaderLines, atMs: number): Validators {
  if (!mayStore(headers)) return NO_VALIDATORS;
  const { etag, lastModified } = validatorsOf(headers, before, atMs);
  return { etag: etag ?? before.etag, lastModified: lastModified ?? before.lastModified };
}

/** `no-store`: its validators are part of what leaves no trace (RFC 9111 5.2.2.5). */
function mayStore(headers: HeaderLines): boolean {
  return !cacheControl(headers).has('no-store') && !(headerValue(headers, 'vary') ?? '').includes('*');
}

/**
 * Header fields of the next request for a page. None if that request differs from the last one. None for a page whose
 * items were left out, because a 304 would lack what decides about it now.
 */
export function conditionsOf(
  visit: StoredVisit & Partial<Pick<PageVisit, 'missing' | 'isRemoved'>>,
  sentAs: string,
): Record<string, string> {
  if (visit.sentAs !== sentAs || (visit.missing ?? 0) > 0 || visit.isRemoved === true) return {};
  return conditionalFields(visit);
}

/**
 * Epoch milliseconds before which the page is not worth a request; `null`: the response does not say. `max-age`, less
 * `Age`, takes precedence over `Expires`; `s-maxage` is for shared caches. `no-cache` and a lifetime of 0 say nothing
 * about changes. At most thirty days if the response is `immutable` (RFC 8246).
 * @param trustDays - The longest lifetime that is believed otherwise; 0: none.
 */
export function freshUntilMs(headers: HeaderLines, fetchedAtMs: number, trustDays: number): number | null {
  const control = cacheControl(headers);
  if (control.has('no-cache') || control.has('no-store')) return null;
  const lifetimeMs = control.has('max-age') ? seconds(control.get('max-age')) : expiresAfterMs(headers, fetchedAtMs);
  const remainingMs = lifetimeMs - seconds(headerValue(headers, 'age'));
  if (!(remainingMs > 0) || trustDays === 0) return null;
  const maxDays = control.has('immutable') ? Math.max(MAX_IMMUTABLE_DAYS, trustDays) : trustDays;
  return fetchedAtMs + Math.min(remainingMs, maxDays * DAY_MS);
}

/** Milliseconds; 0 if it is not a whole number of seconds. */
function seconds(value: string | null | undefined): number {
  return /^\d+$/.test(value?.trim() ?? '') ? Number(value) * 1_000 : 0;
}

/** Not a number if there is no valid `Expires`. */
function expiresAfterMs(headers: HeaderLines, fetchedAtMs: number): number {
  const expires = Date.parse(headerValue(headers, 'expires') ?? '');
  const date = Date.parse(headerValue(headers, 'date') ?? '');
  return expires - (Number.isNaN(date) ? fetchedAtMs : date);
}
