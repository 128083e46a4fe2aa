// How far the clocks of the machines were apart that wrote the logs, by what each run says of its own and that of the
// store's server. Times of one run are compared as they are: its clock never steps. Of two runs, one is moved to the
// clock of the other, and what is not known of both may be early.

import type { ClockLine } from '../decision.js';
import { CLOCK_ERROR_MOST_MS, CLOCKS_TOLD_MS } from './limits.js';

/** By how much the server's clock was ahead of a run's, at least and at most, milliseconds. */
export interface LogClock {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** What is known with one more comparison. One that says little is left out: it would excuse what is early. */
export function withComparison(known: LogClock | null, { clock }: ClockLine): LogClock | null {
  const { aheadMs, errorMs } = clock;
  if (!(errorMs >= 0 && errorMs <= CLOCK_ERROR_MOST_MS)) return known;
  return {
    leastMs: Math.min(known?.leastMs ?? Number.POSITIVE_INFINITY, aheadMs - errorMs),
    mostMs: Math.max(known?.mostMs ?? Number.NEGATIVE_INFINITY, aheadMs + errorMs),
  };
}

/**
 * What counts of a run: nothing where the clocks came apart while it ran, since a server's clock was set, say. It would
 * excuse what is early.
 */
export function steadyClock(clock: LogClock | null): LogClock | null {
  return clock !== null && errorMs(clock) <= CLOCK_ERROR_MOST_MS ? clock : null;
}

/** What to add to a time of the run, so that it is the server's; 0 where it is not known. */
export function aheadMs(clock: LogClock | null): number {
  return clock === null ? 0 : (clock.leastMs + clock.mostMs) / 2;
}

/** By how much that may be wrong. */
function errorMs(clock: LogClock): number {
  return (clock.mostMs - clock.leastMs) / 2;
}

/**
 * What to add to a time by the one clock so that it is by the other, and by how much that may be wrong; nothing where
 * one of them is not known.
 */
export function between(
  one: LogClock | null,
  other: LogClock | null,
): { readonly byMs: number; readonly errorMs: number } {
  if (one === other || one === null || other === null) return { byMs: 0, errorMs: 0 };
  return { byMs: aheadMs(one) - aheadMs(other), errorMs: errorMs(one) + errorMs(other) };
}

/** The clocks of all runs together, for a note. */
export class ComparedClocks {
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;
  #errorMs = 0;

  add(clock: LogClock | null): void {
    if (clock === null) return;
    this.#least = Math.min(this.#least, aheadMs(clock));
    this.#most = Math.max(this.#most, aheadMs(clock));
    this.#errorMs = Math.max(this.#errorMs, errorMs(clock));
  }

  /** One sentence; `null`: they agree, or are not known. */
  note(): string | null {
    const apartMs = Math.round(this.#most - this.#least);
    if (!(apartMs + this.#errorMs >= CLOCKS_TOLD_MS)) return null;
    const error = Math.ceil(2 * this.#errorMs);
    return `The clocks of the machines were up to ${apartMs} ms apart, known to ${error} ms: that is allowed for where two machines requested one host.`;
  }
}
