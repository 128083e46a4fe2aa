// How often a page changes, as two numbers that each visit updates: a gamma distribution of its rate of changes, which
// are taken as a Poisson process. No history is kept, and visits may be any time apart.

import { MAX_SHAPE, MIN_SHAPE } from './limits.js';

/** Gamma distribution of the changes per day. Its mean is `shape / days`. */
export interface ChangeEstimate {
  /** Changes seen, more or less. 0.1 to 50. */
  readonly shape: number;
  /** Days looked at, more or less. */
  readonly days: number;
}

/** Of a page that was fetched once: a change in two weeks, and little is known. */
export const FIRST_ESTIMATE: ChangeEstimate = { shape: 0.5, days: 7 };

export function changesPerDay({ shape, days }: ChangeEstimate): number {
  return shape / days;
}

/** How likely a page is as it was so many days ago. */
export function expectedFresh({ shape, days }: ChangeEstimate, sinceDays: number): number {
  return (days / (days + sinceDays)) ** shape;
}

/** The page was as before after so many days: exact. */
export function afterUnchanged({ shape, days }: ChangeEstimate, sinceDays: number): ChangeEstimate {
  return bounded(shape, days + Math.max(0, sinceDays));
}

/**
 * The page has changed, once or more, in so many days: the gamma distribution with the mean and the variance of the
 * exact posterior. @param ageDays - How long ago the only change was, where the site says so and has proved true.
 */
export function afterChange({ shape, days }: ChangeEstimate, sinceDays: number, ageDays?: number): ChangeEstimate {
  if (ageDays !== undefined) return bounded(shape + 1, days + Math.max(0, ageDays));
  const r = days / (days + Math.max(MIN_DAYS, sinceDays));
  const z = 1 - r ** shape;
  const mean = ((shape / days) * (1 - r ** (shape + 1))) / z;
  const square = (((shape * (shape + 1)) / days ** 2) * (1 - r ** (shape + 2))) / z;
  const variance = square - mean ** 2;
  return bounded(mean ** 2 / variance, mean / variance);
}

/** A second: visits closer together say the same, and no division is by nothing. */
const MIN_DAYS = 1 / 86_400;

/** Old habits are forgotten: above the largest shape both numbers are halved. */
function bounded(shape: number, days: number): ChangeEstimate {
  if (shape > MAX_SHAPE) return { shape: shape / 2, days: days / 2 };
  return { shape: Math.max(MIN_SHAPE, shape), days };
}
