// The header fields of a request: the crawl's identity, what its purpose accepts, and those fields that the caller may
// set.

import { ACCEPT_ENCODING } from './content-coding.js';
import type { Identity } from './identity.js';

/** Field names that no caller sets: identity, the connection, and what links one request to another. */
const OURS: ReadonlySet<string> = new Set([
  'user-agent',
  'from',
  'accept-encoding',
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'expect',
  'upgrade',
  'cookie',
  'authorization',
  'proxy-authorization',
  'proxy-connection',
  'referer',
]);

/** Makes the fields of requests: once per purpose, since most requests add none of their own. Never throws. */
export function createRequestHeaders(
  identity: Pick<Identity, 'userAgent' | 'from'>,
): (request: {
  readonly purpose: RequestPurpose;
  readonly headers?: Readonly<Record<string, string>>;
}) => Readonly<Record<string, string>> {
  const byPurpose = new Map<RequestPurpose, Readonly<Record<string, string>>>();
  return ({ purpose, headers }) => {
    let base = byPurpose.get(purpose);
    if (base === undefined) {
      base = Object.freeze({
        'User-Agent': identity.userAgent,
        ...(identity.from === null ? {} : { From: identity.from }),
        Accept: ACCEPT[purpose],
        'Accept-Encoding': ACCEPT_ENCODING,
      });
      byPurpose.set(purpose, base);
    }
    const own = Object.entries(headers ?? {}).filter(([name]) => !OURS.has(name.toLowerCase()));
    if (own.length === 0) return base;
    const merged: Record<string, string> = { ...base };
    for (const [name, value] of own) {
      if (name.toLowerCase() === 'accept') merged['Accept'] = value;
      else merged[name] = value;
    }
    return merged;
  };
}

/** What a request is for. */
export type RequestPurpose = 'page' | 'robots' | 'sitemap' | 'data-txt' | 'well-known' | 'handler' | 'subresource';

/**
 * The value of Accept, by purpose. Everything else stays welcome at a lower weight, so that no server has a reason to
 * answer 406.
 *
 * @see specification, access §2 (robots.txt); RFC 9110 §12.5.1
 */
export const ACCEPT: Readonly<Record<RequestPurpose, string>> = Object.freeze({
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  robots: 'text/plain, */*;q=0.5',
  sitemap: 'application/xml, text/xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'data-txt': 'text/plain, */*;q=0.5',
  'well-known': 'application/json, */*;q=0.5',
  handler: '*/*',
  subresource: '*/*',
});
