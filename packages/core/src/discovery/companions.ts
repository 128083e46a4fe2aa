// The files asked for beside robots.txt: tdmrep.json where a declared purpose calls for it, data.txt and sitemaps where
// discovery asks. They are queue items like any page, ahead of the pages of their authority; what they say is kept here and in the store.

import type { Frontier, NewUrl, PageWork } from '@mannerly/frontier';
import { dataTxtLifetimeMs } from '@mannerly/robots/data-txt';
import { parseTdmRep, TDMREP_PATH, type TdmReservation, type TdmRule, tdmForUrl } from '@mannerly/robots/page';
import { type FetchOutcome, headerValue } from '../fetch/outcome.js';
import type { Datasets } from '../page/datasets.js';
import type { PageOutcome } from '../record/url-decisions.js';
import { MAX_COMPANION_HOPS, MAX_TDM_AUTHORITIES } from './limits.js';
import type { Offer } from './offer.js';
import type { Sitemaps } from './sitemaps.js';

/** Asks for companion files and remembers what they say. */
export interface Companions {
  /** What to queue when an authority's robots.txt has been read: at first, and later what has expired or never came. */
  urlsFor(authority: string, isFirst: boolean): Promise<readonly NewUrl[]>;
  /** What a piece of page work is for. */
  purposeOf(work: PageWork): 'page' | 'well-known' | 'data-txt' | 'sitemap';
  /** Where a companion's redirect leads, still as that companion; `null` past the fifth hop: then there is no file (data-txt §2). */
  redirected(work: PageWork, url: string): Promise<NewUrl | null>;
  /** A companion's exchange has come to its end. What a sitemap lists is offered meanwhile, a batch at a time. */
  read(work: PageWork, outcome: FetchOutcome, offer: Offer): Promise<CompanionRead>;
  /** robots.txt closes a companion: the site does not use it towards us. */
  excluded(url: string): Promise<void>;
  /** What the site's tdmrep.json says of a URL. */
  tdmFor(url: string): Promise<TdmReservation>;
}

/** What came of a companion. */
export interface CompanionRead {
  /** Candidates for the door. */
  readonly links: readonly NewUrl[];
  readonly word: PageOutcome;
}

/** Which companions a crawl wants. */
export interface CompanionWishes {
  /** A declared purpose is `tdm`, `ai-train` or `ai-input` (page-level §5). */
  readonly tdm: boolean;
  /** `null`: data.txt is not asked for. */
  readonly datasets: Datasets | null;
  readonly sitemaps: Sitemaps;
}

/** The part of the frontier that companions use. */
export type CompanionRecords = Pick<Frontier, 'readRecord' | 'writeRecord'>;

const DATA_TXT_PATH = '/data.txt';
const READ: PageOutcome = { status: 'fetched', reason: 'companion', layer: 'fetch' };
const UNSET: TdmReservation = { reserved: null, policy: null };
/** Nothing is known of the file: rights count as reserved until the site's answer, a header or the page says otherwise. */
const UNKNOWN: TdmReservation = { reserved: true, policy: null };

/** Makes the companions of one run. `nowMs` gives epoch milliseconds. */
export function createCompanions(wishes: CompanionWishes, records: CompanionRecords, nowMs: () => number): Companions {
  const known = new Map<string, readonly TdmRule[]>();
  const remember = (authority: string, rules: readonly TdmRule[]): void => {
    known.delete(authority);
    known.set(authority, rules);
    if (known.size > MAX_TDM_AUTHORITIES) known.delete(known.keys().next().value as string);
  };
  const keep = async (authority: string, rules: readonly TdmRule[]): Promise<void> => {
    remember(authority, rules);
    await records.writeRecord(recordKey(authority), encoded(rules));
  };
  const rulesOf = async (authority: string): Promise<readonly TdmRule[] | null> => {
    const atHand = known.get(authority);
    if (atHand !== undefined) return atHand;
    const record = await records.readRecord(recordKey(authority));
    if (record === null) return null;
    const rules = JSON.parse(new TextDecoder().decode(record)) as readonly TdmRule[];
    remember(authority, rules);
    return rules;
  };
  const expiryOf = async (authority: string): Promise<number | null> => {
    const record = await records.readRecord(dataTxtKey(authority));
    return record === null ? null : (JSON.parse(new TextDecoder().decode(record)) as number);
  };
  const sitemapWord = async (work: PageWork, outcome: FetchOutcome, offer: Offer): Promise<PageOutcome> => {
    if (outcome.kind === 'failed') return { status: 'failed', reason: outcome.failure, layer: 'fetch' };
    const { status } = outcome;
    if (status < 200 || status > 299) return { status: 'failed', reason: `status-${status}`, layer: 'fetch' };
    return {
      status: 'fetched',
      reason: 'sitemap',
      layer: 'fetch',
      detail: await wishes.sitemaps.read(work, outcome, offer),
    };
  };
  return {
    async urlsFor(authority, isFirst) {
      const urls: NewUrl[] = [];
      if (wishes.tdm) {
        const url = companion(authority + TDMREP_PATH);
        if (isFirst) urls.push(url);
        // It never came, so its rights count as reserved: asked for again as often as robots.txt is.
        else if ((await rulesOf(authority)) === null) urls.push({ ...url, visit: Math.ceil(nowMs()) });
      }
      if (wishes.datasets !== null) {
        const url = companion(authority + DATA_TXT_PATH);
        const expiresAtMs = isFirst ? null : await expiryOf(authority);
        if (isFirst) urls.push(url);
        else if (expiresAtMs !== null && expiresAtMs <= nowMs()) urls.push({ ...url, visit: Math.ceil(expiresAtMs) });
      }
      return urls;
    },
    purposeOf(work) {
      if (work.record.via !== 'companion') return 'page';
      if (wishes.sitemaps.isSitemap(work)) return 'sitemap';
      return initialUrl(work).endsWith(DATA_TXT_PATH) ? 'data-txt' : 'well-known';
    },
    async redirected(work, url) {
      if (wishes.sitemaps.isSitemap(work)) return wishes.sitemaps.redirected(work, url);
      const hops = work.record.hops + 1;
      const first = initialUrl(work);
      if (hops <= MAX_COMPANION_HOPS) return { ...companion(url), hops, from: first, dedupe: false };
      // As for robots.txt (access §3): a chain that does not end leads to no file. What a file said before still holds.
      const { origin } = new URL(first);
      if (wishes.tdm && first.endsWith(TDMREP_PATH) && (await rulesOf(origin)) === null) await keep(origin, []);
      return null;
    },
    async read(work, outcome, offer) {
      if (wishes.sitemaps.isSitemap(work)) return { links: [], word: await sitemapWord(work, outcome, offer) };
      const url = initialUrl(work);
      if (url.endsWith(DATA_TXT_PATH)) {
        await records.writeRecord(dataTxtKey(new URL(url).origin), encoded(dataTxtExpiryMs(outcome)));
        return { links: wishes.datasets?.read(url, outcome) ?? [], word: READ };
      }
      const rules = tdmRules(url, outcome);
      if (rules !== null) await keep(new URL(url).origin, rules);
      return { links: [], word: READ };
    },
    async excluded(url) {
      if (wishes.tdm && url.endsWith(TDMREP_PATH)) await keep(new URL(url).origin, []);
    },
    async tdmFor(url) {
      if (!wishes.tdm) return UNSET;
      const rules = await rulesOf(new URL(url).origin);
      return rules === null ? UNKNOWN : tdmForUrl(rules, url);
    },
  };
}

function companion(url: string): NewUrl {
  return { url, depth: 0, via: 'companion', priority: 0 };
}

/** The companion as first asked for: what it says is about that authority, and its paths are resolved against that URL. */
function initialUrl(work: PageWork): string {
  return work.record.from ?? work.url;
}

function recordKey(authority: string): string {
  return `tdm/${authority}`;
}

function dataTxtKey(authority: string): string {
  return `data-txt/${authority}`;
}

function encoded(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** When a data.txt is asked for again (data-txt §6); what could not be had, at the next robots.txt. */
function dataTxtExpiryMs(outcome: FetchOutcome): number {
  const { endedAtMs } = outcome.timing;
  if (outcome.kind === 'failed' || outcome.status >= 500 || PUT_OFF.includes(outcome.status)) return endedAtMs;
  const headers = Object.fromEntries(
    ['cache-control', 'expires', 'date', 'age'].flatMap((name) => {
      const value = headerValue(outcome.headers, name);
      return value === null ? [] : [[name, value]];
    }),
  );
  return endedAtMs + dataTxtLifetimeMs(headers, endedAtMs);
}

/** Statuses about the exchange, not about the file, as for robots.txt (access §4, DECISION A5). */
const PUT_OFF: readonly number[] = [408, 421, 425, 429];

/** Rules, none where the file is missing; `null` where no answer came that says so. */
function tdmRules(url: string, outcome: FetchOutcome): readonly TdmRule[] | null {
  if (outcome.kind === 'failed' || outcome.truncated !== null) return null;
  if (outcome.status >= 500 || PUT_OFF.includes(outcome.status)) return null;
  if (outcome.status < 200 || outcome.status > 299) return [];
  return parseTdmRep(new TextDecoder().decode(outcome.body), url);
}
