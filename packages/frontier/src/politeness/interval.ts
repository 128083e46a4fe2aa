// When the next request to a host may start. Pure: the host's clock and its requirements go in, a time comes out.
// The longest of all intervals wins: each is an upper bound on speed, and meeting one does not excuse missing another.

import type { rateInForce } from '@mannerly/robots/politeness';
import type { HostWait } from '../frontier-event.js';
import type { HostClock } from './host-clock.js';
import { PARKED_MS } from './limits.js';
import type { Politeness } from './profile.js';

/** The Request-rate that binds at a time. */
export type RateInForce = ReturnType<typeof rateInForce>;

/** What an interval is computed from. All times are milliseconds. */
export interface IntervalInput {
  readonly politeness: Politeness;
  /** From the request sent to the last byte; `null` before the first retrieval. */
  readonly lastRetrievalMs: number | null;
  /** The longest Crawl-delay of the host's authorities; `null` when none asks. */
  readonly crawlDelayMs: number | null;
  readonly rate: RateInForce;
  /** What refusals have added; 0 when none. */
  readonly adaptiveMs: number;
}

/** Least milliseconds to keep. Both hold; they are counted from different ends of the last exchange. */
export interface RequestInterval {
  /** From the end of one exchange to the start of the next. */
  readonly fromEndMs: number;
  /** From the start of one exchange to the start of the next (Request-rate); 0 when none is in force. */
  readonly fromStartMs: number;
}

/** An time, and which demand sets it. */
export interface EarliestStart {
  /** Epoch milliseconds, finite; 0 when nothing was ever asked of the host. */
  readonly atMs: number;
  readonly reason: HostWait['reason'];
}

/**
 * The interval of a host. Under the 1996 rule a Request-rate in force replaces the rule of thumb, and only Crawl-delay
 * and refusals lengthen it (DECISION A16); in every other profile the rule stays as the least interval. A closed rate
 * (`0/…`) replaces nothing: it is a time to wait for, not an interval.
 *
 * @throws Never.
 * @see specification, access §9
 */
export function requestInterval(input: IntervalInput): RequestInterval {
  const parts = intervalParts(input);
  return {
    fromEndMs: Math.max(parts.profileMs, parts.crawlDelayMs, parts.adaptiveMs),
    fromStartMs: parts.rateMs,
  };
}

/**
 * The time from which the next request to a host may start, without regard to the clock on the wall.
 *
 * Jitter is drawn from the last exchange itself, so that asking twice gives the same time, and it is only added.
 * A parked host gets a time so far ahead that nothing waits for it: an operator unparks it.
 *
 * @param clock - What is known of the host.
 * @param asks - What its files require now. Where several authorities share the host, the strictest of each.
 * @returns Always finite; may lie in the past.
 * @throws Never.
 * @see specification, access §9 and §10
 */
export function earliestStart(
  clock: HostClock,
  asks: { readonly crawlDelayMs: number | null; readonly rate: RateInForce },
  politeness: Politeness,
): EarliestStart {
  const parts = intervalParts({
    politeness,
    ...asks,
    lastRetrievalMs: clock.lastRetrievalMs,
    adaptiveMs: clock.adaptiveMs,
  });
  let latest: EarliestStart = { atMs: 0, reason: 'interval' };
  const consider = (atMs: number, reason: EarliestStart['reason']) => {
    if (atMs > latest.atMs) latest = { atMs, reason };
  };
  if (clock.lastEndMs !== null) {
    const stretch = 1 + politeness.jitter * fractionOf(clock.lastStartMs ?? 0, clock.lastEndMs);
    consider(clock.lastEndMs + Math.ceil(Math.max(parts.profileMs, parts.adaptiveMs) * stretch), 'interval');
    consider(clock.lastEndMs + Math.ceil(parts.crawlDelayMs * stretch), 'crawl-delay');
  }
  if (clock.lastStartMs !== null) consider(clock.lastStartMs + parts.rateMs, 'request-rate');
  if (asks.rate.kind === 'closed') consider(asks.rate.untilMs, 'request-rate-closed');
  if (clock.pausedUntilMs !== null) consider(clock.pausedUntilMs, 'host-paused');
  if (clock.parked) consider((clock.lastEndMs ?? 0) + PARKED_MS, 'host-parked');
  return latest;
}

interface IntervalParts {
  readonly profileMs: number;
  readonly crawlDelayMs: number;
  readonly adaptiveMs: number;
  readonly rateMs: number;
}

function intervalParts(input: IntervalInput): IntervalParts {
  const { politeness, rate } = input;
  const isReplaced = politeness.rateReplacesRule && rate.kind === 'rate';
  return {
    profileMs: isReplaced ? 0 : profileIntervalMs(politeness, input.lastRetrievalMs),
    crawlDelayMs: input.crawlDelayMs ?? 0,
    adaptiveMs: input.adaptiveMs,
    rateMs: rate.kind === 'rate' ? rate.intervalMs : 0,
  };
}

function profileIntervalMs(politeness: Politeness, lastRetrievalMs: number | null): number {
  const wanted = Math.max(politeness.minMs, politeness.factor * (lastRetrievalMs ?? 0));
  return politeness.maxMs === null ? wanted : Math.min(wanted, politeness.maxMs);
}

/** A number in [0, 1) that depends on nothing but the exchange: an integer hash of its two times. */
function fractionOf(startMs: number, endMs: number): number {
  let mixed = Math.imul((startMs % 0x7fffffff) ^ 0x9e3779b9, 0x85ebca6b) ^ (endMs % 0x7fffffff);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 0x1_0000_0000;
}
