// The numbers of a recrawl's visits. A number follows from the last visit, so that the next one is queued only once
// despite repetitions, and from the month, so that URLs that robots.txt excluded are tried again. A visit that waited
// into another month is queued under two numbers, but made once.

import { keepLatest } from '../keep-latest.js';
import { MAX_BEGUN_VISITS } from './limits.js';

const MONTH_MS = 30 * 86_400_000;
/** From one month to the next. Visits that a handler requests are numbered in between, one by one. */
const MONTH_STEP = 1_000;

export function revisitNumber(lastAttemptMs: number, nowMs: number): number {
  return Math.ceil(lastAttemptMs) + MONTH_STEP * monthOf(nowMs);
}

/** Whether a number is from `revisitNumber`, for this month or an earlier one. */
export function isRevisitNumber(visit: number, lastAttemptMs: number, nowMs: number): boolean {
  return isMonthStep(visit - Math.ceil(lastAttemptMs), nowMs);
}

/** The visits that this process has begun. */
export class BegunVisits {
  /** By URL, the latest number. */
  readonly #numbers = new Map<string, number>();

  /**
   * Whether the visit has begun under its other number, here or as `previous`; if not, it begins. The number of the
   * next visit may differ from `previous` by whole seconds too, like another number of that visit.
   * @param lastAttemptMs - When the page was last requested, epoch milliseconds.
   */
  isOver(url: string, visit: number, previous: number | undefined, lastAttemptMs: number, nowMs: number): boolean {
    const others = [this.#numbers.get(url), isRevisitNumber(visit, lastAttemptMs, nowMs) ? undefined : previous];
    if (others.some((other) => isMonthStep(Math.abs(visit - (other ?? visit)), nowMs))) return true;
    keepLatest(this.#numbers, url, visit, MAX_BEGUN_VISITS);
    return false;
  }
}

function isMonthStep(span: number, nowMs: number): boolean {
  return span > 0 && span % MONTH_STEP === 0 && span <= MONTH_STEP * monthOf(nowMs);
}

/** Months of thirty days since 1970. */
function monthOf(nowMs: number): number {
  return Math.floor(nowMs / MONTH_MS);
}
