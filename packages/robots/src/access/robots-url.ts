// The URL of an authority's robots.txt, and of other files at the root (access §1). An authority is scheme, host and
// effective port; one authority says nothing about another.

import { MAX_HOST_NAME_CHARS, MAX_LOCATION_CHARS } from '../limits.js';
import { readUrl, readWebUrl } from '../read-url.js';
import type { ResolvedAccessOptions } from './profile.js';

/** The robots.txt URL of a URL's authority; null when it is not http or https (access §1, A1, A2; RFC 9309 §2.3). */
export function robotsUrl(url: string): string | null {
  return rootUrl(url, '/robots.txt');
}

/** The URL of a file at the root of a URL's authority; `path` is absolute (access §1; data-txt §1). */
export function rootUrl(url: string, path: string): string | null {
  const read = readWebUrl(url);
  if (read === null) return null;
  const { protocol, hostname, port } = read;
  // Removes the final dot of a fully qualified name, unless the name is only a dot.
  const name = hostname.length > 1 && hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return `${protocol}//${name}${port === '' ? '' : `:${port}`}${path}`;
}

/** `final`: this response is the answer. `follow`: request `url` next. The other values are answers themselves. */
type NextHop =
  | { readonly kind: 'final' }
  | { readonly kind: 'follow'; readonly url: string }
  | { readonly kind: 'redirect-limit' }
  | { readonly kind: 'redirect-unusable' };

const FOLLOWED: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Decides the next step after a response (RFC 9309 §2.3.1.2; access §3, DECISIONS A3 and A4).
 * @param url - The URL that gave the response; a relative location is resolved against it.
 * @param chain - Every URL requested so far for this robots.txt, in order: the first is the initial one, the last
 *   `url`.
 */
export function nextHop(
  status: number,
  location: string | null,
  url: string,
  chain: readonly string[],
  options: ResolvedAccessOptions,
): NextHop {
  if (!FOLLOWED.includes(status)) return { kind: 'final' };
  const target = location === null ? null : readLocation(location, url);
  if (target === null) return { kind: 'redirect-unusable' };
  const seen = [...chain, url];
  const isLoop = seen.some((earlier) => {
    const read = readUrl(earlier);
    return read !== null && comparable(read) === target;
  });
  if (isLoop || chain.length - 1 >= options.maxRedirects) return { kind: 'redirect-limit' };
  return { kind: 'follow', url: target };
}

function readLocation(location: string, url: string): string | null {
  const text = location.trim();
  const target = text.length > MAX_LOCATION_CHARS ? null : readWebUrl(text, url);
  if (target === null || target.hostname.replace(/\.$/, '').length > MAX_HOST_NAME_CHARS) return null;
  return comparable(target);
}

/** Without fragment and without credentials, because the crawl sends none (access §2). */
function comparable(target: URL): string {
  return `${target.protocol}//${target.host}${target.pathname}${target.search}`;
}
