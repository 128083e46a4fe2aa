// Where a response redirects to: by Location, by a Refresh field, or by `meta http-equiv=refresh`, as HTML reads them.
// The target is a new candidate URL. For a file that a page needs, redirects are followed, each judged and spaced like
// the first request.

import { redirectNotBeforeMs } from '@mannerly/frontier/internal';
import { headerValue, headerValues, isSuccess, type ResponseOutcome, retryAfterOf } from '../fetch/outcome.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import { MAX_FILE_HOPS, MAX_REFRESH_REDIRECT_SECONDS } from './limits.js';
import { parseWebUrl } from './links.js';
import type { PageFetch } from './page-fetch.js';

/** Where an answer redirects to. */
type RedirectAnswer =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'to';
      /** Absolute, http or https, without fragment and userinfo. */
      readonly url: string;
      /** `location`: a redirect status; `refresh`: a good answer with a short Refresh field. */
      readonly by: 'location' | 'refresh';
      /** Epoch milliseconds, from Retry-After; `null` if absent. */
      readonly notBeforeMs: number | null;
    }
  /** A redirect status with no Location, with several different ones, or with one that is not an http(s) URL. */
  | { readonly kind: 'redirect-invalid'; readonly detail: string };

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];
const NONE: RedirectAnswer = { kind: 'none' };

/**
 * Reads the redirect of an answer, whatever its status; 300 and 304 to 306 are not followed. @throws Never
 * @see access §10 (a redirect with Retry-After is followed after the given time), page-level §1.3
 */
export function redirectTarget(outcome: ResponseOutcome): RedirectAnswer {
  if (REDIRECT_STATUSES.includes(outcome.status)) return locationTarget(outcome);
  if (!isSuccess(outcome.status)) return NONE;
  const target = refreshTarget(headerValue(outcome.headers, 'refresh'), outcome.url, outcome.url);
  return target === null ? NONE : { kind: 'to', url: target, by: 'refresh', notBeforeMs: null };
}

function locationTarget(outcome: ResponseOutcome): RedirectAnswer {
  const values = [...new Set(headerValues(outcome.headers, 'location'))];
  const [location] = values;
  if (location === undefined) return invalid('no Location');
  if (values.length > 1) return invalid('several different Locations');
  const text = decodeLocation(location);
  const url = parseWebUrl(text, outcome.url);
  if (url === null) return invalid(`Location is not an http(s) URL: ${text.slice(0, MAX_LINK_URL_CHARS)}`);
  const { status, timing } = outcome;
  const retryAfter = retryAfterOf(outcome);
  const notBeforeMs = redirectNotBeforeMs({ ...timing, status, retryAfter, failure: null, bytes: 0 });
  return { kind: 'to', url: url.href, by: 'location', notBeforeMs };
}

/**
 * Requests a file of a page, and follows its redirects.
 * @param page - The URL of the page.
 * @param fetchUrl - Requests one URL, which the page or the redirect of `from` names. An answer that does not redirect
 * is the last one.
 * @param maxHops - The most redirects to follow.
 */
export async function followRedirects(
  first: string,
  page: string,
  fetchUrl: (url: string, from: string) => Promise<PageFetch>,
  maxHops = MAX_FILE_HOPS,
): Promise<PageFetch> {
  let url = first;
  let from = page;
  for (let hops = 0; ; hops += 1) {
    const answer = await fetchUrl(url, from);
    if (answer.kind !== 'response') return answer;
    const target = redirectTarget(answer);
    // A Refresh field redirects people, but not what a page loads.
    if (target.kind !== 'to' || target.by !== 'location') return answer;
    if (hops >= maxHops) return { kind: 'dropped', url: target.url, reason: 'redirect-limit' };
    const { notBeforeMs } = target;
    if (notBeforeMs !== null) return { kind: 'held', url: target.url, reason: 'not-before', untilMs: notBeforeMs };
    from = url;
    url = target.url;
  }
}

/** Field values are decoded one byte per character. If the bytes are UTF-8, the author meant those characters. */
function decodeLocation(value: string): string {
  if (/[^\0-\xff]/.test(value)) return value;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes('\uFFFD') ? value : text;
}

function invalid(detail: string): RedirectAnswer {
  return { kind: 'redirect-invalid', detail };
}

// Delay; its fraction, which does not count; then nothing, or white space or a separator and the rest.
const REFRESH = /^[\t\n\f\r ]*(?:(\d{1,9})[\d.]*|\.[\d.]*)(?:[\t\n\f\r ]*[;,][\t\n\f\r ]*|[\t\n\f\r ]+|$)([\s\S]*)$/;
const URL_KEY = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i;

/**
 * The content of a refresh; `null` when it does not parse (HTML, "shared declarative refresh steps").
 * @returns `url`: as written, not resolved; `null`: the page itself again.
 */
export function parseRefresh(content: string): { readonly delaySeconds: number; readonly url: string | null } | null {
  const match = REFRESH.exec(content);
  if (match === null) return null;
  const delaySeconds = Number(match[1] ?? '0');
  const rest = (match[2] ?? '').replace(URL_KEY, '');
  const quote = rest.charAt(0);
  if (quote !== '"' && quote !== "'") return { delaySeconds, url: rest === '' ? null : rest };
  const end = rest.indexOf(quote, 1);
  return { delaySeconds, url: end < 0 ? rest.slice(1) : rest.slice(1, end) };
}

/**
 * The target of a refresh, an absolute http(s) URL without fragment, if its delay is short enough for a redirect.
 * `null` if the page is shown for longer, or if it reloads itself.
 * @param baseUrl - The page's base, against which the URL is resolved.
 */
export function refreshTarget(content: string | null, baseUrl: string | URL, pageUrl: string): string | null {
  const refresh = content === null ? null : parseRefresh(content);
  if (refresh === null || refresh.url === null || refresh.delaySeconds > MAX_REFRESH_REDIRECT_SECONDS) return null;
  const url = parseWebUrl(refresh.url, baseUrl);
  return url === null || url.href === pageUrl ? null : url.href;
}
