// `meta http-equiv=refresh` and the `Refresh` field: a delay, and perhaps a URL. Read as HTML reads them.

import { MAX_REFRESH_REDIRECT_SECONDS } from './limits.js';
import { parseWebUrl } from './web-url.js';

/** A refresh that parses. */
export interface Refresh {
  readonly delaySeconds: number;
  /** As written, not resolved; `null`: the page itself again. */
  readonly url: string | null;
}

// Delay; its fraction, which does not count; then nothing, or white space or a separator and the rest.
const REFRESH = /^[\t\n\f\r ]*(?:(\d{1,9})[\d.]*|\.[\d.]*)(?:[\t\n\f\r ]*[;,][\t\n\f\r ]*|[\t\n\f\r ]+|$)([\s\S]*)$/;
const URL_KEY = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i;

/**
 * Reads the content of a refresh.
 *
 * @returns `null` when it does not parse: browsers ignore it then.
 * @throws Never
 * @see HTML, "shared declarative refresh steps"
 */
export function parseRefresh(content: string): Refresh | null {
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
 * Where a refresh leads, if it is short enough to be a redirect in all but name.
 *
 * A page that shows itself for longer is a page; one that reloads itself leads nowhere.
 *
 * @param content - Of the field or the `meta`; `null` when there is none.
 * @param baseUrl - What its URL is resolved against: the page's base.
 * @param pageUrl - The page as fetched.
 * @returns An absolute http(s) URL without fragment, or `null`.
 * @throws Never
 */
export function refreshTarget(content: string | null, baseUrl: string | URL, pageUrl: string): string | null {
  const refresh = content === null ? null : parseRefresh(content);
  if (refresh === null || refresh.url === null || refresh.delaySeconds > MAX_REFRESH_REDIRECT_SECONDS) return null;
  const url = parseWebUrl(refresh.url, baseUrl);
  return url === null || url.href === pageUrl ? null : url.href;
}
