// What the robots.txt files of a host's authorities require in the way of spacing, combined at one time. Rules belong
// to an authority, spacing to the host: where several authorities share a host, the longest counts (access §9).

import { ASKERS_PER_HOST } from '../limits.js';
import type { HostRequirements } from '../work.js';
import { AUTHORITIES_PER_HOST } from './limits.js';

/** What one file requires at one time. */
export interface TimedRequirements {
  /** No page before `untilMs`, epoch milliseconds. */
  readonly closed: { readonly reason: 'visit-time' | 'request-rate-closed'; readonly untilMs: number } | null;
  /** A closed time that is reported but not obeyed. */
  readonly unheeded: TimedRequirements['closed'];
  /** From start to start, milliseconds. */
  readonly intervalMs: number | null;
  /** Kept at egress as so many documents per period. */
  readonly bucket: HostRequirements['bucket'];
}

/** What the file of one authority requires. */
export interface AuthorityRequirements {
  /** Milliseconds; `null` without a Crawl-delay. */
  readonly crawlDelayMs: number | null;
  /** The line of the file that it comes from; `null` without a Crawl-delay. */
  readonly crawlDelayLine: number | null;
  /** `null` when nothing depends on the time of day and there is no Request-rate. */
  readonly at: ((nowMs: number) => TimedRequirements) | null;
  /** The longest interval that it may require at any time, milliseconds. */
  readonly longestMs: number;
}

/** A closed time, and the authority whose file says so. */
export type ClosedTime = NonNullable<TimedRequirements['closed']> & { readonly authority: string };

/** What a host requires at one time. */
export interface RequirementsNow {
  readonly spacing: HostRequirements;
  /** No page before this time; robots.txt may be fetched (access §2). */
  readonly closed: ClosedTime | null;
  /** A closed time that is reported but not obeyed. */
  readonly unheeded: ClosedTime | null;
}

/** What the authorities of one host require together. */
export class SpacingRequirements {
  readonly #authorities = new Map<string, AuthorityRequirements>();
  #leastDelayMs: number;

  /** @param leastDelayMs - A delay that holds as well, 0 for none. */
  constructor(leastDelayMs: number) {
    this.#leastDelayMs = leastDelayMs;
  }

  get authorities(): ReadonlyMap<string, AuthorityRequirements> {
    return this.#authorities;
  }

  /** Notes what an authority requires; `null`: nothing. @returns Whether that changed anything. */
  note(authority: string, required: AuthorityRequirements | null): boolean {
    if ((this.#authorities.get(authority) ?? null) === required) return false;
    if (required === null || !hasRequirements(required)) return this.#authorities.delete(authority);
    this.#authorities.set(authority, required);
    if (this.#authorities.size > AUTHORITIES_PER_HOST) this.#forgetShortest(authority);
    return true;
  }

  /** What holds now. @see specification, access §9, DECISIONS A14 and A15 */
  at(nowMs: number): RequirementsNow {
    let crawlDelayMs = this.#leastDelayMs > 0 ? this.#leastDelayMs : null;
    let requestIntervalMs: number | null = null;
    let closed: ClosedTime | null = null;
    let unheeded: ClosedTime | null = null;
    let bucket: HostRequirements['bucket'] = null;
    for (const [authority, one] of this.#authorities) {
      if (one.crawlDelayMs !== null) crawlDelayMs = Math.max(crawlDelayMs ?? 0, one.crawlDelayMs);
      if (one.at === null) continue;
      const timed = one.at(nowMs);
      if (timed.closed !== null && timed.closed.untilMs > (closed?.untilMs ?? 0))
        closed = { ...timed.closed, authority };
      if (timed.unheeded !== null) unheeded = { ...timed.unheeded, authority };
      if (timed.intervalMs !== null) requestIntervalMs = Math.max(requestIntervalMs ?? 0, timed.intervalMs);
      if (timed.bucket !== null) bucket = slowerBucket(bucket, timed.bucket);
    }
    return { spacing: { crawlDelayMs, requestIntervalMs, bucket }, closed, unheeded };
  }

  /** The authorities to keep with the lease, the longest intervals first, and a delay that covers the rest. */
  toKeep(): { readonly askers: readonly string[]; readonly leastDelayMs: number } {
    const ranked = [...this.#authorities].sort(([, a], [, b]) => b.longestMs - a.longestMs);
    return {
      askers: ranked.slice(0, ASKERS_PER_HOST).map(([authority]) => authority),
      leastDelayMs: Math.max(this.#leastDelayMs, ranked[ASKERS_PER_HOST]?.[1].longestMs ?? 0),
    };
  }

  /** Forgets the authority with the shortest interval, `keep` excepted; a delay for the whole host covers it. */
  #forgetShortest(keep: string): void {
    let shortest = '';
    let shortestMs = Number.MAX_SAFE_INTEGER;
    for (const [authority, { longestMs }] of this.#authorities) {
      if (authority !== keep && longestMs < shortestMs) [shortest, shortestMs] = [authority, longestMs];
    }
    this.#authorities.delete(shortest);
    this.#leastDelayMs = Math.max(this.#leastDelayMs, shortestMs);
  }
}

function hasRequirements(one: AuthorityRequirements): boolean {
  return (one.crawlDelayMs ?? 0) > 0 || one.at !== null;
}

function slowerBucket(
  one: HostRequirements['bucket'],
  other: NonNullable<HostRequirements['bucket']>,
): HostRequirements['bucket'] {
  if (one === null) return other;
  return other.documents * one.periodMs < one.documents * other.periodMs ? other : one;
}
