// The fetcher on the platform's `fetch`, for runtimes and tools that have nothing else. It keeps the contract within
// the limits it declares: the platform looks up names itself, undoes codings itself, and adds fields of its own.

import { checkOptions } from '../call-options.js';
import { onAbort } from '../on-abort.js';
import { parseUrl } from '../parse-url.js';
import { ChunkBuffer } from './body.js';
import { parseContentEncoding } from './content-coding.js';
import { failureCodeWithin, failureDetail } from './failure-code.js';
import type { Fetcher, FetcherCapabilities, FetchRequest } from './fetcher.js';
import { MAX_HEADER_FIELDS } from './limits.js';
import { type FailureCode, type HeaderLines, type ResponseOutcome, unsentFailure } from './outcome.js';

/** How the platform fetcher is set up. */
export interface PlatformFetcherOptions {
  /** @default the global `fetch`, looked up at each request, so that a tool may replace it */
  readonly fetch?: typeof globalThis.fetch;
  /** Epoch milliseconds. @default Date.now */
  readonly nowMs?: () => number;
}

const CAPABILITIES: FetcherCapabilities = Object.freeze({
  rawHeaders: false,
  remoteAddress: false,
  pinsAddress: false,
  encodedBody: false,
  exactHeaders: false,
  checksMayStart: false,
});

/**
 * Makes a fetcher on the platform's `fetch`: one exchange per call, no redirects, no cookies, no cache. Never throws.
 *
 * It does not connect to the judged address, so a crawl accepts it only with `network.allowUnpinnedDns`.
 * `connectTimeoutMs` is not distinguished from `headersTimeoutMs`; both run from the call. Node's `fetch` takes a coded
 * body that breaks off as complete if its framing is in order.
 */
export function createPlatformFetcher(options: PlatformFetcherOptions = {}): Fetcher {
  checkOptions('createPlatformFetcher', options, { fetch: 'function', nowMs: 'function' });
  const nowMs = options.nowMs ?? Date.now;
  return {
    capabilities: CAPABILITIES,
    async fetch(request) {
      const { url, signal } = request;
      if (!/^https?:$/.test(parseUrl(url)?.protocol ?? '')) {
        return unsentFailure(url, nowMs(), 'scheme-unsupported', 'neither an http nor an https URL');
      }
      if (signal.aborted) return unsentFailure(url, nowMs(), 'aborted', 'given up by the crawl');
      try {
        if (!request.mayStart()) return null;
      } catch (error) {
        return unsentFailure(url, nowMs(), 'internal', failureDetail(error));
      }
      return exchange(options.fetch ?? globalThis.fetch, nowMs, request);
    },
    close: () => Promise.resolve(),
  };
}

/** Nothing is followed, remembered or carried over. Node's own `fetch` has no cache, but others have. */
const ISOLATED_REQUEST = Object.freeze({
  redirect: 'manual',
  credentials: 'omit',
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
});
/** Failures in which no server was reached. Other failures count as sent, since their phase is unknown. */
const UNSENT_FAILURES: ReadonlySet<FailureCode> = new Set(['refused', 'dns', 'unreachable-network', 'tls']);

/** The reason why we ended an exchange. */
class ExchangeError extends Error {
  readonly failure: FailureCode;

  constructor(failure: FailureCode, detail: string) {
    super(detail);
    this.failure = failure;
  }
}

/** One exchange. Both time-outs run from the call. */
async function exchange(fetch: typeof globalThis.fetch, nowMs: () => number, request: FetchRequest) {
  const { url, method, headers, body: form, limits, signal } = request;
  const { requestTimeoutMs, maxBodyBytes } = limits;
  const headersTimeoutMs = Math.min(limits.headersTimeoutMs, requestTimeoutMs);
  const timing = { startedAtMs: nowMs(), headersAtMs: null as number | null, endedAtMs: 0 };
  const controller = new AbortController();
  const abort = (failure: FailureCode, detail: string): void => controller.abort(new ExchangeError(failure, detail));
  const ignoreAbort = onAbort(signal, () => abort('aborted', 'given up by the crawl'));
  const timer = setTimeout(abort, requestTimeoutMs, 'timeout-exchange', `not ended within ${requestTimeoutMs} ms`);
  const headersTimer = setTimeout(
    abort,
    headersTimeoutMs,
    headersTimeoutMs < requestTimeoutMs ? 'timeout-headers' : 'timeout-exchange',
    `no header section within ${headersTimeoutMs} ms`,
  );
  try {
    const sent = form === undefined ? { method, headers } : { method, headers, body: form };
    const response = await fetch(url, { ...ISOLATED_REQUEST, ...sent, signal: controller.signal });
    clearTimeout(headersTimer);
    timing.headersAtMs = nowMs();
    const fields: HeaderLines = [...response.headers];
    if (fields.length > MAX_HEADER_FIELDS) {
      throw new ExchangeError('headers-too-large', `${fields.length} header fields`);
    }
    // The platform passes on unchanged what it cannot decode.
    const coding = parseContentEncoding(response.headers.get('content-encoding'));
    if (coding.kind === 'unknown') throw new ExchangeError('encoding', coding.detail);
    const { body, truncated } = await readBody(response, maxBodyBytes, coding.codings.length > 0, controller.signal);
    timing.endedAtMs = nowMs();
    const { status, statusText } = response;
    const received = { url, status, statusText, headers: fields, body, truncated, encodedBytes: body.length };
    return { kind: 'response', ...received, remoteAddress: null, timing } as const;
  } catch (error) {
    const { reason } = controller.signal;
    const ownError = error instanceof ExchangeError ? error : reason instanceof ExchangeError ? reason : null;
    const failure = ownError?.failure ?? failureCodeWithin(error);
    const wasSent = ownError !== null || !UNSENT_FAILURES.has(failure);
    timing.endedAtMs = nowMs();
    const detail = ownError?.message ?? failureDetail(error);
    return { kind: 'failed', url, failure, detail, remoteAddress: null, wasSent, timing } as const;
  } finally {
    clearTimeout(headersTimer);
    clearTimeout(timer);
    ignoreAbort();
    // Give up a response that is not read to its end.
    controller.abort();
  }
}

async function readBody({ body }: Response, maxBytes: number, isCoded: boolean, signal: AbortSignal) {
  const chunks = new ChunkBuffer();
  let truncated: ResponseOutcome['truncated'] = null;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      if (chunks.bytes <= maxBytes) continue;
      truncated = 'limit';
      break;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    if (isCoded && chunks.bytes === 0) throw new ExchangeError('encoding', failureDetail(error));
    truncated = 'connection';
  }
  return { body: chunks.joined().subarray(0, maxBytes), truncated };
}
