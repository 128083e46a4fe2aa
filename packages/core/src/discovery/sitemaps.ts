// Sitemaps and feeds: which are requested, and what they list. A sitemap is queued at its host like any page, and its
// entries are candidates for admission like any link.
//
// Which URLs a file may list follows sitemaps.org: those of the host that serves it, and those of a host whose own
// robots.txt names it (cross-submission). The permission is passed on from an index to the files it lists.

import type { JsonValue, NewUrl, PageWork } from '@mannerly/frontier';
import { parseRobots } from '@mannerly/robots';
import { siteFields } from '@mannerly/robots/site-fields';
import type { Refusal } from '../admit/admit.js';
import { type FetchOutcome, headerValue, isSuccess, type ResponseOutcome } from '../fetch/outcome.js';
import { keepLatest } from '../keep-latest.js';
import { createStreamDecoder } from '../page/charset.js';
import type { FetchedPage } from '../page/page.js';
import { readSitemap, type SitemapFileEnd } from '../page/read-sitemap.js';
import type { FeedFrequency, SitemapEntry } from '../page/sitemap.js';
import { present } from '../present.js';
import {
  MAX_COMPANION_HOPS,
  MAX_FEEDS_PER_HOST,
  MAX_SITEMAP_ALTERNATE_BYTES,
  MAX_SITEMAP_HOSTS,
  MAX_SITEMAP_LEVELS,
  MAX_SITEMAP_VOUCHERS,
  MAX_SITEMAPS_PER_HOST,
} from './limits.js';

/** What a sitemap yields: candidates for admission, and URLs that are refused before it. */
export interface SitemapFinds {
  readonly candidates: readonly NewUrl[];
  readonly refused: readonly Refusal[];
}

/** After the other companion files (0), before the seeds (2). */
const SITEMAP_PRIORITY = 1;
/** That of links. */
const REREAD_PRIORITY = 4;
const FEED_TYPE = /^application\/(?:rss|atom)\+xml(?:;|$)/;
const NO_FINDS: SitemapFinds = { candidates: [], refused: [] };

/** Passed along with a sitemap as its user data. */
interface SitemapOrigin {
  /** 0: named by robots.txt or the operator; 1: by an index; … */
  readonly level: number;
  /** Hosts (with port) whose robots.txt vouches for it, directly or through an index. */
  readonly hosts: readonly string[];
}

interface SitemapOptions {
  /** Whether the sitemaps that robots.txt names are requested. */
  readonly sitemaps: boolean;
  /** Sitemaps that the operator named. */
  readonly sitemapUrls: readonly string[];
  /** Whether feeds that pages name are requested. */
  readonly feeds: boolean;
}

export class Sitemaps {
  readonly #options: SitemapOptions;
  readonly #counts = new Map<string, number>();
  /** Feeds that pages have named, by host. */
  readonly #feeds = new Map<string, number>();
  /** Hosts that vouch for a sitemap, by its URL. */
  readonly #vouchers = new Map<string, readonly string[]>();
  /** The hosts whose entries were accepted when a sitemap was read, by the sitemap's URL. */
  readonly #readFor = new Map<string, ReadonlySet<string>>();

  constructor(options: SitemapOptions) {
    this.#options = options;
  }

  configured(): SitemapFinds {
    const origin = { level: 0, hosts: [] };
    return splitFinds(this.#options.sitemapUrls.map((url) => this.#request(new URL(url).href, null, origin)));
  }

  /** The sitemaps that a robots.txt names, and the pages that it asks crawlers to visit (robots §9.6, §9.9). */
  fromRobots(authority: string, outcome: FetchOutcome): SitemapFinds {
    if (!this.#options.sitemaps || outcome.kind === 'failed' || outcome.truncated === 'connection') return NO_FINDS;
    if (!isSuccess(outcome.status)) return NO_FINDS;
    const robotsUrl = `${authority}/robots.txt`;
    const document = parseRobots(outcome.body, { robotsUrl });
    const hosts = [new URL(robotsUrl).host];
    const requested = document.sitemaps.map((url) => this.#request(url, robotsUrl, { level: 0, hosts }));
    const { pleaseVisit } = siteFields(document);
    const visits = pleaseVisit.map((url): NewUrl => ({ url, depth: 0, via: 'seed', from: robotsUrl }));
    return splitFinds([...requested, ...visits]);
  }

  /** The feeds on its own host that a page names, if it permits following its links. */
  feeds({ url: from, alternates, exclusion }: Pick<FetchedPage, 'url' | 'alternates' | 'exclusion'>): SitemapFinds {
    if (!this.#options.feeds || exclusion.linkExclusion({ rel: ['alternate'], element: 'link' }) !== null)
      return NO_FINDS;
    const { host } = new URL(from);
    const found = alternates.filter(({ url, type }) => FEED_TYPE.test(type ?? '') && new URL(url).host === host);
    const accepted = found.flatMap(({ url }) => {
      const count = this.#feeds.get(host) ?? 0;
      if (count >= MAX_FEEDS_PER_HOST || this.#vouchers.has(url)) return [];
      keepLatest(this.#feeds, host, count + 1, MAX_SITEMAP_HOSTS);
      return [this.#request(url, from, { level: 0, hosts: [] })];
    });
    return splitFinds(accepted);
  }

  isSitemap(work: PageWork): boolean {
    return originOf(work) !== null;
  }

  /** Whether a reading in this run has accepted what it lists of all hosts that now vouch for it. */
  isRead(work: PageWork): boolean {
    const readFor = this.#readFor.get(initialUrl(work));
    const isVisit = work.record.visit !== undefined;
    return readFor !== undefined && !isVisit && (originOf(work)?.hosts.every((host) => readFor.has(host)) ?? false);
  }

  /** The redirect target, as the same sitemap; `null` after the fifth hop. */
  redirected(work: PageWork, url: string): NewUrl | null {
    const { record } = work;
    const origin = originOf(work);
    if (origin === null || record.hops >= MAX_COMPANION_HOPS) return null;
    return { ...sitemapUrl(url, origin), hops: record.hops + 1, from: initialUrl(work), dedupe: false };
  }

  /** Reads a sitemap, one batch for each `offer`. @returns `detail`: what it was, for people. */
  async read(
    work: PageWork,
    outcome: ResponseOutcome,
    offer: (finds: SitemapFinds) => Promise<unknown>,
  ): Promise<{ readonly detail: string; readonly frequency: FeedFrequency | null }> {
    const origin = originOf(work) ?? { level: 0, hosts: [] };
    const url = initialUrl(work);
    const vouchers = this.#vouchers.get(url) ?? [];
    const hosts = new Set([new URL(work.url).host, new URL(url).host, ...origin.hosts, ...vouchers]);
    let listed = 0;
    let foreign = 0;
    const source = {
      url: work.url,
      bytes: outcome.file?.read() ?? [outcome.body],
      decoderFor: (start: Uint8Array) => createStreamDecoder(start, headerValue(outcome.headers, 'content-type')),
    };
    const end = await readSitemap(source, (entries, kind) => {
      const via = kind === 'rss' || kind === 'atom' ? 'feed' : 'sitemap';
      const finds = entries.map((entry): NewUrl | Refusal => {
        const candidate = entryUrl(entry, work.url, via);
        if (!hosts.has(new URL(entry.url).host)) return { candidate, reason: 'sitemap-foreign' };
        if (kind !== 'index') return candidate;
        return this.#request(entry.url, work.url, { level: origin.level + 1, hosts: [...hosts] });
      });
      const batch = splitFinds(finds);
      listed += entries.length;
      foreign += batch.refused.length;
      return offer(batch);
    });
    keepLatest(this.#readFor, url, hosts, MAX_SITEMAP_HOSTS);
    return { detail: summaryOf(end, listed, foreign, outcome.truncated), frequency: end.frequency };
  }

  /** Requests one more sitemap of its host, or says why not. */
  #request(url: string, from: string | null, origin: SitemapOrigin): NewUrl | Refusal {
    const { host } = new URL(url);
    const before = this.#vouchers.get(url);
    const count = (this.#counts.get(host) ?? 0) + (before === undefined ? 1 : 0);
    const others = origin.hosts.filter((each) => each !== host);
    const hosts = [...new Set([...(before ?? []), ...others])].slice(0, MAX_SITEMAP_VOUCHERS);
    const candidate = { ...sitemapUrl(url, { ...origin, hosts }), ...(from === null ? {} : { from }) };
    if (origin.level > MAX_SITEMAP_LEVELS || count > MAX_SITEMAPS_PER_HOST) {
      return { candidate, reason: 'sitemap-limit' };
    }
    keepLatest(this.#counts, host, count, MAX_SITEMAP_HOSTS);
    keepLatest(this.#vouchers, url, hosts, MAX_SITEMAP_HOSTS);
    // It may have been read for another host only; now this host vouches for it as well. It waits behind the pages that
    // are queued, so that one reading serves all hosts whose robots.txt names it meanwhile.
    const hasNewVoucher = before !== undefined && hosts.length > before.length;
    return hasNewVoucher ? { ...candidate, dedupe: false, priority: REREAD_PRIORITY } : candidate;
  }
}

function splitFinds(finds: readonly (NewUrl | Refusal)[]): SitemapFinds {
  return {
    candidates: finds.filter((find): find is NewUrl => !('reason' in find)),
    refused: finds.filter((find): find is Refusal => 'reason' in find),
  };
}

function sitemapUrl(url: string, { level, hosts }: SitemapOrigin): NewUrl {
  return { url, depth: 0, via: 'companion', priority: SITEMAP_PRIORITY, userData: { sitemap: { level, hosts } } };
}

/** As far from a seed as a link of the home page. Its handler gets what the sitemap says about it. */
function entryUrl({ url, alternates, ...fields }: SitemapEntry, from: string, via: 'sitemap' | 'feed'): NewUrl {
  const { lastmod, changefreq, priority, title } = fields;
  const others = alternates.length === 0 ? null : limitAlternates(alternates);
  const userData = present({ lastmod, changefreq, priority, title, alternates: others });
  return { url, depth: 1, via, from, ...(Object.keys(userData).length === 0 ? {} : { userData }) };
}

function limitAlternates(alternates: SitemapEntry['alternates']): JsonValue[] {
  const included: JsonValue[] = [];
  let bytes = 0;
  for (const { hreflang, url } of alternates) {
    bytes += Buffer.byteLength(hreflang) + Buffer.byteLength(url);
    if (bytes > MAX_SITEMAP_ALTERNATE_BYTES) break;
    included.push({ hreflang, url });
  }
  return included;
}

/** The sitemap as first requested: redirect hops carry it as `from`. */
function initialUrl({ record, url }: PageWork): string {
  return record.hops > 0 && record.from !== null ? record.from : url;
}

function originOf({ record }: PageWork): SitemapOrigin | null {
  if (record.via !== 'companion') return null;
  return (record.userData as { readonly sitemap?: SitemapOrigin } | null)?.sitemap ?? null;
}

function summaryOf(end: SitemapFileEnd, listed: number, foreign: number, truncated: ResponseOutcome['truncated']) {
  const parts = [
    `${end.kind} of ${listed}`,
    foreign > 0 ? `${foreign} left out` : null,
    end.unusable > 0 ? `${end.unusable} no URLs` : null,
    end.stopped,
    end.cut,
    truncated === null ? null : `cut by ${truncated}`,
    end.hub === null ? null : `WebSub hub ${end.hub}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}
