// Whether a redirect of robots.txt is followed, decided before anything is requested (access §3). The rules found at
// the end govern the initial authority only; who follows the hops spaces each under its own host.

import { MAX_LOCATION_CHARS } from '../limits.js';
import { readUrl } from '../web-url.js';
import type { ResolvedAccessOptions } from './profile.js';

/**
 * `final`: the response is no redirect and is the answer. `follow`: ask `url` next. The other two are answers in
 * themselves: `redirect-limit`, and the failure `redirect-unusable`.
 */
export type NextHop =
  | { readonly kind: 'final' }
  | { readonly kind: 'follow'; readonly url: string }
  | { readonly kind: 'redirect-limit' }
  | { readonly kind: 'redirect-unusable' };

const FOLLOWED: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Decides the next step after a response (RFC 9309 §2.3.1.2; access §3, DECISIONS A3 and A4).
 * @param location - The `Location` field as received, null for none.
 * @param url - The URL that gave the response; a relative location is resolved against it.
 * @param chain - Every URL asked so far for this robots.txt, in order: the first is the initial one, the last `url`.
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
  const target = text.length > MAX_LOCATION_CHARS ? null : readUrl(text, url);
  return target?.protocol === 'http:' || target?.protocol === 'https:' ? comparable(target) : null;
}

/** Without fragment, and without credentials: the crawl sends none (access §2). */
function comparable(target: URL): string {
  return `${target.protocol}//${target.host}${target.pathname}${target.search}`;
}
