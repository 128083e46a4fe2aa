// Schedules of visits: which pages come next, and what a visit teaches. Times are days.

import {
  afterChange,
  afterUnchanged,
  changesPerDay,
  FIRST_ESTIMATE,
} from '../../../packages/core/dist/recrawl/change-estimate.js';
import { afterClaim, NO_CLAIMS, trustOf } from '../../../packages/core/dist/recrawl/host-trust.js';
import { MIN_TRUSTED_LASTMOD } from '../../../packages/core/dist/recrawl/limits.js';
import { visitValue } from '../../../packages/core/dist/recrawl/visit-choice.js';

const DAY_MS = 86_400_000;

/** The schedule of `mannerly crawl --again`, by the same functions. */
export const ours = (count) => oursWith(() => null)(count);

/**
 * The same with a sitemap. `lastmodOf(page, day)`: the day of the last change according to the sitemap; `null`: none.
 */
export const oursWith = (lastmodOf) => (count) => {
  const visits = Array.from({ length: count }, (_, page) => ({
    page,
    atMs: 0,
    estimate: FIRST_ESTIMATE,
  }));
  let record = NO_CLAIMS;
  return {
    choose(day, most) {
      const trust = trustOf(record);
      for (const visit of visits) {
        const lastmod = lastmodOf(visit.page, day);
        visit.lastmod = lastmod;
        const kind = lastmod !== null && lastmod * DAY_MS > visit.atMs ? 'changed' : 'unchanged';
        visit.claim = lastmod === null ? null : { kind, trust: trust[kind], weight: trust.weight };
        visit.value = visitValue(changesPerDay(visit.estimate), day - visit.atMs / DAY_MS, 1, visit.claim);
      }
      const best = visits.toSorted((a, b) => b.value - a.value || a.page - b.page).slice(0, most);
      return best.map(({ page }) => page);
    },
    visited(page, day, hasChanged) {
      const visit = visits[page];
      const days = day - visit.atMs / DAY_MS;
      const { claim, lastmod } = visit;
      const isDated = claim?.kind === 'changed' && claim.trust >= MIN_TRUSTED_LASTMOD;
      visit.estimate = hasChanged
        ? afterChange(visit.estimate, days, isDated ? day - lastmod : undefined)
        : afterUnchanged(visit.estimate, days);
      if (claim !== null) record = afterClaim(record, claim.kind, hasChanged);
      visit.atMs = day * DAY_MS;
    },
  };
};

/** The page that has waited longest. */
export const equally = (count) => byInterval(count, { first: 0, next: () => 0 });

/** Nutch's AdaptiveFetchSchedule: 30 days at first, then + 0.4 or − 0.2 of it, a minute to 90 days, with its shift. */
export const nutch = (count) =>
  byInterval(count, {
    first: 30,
    next(interval, hasChanged, waited) {
      const longer = Math.min(90, Math.max(1 / 1_440, interval * (hasChanged ? 0.8 : 1.4)));
      return hasChanged ? longer : Math.max(0, longer - Math.min(0.9 * longer, 0.3 * waited));
    },
  });

/** StormCrawler's AdaptiveScheduler: a day at first, then half as long again or halfway to an hour, at most 14 days. */
export const stormCrawler = (count) =>
  byInterval(count, {
    first: 1,
    next: (interval, hasChanged) => (hasChanged ? (interval + 1 / 24) / 2 : Math.min(14, interval * 1.5)),
  });

/** Pages whose interval has passed, the most overdue first. */
function byInterval(count, { first, next }) {
  const last = new Float64Array(count);
  const interval = new Float64Array(count).fill(first);
  return {
    choose(day, most) {
      const late = Array.from(last, (at, page) => ({ page, by: day - at - interval[page] })).filter(
        ({ by }) => by >= 0,
      );
      return late
        .sort((a, b) => b.by - a.by || a.page - b.page)
        .slice(0, most)
        .map(({ page }) => page);
    },
    visited(page, day, hasChanged) {
      interval[page] = next(interval[page], hasChanged, day - last[page]);
      last[page] = day;
    },
  };
}
