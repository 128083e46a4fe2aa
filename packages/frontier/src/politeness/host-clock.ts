// The consequences of one exchange, by the table in access §10: for its host, whose clock spaces the requests, and for
// its URL, which is retried or not. The later of both times counts. The clock is pure and plain JSON: it is kept in the
// store's host state and survives a restart. The rule that must never break: a refusal cannot make any later request
// earlier.

import { parseRetryAfter } from '@mannerly/robots/access';
import type { HostWarning } from '../frontier-event.js';
import type { Exchange } from '../work.js';
import {
  FAILING_PAUSE_MS,
  FAILURES_BEFORE_PAUSE,
  GOOD_ANSWERS_TO_HALVE,
  MAX_ADAPTIVE_MS,
  MAX_HOST_PAUSE_MS,
  MAX_RETRY_AFTER_MS,
  MIN_ADAPTIVE_MS,
  REFUSALS_BEFORE_PARKING,
  RETRY_WAITS,
  THROTTLE_PAUSE_MS,
} from './limits.js';

/**
 * What an exchange says about its host: the rows of the table in access §10.
 *
 * - `good`: the host answered and does not ask for a slower crawl (404 included).
 * - `throttled`: 429 or 503, "you are asking too much".
 * - `failing`: another 5xx, 408, or no complete response.
 * - `refused`: 401, 402, 403, 407 or 451.
 * - `ours`: no request reached the host, or we gave up ourselves: it says nothing about the host.
 */
export type AnswerKind = 'good' | 'throttled' | 'failing' | 'refused' | 'ours';

/** What is remembered about a host's exchanges. Times are epoch milliseconds. */
export interface HostClock {
  /** Start of the last exchange; `null` before the first. */
  readonly lastStartMs: number | null;
  readonly lastEndMs: number | null;
  /** Milliseconds from sending the request to the last byte. A refusal never lowers it. */
  readonly lastRetrievalMs: number | null;
  /** The adaptive interval, milliseconds; 0: none. */
  readonly adaptiveMs: number;
  /** Good answers since the adaptive interval last changed or since any other answer. */
  readonly goodInARow: number;
  /** 429 and 503 since the last good answer. */
  readonly throttledInARow: number;
  /** Other 5xx, timeouts, resets since the last good answer. */
  readonly failedInARow: number;
  /** 401, 402, 403, 407, 451 since the last good answer. */
  readonly refusedInARow: number;
  /** No request before this time; `null`: never paused. May lie in the past. */
  readonly pausedUntilMs: number | null;
  /** True until an operator unparks it. */
  readonly parked: boolean;
}

/** A warning for the operator that results from an exchange. */
export interface ClockWarning extends Pick<HostWarning, 'untilMs' | 'detail'> {
  readonly code: 'host-paused' | 'host-parked' | 'host-refusals';
}

/** A clock before and after an exchange. */
export interface AfterExchange {
  readonly clock: HostClock;
  readonly warnings: ClockWarning[];
}

const REFUSALS: ReadonlySet<number> = new Set([401, 402, 403, 407, 451]);

/** Failure codes that are about us, not about the host. */
const OWN_FAILURES: ReadonlySet<string> = new Set([
  ...['aborted', 'internal', 'address-forbidden', 'port-forbidden', 'scheme-unsupported', 'proxy', 'proxy-refused'],
]);

/**
 * Classifies one exchange (access §10). A throttling status counts even if the body then failed. Otherwise a failure
 * counts before the status, because a cut-off 200 is not a good answer. An unknown failure code counts as `failing`,
 * the slower reading. 408 is the server's own code for a timeout and is read as one.
 */
export function answerKind(exchange: Pick<Exchange, 'status' | 'failure'>): AnswerKind {
  const { status, failure } = exchange;
  if (status === 429 || status === 503) return 'throttled';
  if (failure !== null) return OWN_FAILURES.has(failure) ? 'ours' : 'failing';
  if (status === null || status === 408 || status >= 500) return 'failing';
  return REFUSALS.has(status) ? 'refused' : 'good';
}

/** The clock of a host that was never requested. */
export function newHostClock(): HostClock {
  return {
    lastStartMs: null,
    lastEndMs: null,
    lastRetrievalMs: null,
    adaptiveMs: 0,
    goodInARow: 0,
    throttledInARow: 0,
    failedInARow: 0,
    refusedInARow: 0,
    pausedUntilMs: null,
    parked: false,
  };
}

/**
 * The clock after one exchange, by the host column of the table in access §10.
 *
 * Only a good answer ends a row of refusals: a 500 between two 429s must not shorten the second pause.
 *
 * @param currentIntervalMs - The interval that was in force (the longer of `requestInterval`'s two). An adaptive
 *   interval starts from it.
 * @param isRobots - Whether the exchange was for a robots.txt, which has waits of its own: only the table's 429 and 503
 *   apply. They pause the host, because its other authorities and hops of other files are on the same machine.
 * @see specification, access §10, DECISIONS A18 and A19
 */
export function afterExchange(
  clock: HostClock,
  exchange: Exchange,
  currentIntervalMs: number,
  isRobots = false,
): AfterExchange {
  const kind = answerKind(exchange);
  const withTimes = withTiming(clock, exchange, kind);
  if (exchange.parks !== undefined) {
    const warning = { code: 'host-parked', untilMs: null, detail: exchange.parks } as const;
    return { clock: { ...withTimes, parked: true }, warnings: [warning] };
  }
  if (kind === 'ours') return { clock: withTimes, warnings: [] };
  if (isRobots) {
    if (kind !== 'throttled') return { clock: withTimes, warnings: [] };
    const untilMs = exchange.endedAtMs + throttlePauseMs(1, retryAfterMs(exchange));
    return { clock: paused(withTimes, untilMs), warnings: [] };
  }
  if (kind === 'good') return { clock: afterGood(withTimes), warnings: [] };
  const withoutStreak = { ...withTimes, goodInARow: 0 };
  if (kind === 'throttled') return afterThrottle(withoutStreak, exchange, currentIntervalMs);
  if (kind === 'failing') return afterFailure(withoutStreak, exchange);
  return afterRefusal(withoutStreak, exchange);
}

/**
 * The pause after the n-th 429 or 503 in a row, milliseconds. Retry-After (`null`: nothing usable) can lengthen it, but
 * never shorten it (access §10, DECISION A18).
 */
export function throttlePauseMs(inARow: number, retryAfterMs: number | null): number {
  const doubledMs = doubled(THROTTLE_PAUSE_MS, inARow - 1, MAX_HOST_PAUSE_MS);
  return Math.max(doubledMs, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/** A refusal is often quick. Its retrieval time must not lead to a shorter interval. */
function withTiming(clock: HostClock, exchange: Exchange, kind: AnswerKind): HostClock {
  const tookMs = Math.max(0, exchange.endedAtMs - exchange.startedAtMs);
  return {
    ...clock,
    lastStartMs: Math.max(clock.lastStartMs ?? exchange.startedAtMs, exchange.startedAtMs),
    lastEndMs: Math.max(clock.lastEndMs ?? exchange.endedAtMs, exchange.endedAtMs, exchange.startedAtMs),
    lastRetrievalMs: kind === 'good' ? tookMs : Math.max(clock.lastRetrievalMs ?? 0, tookMs),
  };
}

function afterGood(clock: HostClock): HostClock {
  const { adaptiveMs, goodInARow, throttledInARow, failedInARow, refusedInARow } = clock;
  // The usual case: the copy would be equal.
  if (adaptiveMs + goodInARow + throttledInARow + failedInARow + refusedInARow === 0) return clock;
  const reset = { ...clock, throttledInARow: 0, failedInARow: 0, refusedInARow: 0 };
  if (adaptiveMs === 0) return { ...reset, goodInARow: 0 };
  if (goodInARow + 1 < GOOD_ANSWERS_TO_HALVE) return { ...reset, goodInARow: goodInARow + 1 };
  const halvedMs = adaptiveMs / 2;
  return { ...reset, goodInARow: 0, adaptiveMs: halvedMs < MIN_ADAPTIVE_MS ? 0 : halvedMs };
}

function afterThrottle(clock: HostClock, exchange: Exchange, currentIntervalMs: number): AfterExchange {
  const inARow = clock.throttledInARow + 1;
  const requiredMs = retryAfterMs(exchange);
  const untilMs = exchange.endedAtMs + throttlePauseMs(inARow, requiredMs);
  // An operator's interval of 0 doubles to 0, hence the minimum.
  const fromMs = Math.max(currentIntervalMs, clock.adaptiveMs, MIN_ADAPTIVE_MS);
  const after = {
    ...paused(clock, untilMs),
    throttledInARow: inARow,
    adaptiveMs: Math.min(2 * fromMs, MAX_ADAPTIVE_MS),
  };
  const isParked = requiredMs !== null && requiredMs > MAX_RETRY_AFTER_MS;
  const detail = isParked
    ? `${exchange.status} with Retry-After of more than 24 hours: ${exchange.retryAfter}`
    : `${exchange.status}, number ${inARow} in a row`;
  return { clock: after, warnings: [{ code: isParked ? 'host-parked' : 'host-paused', untilMs, detail }] };
}

function afterFailure(clock: HostClock, exchange: Exchange): AfterExchange {
  const inARow = clock.failedInARow + 1;
  const counted = { ...clock, failedInARow: inARow };
  if (inARow < FAILURES_BEFORE_PAUSE) return { clock: counted, warnings: [] };
  const pauseMs = doubled(FAILING_PAUSE_MS, inARow - FAILURES_BEFORE_PAUSE, MAX_HOST_PAUSE_MS);
  const untilMs = exchange.endedAtMs + pauseMs;
  const detail = `${exchange.failure ?? exchange.status}, ${inARow} failures in a row`;
  return { clock: paused(counted, untilMs), warnings: [{ code: 'host-paused', untilMs, detail }] };
}

function afterRefusal(clock: HostClock, exchange: Exchange): AfterExchange {
  const inARow = clock.refusedInARow + 1;
  const warnings: ClockWarning[] = [];
  // Once per row of refusals, not once per answer.
  if (inARow === 1) warnings.push({ code: 'host-refusals', untilMs: null, detail: `answered ${exchange.status}` });
  if (inARow === REFUSALS_BEFORE_PARKING) {
    const detail = `${inARow} refusals in a row, the last ${exchange.status}`;
    warnings.push({ code: 'host-parked', untilMs: null, detail });
  }
  const parked = clock.parked || inARow >= REFUSALS_BEFORE_PARKING;
  return { clock: { ...clock, refusedInARow: inARow, parked }, warnings };
}

function paused(clock: HostClock, untilMs: number): HostClock {
  return { ...clock, pausedUntilMs: Math.max(clock.pausedUntilMs ?? untilMs, untilMs) };
}

/** `baseMs` × 2^`times`, at most `maxMs`; exact for any number of times. */
function doubled(baseMs: number, exponent: number, maxMs: number): number {
  return exponent > 30 ? maxMs : Math.min(baseMs * 2 ** exponent, maxMs);
}

/** What becomes of a URL after an exchange that did not return its page. */
export type UrlRetry =
  | { readonly kind: 'again'; readonly notBeforeMs: number }
  /** All retries are used up. `last`: the result of the last try, as a `reason` of `give-up`. */
  | { readonly kind: 'exhausted'; readonly last: string }
  /**
   * `reason`: the failure code if there was no response, otherwise `throttled` (429, 503), `server-error` (other 5xx,
   * 408), `refused-by-site` (401, 402, 403, 407, 451) or `status-not-retried`.
   */
  | { readonly kind: 'give-up'; readonly reason: string };

/** How long a URL waits before each retry, milliseconds. The length of a list is the number of retries. */
export interface RetryWaits {
  /** After failures and 5xx. */
  readonly failureWaitsMs: readonly number[];
  /** After a 429 or 503. Retry-After makes a wait longer, never shorter. */
  readonly throttleWaitsMs: readonly number[];
}

/** Failures that the same request would hit again at once. */
const LASTING_FAILURES: ReadonlySet<string> = new Set([
  ...['headers-too-large', 'encoding', 'address-forbidden', 'port-forbidden', 'scheme-unsupported', 'proxy-refused'],
  'internal',
]);

/**
 * Decides between retrying and giving up.
 *
 * @param attempts - Exchanges made for this URL before this one, all of which ended in a retry.
 * @param waits - Absent: three retries, after 10, 20, 40 s; after a 429 or 503 after 30, 60, 120 s.
 * @returns `notBeforeMs` in epoch milliseconds, finite, after the end of the exchange.
 * @throws Never.
 * @see specification, access §10
 */
export function retryUrl(exchange: Exchange, attempts: number, waits: RetryWaits = RETRY_WAITS): UrlRetry {
  const kind = answerKind(exchange);
  if (kind === 'good') return { kind: 'give-up', reason: 'status-not-retried' };
  if (kind === 'refused') return { kind: 'give-up', reason: 'refused-by-site' };
  const isThrottled = kind === 'throttled';
  const reason = isThrottled ? kind : (exchange.failure ?? 'server-error');
  if (!isThrottled && LASTING_FAILURES.has(reason)) return { kind: 'give-up', reason };
  const waitMs = (isThrottled ? waits.throttleWaitsMs : waits.failureWaitsMs)[attempts];
  if (waitMs === undefined) return { kind: 'exhausted', last: reason };
  const requiredMs = isThrottled ? Math.min(retryAfterMs(exchange) ?? 0, MAX_RETRY_AFTER_MS) : 0;
  return { kind: 'again', notBeforeMs: exchange.endedAtMs + Math.max(waitMs, requiredMs) };
}

/**
 * The time from which a redirect with Retry-After may be followed.
 *
 * @returns Epoch milliseconds, at most 24 hours after the exchange; `null`: the answer requires no wait.
 * @throws Never.
 * @see specification, access §10
 */
export function redirectNotBeforeMs(exchange: Exchange): number | null {
  const { status } = exchange;
  if (status === null || status < 300 || status > 399) return null;
  const requiredMs = retryAfterMs(exchange);
  return requiredMs === null || requiredMs === 0 ? null : exchange.endedAtMs + Math.min(requiredMs, MAX_RETRY_AFTER_MS);
}

function retryAfterMs(exchange: Exchange): number | null {
  return exchange.retryAfter === null ? null : parseRetryAfter(exchange.retryAfter, exchange.endedAtMs);
}
