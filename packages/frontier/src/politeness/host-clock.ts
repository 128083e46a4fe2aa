// The clock of a host: what each exchange does to it, by the host column of the table in access §10, and when the next
// request may start. Pure, and plain JSON: it is kept in the store's host state and survives a restart. The longest of
// all intervals wins: each is an upper bound on speed, and meeting one does not excuse missing another. The rule that
// must never break: a refusal cannot make any later request earlier.

import { parseRetryAfter } from '@mannerly/robots/access';
import type { HostWait, HostWarning } from '../frontier-event.js';
import type { Exchange, HostRequirements } from '../work.js';
import {
  FAILING_PAUSE_MS,
  FAILURES_BEFORE_PAUSE,
  GOOD_ANSWERS_TO_HALVE,
  MAX_ADAPTIVE_MS,
  MAX_HOST_PAUSE_MS,
  MAX_RETRY_AFTER_MS,
  MIN_ADAPTIVE_MS,
  PARKED_MS,
  REFUSALS_BEFORE_PARKING,
  THROTTLE_PAUSE_MS,
} from './limits.js';
import type { Politeness } from './profile.js';

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
  if (kind === 'good') {
    const after = { clock: afterGood(withTimes), warnings: [] };
    return (exchange.status ?? 0) < 400 ? after : obeyRetryAfter(after, exchange);
  }
  const withoutStreak = { ...withTimes, goodInARow: 0 };
  if (kind === 'throttled') return afterThrottle(withoutStreak, exchange, currentIntervalMs);
  const after = kind === 'failing' ? afterFailure(withoutStreak, exchange) : afterRefusal(withoutStreak, exchange);
  return obeyRetryAfter(after, exchange);
}

/**
 * The pause after the n-th 429 or 503 in a row, milliseconds. Retry-After (`null`: nothing usable) can lengthen it, but
 * never shorten it (access §10, DECISION A18).
 */
function throttlePauseMs(inARow: number, retryAfterMs: number | null): number {
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

/** A 500, 403 or 404 may also say when to come back: it counts as usual, and its host is left alone until then. */
function obeyRetryAfter({ clock, warnings }: AfterExchange, exchange: Exchange): AfterExchange {
  const untilMs = exchange.endedAtMs + requiredWaitMs(exchange);
  if (untilMs <= Math.max(exchange.endedAtMs, clock.pausedUntilMs ?? 0)) return { clock, warnings };
  const detail = `${exchange.status} with Retry-After: ${exchange.retryAfter}`;
  return { clock: paused(clock, untilMs), warnings: [...warnings, { code: 'host-paused', untilMs, detail }] };
}

function paused(clock: HostClock, untilMs: number): HostClock {
  return { ...clock, pausedUntilMs: Math.max(clock.pausedUntilMs ?? untilMs, untilMs) };
}

/** `baseMs` × 2^`times`, at most `maxMs`; exact for any number of times. */
function doubled(baseMs: number, exponent: number, maxMs: number): number {
  return exponent > 30 ? maxMs : Math.min(baseMs * 2 ** exponent, maxMs);
}

/** What its Retry-After requires, milliseconds, at most 24 hours; 0: nothing. */
export function requiredWaitMs(exchange: Exchange): number {
  return Math.min(retryAfterMs(exchange) ?? 0, MAX_RETRY_AFTER_MS);
}

function retryAfterMs(exchange: Exchange): number | null {
  return exchange.retryAfter === null ? null : parseRetryAfter(exchange.retryAfter, exchange.endedAtMs);
}

/** What a host's robots.txt files require now, milliseconds: the strictest value of each kind. */
type RequiredSpacing = Pick<HostRequirements, 'crawlDelayMs' | 'requestIntervalMs'>;

/** The minimum milliseconds to keep. Both apply; they count from different ends of the last exchange. */
export interface RequestInterval {
  /** From the end of one exchange to the start of the next. */
  readonly fromEndMs: number;
  /** From the start of one exchange to the start of the next (Request-rate); 0: none is in force. */
  readonly fromStartMs: number;
}

/** A time, and which requirement sets it. */
export interface EarliestStart {
  /** Epoch milliseconds, finite; 0: the host was never requested. */
  readonly atMs: number;
  readonly reason: HostWait['reason'];
}

/**
 * The interval of a host. Under the 1996 rule a Request-rate in force replaces the rule of thumb, and only Crawl-delay
 * and refusals lengthen it (DECISION A16). In every other profile the rule stays as the minimum interval.
 *
 * @see specification, access §9
 */
export function requestInterval(
  { lastRetrievalMs, adaptiveMs }: Pick<HostClock, 'lastRetrievalMs' | 'adaptiveMs'>,
  { crawlDelayMs, requestIntervalMs }: RequiredSpacing,
  politeness: Politeness,
): RequestInterval {
  const profileMs = profileIntervalMs(politeness, lastRetrievalMs, requestIntervalMs);
  return { fromEndMs: Math.max(profileMs, crawlDelayMs ?? 0, adaptiveMs), fromStartMs: requestIntervalMs ?? 0 };
}

/**
 * The time from which the next request to a host may start; it may lie in the past.
 *
 * Jitter is derived from the last exchange itself, so that repeated calls return the same time. It is only added. A
 * parked host gets a time so far ahead that nothing waits for it; an operator unparks it.
 *
 * @see specification, access §9 and §10
 */
export function earliestStart(
  { lastStartMs, lastEndMs, lastRetrievalMs, adaptiveMs, pausedUntilMs, parked }: HostClock,
  { crawlDelayMs, requestIntervalMs }: RequiredSpacing,
  politeness: Politeness,
): EarliestStart {
  let latest: EarliestStart = { atMs: 0, reason: 'interval' };
  const consider = (atMs: number, reason: EarliestStart['reason']) => {
    if (atMs > latest.atMs) latest = { atMs, reason };
  };
  if (lastEndMs !== null) {
    const jitterFactor = 1 + politeness.jitter * fractionOf(lastStartMs ?? 0, lastEndMs);
    const intervalMs = Math.max(profileIntervalMs(politeness, lastRetrievalMs, requestIntervalMs), adaptiveMs);
    consider(lastEndMs + Math.ceil(intervalMs * jitterFactor), 'interval');
    consider(lastEndMs + Math.ceil((crawlDelayMs ?? 0) * jitterFactor), 'crawl-delay');
  }
  if (lastStartMs !== null) consider(lastStartMs + (requestIntervalMs ?? 0), 'request-rate');
  if (pausedUntilMs !== null) consider(pausedUntilMs, 'host-paused');
  if (parked) consider((lastEndMs ?? 0) + PARKED_MS, 'host-parked');
  return latest;
}

/** The interval that the profile alone requires; 0: a Request-rate replaces it. */
function profileIntervalMs(
  { factor, minMs, maxMs, rateReplacesRule }: Politeness,
  lastRetrievalMs: number | null,
  requestIntervalMs: number | null,
): number {
  if (rateReplacesRule && requestIntervalMs !== null) return 0;
  const intervalMs = Math.max(minMs, factor * (lastRetrievalMs ?? 0));
  return maxMs === null ? intervalMs : Math.min(intervalMs, maxMs);
}

/** A number in [0, 1) that depends only on the exchange: an integer hash of its two times. */
function fractionOf(startMs: number, endMs: number): number {
  let hash = Math.imul((startMs % 0x7fffffff) ^ 0x9e3779b9, 0x85ebca6b) ^ (endMs % 0x7fffffff);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0x1_0000_0000;
}
