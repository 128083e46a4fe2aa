// What is kept of the last visit of a page, so that it can be visited again: one small record per URL in the store,
// next to the queue. The queue itself forgets a URL when it is done.

import type { NewUrl, UrlRecord } from '@mannerly/frontier';
import type { RecordPlace } from '../archive/warc-files.js';
import { decodeIfJson, urlKey } from '../json-record.js';
import { present } from '../present.js';
import type { UrlStatus } from '../report/decision.js';
import type { ChangeEstimate } from './change-estimate.js';
import { againNumber } from './visit-number.js';

/** The last visit of a page, and what it says about the next one. Times are epoch milliseconds. */
export interface PageVisit extends Pick<UrlRecord, 'url' | 'depth' | 'from' | 'label' | 'userData'> {
  /** Of the last visit that came to something. */
  readonly atMs: number;
  /** Of the last one that failed since then, and how many did in a row; absent: none. */
  readonly triedAtMs?: number | undefined;
  readonly failures?: number | undefined;
  /** When a change was seen last; the first visit counts. */
  readonly changedAtMs: number;
  readonly estimate: ChangeEstimate;
  /** Kind of content, as handlers are chosen by; absent: of an earlier version. */
  readonly kind?: string;
  /** As received. `null`: none, or not to be used. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Of what counts as content; `null`: of nothing, the page was not read. */
  readonly digest: string | null;
  /** The digests before it, the latest first; absent: there are none. */
  readonly earlier?: readonly (string | null)[];
  /** Of the body, where something else counts as content; absent: it lies in a file. */
  readonly payload?: string;
  /** The response itself says that it stays as it is until then; `null`: it does not say. */
  readonly freshUntilMs: number | null;
  /** What the request offered to accept, and under which name: another offer may be answered with another document. */
  readonly sentAs: string;
  readonly visits: number;
  readonly changes: number;
  /** Visits in a row that found no page. Of two the page is gone. */
  readonly missing: number;
  /** Its items may not be kept any more, or never might be; absent: they may. */
  readonly isRemoved?: boolean;
  /** The version of the handlers that it went to; absent: none was named. */
  readonly version?: string | undefined;
  /** The number of its last visit in a recrawl; absent: there was none. */
  readonly againAs?: number;
  /** How the visit was decided: it is decided anew by the next one. */
  readonly status: UrlStatus;
  readonly reason: string;
  /** Bytes of the last body. */
  readonly bytes: number;
  /** The record of that body. `null`, absent: the visit is in no archive. */
  readonly archived?: ArchivedVisitPlace | null;
}

export interface ArchivedVisitPlace extends RecordPlace {
  /** When its payload was written last, epoch milliseconds, and the visits since then. */
  readonly fullAtMs: number;
  readonly revisits: number;
}

/** What every record of a visit has: of a page, or of a sitemap. */
export type KeptVisit = Pick<PageVisit, 'url' | 'from' | 'userData' | 'atMs' | 'estimate' | 'againAs'> &
  Pick<PageVisit, 'etag' | 'lastModified' | 'freshUntilMs' | 'sentAs'>;

export const VISIT_PREFIX = 'visit/';

/** When a page was requested last, in vain or not. */
export function lastTryMs({ atMs, triedAtMs }: Pick<PageVisit, 'atMs' | 'triedAtMs'>): number {
  return triedAtMs ?? atMs;
}

export function visitKey(url: string): string {
  return urlKey(VISIT_PREFIX, url);
}

/** `null` of bytes that are no such record. */
export function decodeVisit<T extends KeptVisit = PageVisit>(bytes: Uint8Array | null): T | null {
  const value = decodeIfJson<Partial<T>>(bytes);
  return typeof value?.url === 'string' && typeof value.estimate?.shape === 'number' ? (value as T) : null;
}

/** Another visit. */
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
    visit: againNumber(lastTryMs(visit), nowMs),
    ...present({ from, label, userData }),
  };
}
