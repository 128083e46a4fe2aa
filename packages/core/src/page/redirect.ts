// Whether an answer sends us on, and where. The target is a new candidate for the door, never a request made here.

import { redirectNotBeforeMs } from '@mannerly/frontier';
import { headerValue, headerValues, type ResponseOutcome } from '../fetch/outcome.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import { refreshTarget } from './meta-refresh.js';
import { parseWebUrl } from './web-url.js';

/** Where an answer sends us. */
export type RedirectAnswer =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'to';
      /** Absolute, http or https, without fragment and userinfo. */
      readonly url: string;
      /** `location`: a redirect status; `refresh`: a good answer with a short Refresh field. */
      readonly by: 'location' | 'refresh';
      /** Epoch milliseconds, from Retry-After; `null` without one. */
      readonly notBeforeMs: number | null;
    }
  /** A redirect status with no Location, with several that differ, or with one that is no http(s) URL. */
  | { readonly kind: 'redirect-invalid'; readonly detail: string };

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];
const NONE: RedirectAnswer = { kind: 'none' };

/**
 * Reads the redirect of an answer, if it is one.
 *
 * @param outcome - The answer, whatever its status. 300 and 304 to 306 are not followed.
 * @throws Never
 * @see access §10 (a redirect with Retry-After is followed after the given time), page-level §1.3
 */
export function redirectTarget(outcome: ResponseOutcome): RedirectAnswer {
  if (REDIRECT_STATUSES.includes(outcome.status)) return byLocation(outcome);
  if (outcome.status < 200 || outcome.status > 299) return NONE;
  const target = refreshTarget(headerValue(outcome.headers, 'refresh'), outcome.url, outcome.url);
  return target === null ? NONE : { kind: 'to', url: target, by: 'refresh', notBeforeMs: null };
}

function byLocation(outcome: ResponseOutcome): RedirectAnswer {
  const values = [...new Set(headerValues(outcome.headers, 'location'))];
  const [location] = values;
  if (location === undefined) return invalid('no Location');
  if (values.length > 1) return invalid('several different Locations');
  const text = fromBytes(location);
  const url = parseWebUrl(text, outcome.url);
  if (url === null) return invalid(`Location is no http(s) URL: ${text.slice(0, MAX_LINK_URL_CHARS)}`);
  return { kind: 'to', url: url.href, by: 'location', notBeforeMs: notBeforeMs(outcome) };
}

/** Retry-After is read where the host's own pauses are: one reading, one cap. */
function notBeforeMs(outcome: ResponseOutcome): number | null {
  const { startedAtMs, endedAtMs } = outcome.timing;
  const retryAfter = headerValue(outcome.headers, 'retry-after');
  return redirectNotBeforeMs({ startedAtMs, endedAtMs, status: outcome.status, retryAfter, failure: null, bytes: 0 });
}

/** Field values come one byte a character. Where the bytes are UTF-8, the author meant those characters. */
function fromBytes(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[^\0-\xff]/.test(value)) return value;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes('\uFFFD') ? value : text;
}

function invalid(detail: string): RedirectAnswer {
  return { kind: 'redirect-invalid', detail };
}
