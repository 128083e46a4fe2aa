// Companion files of robots.txt: tdmrep.json if a declared purpose requires it, data.txt and sitemaps if discovery is
// on. They are queued like pages, before the pages of their authority. Their content is kept here and in the store.

import type { NewUrl, PageWork } from '@mannerly/frontier';
import { dataTxtLifetimeMs } from '@mannerly/robots/data-txt';
import { parseTdmRep, TDMREP_PATH, type TdmReservation, type TdmRule, tdmForUrl } from '@mannerly/robots/page';
import { headersByName, isSuccess, type ResponseOutcome } from '../fetch/outcome.js';
import type { PageOutcome } from '../journal/journal.js';
import { type RecordStore, readJson, writeJson } from '../json-record.js';
import { keepLatest } from '../keep-latest.js';
import type { ReadDatasets } from '../page/datasets.js';
import type { FileReservation } from '../page/exclusion.js';
import type { FeedFrequency } from '../page/sitemap.js';
import { MAX_COMPANION_HOPS, MAX_TDM_AUTHORITIES, TDM_LIFETIME_MS, TDM_POLL_MS, TDM_TURN_MS } from './limits.js';
import type { SitemapFinds, Sitemaps } from './sitemaps.js';

interface CompanionResult {
  readonly links: readonly NewUrl[];
  readonly decision: PageOutcome;
  /** For a feed that was read: how often it may be read at most. */
  readonly frequency?: FeedFrequency | null;
}

export interface CompanionOptions {
  /** Whether a declared purpose is `tdm`, `ai-train` or `ai-input` (page-level §5). */
  readonly tdm: boolean;
  /** `null`: data.txt is not requested. */
  readonly datasets: ReadDatasets | null;
}

/** What they need from a run. The frontier must be open before the first call. */
interface CompanionRun {
  readonly frontier: RecordStore;
  readonly sitemaps: Sitemaps;
  readonly nowMs: () => number;
}

const DATA_TXT_PATH = '/data.txt';
const COMPANION_READ: PageOutcome = { status: 'fetched', reason: 'companion', layer: 'fetch' };
const NOT_RESERVED: TdmReservation = { reserved: null, policy: null };
/** Until the site's answer, a header or the page says otherwise, rights count as reserved. */
const UNKNOWN = { reserved: true, policy: null, isUnknown: true } as const;

export class Companions {
  readonly #run: CompanionRun;
  readonly #options: CompanionOptions;
  readonly #rules = new Map<string, readonly TdmRule[]>();
  /** When the tdmrep.json of an authority, or what it redirects to, is tried again. */
  readonly #retries = new Map<string, number>();

  constructor(run: CompanionRun, options: CompanionOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** What to queue after a robots.txt was read: first everything, later what has expired or was never received. */
  async urlsFor(authority: string, isFirst: boolean): Promise<readonly NewUrl[]> {
    const urls: NewUrl[] = [];
    if (this.#options.tdm) {
      const url = companionUrl(authority + TDMREP_PATH);
      if (isFirst || (await this.#isTdmDue(authority))) {
        const nowMs = Math.ceil(this.#run.nowMs());
        urls.push(isFirst ? url : { ...url, visit: nowMs });
        await writeJson(this.#run.frontier, `tdm-asked/${authority}`, nowMs);
      }
    }
    if (this.#options.datasets !== null) {
      const url = authority + DATA_TXT_PATH;
      const expiresAtMs = isFirst ? null : await readJson<number>(this.#run.frontier, `data-txt/${authority}`);
      const isExpired = expiresAtMs !== null && expiresAtMs <= this.#run.nowMs();
      if (isFirst) urls.push(companionUrl(url));
      // After the waiting pages: otherwise a host with long intervals would be requested only for this file.
      else if (isExpired) urls.push({ url, depth: 0, via: 'companion', visit: Math.ceil(expiresAtMs) });
    }
    return urls;
  }

  /** A site may reserve more than before. Not so often that a slow host is requested only for this file. */
  async #isTdmDue(authority: string): Promise<boolean> {
    const requestedAtMs = await readJson<number>(this.#run.frontier, `tdm-asked/${authority}`);
    return requestedAtMs === null || this.#run.nowMs() - requestedAtMs >= TDM_LIFETIME_MS;
  }

  /** What a companion is. */
  purposeOf(work: PageWork): 'well-known' | 'data-txt' | 'sitemap' {
    if (this.#run.sitemaps.isSitemap(work)) return 'sitemap';
    return initialUrl(work).endsWith(DATA_TXT_PATH) ? 'data-txt' : 'well-known';
  }

  /** The redirect target, as the same companion; `null` after the fifth hop: then there is no file (data-txt §2). */
  async redirected(work: PageWork, url: string): Promise<NewUrl | null> {
    const { sitemaps } = this.#run;
    if (sitemaps.isSitemap(work)) return sitemaps.redirected(work, url);
    const hops = work.record.hops + 1;
    const first = initialUrl(work);
    if (hops <= MAX_COMPANION_HOPS) {
      // The target may be on another host, whose turn comes later.
      this.ended(work, this.#run.nowMs());
      return { ...companionUrl(url), hops, from: first, dedupe: false };
    }
    // As for robots.txt (access §3), an endless chain counts as no file. What a file said before still applies.
    const { origin } = new URL(first);
    if (this.#options.tdm && first.endsWith(TDMREP_PATH) && (await this.#rulesOf(origin)) === null)
      await this.#storeRules(origin, []);
    return null;
  }

  /** The exchange of a companion is over. A sitemap's entries are offered meanwhile, a batch at a time. */
  async read(
    work: PageWork,
    outcome: ResponseOutcome,
    offer: (finds: SitemapFinds) => Promise<unknown>,
  ): Promise<CompanionResult> {
    const { sitemaps } = this.#run;
    if (sitemaps.isSitemap(work)) {
      if (!isSuccess(outcome.status))
        return { links: [], decision: { status: 'failed', reason: `status-${outcome.status}`, layer: 'fetch' } };
      const { detail, frequency } = await sitemaps.read(work, outcome, offer);
      return { links: [], decision: { status: 'fetched', reason: 'sitemap', layer: 'fetch', detail }, frequency };
    }
    const url = initialUrl(work);
    const { origin } = new URL(url);
    if (url.endsWith(DATA_TXT_PATH)) {
      await writeJson(this.#run.frontier, `data-txt/${origin}`, dataTxtExpiryMs(outcome));
      return { links: this.#options.datasets?.(url, outcome) ?? [], decision: COMPANION_READ };
    }
    const rules = tdmRules(url, outcome);
    if (rules !== null) await this.#storeRules(origin, rules);
    // It is as old as its answer, which at a host with long intervals comes long after it was queued.
    await writeJson(this.#run.frontier, `tdm-asked/${origin}`, Math.ceil(this.#run.nowMs()));
    return { links: [], decision: COMPANION_READ };
  }

  /** A request for a companion has ended. @param againAtMs - When it, or its target, is tried; `null`: never again. */
  ended(work: PageWork, againAtMs: number | null): void {
    const url = initialUrl(work);
    if (!url.endsWith(TDMREP_PATH)) return;
    const { origin } = new URL(url);
    if (againAtMs === null) this.#retries.delete(origin);
    else keepLatest(this.#retries, origin, againAtMs, MAX_TDM_AUTHORITIES);
  }

  /** Until when a page waits for a tdmrep.json that failed or redirects; `null`: it does not. */
  async waitsUntil(url: string): Promise<number | null> {
    const { origin } = new URL(url);
    const againAtMs = this.#retries.get(origin);
    const nowMs = this.#run.nowMs();
    // Another process may have the host meanwhile.
    if (againAtMs === undefined || nowMs > againAtMs + TDM_TURN_MS) return null;
    return (await this.#rulesOf(origin)) === null ? Math.max(againAtMs, nowMs + TDM_POLL_MS) : null;
  }

  /**
   * robots.txt excludes a companion: the site does not use it for us. What the file said before still applies. Another
   * host that it redirects to does not speak for the site: what the site reserves stays unknown.
   * @param first - The URL that the site named, if `url` is where it redirects to.
   */
  async markExcluded(url: string, first = url): Promise<void> {
    const { origin, hostname } = new URL(first);
    if (!this.#options.tdm || !first.endsWith(TDMREP_PATH)) return;
    this.#retries.delete(origin);
    if (new URL(url).hostname === hostname && (await this.#rulesOf(origin)) === null)
      await this.#storeRules(origin, []);
  }

  async tdmFor(url: string): Promise<FileReservation> {
    if (!this.#options.tdm) return NOT_RESERVED;
    const rules = await this.#rulesOf(new URL(url).origin);
    return rules === null ? UNKNOWN : tdmForUrl(rules, url);
  }

  async #storeRules(authority: string, rules: readonly TdmRule[]): Promise<void> {
    keepLatest(this.#rules, authority, rules, MAX_TDM_AUTHORITIES);
    await writeJson(this.#run.frontier, `tdm/${authority}`, rules);
  }

  /** `null`: the site has not answered yet. */
  async #rulesOf(authority: string): Promise<readonly TdmRule[] | null> {
    const known = this.#rules.get(authority);
    if (known !== undefined) return known;
    const rules = await readJson<readonly TdmRule[]>(this.#run.frontier, `tdm/${authority}`);
    if (rules !== null) keepLatest(this.#rules, authority, rules, MAX_TDM_AUTHORITIES);
    return rules;
  }
}

function companionUrl(url: string): NewUrl {
  return { url, depth: 0, via: 'companion', priority: 0 };
}

/** The companion as first requested: its content is about that authority, and its paths are relative to that URL. */
function initialUrl(work: PageWork): string {
  return work.record.from ?? work.url;
}

/** When a data.txt is requested again (data-txt §6); after a failure, with the next robots.txt. */
function dataTxtExpiryMs({ status, headers, timing: { endedAtMs } }: ResponseOutcome): number {
  return isTemporary(status) ? endedAtMs : endedAtMs + dataTxtLifetimeMs(headersByName(headers), endedAtMs);
}

/** Whether a status is about the exchange, not about the file, as for robots.txt (access §4, DECISION A5). */
function isTemporary(status: number): boolean {
  return status >= 500 || [408, 421, 425, 429].includes(status);
}

/** The rules; none if the file is missing; `null` if no answer says so. */
function tdmRules(url: string, { status, truncated, body }: ResponseOutcome): readonly TdmRule[] | null {
  if (truncated !== null || isTemporary(status)) return null;
  return isSuccess(status) ? parseTdmRep(new TextDecoder().decode(body), url) : [];
}
