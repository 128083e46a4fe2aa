// Sitemaps and feeds, read again: requested conditionally, by their own estimates of how often they change, never
// within an hour of the last reading. What their dates say about pages is kept next to them.

import type { JsonValue, NewUrl, PageWork } from '@mannerly/frontier';
import { matchesTag, type ResponseOutcome } from '../fetch/outcome.js';
import { urlKey, writeJson } from '../json-record.js';
import type { FeedFrequency } from '../page/sitemap.js';
import { present } from '../present.js';
import type { UrlDecision } from '../report/decision.js';
import { afterChange, afterUnchanged, changesPerDay, FIRST_ESTIMATE } from './change-estimate.js';
import {
  conditionsOf,
  freshUntilMs,
  NO_VALIDATORS,
  validatorsAfter,
  validatorsAfterMismatch,
  validatorsOf,
} from './conditions.js';
import { LastmodReader, Lastmods, type UselessLastmod } from './lastmod.js';
import {
  DAY_MS,
  LASTMOD_BATCH_RECORDS,
  MAX_FEED_DAYS,
  MAX_LASTMODS,
  MAX_SITEMAP_DAYS,
  MIN_SITEMAP_DAYS,
  VISIT_BATCH_RECORDS,
} from './limits.js';
import { BegunVisits, decodeVisit, revisitUrl, type StoredVisit } from './page-visit.js';
import { dueAfterDays, recordsOf, type VisitStore } from './visit-choice.js';

/** The last reading of a sitemap or feed. Times are epoch milliseconds. */
interface SitemapVisit extends StoredVisit {
  readonly digest: string;
  /** When it was last received or confirmed by a 304; `atMs` is the last try. */
  readonly readAtMs: number;
  readonly status: 'fetched' | 'failed';
  readonly reason: string;
  /** How often a feed may be read at most; `null`: it does not say. */
  readonly rhythm: FeedFrequency | null;
}

interface InFlight {
  readonly before: SitemapVisit | null;
  readonly conditions: Readonly<Record<string, string>>;
  readonly dates: LastmodReader;
}

const SITEMAP_PREFIX = 'sitemap/';
const DATES_PREFIX = 'sitemap-dates/';
const HOUR_MS = 3_600_000;
const HOURS_OF_WEEK = 168;
/** Like every sitemap: after the other companion files, before all pages. */
const PRIORITY = 1;

const USELESS_REASONS: Readonly<Record<UselessLastmod, string>> = {
  equal: 'most of its URLs have the same date, which is not used',
  future: 'most of its dates are in the future, and are not used',
  moving: 'most of its dates are others at each reading, and are not used',
};

interface SitemapParts {
  readonly sentAs: (url: string) => string;
  readonly trustFreshnessDays: number;
  readonly nowMs: () => number;
  readonly warn: (code: 'lastmod-useless', url: string, detail: string, atMs: number) => void;
}

/** The sitemaps and feeds of one run. Promises reject with what the store throws. */
export class SitemapVisits {
  /** Their dates, once `readDates` has read them, including those of files read later. */
  readonly dates = new Lastmods(MAX_LASTMODS);
  readonly #store: VisitStore;
  readonly #parts: SitemapParts;
  readonly #begun = new BegunVisits();
  readonly #inFlight = new WeakMap<PageWork, InFlight>();
  /** Sitemaps that are requested again in this run and not decided yet. */
  readonly #pending = new Set<string>();
  #datesRead: Promise<void> | null = null;

  constructor(store: VisitStore, parts: SitemapParts) {
    this.#store = store;
    this.#parts = parts;
  }

  /** The known sitemaps that are due, by URL, in any store order. `isReading` until each is decided. */
  async due(): Promise<readonly NewUrl[]> {
    const nowMs = this.#parts.nowMs();
    const due = await dueSitemaps(this.#store, nowMs);
    for (const { url } of due) this.#pending.add(url);
    const placement = { priority: PRIORITY, via: 'companion' } as const;
    return due.map((visit) => revisitUrl({ ...visit, depth: 0, label: null }, nowMs, placement));
  }

  addPending(url: string): void {
    this.#pending.add(url);
  }

  isReading(): boolean {
    return this.#pending.size > 0;
  }

  /** Checks which of them other processes have read since. */
  async dropReadByOthers(sinceMs: number): Promise<void> {
    for (const url of this.#pending) {
      const visit = decodeVisit<SitemapVisit>(await this.#store.readRecord(urlKey(SITEMAP_PREFIX, url)));
      if (visit !== null && visit.atMs >= sinceMs) this.#pending.delete(url);
    }
  }

  /** Receives every decision of the run. A redirect leads to a file that is read instead. */
  decision({ url, reason }: Pick<UrlDecision, 'url' | 'reason'>): void {
    if (reason !== 'redirect') this.#pending.delete(url);
  }

  /** Reads all stored dates into `dates`, once. */
  readDates(): Promise<void> {
    this.#datesRead ??= addStoredDates(this.#store, this.dates, this.#parts.nowMs());
    return this.#datesRead;
  }

  /** Reads what is known about a sitemap. @returns The conditions of its request; `null`: its visit is already over. */
  async prepare(work: PageWork): Promise<Record<string, string> | null> {
    const url = initialUrl(work);
    const before = decodeVisit<SitemapVisit>(await this.#store.readRecord(urlKey(SITEMAP_PREFIX, url)));
    const { visit = 0 } = work.record;
    if (before !== null && this.#begun.isOver(url, visit, before.againAs, before.atMs, this.#parts.nowMs()))
      return null;
    const conditions = before === null ? {} : conditionsOf(before, this.#parts.sentAs(url));
    this.#inFlight.set(work, { before, conditions, dates: new LastmodReader() });
    return conditions;
  }

  /** As `Recrawl.notModified`. `known`: it is unchanged. */
  async notModified(
    work: PageWork,
    { headers, timing }: ResponseOutcome,
  ): Promise<'known' | 'mismatch' | 'unconditional'> {
    const { before = null, conditions = {} } = this.#inFlight.get(work) ?? {};
    if (before === null || Object.keys(conditions).length === 0) return 'unconditional';
    if (!matchesTag(headers, conditions['if-none-match'] ?? null)) {
      await this.#write(work, { ...before, ...validatorsAfterMismatch(timing.endedAtMs) });
      return 'mismatch';
    }
    const atMs = timing.endedAtMs;
    await this.#write(work, {
      ...before,
      status: 'fetched',
      ...{ atMs, readAtMs: atMs },
      estimate: afterUnchanged(before.estimate, (atMs - before.readAtMs) / DAY_MS),
      ...validatorsAfter(before, headers, atMs),
      freshUntilMs: freshUntilMs(headers, atMs, this.#parts.trustFreshnessDays),
    });
    return 'known';
  }

  addEntries(work: PageWork, urls: readonly NewUrl[]): void {
    const dates = this.#inFlight.get(work)?.dates;
    for (const { url, userData } of urls) dates?.add(url, lastmodOf(userData));
  }

  /** A sitemap was read, completely or as far as it was received. */
  async read(
    work: PageWork,
    { headers, timing, truncated }: ResponseOutcome,
    frequency: FeedFrequency | null,
  ): Promise<void> {
    const flight = this.#inFlight.get(work);
    if (flight === undefined) return;
    const { before, dates } = flight;
    const url = initialUrl(work);
    const atMs = timing.endedAtMs;
    const key = urlKey(DATES_PREFIX, url);
    const { digest, encoded, useless } = dates.end(await this.#store.readRecord(key), atMs);
    if (useless !== null) this.#parts.warn('lastmod-useless', url, `${url}: ${USELESS_REASONS[useless]}`, atMs);
    await this.#store.writeRecord(key, encoded);
    this.dates.addAll(encoded, atMs, atMs);
    const { hops, from, userData } = work.record;
    const estimate =
      before === null
        ? FIRST_ESTIMATE
        : (digest === before.digest ? afterUnchanged : afterChange)(before.estimate, (atMs - before.readAtMs) / DAY_MS);
    await this.#write(work, {
      ...{ url, from: hops > 0 ? (before?.from ?? null) : from, userData, atMs, readAtMs: atMs, estimate, digest },
      ...(truncated === null ? validatorsOf(headers, before, atMs) : NO_VALIDATORS),
      ...{ freshUntilMs: freshUntilMs(headers, atMs, this.#parts.trustFreshnessDays), sentAs: this.#parts.sentAs(url) },
      status: 'fetched',
      rhythm: frequency,
      reason: hops > 0 ? 'redirect' : 'sitemap',
    });
  }

  /** It was not received: nothing is learned, and its next turn is as late as otherwise. */
  async recordFailure(work: PageWork): Promise<void> {
    const before = this.#inFlight.get(work)?.before ?? null;
    if (before !== null) await this.#write(work, { ...before, status: 'failed', atMs: this.#parts.nowMs() });
  }

  /** It is decided. @returns The decision of its last reading, if that counted as more than a failure. */
  earlierDecision(work: PageWork): Pick<SitemapVisit, 'status' | 'reason'> | undefined {
    const before = this.#inFlight.get(work)?.before ?? null;
    return before?.status === 'fetched' ? { status: before.status, reason: before.reason } : undefined;
  }

  async #write({ record }: PageWork, visit: SitemapVisit): Promise<void> {
    const againAs = record.visit ?? visit.againAs;
    await writeJson(this.#store, urlKey(SITEMAP_PREFIX, visit.url), { ...visit, ...present({ againAs }) });
    this.#pending.delete(visit.url);
  }
}

type RecordReader = Pick<VisitStore, 'readRecord' | 'listRecords'>;

export async function dueSitemaps(store: RecordReader, nowMs: number): Promise<SitemapVisit[]> {
  const due: SitemapVisit[] = [];
  for await (const { value } of recordsOf(store, SITEMAP_PREFIX, VISIT_BATCH_RECORDS)) {
    const visit = decodeVisit<SitemapVisit>(value);
    if (visit !== null && dueMs(visit) <= nowMs) due.push(visit);
  }
  return due.sort((a, b) => (a.url < b.url ? -1 : 1));
}

export async function addStoredDates(store: RecordReader, dates: Lastmods, nowMs: number): Promise<void> {
  for await (const { key, value } of recordsOf(store, DATES_PREFIX, LASTMOD_BATCH_RECORDS)) {
    const visit = await store.readRecord(SITEMAP_PREFIX + key.slice(DATES_PREFIX.length));
    dates.addAll(value, nowMs, decodeVisit<SitemapVisit>(visit)?.readAtMs ?? 0);
  }
}

/** A sitemap that always changes is read every hour, others less often. */
function dueMs({ atMs, estimate, freshUntilMs: untilMs, rhythm: frequency }: SitemapVisit): number {
  const days = Math.min(MAX_SITEMAP_DAYS, dueAfterDays(changesPerDay(estimate), MIN_SITEMAP_DAYS));
  // After its `ttl` or its period.
  const byFrequencyMs = atMs + Math.min((frequency?.minutes ?? 0) * 60_000, MAX_FEED_DAYS * DAY_MS);
  return nextUnskippedMs(frequency, Math.max(atMs + days * DAY_MS, untilMs ?? 0, byFrequencyMs));
}

/** The first hour from a time on that a feed does not skip; the time itself if it skips all. */
function nextUnskippedMs(frequency: FeedFrequency | null, fromMs: number): number {
  const { skipHours = [], skipDays = [] } = frequency ?? {};
  for (
    let atMs = fromMs, hours = 0;
    hours < HOURS_OF_WEEK;
    hours += 1, atMs = (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS
  ) {
    const date = new Date(atMs);
    if (!skipHours.includes(date.getUTCHours()) && !skipDays.includes(date.getUTCDay())) return atMs;
  }
  return fromMs;
}

/** The URL as first requested, before redirects. */
function initialUrl({ url, record }: PageWork): string {
  return record.hops > 0 && record.from !== null ? record.from : url;
}

function lastmodOf(userData: JsonValue | undefined): string | null {
  const { lastmod } = (userData ?? {}) as { readonly lastmod?: JsonValue };
  return typeof lastmod === 'string' ? lastmod : null;
}
