// One exchange with a fake web, by the contract of fetchers: nothing is sent before `mayStart`, the limits apply,
// bodies are decoded, and every result is a value.

import { BodyCollector, encodedLimit } from '../fetch/body.js';
import { parseContentEncoding } from '../fetch/content-coding.js';
import type { BodyConsumer, FetchRequest } from '../fetch/fetcher.js';
import { type FailedOutcome, type FailureCode, type FetchOutcome, headerValue } from '../fetch/outcome.js';
import type { CompleteAnswer } from './fake-answer.js';
import { MAX_TIMER_MS } from './limits.js';

interface FakeExchangeParts {
  readonly request: FetchRequest;
  /** Why the connection cannot be made; `null` if it can. */
  readonly connectFailure: FailureCode | null;
  /** Called when the request is sent; resolves with the answer. Never rejects. */
  readonly respond: (startedAtMs: number) => Promise<CompleteAnswer>;
  /** Runs work that takes real time off the main thread, while virtual time stands still. */
  readonly decode: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Whether a failure happens before the request is sent. */
export function isBeforeSending(failure: FailureCode): boolean {
  return /^(dns|refused|unreachable-network|tls|timeout-connect|(address|port)-forbidden|scheme-unsupported)$/.test(
    failure,
  );
}

/** Makes one exchange; `null` if `mayStart` refused. Never rejects. */
export async function fakeExchange({
  request,
  connectFailure,
  respond,
  decode,
}: FakeExchangeParts): Promise<FetchOutcome | null> {
  const { limits, signal } = request;
  let startedAtMs = Date.now();
  let headersAtMs: number | null = null;
  let wasSent = false;
  const failed = (failure: FailureCode, detail: string): FailedOutcome => ({
    kind: 'failed',
    url: request.url,
    failure,
    detail,
    remoteAddress: wasSent ? request.address.address : null,
    wasSent,
    timing: { startedAtMs, headersAtMs, endedAtMs: Date.now() },
  });
  if (!/^https?:/.test(request.url)) return failed('scheme-unsupported', 'neither an http nor an https URL');
  if (signal.aborted) return failed('aborted', ABORTED_DETAIL);
  if (connectFailure === 'timeout-connect') {
    const connected = await within(limits.connectTimeoutMs, signal, (pause) => pause(Number.POSITIVE_INFINITY));
    return connected.kind === 'aborted' ? failed('aborted', ABORTED_DETAIL) : failed(connectFailure, CONFIGURED_DETAIL);
  }
  if (connectFailure !== null) return failed(connectFailure, CONFIGURED_DETAIL);
  try {
    if (!request.mayStart()) return null;
  } catch (error) {
    return failed('internal', String(error));
  }
  startedAtMs = Date.now();
  wasSent = true;
  const head = await within(Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs), signal, async (pause) => {
    const answer = await respond(startedAtMs);
    await pause(
      answer.failure === 'timeout-headers' ? Number.POSITIVE_INFINITY : answer.delayMs - (Date.now() - startedAtMs),
    );
    return answer;
  });
  if (head.kind === 'aborted') return failed('aborted', ABORTED_DETAIL);
  if (head.kind === 'late') {
    return failed(
      limits.headersTimeoutMs < limits.requestTimeoutMs ? 'timeout-headers' : 'timeout-exchange',
      'no header section in time',
    );
  }
  const answer = head.value;
  const isEndless = answer.failure === 'timeout-exchange';
  if (answer.failure !== null && !isEndless) return failed(answer.failure, CONFIGURED_DETAIL);
  headersAtMs = Date.now();
  const coding = parseContentEncoding(headerValue(answer.headers, 'content-encoding'));
  if (coding.kind === 'unknown') return failed('encoding', coding.detail);
  const consumer: BodyConsumer | null =
    request.consumeBody?.({ status: answer.status, headers: answer.headers }) ?? null;
  const body = await within(startedAtMs + limits.requestTimeoutMs - headersAtMs, signal, (pause) =>
    pause(isEndless ? Number.POSITIVE_INFINITY : answer.bodyMs),
  );
  if (body.kind === 'aborted') return failed('aborted', ABORTED_DETAIL);
  if (body.kind === 'late') return failed('timeout-exchange', 'not ended in time');
  const bodyLimits =
    consumer === null ? limits : { maxBodyBytes: consumer.maxBytes, maxEncodedBytes: encodedLimit(consumer.maxBytes) };
  const keepsEncoded = request.keepsEncoded ?? false;
  const collector = new BodyCollector(coding.codings, { ...bodyLimits, keepsEncoded }, () => undefined, consumer);
  const bytes = answer.isCut ? answer.body.subarray(0, Math.floor(answer.body.length / 2)) : answer.body;
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (collector.push(bytes.subarray(at, at + CHUNK_BYTES)) === 'full') break;
  }
  const endedAtMs = Date.now();
  await request.beforeDecoding?.();
  const decoded = await decode(async () => collector.end(answer.isCut ? 'connection' : 'complete'));
  if (decoded.kind === 'undecodable') return failed('encoding', decoded.detail);
  const encodedBody = collector.encodedBody();
  return {
    kind: 'response',
    url: request.url,
    status: answer.status,
    statusText: answer.statusText,
    headers: answer.headers,
    body: decoded.body,
    ...(encodedBody === null ? {} : { encodedBody }),
    truncated: decoded.truncated,
    encodedBytes: collector.encodedBytes,
    remoteAddress: request.address.address,
    timing: { startedAtMs, headersAtMs, endedAtMs },
  };
}

/** Bytes that arrive at a time, as from a socket. */
const CHUNK_BYTES = 65_536;
const CONFIGURED_DETAIL = 'as the fake web says';
const ABORTED_DETAIL = 'given up by the crawl';

type Timed<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'aborted' } | { readonly kind: 'late' };

/** Does work until a deadline or an abort; its pauses end with it. An infinite deadline needs no timer. */
function within<T>(
  deadlineMs: number,
  signal: AbortSignal,
  work: (pause: (ms: number) => Promise<void>) => Promise<T>,
): Promise<Timed<T>> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = [];
    const end = (timed: Timed<T>): void => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(timed);
    };
    const abort = (): void => end({ kind: 'aborted' });
    const after = (ms: number, fn: () => void): void => void timers.push(setTimeout(fn, Math.min(ms, MAX_TIMER_MS)));
    signal.addEventListener('abort', abort, { once: true });
    after(Math.max(0, deadlineMs), () => end({ kind: 'late' }));
    if (signal.aborted) abort();
    work((ms) =>
      ms <= 0
        ? Promise.resolve()
        : new Promise((resolvePause) => void (Number.isFinite(ms) && after(ms, resolvePause))),
    ).then((value) => end({ kind: 'done', value }), reject);
  });
}
