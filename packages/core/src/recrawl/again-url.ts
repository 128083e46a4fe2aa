// Another visit of a known URL, as the frontier queues it.

import type { NewUrl } from '@mannerly/frontier';
import { lastTryMs, type PageVisit } from './page-visit.js';

const MONTH_MS = 30 * 86_400_000;

/**
 * Another visit. Its number follows from the last visit, so that it is queued once, whatever is repeated, and from the
 * month: what robots.txt has closed meanwhile is tried again.
 */
export function againUrl(
  visit: Pick<PageVisit, 'url' | 'depth' | 'from' | 'label' | 'userData' | 'atMs' | 'triedAtMs'>,
  nowMs: number,
  more: Pick<NewUrl, 'priority' | 'via'>,
): NewUrl {
  const { url, depth, from, label, userData } = visit;
  return {
    url,
    depth,
    ...more,
    visit: Math.ceil(lastTryMs(visit)) + monthOf(nowMs),
    ...(from === null ? {} : { from }),
    ...(label === null ? {} : { label }),
    ...(userData === null ? {} : { userData }),
  };
}

/** Whether a visit's number is one of `againUrl`: another visit that a handler asks for has a number below these. */
export function isAgainVisit(visit: number, before: Pick<PageVisit, 'atMs' | 'triedAtMs'>, nowMs: number): boolean {
  const month = visit - Math.ceil(lastTryMs(before));
  return month > 0 && month <= monthOf(nowMs);
}

/** Months since 1970, of thirty days. */
function monthOf(nowMs: number): number {
  return Math.floor(nowMs / MONTH_MS);
}
