// Pages for tests, from the few facts that a test needs.

import type { PageWork, UrlRecord } from '@mannerly/frontier';
import type { ResponseOutcome } from '../src/fetch/outcome.js';
import { type ExclusionGroups, resolveExclusionOptions } from '../src/page/exclusion.js';
import { PageReader, type PageReaderParts } from '../src/page/read-page.js';

/** Work on a URL as the frontier hands it out. */
export function pageWork(
  url: string,
  record: Partial<UrlRecord> = {},
  signals: Partial<PageWork['signals']> = {},
): PageWork {
  return {
    kind: 'page',
    lease: {
      host: new URL(url).hostname,
      requirements: { crawlDelayMs: null, requestIntervalMs: null, bucket: null },
    },
    entryId: 'e1',
    url,
    record: { url, depth: 2, via: 'link', from: null, hops: 0, label: null, userData: null, tries: 0, ...record },
    decision: {} as PageWork['decision'],
    robots: {} as PageWork['robots'],
    signals: { isNoindex: false, preferences: {}, contentSignals: {}, licenses: [], ...signals },
  };
}

/** A reader of pages in UTF-8 or whatever they declare, at time 0. */
export function pageReader(options: ExclusionGroups = {}, more: Partial<PageReaderParts> = {}): PageReader {
  return new PageReader({
    tokens: ['examplebot'],
    options: resolveExclusionOptions(options),
    joinsHeaders: false,
    nowMs: () => 0,
    tdmFor: async () => ({ reserved: null, policy: null }),
    ...more,
  });
}

/** An answer with status 200, unless `more` says otherwise, and a UTF-8 body. */
export function response(
  url: string,
  body: string | Uint8Array,
  headers: ResponseOutcome['headers'] = [['Content-Type', 'text/html']],
  more: Partial<ResponseOutcome> = {},
): ResponseOutcome {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return {
    kind: 'response',
    url,
    status: 200,
    statusText: 'OK',
    headers,
    body: bytes,
    truncated: null,
    encodedBytes: bytes.length,
    remoteAddress: '127.0.0.1',
    timing: { startedAtMs: 1_000, headersAtMs: 1_500, endedAtMs: 2_000 },
    ...more,
  };
}
