// When the next request to a host may start. Pure: the host's clock and its requirements go in, a time comes out.
// The longest of all intervals wins: each is an upper bound on speed, and meeting one does not excuse missing another.

import type { HostWait } from '../frontier-event.js';
import type { HostRequirements } from '../work.js';
import type { HostClock } from './host-clock.js';
import { PARKED_MS } from './limits.js';
import type { Politeness } from './profile.js';

/** What the files of a host require now, milliseconds: the strictest of each. */
export type RequiredSpacing = Pick<HostRequirements, 'crawlDelayMs' | 'requestIntervalMs'>;

/** Least milliseconds to keep. Both hold; they are counted from different ends of the last exchange. */
export interface RequestInterval {
  /** From the end of one exchange to the start of the next. */
  readonly fromEndMs: number;
  /** From the start of one exchange to the start of the next (Request-rate); 0 when none is in force. */
  readonly fromStartMs: number;
}

/** A time, and which requirement sets it. */
export interface EarliestStart {
  /** Epoch milliseconds, finite; 0 when nothing was ever requested of the host. */
  readonly atMs: number;
  readonly reason: HostWait['reason'];
}

/**
 * The interval of a host. Under the 1996 rule a Request-rate in force replaces the rule of thumb, and only Crawl-delay
 * and refusals lengthen it (DECISION A16); in every other profile the rule stays as the least interval.
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
 * Jitter is drawn from the last exchange itself, so that asking twice gives the same time, and it is only added.
 * A parked host gets a time so far ahead that nothing waits for it: an operator unparks it.
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
    const stretch = 1 + politeness.jitter * fractionOf(lastStartMs ?? 0, lastEndMs);
    const intervalMs = Math.max(profileIntervalMs(politeness, lastRetrievalMs, requestIntervalMs), adaptiveMs);
    consider(lastEndMs + Math.ceil(intervalMs * stretch), 'interval');
    consider(lastEndMs + Math.ceil((crawlDelayMs ?? 0) * stretch), 'crawl-delay');
  }
  if (lastStartMs !== null) consider(lastStartMs + (requestIntervalMs ?? 0), 'request-rate');
  if (pausedUntilMs !== null) consider(pausedUntilMs, 'host-paused');
  if (parked) consider((lastEndMs ?? 0) + PARKED_MS, 'host-parked');
  return latest;
}

/** What the profile alone says; 0 where a Request-rate replaces it. */
function profileIntervalMs(
  { factor, minMs, maxMs, rateReplacesRule }: Politeness,
  lastRetrievalMs: number | null,
  requestIntervalMs: number | null,
): number {
  if (rateReplacesRule && requestIntervalMs !== null) return 0;
  const wantedMs = Math.max(minMs, factor * (lastRetrievalMs ?? 0));
  return maxMs === null ? wantedMs : Math.min(wantedMs, maxMs);
}

/** A number in [0, 1) that depends on nothing but the exchange: an integer hash of its two times. */
function fractionOf(startMs: number, endMs: number): number {
  let mixed = Math.imul((startMs % 0x7fffffff) ^ 0x9e3779b9, 0x85ebca6b) ^ (endMs % 0x7fffffff);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 0x1_0000_0000;
}
