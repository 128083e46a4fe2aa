// The fetcher on undici: connections to judged addresses, HTTP/1.1 with keep-alive, and nothing else of what undici can
// do: no redirects, no retries, no cookies, no look-ups.

import { onAbort } from '../on-abort.js';
import { parseUrl } from '../parse-url.js';
import { ConnectionPool } from './connection-pool.js';
import type { Fetcher, FetcherCapabilities, FetchRequest } from './fetcher.js';
import type { FetchOutcome } from './outcome.js';
import { UndiciExchange } from './undici-exchange.js';

/** How the undici fetcher is set up. */
export interface UndiciFetcherOptions {
  /** Certificates trusted instead of the platform's own, PEM. @default the platform's */
  readonly ca?: string | readonly string[];
  /** Epoch milliseconds. @default Date.now */
  readonly nowMs?: () => number;
}

/**
 * Makes a fetcher that connects to the judged address of each request and to nothing else.
 *
 * A connection is used again for the same origin *and* the same judged address, one request at a time. TLS is verified
 * against the URL's host. A request that meets an idle connection just as the server closes it fails like any other
 * reset: nothing is sent twice without the frontier's leave.
 *
 * @throws Never.
 */
export function createUndiciFetcher(options: UndiciFetcherOptions = {}): Fetcher {
  const nowMs = options.nowMs ?? Date.now;
  const pool = new ConnectionPool({ ca: options.ca ?? null });
  return {
    capabilities: ALL_CAPABILITIES,
    fetch: (request) => fetchOnce(request, pool, nowMs),
    close: () => Promise.resolve(pool.close()),
  };
}

const ALL_CAPABILITIES: FetcherCapabilities = Object.freeze({
  rawHeaders: true,
  remoteAddress: true,
  pinsAddress: true,
  encodedBody: true,
  exactHeaders: true,
  checksMayStart: true,
});

function fetchOnce(request: FetchRequest, pool: ConnectionPool, nowMs: () => number): Promise<FetchOutcome | null> {
  const url = parseUrl(request.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return Promise.resolve(unsent(request, nowMs(), 'scheme-unsupported', 'neither an http nor an https URL'));
  }
  if (request.signal.aborted) return Promise.resolve(unsent(request, nowMs(), 'aborted', 'given up by the crawl'));
  return new Promise((resolve) => {
    const connection = pool.take(url.origin, request.address.address);
    const exchange = new UndiciExchange(request, connection, pool, nowMs, (outcome) => {
      ignoreAbort();
      resolve(outcome);
    });
    const ignoreAbort = onAbort(request.signal, () => exchange.abort());
    exchange.start(`${url.pathname}${url.search}`);
  });
}

function unsent(
  request: FetchRequest,
  nowMs: number,
  failure: 'scheme-unsupported' | 'aborted',
  detail: string,
): FetchOutcome {
  const timing = { startedAtMs: nowMs, headersAtMs: null, endedAtMs: nowMs };
  return { kind: 'failed', url: request.url, failure, detail, remoteAddress: null, wasSent: false, timing };
}
