// The fetcher on undici: HTTP/1.1 with keep-alive over connections to checked addresses, without redirects, retries,
// cookies and look-ups. An exchange is one object, and ends once, with a value.
//
//   connecting ──onConnect──▶ sent ──onHeaders──▶ answering ──onComplete──▶ ended
//        └──────────────── deadline, abort, error, limit: from any of them to ended ─────────────┘
//
// undici's plain handler methods are used instead of the newer controller interface: they pass the raw header lines,
// and skip the object of headers that the newer interface builds for every response.

import type { Dispatcher } from 'undici';
import { checkOptions } from '../call-options.js';
import { invalidOption } from '../errors.js';
import { onAbort } from '../on-abort.js';
import { parseUrl } from '../parse-url.js';
import { BodyCollector, type BodyEnd, encodedLimit } from './body.js';
import { type Connection, ConnectionPool } from './connection.js';
import { parseContentEncoding } from './content-coding.js';
import { type ExchangePhase, failureCode, failureDetail } from './failure-code.js';
import { ALL_CAPABILITIES, type Fetcher, type FetchRequest } from './fetcher.js';
import { FRAMING_SLACK_BYTES, MAX_HEADER_FIELDS, MAX_HEADER_PHASE_BYTES } from './limits.js';
import { type FailureCode, type FetchOutcome, type HeaderLines, headerValue, unsentFailure } from './outcome.js';
import { resolveProxy } from './proxy.js';

const CA_HINT = "Give the content of the file: ca: readFileSync(path, 'utf8').";

/** How the undici fetcher is set up. */
export interface UndiciFetcherOptions {
  /** Certificates trusted instead of the platform's own, PEM. @default the platform's */
  readonly ca?: string | readonly string[];
  /** The proxy for every connection, as `network.proxy`. @default none */
  readonly proxy?: string;
  /** Epoch milliseconds. @default Date.now */
  readonly nowMs?: () => number;
}

/**
 * Makes a fetcher that connects to the judged address of each request and to nothing else.
 * A connection is reused for the same origin *and* the same judged address, one request at a time. TLS is verified
 * against the URL's host. If the server closes an idle connection just as a request uses it, the request fails like any
 * other reset: nothing is sent twice without the frontier's permission. Later requests then get new connections.
 * @throws MannerlyError `option-invalid` for a `ca` that is not PEM, and for an invalid proxy.
 */
export function createUndiciFetcher(options: UndiciFetcherOptions = {}): Fetcher {
  checkOptions('createUndiciFetcher', options, { ca: 'any', proxy: 'string', nowMs: 'function' });
  // TLS ignores text that is no certificate, and refuses other values at each connection.
  if (![options.ca ?? []].flat().every((each) => typeof each === 'string' && each.includes('-----BEGIN')))
    throw invalidOption('createUndiciFetcher.ca', 'PEM text, or a list of it', options.ca, CA_HINT);
  const nowMs = options.nowMs ?? Date.now;
  const pool = new ConnectionPool(options.ca, options.proxy === undefined ? null : resolveProxy(options.proxy));
  return {
    capabilities: ALL_CAPABILITIES,
    fetch: (request) =>
      new Promise((resolve) => {
        const url = parseUrl(request.url);
        if (url === null || !/^https?:$/.test(url.protocol)) {
          resolve(unsentFailure(request.url, nowMs(), 'scheme-unsupported', 'neither an http nor an https URL'));
        } else if (request.signal.aborted) {
          resolve(unsentFailure(request.url, nowMs(), 'aborted', 'given up by the crawl'));
        } else {
          new Exchange(request, pool, pool.take(url.origin, request.address.address), nowMs, resolve).start(url);
        }
      }),
    close: async () => pool.close(),
  };
}

const EXCHANGE_ENDED = new Error('the exchange was over before its request left');

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: FetchRequest;
  readonly #connection: Connection;
  /** Whether the connection has served an earlier exchange. */
  readonly #isKept: boolean;
  readonly #pool: ConnectionPool;
  readonly #nowMs: () => number;
  /** Called once: with the outcome, or with `null` if `mayStart` refused. */
  readonly #onEnd: (outcome: FetchOutcome | null) => void;
  readonly #ignoreAbort: () => void;
  #phase: ExchangePhase | 'ended' = 'connecting';
  /** Times the connection, then the header section. */
  #phaseTimer: NodeJS.Timeout;
  #exchangeTimer: NodeJS.Timeout | undefined;
  #startedAtMs: number;
  #headersAtMs: number | null = null;
  #endedAtMs = 0;
  #status = 0;
  #statusText = '';
  #headers: HeaderLines = [];
  #body: BodyCollector | null = null;
  #maxWireBytes = MAX_HEADER_PHASE_BYTES;

  constructor(
    request: FetchRequest,
    pool: ConnectionPool,
    connection: Connection,
    nowMs: () => number,
    onEnd: (outcome: FetchOutcome | null) => void,
  ) {
    const { connectTimeoutMs } = request.limits;
    this.#request = request;
    this.#connection = connection;
    this.#isKept = connection.isOpen;
    this.#pool = pool;
    this.#nowMs = nowMs;
    this.#onEnd = onEnd;
    this.#ignoreAbort = onAbort(request.signal, () => this.fail('aborted', 'given up by the crawl'));
    this.#startedAtMs = nowMs();
    this.#phaseTimer = this.#failAfter(connectTimeoutMs, 'connecting', 'timeout-connect', 'no connection');
  }

  async start({ pathname, search }: URL): Promise<void> {
    const { method, headers, headersNow, body } = this.#request;
    let fields = headers;
    try {
      if (headersNow !== undefined && !this.#connection.isOpen) {
        await this.#connection.open();
        fields = await headersNow();
      }
    } catch (error) {
      this.fail(failureCode(error, 'connecting'), failureDetail(error));
    }
    if (this.#phase !== 'connecting') return;
    const request = { path: pathname + search, method, headers: fields };
    this.#connection.dispatch(body === undefined ? request : { ...request, body }, this);
  }

  /** Called by undici right before it writes: the last moment at which nothing has been sent. */
  onConnect(): void {
    if (this.#phase !== 'connecting') throw EXCHANGE_ENDED;
    let mayStart = false;
    try {
      mayStart = this.#request.mayStart(this.#connection.localAddress);
    } catch (error) {
      this.fail('internal', failureDetail(error));
      throw EXCHANGE_ENDED;
    }
    if (!mayStart) {
      this.#finish();
      this.#pool.release(this.#connection);
      this.#onEnd(null);
      // undici removes the request from its queue and keeps the connection.
      throw EXCHANGE_ENDED;
    }
    const { headersTimeoutMs, requestTimeoutMs } = this.#request.limits;
    this.#phase = 'sent';
    clearTimeout(this.#phaseTimer);
    this.#exchangeTimer = this.#failAfter(requestTimeoutMs, null, 'timeout-exchange', 'not ended');
    if (headersTimeoutMs < requestTimeoutMs) {
      this.#phaseTimer = this.#failAfter(headersTimeoutMs, 'sent', 'timeout-headers', 'no header section');
    }
    this.#connection.watchWire((bytes) => {
      if (bytes > this.#maxWireBytes) this.#onWireFull();
    });
    this.#startedAtMs = this.#nowMs();
  }

  onHeaders(status: number, rawHeaders: Buffer[], _resume: () => void, statusText: string): boolean {
    // Interim responses (1xx) are ignored; the deadline for headers stays.
    if (this.#phase !== 'sent' || status < 200) return true;
    this.#phase = 'answering';
    clearTimeout(this.#phaseTimer);
    this.#headersAtMs = this.#nowMs();
    this.#status = status;
    this.#statusText = statusText;
    if (rawHeaders.length > MAX_HEADER_FIELDS * 2) {
      this.fail('headers-too-large', `${rawHeaders.length / 2} header fields`);
      return true;
    }
    const headers: [string, string][] = [];
    // Field values are bytes; one character each loses nothing (RFC 9110 §5.5).
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      headers.push([rawHeaders[at]!.toString('latin1'), rawHeaders[at + 1]!.toString('latin1')]);
    }
    this.#headers = headers;
    const encoding = parseContentEncoding(headerValue(headers, 'content-encoding'));
    if (encoding.kind === 'unknown') {
      this.fail('encoding', encoding.detail);
      return true;
    }
    const { limits, keepsEncoded = false, consumeBody } = this.#request;
    const consumer = consumeBody?.({ status, headers }) ?? null;
    const maxBodyBytes = consumer?.maxBytes ?? limits.maxBodyBytes;
    const maxEncodedBytes = consumer === null ? limits.maxEncodedBytes : encodedLimit(maxBodyBytes);
    this.#body = new BodyCollector(
      encoding.codings,
      { maxBodyBytes, maxEncodedBytes, keepsEncoded: keepsEncoded && consumer === null },
      () => this.#onBodyFull(),
      consumer,
    );
    this.#maxWireBytes += maxEncodedBytes + FRAMING_SLACK_BYTES;
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#phase === 'answering' && this.#body?.push(chunk) === 'full') this.#onBodyFull();
    return true;
  }

  onComplete(): void {
    if (this.#phase !== 'answering') return;
    // A body without a length ends with its connection, and undici accepts even a reset as its end.
    const isComplete = !this.#connection.hasFailed;
    this.#finish();
    if (isComplete) this.#pool.release(this.#connection);
    else this.#connection.destroy();
    this.#endWithBody(isComplete ? 'complete' : 'connection');
  }

  onError(error: Error): void {
    if (this.#phase === 'ended') return;
    const code = failureCode(error, this.#phase);
    const hasEnded = code === 'reset' || code === 'closed-early';
    if (hasEnded && this.#isKept && this.#phase === 'sent') this.#pool.onKeptFailed(this.#connection);
    if (hasEnded && this.#phase === 'answering') {
      this.#finish();
      this.#connection.destroy();
      // 204 and 304 have no body. A length there is that of another response (RFC 9110 §8.6), and undici waits for its
      // bytes.
      this.#endWithBody(this.#status === 204 || this.#status === 304 ? 'complete' : 'connection');
    } else {
      this.fail(code, failureDetail(error));
    }
  }

  fail(failure: FailureCode, detail: string): void {
    if (this.#phase === 'ended') return;
    const wasSent = this.#phase !== 'connecting';
    this.#finish();
    this.#body?.discard();
    this.#connection.destroy();
    this.#onEnd(this.#failed(failure, detail, wasSent));
  }

  /** @param phase - Fails only if this phase still lasts; `null`: in any phase. */
  #failAfter(ms: number, phase: ExchangePhase | null, failure: FailureCode, subject: string): NodeJS.Timeout {
    const onTime = (): void => {
      if (phase !== null && this.#phase !== phase) return;
      const isProxy = this.#phase === 'connecting' && this.#connection.waitsForProxy;
      this.fail(isProxy ? 'proxy' : failure, `${subject}${isProxy ? ' to the proxy' : ''} within ${ms} ms`);
    };
    // Timers run before sockets in a turn of the event loop. After a busy turn of ours, the response may already be at
    // the socket, and the server is not to blame.
    return setTimeout(setImmediate, ms, onTime);
  }

  #onBodyFull(): void {
    if (this.#phase !== 'answering') return;
    this.#finish();
    this.#connection.destroy();
    this.#endWithBody('limit');
  }

  #onWireFull(): void {
    if (this.#phase !== 'sent') this.#onBodyFull();
    else this.fail('headers-too-large', `more than ${MAX_HEADER_PHASE_BYTES} bytes, and no header section`);
  }

  #finish(): void {
    clearTimeout(this.#phaseTimer);
    clearTimeout(this.#exchangeTimer);
    this.#ignoreAbort();
    this.#connection.watchWire(null);
    this.#phase = 'ended';
    this.#endedAtMs = this.#nowMs();
  }

  #endWithBody(bodyEnd: BodyEnd): void {
    this.#outcomeOf(bodyEnd).then(this.#onEnd, (error) => {
      this.#onEnd(this.#failed('internal', failureDetail(error), true));
    });
  }

  async #outcomeOf(bodyEnd: BodyEnd): Promise<FetchOutcome> {
    const collector = this.#body;
    if (collector === null) throw new Error('a response without a header section');
    await this.#request.beforeDecoding?.();
    const decoded = await collector.end(bodyEnd);
    if (decoded.kind === 'undecodable') return this.#failed('encoding', decoded.detail, true);
    const encodedBody = collector.encodedBody();
    // The exchange is an old object by now and may live until the next full collection, so it drops its bytes.
    collector.discard();
    this.#body = null;
    return {
      kind: 'response',
      url: this.#request.url,
      status: this.#status,
      statusText: this.#statusText,
      headers: this.#headers,
      body: decoded.body,
      truncated: decoded.truncated,
      ...(encodedBody === null ? {} : { encodedBody }),
      encodedBytes: collector.encodedBytes,
      ...this.#common(),
    };
  }

  #failed(failure: FailureCode, detail: string, wasSent: boolean): FetchOutcome {
    return { kind: 'failed', url: this.#request.url, failure, detail, wasSent, ...this.#common() };
  }

  #common(): Pick<FetchOutcome, 'remoteAddress' | 'timing'> {
    const timing = { startedAtMs: this.#startedAtMs, headersAtMs: this.#headersAtMs, endedAtMs: this.#endedAtMs };
    return { remoteAddress: this.#connection.remoteAddress, timing };
  }
}
