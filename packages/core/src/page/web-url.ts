// An http or https URL in the form that is decided, requested and logged, or nothing.

import { parseUrl } from '../parse-url.js';

/**
 * Parses a URL as it stands on a page or in a field.
 *
 * @param text - Absolute, or relative to `base`.
 * @returns Without fragment and userinfo; `null` when it does not parse or has another scheme than http and https.
 * @throws Never
 */
export function parseWebUrl(text: string, base: string | URL): URL | null {
  const url = parseUrl(text, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  // An empty fragment leaves its mark in `href` although `hash` is empty.
  if (url.href.includes('#')) url.hash = '';
  return url;
}

/** The base of a page: its `base` element's, resolved, where that is a URL that may be one. @throws Never */
export function parseBase(baseHref: string | null, pageUrl: string): URL {
  const base = baseHref === null ? null : parseUrl(baseHref, pageUrl);
  return base === null || base.protocol === 'data:' || base.protocol === 'javascript:' ? new URL(pageUrl) : base;
}
