// How often a page changes, as two numbers that each visit updates: a gamma distribution of its change rate, where
// changes are modelled as a Poisson process. No history is kept, and visits may be any time apart.

import { MAX_SHAPE, MIN_SHAPE } from './limits.js';

/** Gamma distribution of the changes per day. Its mean is `shape / days`. */
export interface ChangeEstimate {
  /** Changes seen, approximately. 0.1 to 50. */
  readonly shape: number;
  /** Days observed, approximately. */
  readonly days: number;
}

/** The estimate for a page that was fetched once: one change in two weeks, with little certainty. */
export const FIRST_ESTIMATE: ChangeEstimate = { shape: 0.5, days: 7 };

export function changesPerDay({ shape, days }: ChangeEstimate): number {
  return shape / days;
}

/** The probability that a page is the same as this many days ago. */
export function expectedFresh({ shape, days }: ChangeEstimate, sinceDays: number): number {
  return (days / (days + sinceDays)) ** shape;
}

/** The update if the page was unchanged after this many days: exact. */
export function afterUnchanged({ shape, days }: ChangeEstimate, sinceDays: number): ChangeEstimate {
  return withBoundedShape(shape, days + Math.max(0, sinceDays));
}

/**
 * The update if the page changed at least once in this many days: the gamma distribution with the mean and the variance
 * of the exact posterior. @param ageDays - The age of the only change, if the site dates it and has proved reliable.
 */
export function afterChange({ shape, days }: ChangeEstimate, sinceDays: number, ageDays?: number): ChangeEstimate {
  if (ageDays !== undefined) return withBoundedShape(shape + 1, days + Math.max(0, ageDays));
  const r = days / (days + Math.max(MIN_DAYS, sinceDays));
  const z = 1 - r ** shape;
  const mean = ((shape / days) * (1 - r ** (shape + 1))) / z;
  const square = (((shape * (shape + 1)) / days ** 2) * (1 - r ** (shape + 2))) / z;
  const variance = square - mean ** 2;
  return withBoundedShape(mean ** 2 / variance, mean / variance);
}

/** One second: visits closer together add nothing, and division by zero is avoided. */
const MIN_DAYS = 1 / 86_400;

/** Older observations fade: above the largest shape both numbers are halved. */
function withBoundedShape(shape: number, days: number): ChangeEstimate {
  if (shape > MAX_SHAPE) return { shape: shape / 2, days: days / 2 };
  return { shape: Math.max(MIN_SHAPE, shape), days };
}
