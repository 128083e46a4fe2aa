// What the robots.txt files of a host's authorities ask for in the way of spacing, taken together at a time.
// Rules belong to an authority, spacing to the host: where several authorities share one, the longest counts (access §9).

import { ASKERS_PER_HOST } from '../limits.js';
import type { RateInForce } from '../politeness/interval.js';
import type { HostRequirements } from '../work.js';

/** What one file asks for at a time. */
export interface TimedAsk {
  /** No page before `untilMs`, epoch milliseconds. */
  readonly closed: { readonly reason: 'visit-time' | 'request-rate-closed'; readonly untilMs: number } | null;
  /** A closed time that is only told. */
  readonly unheeded: TimedAsk['closed'];
  /** From start to start, milliseconds. */
  readonly intervalMs: number | null;
  /** Kept at the door as so many documents per period. */
  readonly bucket: HostRequirements['bucket'];
}

/** What one authority's file asks for. */
export interface HostAsks {
  /** Milliseconds; `null` when it does not ask. */
  readonly crawlDelayMs: number | null;
  /** `null` when nothing depends on the time of day and no rate is asked for. */
  readonly at: ((nowMs: number) => TimedAsk) | null;
  /** The longest interval that it may ask for at any time, milliseconds. */
  readonly longestMs: number;
}

/** What holds for the host at a time. */
export interface AskedNow {
  readonly crawlDelayMs: number | null;
  /** The rate to space by; never `closed`. */
  readonly rate: RateInForce;
  /** No page before this time; robots.txt may be fetched (access §2). */
  readonly closed: (NonNullable<TimedAsk['closed']> & { readonly authority: string }) | null;
  /** A closed time that is told and not obeyed. */
  readonly unheeded: AskedNow['closed'];
  /** The same for the second lock at the door. */
  readonly ask: HostRequirements;
}

/** Whether a file asks for anything that has to do with time. Never throws. */
export function asksForAnything(asks: HostAsks): boolean {
  return (asks.crawlDelayMs ?? 0) > 0 || asks.at !== null;
}

/**
 * All asks of a host together.
 *
 * @param floorDelayMs - A delay that holds beside them, 0 for none.
 * @throws Never.
 * @see specification, access §9, DECISIONS A14 and A15
 */
export function askedNow(asks: ReadonlyMap<string, HostAsks>, floorDelayMs: number, nowMs: number): AskedNow {
  let crawlDelayMs = floorDelayMs > 0 ? floorDelayMs : null;
  let requestIntervalMs: number | null = null;
  let closed: AskedNow['closed'] = null;
  let unheeded: AskedNow['closed'] = null;
  let bucket: HostRequirements['bucket'] = null;
  for (const [authority, one] of asks) {
    if (one.crawlDelayMs !== null) crawlDelayMs = Math.max(crawlDelayMs ?? 0, one.crawlDelayMs);
    if (one.at === null) continue;
    const timed = one.at(nowMs);
    if (timed.closed !== null && timed.closed.untilMs > (closed?.untilMs ?? 0)) closed = { ...timed.closed, authority };
    if (timed.unheeded !== null) unheeded = { ...timed.unheeded, authority };
    if (timed.intervalMs !== null) requestIntervalMs = Math.max(requestIntervalMs ?? 0, timed.intervalMs);
    if (timed.bucket !== null) bucket = slowerBucket(bucket, timed.bucket);
  }
  return {
    crawlDelayMs,
    rate: rateOf(requestIntervalMs),
    closed,
    unheeded,
    ask: { crawlDelayMs, requestIntervalMs, bucket },
  };
}

/**
 * The authorities worth remembering beside the lease, the most demanding first, and the delay that covers the rest.
 *
 * @throws Never.
 */
export function rankAskers(asks: ReadonlyMap<string, HostAsks>): { askers: string[]; restDelayMs: number } {
  const ranked = [...asks].filter(([, one]) => asksForAnything(one)).sort(([, a], [, b]) => b.longestMs - a.longestMs);
  return {
    askers: ranked.slice(0, ASKERS_PER_HOST).map(([authority]) => authority),
    restDelayMs: ranked[ASKERS_PER_HOST]?.[1].longestMs ?? 0,
  };
}

function rateOf(intervalMs: number | null): RateInForce {
  if (intervalMs === null) return { kind: 'none' };
  return { kind: 'rate', intervalMs, rate: { documents: 1, periodSeconds: intervalMs / 1000, window: null } };
}

function slowerBucket(
  one: HostRequirements['bucket'],
  other: NonNullable<HostRequirements['bucket']>,
): HostRequirements['bucket'] {
  if (one === null) return other;
  return other.documents * one.periodMs < one.documents * other.periodMs ? other : one;
}
