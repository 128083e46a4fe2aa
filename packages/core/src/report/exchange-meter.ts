// Measures how one host was really treated: gaps, overlaps and pauses, from the times of its requests alone. It sees a
// request when it ends and keeps no list of the past.

import { Concurrency } from './concurrency.js';
import { MAX_MEASURED_CONCURRENCY } from './limits.js';

/** One request that has ended, with what the host required when it began. Epoch milliseconds. */
export interface MeteredExchange {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** From the end of one request to the start of the next; `null`: not required. */
  readonly crawlDelayMs: number | null;
  /** From start to start; `null`: not required. */
  readonly requestIntervalMs: number | null;
}

/** Measures one host. The public fields are those of `HostPoliteness`. */
export class ExchangeMeter {
  smallestGapMs: number | null = null;
  smallestStartToStartMs: number | null = null;
  requiredGapMs: number | null = null;
  requiredStartToStartMs: number | null = null;
  highestConcurrency = 0;
  longestPauseMs = 0;
  early = 0;
  readonly #concurrency = new Concurrency(MAX_MEASURED_CONCURRENCY);
  #lastStartedMs: number | null = null;
  #lastEndedMs: number | null = null;
  #pause: { readonly fromMs: number; readonly untilMs: number } | null = null;

  /** One request has ended. In the order of ends; one that comes later counts as overlapping. O(concurrency). */
  add({ startedAtMs, endedAtMs, crawlDelayMs, requestIntervalMs }: MeteredExchange): void {
    let isEarly = false;
    this.requiredGapMs = larger(this.requiredGapMs, crawlDelayMs);
    this.requiredStartToStartMs = larger(this.requiredStartToStartMs, requestIntervalMs);
    if (this.#lastEndedMs !== null && this.#lastStartedMs !== null) {
      const gapMs = Math.max(0, startedAtMs - this.#lastEndedMs);
      this.smallestGapMs = Math.min(this.smallestGapMs ?? gapMs, gapMs);
      isEarly = gapMs < (crawlDelayMs ?? 0);
      if (requestIntervalMs !== null) {
        const startToStartMs = Math.abs(startedAtMs - this.#lastStartedMs);
        this.smallestStartToStartMs = Math.min(this.smallestStartToStartMs ?? startToStartMs, startToStartMs);
        if (startToStartMs < requestIntervalMs) isEarly = true;
      }
    }
    if (this.#pause !== null && startedAtMs >= this.#pause.fromMs) {
      const { fromMs, untilMs } = this.#pause;
      if (startedAtMs < untilMs) isEarly = true;
      else {
        this.longestPauseMs = Math.max(this.longestPauseMs, untilMs - fromMs);
        this.#pause = null;
      }
    }
    if (isEarly) this.early += 1;
    this.highestConcurrency = Math.max(this.highestConcurrency, this.#concurrency.add(startedAtMs, endedAtMs));
    this.#lastStartedMs = Math.max(this.#lastStartedMs ?? startedAtMs, startedAtMs);
    this.#lastEndedMs = Math.max(this.#lastEndedMs ?? endedAtMs, endedAtMs);
  }

  /** The host requires a pause. One that begins while another is running extends it. */
  pause(fromMs: number, untilMs: number): void {
    this.#pause = {
      fromMs: Math.min(this.#pause?.fromMs ?? fromMs, fromMs),
      untilMs: Math.max(this.#pause?.untilMs ?? untilMs, untilMs),
    };
  }
}

/** The larger of two; `null` is less than every number. */
export function larger(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.max(a, b);
}
