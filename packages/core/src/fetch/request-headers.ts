// The fields that a request is sent with: the crawl's identity, what its purpose accepts, and of the caller's own those that
// are theirs to say.

import { ACCEPT_ENCODING } from './content-coding.js';
import type { Identity } from './identity.js';
import { ACCEPT, type RequestPurpose } from './request-purpose.js';

/** Field names that no caller sets: who asks, where the connection ends, and what would make one request know of another. */
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
