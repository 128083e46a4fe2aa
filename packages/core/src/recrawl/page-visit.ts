// What is kept of a page's last visit, so that it can be visited again: one small record per URL in the store, next to
// the queue. The queue itself forgets a URL when it is done.
//
// The number of the next visit follows from the last visit, so that it is queued only once despite repetitions, and
// from the month, so that URLs that robots.txt excluded are tried again. A visit that waited into another month is
// queued under two numbers, but made once.
//
// With an archive, a request is conditional only if the archive has what a 304 would refer to, and after many revisits
// the payload is written again.

import type { NewUrl, UrlRecord } from '@mannerly/frontier';
import type { ArchivedResponse, CrawlArchive } from '../archive/crawl-archive.js';
import type { ArchivedExchange } from '../archive/exchange-records.js';
import type { RecordPlace } from '../archive/warc-files.js';
import type { UnchangedPage } from '../handle/handled-page.js';
import { decodeIfJson, urlKey } from '../json-record.js';
import { keepLatest } from '../keep-latest.js';
import { present } from '../present.js';
import type { UrlStatus } from '../report/decision.js';
import { type ChangeEstimate, FIRST_ESTIMATE } from './change-estimate.js';
import { DAY_MS, MAX_BEGUN_VISITS, MAX_FULL_AGE_MS } from './limits.js';

/** The last visit of a page, and what it says about the next one. Times are epoch milliseconds. */
export interface PageVisit extends Pick<UrlRecord, 'url' | 'depth' | 'from' | 'label' | 'userData'> {
  /** Time of the last visit with a result. */
  readonly atMs: number;
  /** Time of the last failure since then, and the number of consecutive failures; absent: none. */
  readonly triedAtMs?: number | undefined;
  readonly failures?: number | undefined;
  /** When the last change was seen; the first visit counts. */
  readonly changedAtMs: number;
  readonly estimate: ChangeEstimate;
  /** Kind of content, which selects the handler. */
  readonly kind: string;
  /** As received. `null`: none, or unusable. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** A 304 named another ETag than the one sent: until then none is kept. Absent: there was no such 304. */
  readonly noEtagUntilMs?: number | undefined;
  /** Digest of what counts as content; `null`: the page was not read. */
  readonly digest: string | null;
  /** The earlier digests, latest first; absent: there are none. */
  readonly earlier?: readonly (string | null)[];
  /** Digest of the body, if something else counts as content; absent: the body is in a file. */
  readonly payload?: string;
  /** Until when the response itself says that it stays the same; `null`: it does not say. */
  readonly freshUntilMs: number | null;
  /** The documents that its response names as its licences, since a 304 leaves them out; absent: none. */
  readonly licenses?: readonly string[] | undefined;
  /** What the request accepted, and under which name, since a different offer may get a different document. */
  readonly sentAs: string;
  /** 0: it was attempted, and never fetched. */
  readonly visits: number;
  readonly changes: number;
  /** Consecutive visits that found no page. After two the page is gone. */
  readonly missing: number;
  /** Its items may no longer be kept, or never were allowed; absent: they may. */
  readonly isRemoved?: boolean;
  /** The version of the handlers that received it; absent: none was named. */
  readonly version?: string | undefined;
  /** The number of its last visit in a recrawl; absent: there was none. */
  readonly againAs?: number;
  /** How the visit was decided; the next visit replaces this decision. */
  readonly status: UrlStatus;
  readonly reason: string;
  /** Bytes of the last body. */
  readonly bytes: number;
  /** The record of that body. `null`, absent: the visit is not in an archive. */
  readonly archived?: ArchivedVisitPlace | null;
}

interface ArchivedVisitPlace extends RecordPlace {
  /** When its payload was last written, epoch milliseconds, and the visits since then. */
  readonly fullAtMs: number;
  readonly revisits: number;
}

/** The common part of the records of visits, whether of a page or of a sitemap. */
export type StoredVisit = Pick<PageVisit, 'url' | 'from' | 'userData' | 'atMs' | 'estimate' | 'againAs'> &
  Pick<PageVisit, 'etag' | 'lastModified' | 'noEtagUntilMs' | 'freshUntilMs' | 'sentAs'>;

export const VISIT_PREFIX = 'visit/';

/** When a page was last requested, successfully or not. */
export function lastAttemptMs({ atMs, triedAtMs }: Pick<PageVisit, 'atMs' | 'triedAtMs'>): number {
  return triedAtMs ?? atMs;
}

export type TriedUrl = Pick<NewUrl, 'url' | 'depth' | 'visit'> & {
  readonly [Name in 'from' | 'label' | 'userData']?: PageVisit[Name];
};

/** The record of a page that was never fetched: it has no visit yet. */
export function firstAttempt(
  { url, depth, from = null, label = null, userData = null }: TriedUrl,
  nowMs: number,
): PageVisit {
  return {
    ...{ url, depth, from, label, userData, atMs: nowMs, changedAtMs: nowMs, estimate: FIRST_ESTIMATE, kind: '' },
    ...{ etag: null, lastModified: null, digest: null, freshUntilMs: null, sentAs: '', bytes: 0 },
    ...{ visits: 0, changes: 0, missing: 0, status: 'failed', reason: '' },
  };
}

export function failedAttempt({ failures = 0 }: Pick<PageVisit, 'failures'>, nowMs: number) {
  return { triedAtMs: nowMs, failures: failures + 1 };
}

export function visitKey(url: string): string {
  return urlKey(VISIT_PREFIX, url);
}

/** `null` for bytes that are not such a record. */
export function decodeVisit<T extends StoredVisit = PageVisit>(bytes: Uint8Array | null): T | null {
  const value = decodeIfJson<Partial<T>>(bytes);
  return typeof value?.url === 'string' && typeof value.estimate?.shape === 'number' ? (value as T) : null;
}

export function revisitUrl(
  visit: Pick<PageVisit, 'url' | 'depth' | 'from' | 'label' | 'userData' | 'atMs' | 'triedAtMs'>,
  nowMs: number,
  more: Pick<NewUrl, 'priority' | 'via'>,
): NewUrl {
  const { url, depth, from, label, userData } = visit;
  return {
    url,
    depth,
    ...more,
    visit: revisitNumber(lastAttemptMs(visit), nowMs),
    ...present({ from, label, userData }),
  };
}

const MONTH_MS = 30 * DAY_MS;
/** From one month to the next. Visits that a handler requests are numbered in between, one by one. */
const MONTH_STEP = 1_000;

export function revisitNumber(lastAttemptMs: number, nowMs: number): number {
  return Math.ceil(lastAttemptMs) + MONTH_STEP * monthOf(nowMs);
}

/** Whether a number is from `revisitNumber`, for this month or an earlier one. */
export function isRevisitNumber(visit: number, lastAttemptMs: number, nowMs: number): boolean {
  return isMonthStep(visit - Math.ceil(lastAttemptMs), nowMs);
}

export class BegunVisits {
  /** By URL, the latest number. */
  readonly #numbers = new Map<string, number>();

  /**
   * Whether the visit has begun under its other number, here or as `previous`; if not, it begins. The number of the
   * next visit may differ from `previous` by whole seconds too, like another number of that visit.
   * @param lastAttemptMs - When the page was last requested, epoch milliseconds.
   */
  isOver(url: string, visit: number, previous: number | undefined, lastAttemptMs: number, nowMs: number): boolean {
    const others = [this.#numbers.get(url), isRevisitNumber(visit, lastAttemptMs, nowMs) ? undefined : previous];
    if (others.some((other) => isMonthStep(Math.abs(visit - (other ?? visit)), nowMs))) return true;
    keepLatest(this.#numbers, url, visit, MAX_BEGUN_VISITS);
    return false;
  }
}

function isMonthStep(span: number, nowMs: number): boolean {
  return span > 0 && span % MONTH_STEP === 0 && span <= MONTH_STEP * monthOf(nowMs);
}

/** Months of thirty days since 1970. */
function monthOf(nowMs: number): number {
  return Math.floor(nowMs / MONTH_MS);
}

export type OriginalFinder = Pick<CrawlArchive, 'originalOf'>;

/** What an archive is told about an exchange. `original`: `null` if the request must have no conditions. */
export type ArchiveMode = Pick<ArchivedExchange, 'original' | 'isFull'>;

/**
 * How the next exchange of a page is archived. @param isConditional - Whether it could be conditional.
 * @param onLost - Called with the name of a file that no longer has the last answer.
 */
export async function archiveMode(
  archive: OriginalFinder | null,
  before: PageVisit | null,
  isConditional: boolean,
  { nowMs, maxChain, onLost }: { nowMs: number; maxChain: number; onLost: (filename: string) => void },
): Promise<ArchiveMode> {
  if (archive === null) return {};
  const archived = before?.archived ?? null;
  if (before === null || archived === null) return { original: null };
  const isFull = archived.revisits >= maxChain || nowMs - archived.fullAtMs >= MAX_FULL_AGE_MS;
  if (isFull || !isConditional) return { original: null, isFull };
  const original = await archive.originalOf(before.url, archived);
  if (original === null) onLost(archived.filename);
  return { original };
}

export function archivedPlace(
  { place, isFull }: ArchivedResponse,
  before: PageVisit | null,
  atMs: number,
): ArchivedVisitPlace {
  const { fullAtMs, revisits } = before?.archived ?? { fullAtMs: atMs, revisits: 0 };
  return isFull ? { ...place, fullAtMs: atMs, revisits: 0 } : withOneMoreRevisit({ ...place, fullAtMs, revisits });
}

export function withOneMoreRevisit(place: ArchivedVisitPlace): ArchivedVisitPlace {
  return { ...place, revisits: place.revisits + 1 };
}

/** Whether its content alternates between that of earlier visits: A, B, A, B. */
export function isAlternating({ digest: last, earlier = [] }: PageVisit, digest: string | null): boolean {
  return digest !== null && digest !== last && digest === earlier[0] && last === earlier[1];
}

/** The digests before this one, latest first, if it is a new one. */
export function earlierDigests(before: PageVisit | null, digest: string | null): Pick<PageVisit, 'earlier'> {
  if (before === null || before.digest === digest) return {};
  return { earlier: [before.digest, ...(before.earlier ?? [])].slice(0, 2) };
}

export function unchangedPage(before: PageVisit, after: PageVisit, status: number): UnchangedPage {
  const { url, label, userData, depth, atMs: fetchedAtMs, changedAtMs, visits, changes, digest } = after;
  const lastVisitMs = before.atMs;
  return { url, status, label, userData, depth, fetchedAtMs, lastVisitMs, changedAtMs, visits, changes, digest };
}
