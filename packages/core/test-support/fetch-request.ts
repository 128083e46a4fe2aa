// A complete request for tests of fetchers, with timeouts that an honest server never meets.

import { encodedLimit } from '../src/fetch/body.js';
import type { FetchLimits, FetchRequest } from '../src/fetch/fetcher.js';

/** Limits that let an honest loopback server finish on a busy machine. */
export const TEST_LIMITS: FetchLimits = {
  connectTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  maxBodyBytes: 100_000,
  maxEncodedBytes: encodedLimit(100_000),
};

/** A request for `url` at 127.0.0.1; `more` replaces these fields. Never throws. */
export function fetchRequest(
  url: string,
  more: Partial<Omit<FetchRequest, 'limits'>> & { readonly limits?: Partial<FetchLimits> } = {},
): FetchRequest {
  return {
    method: 'GET',
    headers: { 'User-Agent': 'bot/1.0 (+https://example.org/bot)' },
    address: { address: '127.0.0.1', family: 4 },
    mayStart: () => true,
    signal: new AbortController().signal,
    ...more,
    url,
    limits: { ...TEST_LIMITS, ...more.limits },
  };
}
