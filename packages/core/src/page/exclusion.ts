// A page's directives for crawlers, and their consequences in this crawl, as one value for the loop, the handlers and
// the report. `@mannerly/robots` reads and judges them. Nothing here overrides robots.txt.

import type { NewUrl, PageWork } from '@mannerly/frontier';
import {
  type ContentUse,
  linkRefusal,
  type PageEffects,
  type PageOptions,
  type PageReason,
  type PageReasonCode,
  type PageSignals,
  pageEffects,
  type ResolvedPageOptions,
  readPageSignals,
  resolvePageOptions,
  type TdmReservation,
} from '@mannerly/robots/page';
import type { HeaderLines } from '../fetch/outcome.js';
import { present } from '../present.js';
import type { HtmlSummary } from './html.js';
import { type PageLink, parseBase } from './links.js';
import { refreshTarget } from './redirect.js';

/** The options, in the groups in which a user gives them. */
export interface ExclusionGroups extends Pick<PageOptions, 'purposes' | 'indexInstead' | 'tdm'> {
  readonly pageLevel?: PageOptions;
  readonly links?: PageOptions;
  readonly preferences?:
    | Applied
    | {
        readonly apply?: Applied;
        readonly unknown?: 'allow' | 'disallow';
        readonly contentUse?: ContentUse | null;
      };
  /** How `rel=canonical` is treated. @default 'expose'  */
  readonly canonical?: ResolvedExclusionOptions['canonical'];
}

type Applied = NonNullable<PageOptions['preferences']>;

export interface ResolvedExclusionOptions {
  readonly page: ResolvedPageOptions;
  readonly canonical: 'expose' | 'dedupe' | 'follow';
}

/** Checked options with defaults filled in. @throws Never */
export function resolveExclusionOptions(options: ExclusionGroups): ResolvedExclusionOptions {
  const { pageLevel, links, purposes, indexInstead, tdm, canonical = 'expose' } = options;
  const preferences = typeof options.preferences === 'string' ? { apply: options.preferences } : options.preferences;
  const page = resolvePageOptions({
    ...pageLevel,
    ...links,
    purposes,
    indexInstead,
    tdm,
    preferences: preferences?.apply,
    unknownPreference: preferences?.unknown,
    contentUse: preferences?.contentUse,
  });
  return Object.freeze({ page, canonical });
}

/** The consequences for one page. */
export type PageExclusion = ExclusionSummary & (ItemsStored | ItemsWithheld);

/** The part that does not depend on whether items are kept. */
interface ExclusionSummary {
  /** Everything found, applied or not, with its sources. */
  readonly signals: PageSignals;
  /** What follows from it under this crawl's options and purposes. */
  readonly effects: PageEffects;
  /** Every reason found, with its sources. A reason says so if an option or a missing purpose keeps it from acting. */
  readonly reasons: readonly ExclusionReason[];
  readonly runsHandler: boolean;
  /** Whether the body may go into archives and snapshots. */
  readonly keepsBody: boolean;
  /** The time after which items should no longer be kept, epoch milliseconds; `null`: no end. */
  readonly expiresAtMs: number | null;
  /** Use preferences in force at the time of fetching. */
  readonly preferences: Readonly<Record<string, 'allow' | 'disallow'>>;
  /** URLs that the page itself leads to: the URL to index instead, the canonical URL, a refresh. */
  readonly links: readonly NewUrl[];
  /** Why a link of the page is left alone, a reason of the table of reasons; `null`: it may be taken. Never throws. */
  readonly linkExclusion: (link: Pick<PageLink, 'rel' | 'element'>) => string | null;
}

/** A reason from the page, from our option on canonical URLs, or from a licence. */
type ExclusionReason = Omit<PageReason, 'reason'> & {
  readonly reason: PageReasonCode | 'canonical' | 'license' | 'license-prohibits';
};

/** Items of the page may go to the sinks. */
interface ItemsStored {
  readonly storesItems: true;
  readonly reason: null;
  readonly detail: null;
}

/** Items of the page are kept out of the sinks. */
export interface ItemsWithheld {
  readonly storesItems: false;
  /** The first reason that acts on items, from the table of reasons. */
  readonly reason: ExclusionReason['reason'];
  /** Where it was found, with details, for people. */
  readonly detail: string;
}

/** What a tdmrep.json says. `isUnknown`: it has not come, so rights count as reserved. */
export interface FileReservation extends TdmReservation {
  readonly isUnknown?: true;
}

export interface ExclusionInput {
  readonly work: Pick<PageWork, 'url' | 'record' | 'signals'>;
  readonly headers: HeaderLines;
  /** Whether the fetcher may have joined field lines; they are then read the stricter way. */
  readonly isJoined: boolean;
  readonly facts: HtmlSummary | null;
  /** What the site's tdmrep.json says about the URL; `null`: the crawl does not read that file. */
  readonly tdm: FileReservation | null;
  readonly tokens: readonly string[];
  readonly options: ResolvedExclusionOptions;
  readonly nowMs: number;
}

/** Judges a page. @throws Never @see page-level §7 */
export function excludePage(input: ExclusionInput): PageExclusion {
  const { options, work, facts, headers, isJoined, tokens, tdm, nowMs } = input;
  const signals = readPageSignals({
    url: work.url,
    headers,
    isJoined,
    tokens,
    metas: facts?.metas ?? [],
    linkElements: facts?.linkElements ?? [],
    baseHref: facts?.baseHref ?? null,
    robots: work.signals,
    // The file has already been matched with this URL, so its answer applies to every path.
    tdmRules:
      tdm === null || tdm.reserved === null ? [] : [{ location: '/', reserved: tdm.reserved, policy: tdm.policy }],
  });
  const effects = withUnknownFile(pageEffects(signals, options.page, nowMs), tdm?.isUnknown === true);
  const { followLinks } = effects;
  const canonical = signals.canonical === signals.url ? null : signals.canonical;
  // The page's canonical URL is a reason only if our option makes it one.
  const duplicate: ExclusionReason | null =
    options.canonical === 'dedupe' && canonical !== null
      ? { reason: 'canonical', sources: ['link'], detail: canonical, isApplied: true }
      : null;
  const targets = options.canonical === 'expose' ? effects.enqueue : [...effects.enqueue, canonical];
  return {
    signals,
    effects,
    reasons: duplicate === null ? effects.reasons : [...effects.reasons, duplicate],
    runsHandler: effects.runHandler,
    keepsBody: effects.archiveBody,
    expiresAtMs: effects.expiresAtMs,
    preferences: effects.preferences,
    links: followLinks ? continuationLinks(work, targets, facts) : [],
    linkExclusion: ({ rel, element }) => {
      if (element === 'img' && !effects.takeImages) return 'noimageindex';
      return linkRefusal(rel, followLinks, options.page);
    },
    ...itemFields(effects.keptOutBy ?? duplicate),
  };
}

/** A licence that came with the page: neither items nor body are kept; if it prohibits use, no link is taken. */
export function excludedByLicense(page: PageExclusion, isProhibited: boolean, detail: string): PageExclusion {
  const reason = isProhibited ? 'license-prohibits' : 'license';
  const reasons = [...page.reasons, { reason, sources: [], detail, isApplied: true } as const];
  const withheld = page.storesItems ? ({ storesItems: false, reason, detail } as const) : {};
  const links = isProhibited ? { links: [], linkExclusion: () => 'license-prohibits' } : {};
  return { ...page, ...withheld, ...links, reasons, keepsBody: false };
}

/** Says so if only a tdmrep.json that has not come reserves the page. */
function withUnknownFile(effects: PageEffects, isUnknown: boolean): PageEffects {
  if (!isUnknown) return effects;
  const explained = (each: PageReason): PageReason =>
    each.reason === 'tdm-reserved' && each.sources.includes('tdmrep')
      ? { ...each, detail: 'it was not received, so rights count as reserved' }
      : each;
  const { reasons, keptOutBy } = effects;
  return { ...effects, reasons: reasons.map(explained), keptOutBy: keptOutBy && explained(keptOutBy) };
}

function itemFields(reason: ExclusionReason | null): ItemsStored | ItemsWithheld {
  if (reason === null) return { storesItems: true, reason: null, detail: null };
  const from = reason.sources.join(', ');
  const detail = reason.detail === null ? from : `${from}: ${reason.detail}`;
  return { storesItems: false, reason: reason.reason, detail };
}

/** The named URLs and the page's refresh. They keep its depth, and count as a hop so that no chain is endless. */
function continuationLinks(
  { url, record }: ExclusionInput['work'],
  targets: readonly (string | null)[],
  facts: HtmlSummary | null,
): NewUrl[] {
  const refresh = facts?.refresh == null ? null : refreshTarget(facts.refresh, parseBase(facts.baseHref, url), url);
  const urls = new Set([...targets, refresh].filter((target) => target !== null));
  return Array.from(urls, (target) => ({
    url: target,
    depth: record.depth,
    via: targets.includes(target) ? 'link' : 'redirect',
    from: url,
    hops: record.hops + 1,
    ...present({ label: record.label, userData: record.userData }),
  }));
}
