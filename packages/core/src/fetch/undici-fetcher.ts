// The fetcher on undici: HTTP/1.1 with keep-alive over connections to judged addresses, without redirects, retries,
// cookies and look-ups. An exchange is one object with one timer, and ends once, with a value.
//
//   connecting ──onConnect──▶ sent ──onHeaders──▶ answering ──onComplete──▶ over
//        └──────────────── deadline, abort, error, limit: from any of them to over ──────────────┘
//
// undici's plain handler methods are used instead of the newer controller interface: they pass the raw header lines,
// and skip the object of headers that the newer interface builds for every response.

import type { Dispatcher } from 'undici';
import { onAbort } from '../on-abort.js';
import { parseUrl } from '../parse-url.js';
import { BodyCollector, type BodyEnding, type DecodedBody, encodedLimit } from './body.js';
import { type Connection, ConnectionPool } from './connection.js';
import { parseContentEncoding } from './content-coding.js';
import { type ExchangePhase, failureCode, failureDetail } from './failure-code.js';
import type { Fetcher, FetcherCapabilities, FetchRequest } from './fetcher.js';
import { FRAMING_SLACK_BYTES, MAX_HEADER_FIELDS, MAX_HEADER_PHASE_BYTES } from './limits.js';
import { type FailureCode, type FetchOutcome, unsentFailure } from './outcome.js';

/** How the undici fetcher is set up. */
export interface UndiciFetcherOptions {
  /** Certificates trusted instead of the platform's own, PEM. @default the platform's */
  readonly ca?: string | readonly string[];
  /** Epoch milliseconds. @default Date.now */
  readonly nowMs?: () => number;
}

const CAPABILITIES: FetcherCapabilities = Object.freeze({
  rawHeaders: true,
  remoteAddress: true,
  pinsAddress: true,
  encodedBody: true,
  exactHeaders: true,
  checksMayStart: true,
});

/**
 * Makes a fetcher that connects to the judged address of each request and to nothing else.
 *
 * A connection is used again for the same origin *and* the same judged address, one request at a time. TLS is verified
 * against the URL's host. A request that meets an idle connection just as the server closes it fails like any other
 * reset: nothing is sent twice without the frontier's permission.
 *
 * @throws Never.
 */
export function createUndiciFetcher(options: UndiciFetcherOptions = {}): Fetcher {
  const nowMs = options.nowMs ?? Date.now;
  const pool = new ConnectionPool(options.ca);
  return {
    capabilities: CAPABILITIES,
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

const NOT_STARTED = new Error('the exchange was over before its request left');

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: FetchRequest;
  readonly #connection: Connection;
  readonly #pool: ConnectionPool;
  readonly #nowMs: () => number;
  /** Called once: with the outcome, or with `null` when `mayStart` refused. */
  readonly #onEnd: (outcome: FetchOutcome | null) => void;
  readonly #ignoreAbort: () => void;
  #phase: ExchangePhase | 'over' = 'connecting';
  #startedAtMs: number;
  #headersAtMs: number | null = null;
  #endedAtMs = 0;
  #status = 0;
  #statusText = '';
  #headers: [string, string][] = [];
  #body: BodyCollector | null = null;
  #timer: NodeJS.Timeout;
  /** Monotonic milliseconds: when the timer fires, the exchange has to end, and the present phase has to end. */
  #timerAt: number;
  #exchangeEndAt = 0;
  #deadlineAt: number;
  /** The deadline has passed, and the socket has been read once more. */
  #isLastTurn = false;

  constructor(
    request: FetchRequest,
    pool: ConnectionPool,
    connection: Connection,
    nowMs: () => number,
    onEnd: (outcome: FetchOutcome | null) => void,
  ) {
    this.#request = request;
    this.#connection = connection;
    this.#pool = pool;
    this.#nowMs = nowMs;
    this.#onEnd = onEnd;
    this.#ignoreAbort = onAbort(request.signal, () => this.fail('aborted', 'given up by the crawl'));
    this.#startedAtMs = nowMs();
    this.#deadlineAt = performance.now() + request.limits.connectTimeoutMs;
    this.#timerAt = this.#deadlineAt;
    this.#timer = setTimeout(onTimer, request.limits.connectTimeoutMs, this);
  }

  start({ pathname, search }: URL): void {
    this.#connection.dispatch(pathname + search, this.#request.headers, this);
  }

  /** Called by undici right before it writes: the last moment at which nothing has been sent. */
  onConnect(): void {
    if (this.#phase !== 'connecting') throw NOT_STARTED;
    let mayStart = false;
    try {
      mayStart = this.#request.mayStart();
    } catch (error) {
      this.fail('internal', failureDetail(error));
      throw NOT_STARTED;
    }
    if (!mayStart) {
      this.#over();
      this.#pool.putBack(this.#connection);
      this.#onEnd(null);
      // undici takes the request from its queue and leaves the connection as it is.
      throw NOT_STARTED;
    }
    const now = performance.now();
    const { headersTimeoutMs, requestTimeoutMs } = this.#request.limits;
    this.#phase = 'sent';
    this.#exchangeEndAt = now + requestTimeoutMs;
    this.#setDeadline(now + Math.min(headersTimeoutMs, requestTimeoutMs), now);
    this.#connection.watchWire(() => this.#onWireFull());
    this.#connection.limitWire(MAX_HEADER_PHASE_BYTES);
    this.#startedAtMs = this.#nowMs();
  }

  onHeaders(status: number, rawHeaders: Buffer[], _resume: () => void, statusText: string): boolean {
    // Interim responses (1xx) are ignored; the deadline for headers stays.
    if (this.#phase !== 'sent' || status < 200) return true;
    this.#phase = 'answering';
    this.#headersAtMs = this.#nowMs();
    this.#status = status;
    this.#statusText = statusText;
    if (rawHeaders.length > MAX_HEADER_FIELDS * 2) {
      this.fail('headers-too-large', `${rawHeaders.length / 2} header fields`);
      return true;
    }
    let coding: string | null = null;
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = latin1(rawHeaders[at]);
      const value = latin1(rawHeaders[at + 1]);
      this.#headers.push([name, value]);
      if (name.length === 16 && name.toLowerCase() === 'content-encoding') {
        coding = coding === null ? value : `${coding},${value}`;
      }
    }
    const encoding = parseContentEncoding(coding);
    if (encoding.kind === 'unknown') {
      this.fail('encoding', encoding.detail);
      return true;
    }
    const { limits, keepsEncoded = false, consumeBody } = this.#request;
    const consumer = consumeBody?.({ status, headers: this.#headers }) ?? null;
    const maxBodyBytes = consumer?.maxBytes ?? limits.maxBodyBytes;
    const encodedBytes = consumer === null ? limits.maxEncodedBytes : encodedLimit(maxBodyBytes);
    this.#body = new BodyCollector(
      encoding.codings,
      { maxBodyBytes, maxEncodedBytes: encodedBytes, keepsEncoded: keepsEncoded && consumer === null },
      () => this.#onBodyFull(),
      consumer,
    );
    this.#connection.limitWire(MAX_HEADER_PHASE_BYTES + encodedBytes + FRAMING_SLACK_BYTES);
    this.#setDeadline(this.#exchangeEndAt, null);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#phase === 'answering' && this.#body?.push(chunk) === 'full') this.#onBodyFull();
    return true;
  }

  onComplete(): void {
    if (this.#phase !== 'answering') return;
    // A body without a length ends with its connection; undici takes even a reset for that end.
    const isWhole = !this.#connection.hasFailed;
    this.#over();
    if (isWhole) this.#pool.putBack(this.#connection);
    else this.#connection.destroy();
    this.#answer(isWhole ? 'whole' : 'connection');
  }

  onError(error: Error): void {
    if (this.#phase === 'over') return;
    const code = failureCode(error, this.#phase);
    if (this.#phase === 'answering' && (code === 'reset' || code === 'closed-early')) {
      this.#over();
      this.#connection.destroy();
      // 204 and 304 have no body; a length there is that of another response (RFC 9110 §8.6), and undici misses its
      // bytes.
      this.#answer(this.#status === 204 || this.#status === 304 ? 'whole' : 'connection');
    } else {
      this.fail(code, failureDetail(error));
    }
  }

  onDeadline(): void {
    if (this.#phase === 'over') return;
    const now = performance.now();
    const { connectTimeoutMs, headersTimeoutMs, requestTimeoutMs } = this.#request.limits;
    if (now < this.#deadlineAt) {
      this.#isLastTurn = false;
      this.#arm(now);
    } else if (!this.#isLastTurn) {
      // Timers come before sockets in a turn of the event loop. After a busy turn of ours the response may be at the
      // socket already, and the server is not to blame.
      this.#isLastTurn = true;
      setImmediate(onTimer, this);
    } else if (this.#phase === 'connecting') {
      this.fail('timeout-connect', `no connection within ${connectTimeoutMs} ms`);
    } else if (this.#phase === 'sent' && this.#deadlineAt < this.#exchangeEndAt) {
      this.fail('timeout-headers', `no header section within ${headersTimeoutMs} ms`);
    } else {
      this.fail('timeout-exchange', `not ended within ${requestTimeoutMs} ms`);
    }
  }

  fail(failure: FailureCode, detail: string): void {
    if (this.#phase === 'over') return;
    const wasSent = this.#phase !== 'connecting';
    this.#over();
    this.#body?.discard();
    this.#connection.destroy();
    this.#onEnd(this.#failed(failure, detail, wasSent));
  }

  #onBodyFull(): void {
    if (this.#phase !== 'answering') return;
    this.#over();
    this.#connection.destroy();
    this.#answer('limit');
  }

  #onWireFull(): void {
    if (this.#phase !== 'sent') this.#onBodyFull();
    else this.fail('headers-too-large', `more than ${MAX_HEADER_PHASE_BYTES} bytes, and no header section`);
  }

  /** Most exchanges end before their connect deadline, so that their timer is set and cleared once. */
  #setDeadline(at: number, now: number | null): void {
    this.#deadlineAt = at;
    if (at < this.#timerAt) this.#arm(now ?? performance.now());
  }

  #arm(now: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = this.#deadlineAt;
    // Rounded up: a timer that fires early would only be set again.
    this.#timer = setTimeout(onTimer, Math.ceil(this.#deadlineAt - now), this);
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#ignoreAbort();
    this.#connection.unwatchWire();
    this.#phase = 'over';
    this.#endedAtMs = this.#nowMs();
  }

  #answer(ending: BodyEnding): void {
    const { beforeDecoding } = this.#request;
    if (beforeDecoding === undefined) this.#decode(ending);
    else beforeDecoding().then(() => this.#decode(ending), this.#onBroken);
  }

  #decode(ending: BodyEnding): void {
    const collector = this.#body;
    if (collector === null) throw new Error('a response without a header section');
    const decoded = collector.end(ending);
    if (decoded instanceof Promise) decoded.then((body) => this.#respond(body, collector), this.#onBroken);
    else this.#respond(decoded, collector);
  }

  readonly #onBroken = (error: unknown): void => {
    this.#onEnd(this.#failed('internal', failureDetail(error), true));
  };

  #respond(decoded: DecodedBody, collector: BodyCollector): void {
    if (decoded.kind === 'undecodable') {
      this.#onEnd(this.#failed('encoding', decoded.detail, true));
      return;
    }
    const encodedBody = collector.encodedBody();
    // The exchange is an old object by now and may live until the next full collection: it keeps no bytes.
    collector.discard();
    this.#body = null;
    this.#onEnd({
      kind: 'response',
      url: this.#request.url,
      status: this.#status,
      statusText: this.#statusText,
      headers: this.#headers,
      body: decoded.body,
      truncated: decoded.cut,
      ...(encodedBody === null ? {} : { encodedBody }),
      encodedBytes: collector.encodedBytes,
      ...this.#common(),
    });
  }

  #failed(failure: FailureCode, detail: string, wasSent: boolean): FetchOutcome {
    return { kind: 'failed', url: this.#request.url, failure, detail, wasSent, ...this.#common() };
  }

  #common(): Pick<FetchOutcome, 'remoteAddress' | 'timing'> {
    const timing = { startedAtMs: this.#startedAtMs, headersAtMs: this.#headersAtMs, endedAtMs: this.#endedAtMs };
    return { remoteAddress: this.#connection.remoteAddress, timing };
  }
}

function onTimer(exchange: Exchange): void {
  exchange.onDeadline();
}

/** Field values are bytes; one character each loses nothing (RFC 9110 §5.5). */
function latin1(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : bytes.toString('latin1');
}
