// A piece of page work as it was when its page was archived: the part that the page reader and a handler's context use.

import type { PageWork, UrlRecord } from '@mannerly/frontier';
import type { ArchivedVisit } from '../archive/visit.js';

const NO_SIGNALS: PageWork['signals'] = Object.freeze({
  isNoindex: false,
  preferences: {},
  contentSignals: {},
  licenses: [],
});

/** The part of the work that reading a page needs. @param visit - `null`: only the URL is known. Never throws. */
export function replayedWork(url: string, visit: ArchivedVisit | null): Pick<PageWork, 'url' | 'record' | 'signals'> {
  const known: Partial<ArchivedVisit> = visit ?? {};
  const { depth = 0, via = 'link', from = null, hops = 0, label = null, userData = null, tries = 0 } = known;
  const fields = { url, depth, via, from, hops, label, userData, tries };
  const record: UrlRecord = known.visit === undefined || known.visit === 0 ? fields : { ...fields, visit: known.visit };
  return { url, record, signals: { ...NO_SIGNALS, ...(known.signals as Partial<PageWork['signals']> | null) } };
}
