// A piece of page work as it was when its page was archived: what the page reader and a handler's context take from it.

import type { PageWork, UrlRecord, Via } from '@mannerly/frontier';
import type { ArchivedVisit } from '../archive/visit.js';

/** The part of a piece of work that a page is read with. */
type ReplayedWork = Pick<PageWork, 'url' | 'record' | 'signals'>;

const NO_SIGNALS: PageWork['signals'] = Object.freeze({
  isNoindex: false,
  preferences: {},
  contentSignals: {},
  licenses: [],
});

/** Makes the work anew. @param visit - `null`: nothing is known but the URL. Never throws. */
export function replayedWork(url: string, visit: ArchivedVisit | null): ReplayedWork {
  const record: UrlRecord = {
    url,
    depth: visit?.depth ?? 0,
    via: (visit?.via ?? 'link') as Via,
    from: visit?.from ?? null,
    hops: visit?.hops ?? 0,
    label: visit?.label ?? null,
    userData: visit?.userData ?? null,
    tries: visit?.tries ?? 0,
    ...(visit === null || visit.visit === 0 ? {} : { visit: visit.visit }),
  };
  return { url, record, signals: { ...NO_SIGNALS, ...(visit?.signals as Partial<PageWork['signals']> | null) } };
}
