// The fetcher on the platform's `fetch`, for runtimes and tools that know nothing else. It keeps the contract within
// the limits it declares: the platform looks names up by itself, undoes codings by itself, and adds fields of its own.

import { onAbort } from '../on-abort.js';
import { parseUrl } from '../parse-url.js';
import { parseContentEncoding } from './content-coding.js';
import { failureCodeWithin, failureDetail } from './failure-code.js';
import type { Fetcher, FetcherCapabilities, FetchLimits, FetchRequest } from './fetcher.js';
import { MAX_HEADER_FIELDS } from './limits.js';
import type { ExchangeTiming, FailedOutcome, FailureCode, FetchOutcome, HeaderLines } from './outcome.js';

/** How the platform fetcher is set up. */
export interface PlatformFetcherOptions {
  /** @default the global `fetch`, looked up at each request, so that a tool may put its own in its place */
  readonly fetch?: typeof globalThis.fetch;
  /** Epoch milliseconds. @default Date.now */
  readonly nowMs?: () => number;
}

const CAPS: FetcherCapabilities = Object.freeze({
  rawHeaders: false,
  remoteAddress: false,
  pinsAddress: false,
  encodedBody: false,
  exactHeaders: false,
  checksMayStart: false,
});

/**
 * Makes a fetcher on the platform's `fetch`: one exchange per call, no redirects, no cookies, no cache.
 *
 * It does not connect to the judged address: a crawl takes it only with `network.allowUnpinnedDns`. `connectTimeoutMs`
 * is not told apart from `headersTimeoutMs`, and both run from the call. Node's `fetch` takes a coded body that breaks
 * off for whole where its framing is in order.
 *
 * @throws Never.
 */
export function createPlatformFetcher(options: PlatformFetcherOptions = {}): Fetcher {
  const nowMs = options.nowMs ?? Date.now;
  return {
    capabilities: CAPS,
    fetch: (request) => new WebExchange(request, options.fetch ?? globalThis.fetch, nowMs).run(),
    close: () => Promise.resolve(),
  };
}

/** Nothing is followed, remembered or carried over. Node's own `fetch` has no cache; others have. */
const ALONE = Object.freeze({
  redirect: 'manual',
  credentials: 'omit',
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
});

/** What an abort of ours means. */
class OurAbort extends Error {
  readonly word: FailureCode;

  constructor(word: FailureCode, detail: string) {
    super(detail);
    this.word = word;
  }
}

/** A body as far as it was read. */
interface ReadBody {
  readonly body: Uint8Array;
  readonly cut: 'limit' | 'connection' | null;
}

class WebExchange {
  readonly #request: FetchRequest;
  readonly #fetch: typeof globalThis.fetch;
  readonly #nowMs: () => number;
  readonly #control = new AbortController();
  #startedAtMs = 0;
  #headersAtMs: number | null = null;

  constructor(request: FetchRequest, fetch: typeof globalThis.fetch, nowMs: () => number) {
    this.#request = request;
    this.#fetch = fetch;
    this.#nowMs = nowMs;
  }

  async run(): Promise<FetchOutcome | null> {
    const { url, signal, limits } = this.#request;
    this.#startedAtMs = this.#nowMs();
    if (!/^https?:$/.test(parseUrl(url)?.protocol ?? '')) {
      return this.#failed('scheme-unsupported', 'neither an http nor an https URL', false);
    }
    if (signal.aborted) return this.#failed('aborted', 'given up by the crawl', false);
    try {
      if (!this.#request.mayStart()) return null;
    } catch (error) {
      return this.#failed('internal', failureDetail(error), false);
    }
    this.#startedAtMs = this.#nowMs();
    const ignoreAbort = onAbort(signal, () => this.#abort('aborted', 'given up by the crawl'));
    const exchange = this.#after(
      limits.requestTimeoutMs,
      'timeout-exchange',
      `not ended within ${limits.requestTimeoutMs} ms`,
    );
    const headersTimeoutMs = Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs);
    const headers = this.#after(
      headersTimeoutMs,
      headersTimeoutMs < limits.requestTimeoutMs ? 'timeout-headers' : 'timeout-exchange',
      `no header section within ${headersTimeoutMs} ms`,
    );
    try {
      return await this.#exchange(headers);
    } catch (error) {
      return this.#failedBy(error);
    } finally {
      clearTimeout(headers);
      clearTimeout(exchange);
      ignoreAbort();
    }
  }

  async #exchange(headersTimer: NodeJS.Timeout): Promise<FetchOutcome> {
    const { url, method, headers, limits } = this.#request;
    const response = await this.#fetch(url, { ...ALONE, method, headers, signal: this.#control.signal });
    clearTimeout(headersTimer);
    this.#headersAtMs = this.#nowMs();
    const fields: HeaderLines = [...response.headers];
    if (fields.length > MAX_HEADER_FIELDS) {
      this.#abort('headers-too-large', `${fields.length} header fields`);
      return this.#failed('headers-too-large', `${fields.length} header fields`, true);
    }
    // What the platform cannot undo it hands on as it is.
    const coding = parseContentEncoding(response.headers.get('content-encoding'));
    if (coding.kind === 'unknown') {
      this.#abort('encoding', coding.detail);
      return this.#failed('encoding', coding.detail, true);
    }
    const { body, cut } = await this.#read(response, limits, coding.codings.length > 0);
    return {
      kind: 'response',
      url,
      status: response.status,
      statusText: response.statusText,
      headers: fields,
      body,
      truncated: cut,
      encodedBytes: body.length,
      remoteAddress: null,
      timing: this.#timing(),
    };
  }

  async #read(response: Response, { maxBodyBytes }: FetchLimits, isCoded: boolean): Promise<ReadBody> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = (cut: ReadBody['cut']): ReadBody => ({
      body: Buffer.concat(chunks, Math.min(length, maxBodyBytes)),
      cut,
    });
    if (response.body === null) return end(null);
    const reader = response.body.getReader();
    for (;;) {
      let step: Awaited<ReturnType<typeof reader.read>>;
      try {
        step = await reader.read();
      } catch (error) {
        const { reason } = this.#control.signal;
        if (reason instanceof OurAbort) throw reason;
        if (isCoded && length === 0) throw new OurAbort('encoding', failureDetail(error));
        return end('connection');
      }
      if (step.done) return end(null);
      chunks.push(step.value);
      length += step.value.length;
      if (length > maxBodyBytes) {
        this.#abort('internal', 'the body is longer than what is kept');
        return end('limit');
      }
    }
  }

  #after(ms: number, word: FailureCode, detail: string): NodeJS.Timeout {
    return setTimeout(() => this.#abort(word, detail), ms);
  }

  #abort(word: FailureCode, detail: string): void {
    this.#control.abort(new OurAbort(word, detail));
  }

  /** Where it broke is not known: it counts as sent, unless no server was reached at all. */
  #failedBy(error: unknown): FailedOutcome {
    const { reason } = this.#control.signal;
    const ours = error instanceof OurAbort ? error : reason instanceof OurAbort ? reason : null;
    if (ours !== null) return this.#failed(ours.word, ours.message, true);
    const word = failureCodeWithin(error);
    const isUnreached = word === 'refused' || word === 'dns' || word === 'unreachable-network' || word === 'tls';
    return this.#failed(word, failureDetail(error), !isUnreached);
  }

  #failed(failure: FailureCode, detail: string, wasSent: boolean): FailedOutcome {
    const { url } = this.#request;
    return { kind: 'failed', url, failure, detail, remoteAddress: null, wasSent, timing: this.#timing() };
  }

  #timing(): ExchangeTiming {
    return { startedAtMs: this.#startedAtMs, headersAtMs: this.#headersAtMs, endedAtMs: this.#nowMs() };
  }
}
