// Measures how one host was really treated: gaps, overlaps, pauses, from the times of its exchanges alone.
// It is told of each exchange when it ends, so it can be asked nothing about the future, and it keeps no list of the past:
// memory is as large as the highest concurrency, which is one for a polite crawl.

import { MAX_MEASURED_CONCURRENCY } from './limits.js';

/** One exchange that has ended, with what the host asked for when it began. Epoch milliseconds. */
export interface MeteredExchange {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** From the end of one exchange to the start of the next; `null`: not asked for. */
  readonly crawlDelayMs: number | null;
  /** From start to start; `null`: not asked for. */
  readonly requestIntervalMs: number | null;
}

/** What has been measured so far. */
export interface ExchangeMeasures {
  /** End to start, the smallest; 0 where exchanges overlapped; `null` with fewer than two. */
  readonly smallestGapMs: number | null;
  /** Start to start, the smallest where a request rate was in force; `null`: never in force. */
  readonly smallestStartToStartMs: number | null;
  /** The longest Crawl-delay asked for; `null`: none. */
  readonly requiredGapMs: number | null;
  /** The longest interval of a request rate; `null`: none. */
  readonly requiredStartToStartMs: number | null;
  readonly highestConcurrency: number;
  /** The longest pause that was over before the next exchange began. */
  readonly longestPauseMs: number;
  /** Exchanges that began sooner than was asked: delay, rate or pause. */
  readonly early: number;
}

/** Measures the exchanges of one host. */
export interface ExchangeMeter {
  /** One exchange has ended. In the order of their ends; one that comes later counts as overlapping. O(concurrency). */
  add(exchange: MeteredExchange): void;
  /** The host asked for silence from `fromMs` to `untilMs`. */
  pause(fromMs: number, untilMs: number): void;
  read(): ExchangeMeasures;
}

/**
 * Makes the meter of one host.
 *
 * The concurrency is exact although exchanges are seen only at their ends. Let f(t) be the number of exchanges known to
 * cover t, and `latest[n]` the latest time at which f was above n. A new exchange ends last, so it adds one to f from its
 * start onwards: the latest time with n + 1 exchanges becomes the old latest time with n, if that lies after its start.
 *
 *     f      ____            latest = [e, c]         a new exchange from b < c:
 *     2     b    c           e: last end             latest = [new end, e, c]
 *     1  __/      \____e     c: last time of two     three at once, until c
 */
export function createExchangeMeter(): ExchangeMeter {
  const latest: number[] = [];
  let lastStartedMs: number | null = null;
  let smallestGapMs: number | null = null;
  let smallestStartToStartMs: number | null = null;
  let requiredGapMs: number | null = null;
  let requiredStartToStartMs: number | null = null;
  let longestPauseMs = 0;
  let early = 0;
  let pause: { readonly fromMs: number; readonly untilMs: number } | null = null;

  const overlap = ({ startedAtMs, endedAtMs }: MeteredExchange): void => {
    let shifted = Math.max(endedAtMs, latest[0] ?? endedAtMs);
    for (let depth = 0; depth <= latest.length && depth < MAX_MEASURED_CONCURRENCY; depth += 1) {
      const before = latest[depth];
      latest[depth] = shifted;
      if (before === undefined || before <= startedAtMs) break;
      shifted = before;
    }
  };

  return {
    add(exchange) {
      const { startedAtMs, crawlDelayMs, requestIntervalMs } = exchange;
      let isEarly = false;
      requiredGapMs = larger(requiredGapMs, crawlDelayMs);
      requiredStartToStartMs = larger(requiredStartToStartMs, requestIntervalMs);
      const lastEndedMs = latest[0];
      if (lastEndedMs !== undefined && lastStartedMs !== null) {
        const gapMs = Math.max(0, startedAtMs - lastEndedMs);
        smallestGapMs = smallestGapMs === null ? gapMs : Math.min(smallestGapMs, gapMs);
        if (gapMs < (crawlDelayMs ?? 0)) isEarly = true;
        if (requestIntervalMs !== null) {
          const startToStartMs = Math.abs(startedAtMs - lastStartedMs);
          smallestStartToStartMs = Math.min(smallestStartToStartMs ?? startToStartMs, startToStartMs);
          if (startToStartMs < requestIntervalMs) isEarly = true;
        }
      }
      if (pause !== null && startedAtMs >= pause.fromMs) {
        if (startedAtMs < pause.untilMs) isEarly = true;
        else longestPauseMs = Math.max(longestPauseMs, pause.untilMs - pause.fromMs);
        if (startedAtMs >= pause.untilMs) pause = null;
      }
      if (isEarly) early += 1;
      overlap(exchange);
      lastStartedMs = Math.max(lastStartedMs ?? startedAtMs, startedAtMs);
    },
    pause(fromMs, untilMs) {
      // A second pause while one is running extends it: the silence is one.
      if (pause === null) pause = { fromMs, untilMs };
      else pause = { fromMs: Math.min(pause.fromMs, fromMs), untilMs: Math.max(pause.untilMs, untilMs) };
    },
    read: () => ({
      smallestGapMs,
      smallestStartToStartMs,
      requiredGapMs,
      requiredStartToStartMs,
      highestConcurrency: latest.length,
      longestPauseMs,
      early,
    }),
  };
}

/** The larger of two; `null` is less than every number. */
export function larger(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.max(a, b);
}
