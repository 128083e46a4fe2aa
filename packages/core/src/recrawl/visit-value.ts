// What one more visit of a page is worth, and when that is enough. Each missed change counts a little less than the one
// before: pages that always change do not take everything, and no page is left behind.

/**
 * The value of a visit, in days of staleness that it ends. Grows with the time since the last visit without bound.
 *
 * @param perDay - Changes per day that are expected.
 * @param days - Since the last visit.
 * @param importance - Of the page; 1 is usual.
 */
export function visitValue(perDay: number, days: number, importance = 1): number {
  return (importance * perDay * days ** 2) / (1 + perDay * days);
}

/**
 * Days after the last visit at which `visitValue` of a usual page reaches `everyDays`: that is the interval of a page
 * that always changes, and all others are visited less often.
 */
export function dueAfterDays(perDay: number, everyDays: number): number {
  return (everyDays + Math.sqrt(everyDays ** 2 + (4 * everyDays) / perDay)) / 2;
}
