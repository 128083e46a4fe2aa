// A piece of page work as it was when its page was archived: the part that the page reader and a handler's context use.

import type { PageWork, UrlRecord } from '@mannerly/frontier';
import type { ArchivedVisit } from '../archive/visit.js';

/** The part of a piece of work that reading a page needs. */
type ReplayedWork = Pick<PageWork, 'url' | 'record' | 'signals'>;

const NO_SIGNALS: PageWork['signals'] = Object.freeze({
  isNoindex: false,
  preferences: {},
  contentSignals: {},
  licenses: [],
});

const NO_VISIT = {
  depth: 0,
  via: 'link',
  from: null,
  hops: 0,
  label: null,
  userData: null,
  tries: 0,
  visit: 0,
} as const;

/** Makes the work again. @param visit - `null`: only the URL is known. Never throws. */
export function replayedWork(url: string, visit: ArchivedVisit | null): ReplayedWork {
  const { depth, via, from, hops, label, userData, tries, visit: number } = { ...NO_VISIT, ...visit };
  const fields = { url, depth, via, from, hops, label, userData, tries };
  const record: UrlRecord = number === 0 ? fields : { ...fields, visit: number };
  return { url, record, signals: { ...NO_SIGNALS, ...(visit?.signals as Partial<PageWork['signals']> | null) } };
}
