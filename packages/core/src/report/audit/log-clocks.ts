// How far apart the clocks of the machines that wrote the logs were, by what each run says about its own clock and that
// of the store's server. Times of one run are compared directly: its clock never steps. For two runs, the times of one
// are converted to the clock of the other; a request may be early by as much as that is uncertain.

import type { ClockLine } from '../decision.js';
import { MAX_CLOCK_ERROR_MS, MIN_REPORTED_CLOCK_DIFFERENCE_MS } from './limits.js';

/** By how much the server's clock was ahead of a run's clock, at least and at most, milliseconds. */
export interface LogClock {
  readonly minAheadMs: number;
  readonly maxAheadMs: number;
}

/** Adds one more comparison. An imprecise one is left out: it would excuse early requests. */
export function withComparison(known: LogClock | null, { clock }: ClockLine): LogClock | null {
  const { aheadMs, errorMs } = clock;
  if (!(errorMs >= 0 && errorMs <= MAX_CLOCK_ERROR_MS)) return known;
  return {
    minAheadMs: Math.min(known?.minAheadMs ?? Number.POSITIVE_INFINITY, aheadMs - errorMs),
    maxAheadMs: Math.max(known?.maxAheadMs ?? Number.NEGATIVE_INFINITY, aheadMs + errorMs),
  };
}

/**
 * The clock of a run, or null if the two clocks drifted apart while it ran, for example because the server's clock was
 * set. It would excuse early requests.
 */
export function steadyClock(clock: LogClock | null): LogClock | null {
  return clock !== null && errorMs(clock) <= MAX_CLOCK_ERROR_MS ? clock : null;
}

/** The number to add to a time of the run to get the server's time; 0 if it is not known. */
export function aheadMs(clock: LogClock | null): number {
  return clock === null ? 0 : (clock.minAheadMs + clock.maxAheadMs) / 2;
}

/** The largest error of that number. */
function errorMs(clock: LogClock): number {
  return (clock.maxAheadMs - clock.minAheadMs) / 2;
}

/** What to add to a time of the one clock to convert it to the other, and its error; zeros if one is not known. */
export function clockDifference(
  one: LogClock | null,
  other: LogClock | null,
): { readonly byMs: number; readonly errorMs: number } {
  if (one === other || one === null || other === null) return { byMs: 0, errorMs: 0 };
  return { byMs: aheadMs(one) - aheadMs(other), errorMs: errorMs(one) + errorMs(other) };
}

/** The clocks of all runs together, for a note. */
export class ComparedClocks {
  #minAheadMs = Number.POSITIVE_INFINITY;
  #maxAheadMs = Number.NEGATIVE_INFINITY;
  #errorMs = 0;

  add(clock: LogClock | null): void {
    if (clock === null) return;
    this.#minAheadMs = Math.min(this.#minAheadMs, aheadMs(clock));
    this.#maxAheadMs = Math.max(this.#maxAheadMs, aheadMs(clock));
    this.#errorMs = Math.max(this.#errorMs, errorMs(clock));
  }

  /** One sentence; `null` if the clocks agree or are not known. */
  note(): string | null {
    const apartMs = Math.round(this.#maxAheadMs - this.#minAheadMs);
    if (!(apartMs + this.#errorMs >= MIN_REPORTED_CLOCK_DIFFERENCE_MS)) return null;
    const error = Math.ceil(2 * this.#errorMs);
    return `The clocks of the machines were up to ${apartMs} ms apart, known to ${error} ms: that is allowed for where two machines requested one host.`;
  }
}
