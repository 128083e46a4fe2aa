// What one more visit of a page is worth, and when that is enough. Each missed change counts a little less than the one
// before: pages that always change do not take everything, and no page is left behind.

import type { Claim } from './lastmod-trust.js';

/** What a sitemap or feed says of the page, as far as the value depends on it; `null`: nothing. */
type Said = Pick<Claim, 'says' | 'weight'> | null;

/**
 * The value of a visit, in days of staleness that it ends. Grows with the time since the last visit without bound.
 *
 * @param perDay - Changes per day that are expected.
 * @param days - Since the last visit.
 * @param importance - Of the page; 1 is usual.
 */
export function visitValue(perDay: number, days: number, importance = 1, claim: Said = null): number {
  const value = (importance * perDay * days ** 2) / (1 + perDay * days);
  if (claim === null) return value;
  return claim.says === 'changed' ? Math.max(value, importance * claim.weight * days) : (1 - claim.weight) * value;
}

/**
 * Days after the last visit at which `visitValue` of a usual page reaches `everyDays`: that is the interval of a page
 * that always changes, and all others are visited less often.
 */
export function dueAfterDays(perDay: number, everyDays: number, claim: Said = null): number {
  const value = claim?.says === 'unchanged' ? everyDays / (1 - claim.weight) : everyDays;
  const days = (value + Math.sqrt(value ** 2 + (4 * value) / perDay)) / 2;
  return claim?.says === 'changed' ? Math.min(days, everyDays / claim.weight) : days;
}
