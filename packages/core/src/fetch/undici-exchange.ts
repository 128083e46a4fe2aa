// One exchange over undici's dispatch: an object that is handler, watcher of the body and owner of the one timer, so that
// a request costs one promise and no closures. Whatever happens, it ends once, with a value.
//
//   connecting ──onConnect──▶ sent ──onHeaders──▶ answering ──onComplete──▶ over
//        └─────────────── deadline, abort, error, cap: from any of them to over ───────────────┘
//
// undici's plain handler methods are used instead of the newer controller interface: they hand over the raw field lines,
// and skip the object of headers that the newer interface builds for every response.

import type { Dispatcher } from 'undici';
import { BodyCollector, type BodyEnding, type BodyWatcher, type DecodedBody, encodedCap } from './body.js';
import type { Connection, WireWatcher } from './connection.js';
import type { ConnectionPool } from './connection-pool.js';
import { parseContentEncoding } from './content-coding.js';
import { type ExchangePhase, failureCode, failureDetail } from './failure-code.js';
import type { FetchRequest } from './fetcher.js';
import { FRAMING_SLACK_BYTES, MAX_HEADER_FIELDS, MAX_HEADER_PHASE_BYTES } from './limits.js';
import type { ExchangeTiming, FailureCode, FetchOutcome } from './outcome.js';

/** How an exchange is told: its outcome, or `null` when `mayStart` refused. */
export type OnExchangeEnd = (outcome: FetchOutcome | null) => void;

const NOT_STARTED = new Error('the exchange was over before its request left');

/** See the top of the file. Use: `start` once; `abort` at any time. */
export class UndiciExchange implements Dispatcher.DispatchHandler, BodyWatcher, WireWatcher {
  readonly #request: FetchRequest;
  readonly #connection: Connection;
  readonly #pool: ConnectionPool;
  readonly #nowMs: () => number;
  readonly #onEnd: OnExchangeEnd;
  #phase: ExchangePhase | 'over' = 'connecting';
  #startedAtMs: number;
  #headersAtMs: number | null = null;
  #endedAtMs = 0;
  #status = 0;
  #statusText = '';
  #headers: [string, string][] = [];
  #body: BodyCollector | null = null;
  #timer: NodeJS.Timeout;
  /** Monotonic milliseconds of the timer, of the whole exchange's end and of the present phase's. */
  #timerAt: number;
  #exchangeEndAt = 0;
  #deadlineAt: number;
  /** The deadline has passed, and what lay at the socket then has been read. */
  #hasHadItsTurn = false;

  constructor(
    request: FetchRequest,
    connection: Connection,
    pool: ConnectionPool,
    nowMs: () => number,
    onEnd: OnExchangeEnd,
  ) {
    this.#request = request;
    this.#connection = connection;
    this.#pool = pool;
    this.#nowMs = nowMs;
    this.#onEnd = onEnd;
    this.#startedAtMs = nowMs();
    this.#deadlineAt = performance.now() + request.limits.connectTimeoutMs;
    this.#timerAt = this.#deadlineAt;
    this.#timer = setTimeout(onTimer, request.limits.connectTimeoutMs, this);
  }

  start(path: string): void {
    this.#connection.dispatch(path, this.#request.headers, this);
  }

  /** The caller gives the exchange up. */
  abort(): void {
    this.#fail('aborted', 'given up by the crawl');
  }

  /** Called by undici right before it writes: the last moment at which nothing has left yet. */
  onConnect(): void {
    if (this.#phase !== 'connecting') throw NOT_STARTED;
    let mayStart = false;
    try {
      mayStart = this.#request.mayStart();
    } catch (error) {
      this.#fail('internal', failureDetail(error));
      throw NOT_STARTED;
    }
    if (!mayStart) {
      this.#over();
      this.#pool.giveBack(this.#connection);
      this.#onEnd(null);
      // undici takes the request from its queue and leaves the connection as it is.
      throw NOT_STARTED;
    }
    const now = performance.now();
    const { headersTimeoutMs, requestTimeoutMs } = this.#request.limits;
    this.#phase = 'sent';
    this.#exchangeEndAt = now + requestTimeoutMs;
    this.#setDeadline(now + Math.min(headersTimeoutMs, requestTimeoutMs), now);
    this.#connection.watchWire(this);
    this.#connection.limitWire(MAX_HEADER_PHASE_BYTES);
    this.#startedAtMs = this.#nowMs();
  }

  onHeaders(status: number, rawHeaders: Buffer[], _resume: () => void, statusText: string): boolean {
    // Interim responses (1xx) are passed over; the header deadline goes on meanwhile.
    if (this.#phase !== 'sent' || status < 200) return true;
    this.#phase = 'answering';
    this.#headersAtMs = this.#nowMs();
    this.#status = status;
    this.#statusText = statusText;
    if (rawHeaders.length > MAX_HEADER_FIELDS * 2) {
      this.#fail('headers-too-large', `${rawHeaders.length / 2} header fields`);
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
      this.#fail('encoding', encoding.detail);
      return true;
    }
    const { keepsEncoded = false, consumeBody } = this.#request;
    const taker = consumeBody?.({ status, headers: this.#headers }) ?? null;
    const limits =
      taker === null
        ? this.#request.limits
        : { ...this.#request.limits, maxBodyBytes: taker.maxBytes, maxEncodedBytes: encodedCap(taker.maxBytes) };
    this.#body = new BodyCollector(
      encoding.codings,
      { ...limits, keepsEncoded: keepsEncoded && taker === null },
      this,
      taker,
    );
    this.#connection.limitWire(MAX_HEADER_PHASE_BYTES + limits.maxEncodedBytes + FRAMING_SLACK_BYTES);
    this.#setDeadline(this.#exchangeEndAt, null);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#phase === 'answering' && this.#body?.push(chunk) === 'full') this.onBodyFull();
    return true;
  }

  onComplete(): void {
    if (this.#phase !== 'answering') return;
    // A body without a length ends with its connection; undici takes even a reset for that end.
    const isWhole = !this.#connection.hasFailed;
    this.#over();
    if (isWhole) this.#pool.giveBack(this.#connection);
    else this.#connection.destroy();
    this.#answer(isWhole ? 'whole' : 'connection');
  }

  onError(error: Error): void {
    if (this.#phase === 'over') return;
    const word = failureCode(error, this.#phase);
    if (this.#phase === 'answering' && (word === 'reset' || word === 'closed-early')) {
      this.#over();
      this.#connection.destroy();
      // 204 and 304 have no body; a length there tells of another response (RFC 9110 §8.6), and undici misses its bytes.
      this.#answer(this.#status === 204 || this.#status === 304 ? 'whole' : 'connection');
    } else {
      this.#fail(word, failureDetail(error));
    }
  }

  onBodyFull(): void {
    if (this.#phase !== 'answering') return;
    this.#over();
    this.#connection.destroy();
    this.#answer('limit');
  }

  onWireFull(): void {
    if (this.#phase === 'sent') {
      this.#fail('headers-too-large', `more than ${MAX_HEADER_PHASE_BYTES} bytes, and no header section`);
    } else {
      this.onBodyFull();
    }
  }

  onDeadline(): void {
    if (this.#phase === 'over') return;
    const now = performance.now();
    if (now < this.#deadlineAt) {
      this.#hasHadItsTurn = false;
      this.#arm(now);
    } else if (!this.#hasHadItsTurn) {
      // Timers come before sockets in a turn of the event loop. After a busy turn of ours the answer may lie there already,
      // and the other side is not to blame for our lateness.
      this.#hasHadItsTurn = true;
      setImmediate(onTimer, this);
    } else if (this.#phase === 'connecting') {
      this.#fail('timeout-connect', `no connection within ${this.#request.limits.connectTimeoutMs} ms`);
    } else if (this.#phase === 'sent' && this.#deadlineAt < this.#exchangeEndAt) {
      this.#fail('timeout-headers', `no header section within ${this.#request.limits.headersTimeoutMs} ms`);
    } else {
      this.#fail('timeout-exchange', `not ended within ${this.#request.limits.requestTimeoutMs} ms`);
    }
  }

  /** The usual exchange ends before its connect deadline would have fired: its timer is set and cleared once. */
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
    this.#connection.unwatchWire();
    this.#phase = 'over';
    this.#endedAtMs = this.#nowMs();
  }

  #fail(failure: FailureCode, detail: string): void {
    if (this.#phase === 'over') return;
    const wasSent = this.#phase !== 'connecting';
    this.#over();
    this.#body?.discard();
    this.#connection.destroy();
    this.#onEnd(this.#failed(failure, detail, wasSent));
  }

  #answer(ending: BodyEnding): void {
    const { beforeDecoding } = this.#request;
    if (beforeDecoding === undefined) this.#decode(ending);
    else {
      beforeDecoding().then(
        () => this.#decode(ending),
        (error: unknown) => this.#onEnd(this.#failed('internal', failureDetail(error), true)),
      );
    }
  }

  #decode(ending: BodyEnding): void {
    const collector = this.#body;
    if (collector === null) throw new Error('an answer without a header section');
    const decoded = collector.end(ending);
    if (decoded instanceof Promise) {
      decoded.then(
        (body) => this.#tell(body, collector),
        (error: unknown) => this.#onEnd(this.#failed('internal', failureDetail(error), true)),
      );
    } else {
      this.#tell(decoded, collector);
    }
  }

  #tell(decoded: DecodedBody, collector: BodyCollector): void {
    if (decoded.kind === 'undecodable') {
      this.#onEnd(this.#failed('encoding', decoded.detail, true));
      return;
    }
    const encodedBody = collector.encodedBody();
    const { encodedBytes } = collector;
    // What is over keeps no bytes: the exchange is as old as its request, and may live until the next full collection.
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
      encodedBytes,
      remoteAddress: this.#connection.remoteAddress,
      timing: this.#timing(),
    });
  }

  #failed(failure: FailureCode, detail: string, wasSent: boolean): FetchOutcome {
    const remoteAddress = this.#connection.remoteAddress;
    return { kind: 'failed', url: this.#request.url, failure, detail, remoteAddress, wasSent, timing: this.#timing() };
  }

  #timing(): ExchangeTiming {
    return { startedAtMs: this.#startedAtMs, headersAtMs: this.#headersAtMs, endedAtMs: this.#endedAtMs };
  }
}

function onTimer(exchange: UndiciExchange): void {
  exchange.onDeadline();
}

/** Field values are bytes; one character each loses nothing (RFC 9110 §5.5). */
function latin1(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : bytes.toString('latin1');
}
