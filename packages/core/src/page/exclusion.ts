// What a page asks of crawlers, and what this crawl does about it: facts are gathered here, `@mannerly/robots` reads
// and judges them, and the answer is one value for the loop, the handlers and the report. Nothing here undoes
// robots.txt.

import type { NewUrl, PageWork } from '@mannerly/frontier';
import {
  linkVerdict,
  type PageEffects,
  type PageReason,
  type PageReasonCode,
  type PageSignals,
  pageEffects,
  readPageSignals,
  type TdmReservation,
} from '@mannerly/robots/page';
import type { HeaderLines } from '../fetch/outcome.js';
import type { ResolvedExclusionOptions } from './exclusion-options.js';
import type { HtmlSummary } from './html.js';
import type { PageLink } from './links.js';
import { refreshTarget } from './redirect.js';
import { parseBase } from './web-url.js';

/** What is done about one page. */
export type PageExclusion = ExclusionSummary & (ItemsStored | ItemsLeft);

/** What does not depend on whether items are kept. */
export interface ExclusionSummary {
  /** Everything found, applied or not, with its sources. */
  readonly signals: PageSignals;
  /** What follows from it under this crawl's options and purposes. */
  readonly effects: PageEffects;
  /** Every reason found, with its sources; those that a option or the lack of a purpose keeps from acting say so. */
  readonly reasons: readonly ExclusionReason[];
  readonly runsHandler: boolean;
  /** Whether the body may go into archives and snapshots. */
  readonly keepsBody: boolean;
  /** From when items should no longer be kept, epoch milliseconds; `null`: no end. */
  readonly expiresAtMs: number | null;
  /** Use preferences in force at the time of fetching. */
  readonly preferences: Readonly<Record<string, 'allow' | 'disallow'>>;
  /**
   * URLs the page itself leads on to, whatever its handler does: the one to keep instead, the canonical one, a refresh.
   */
  readonly links: readonly NewUrl[];
  /** Why a link of the page is left alone, as a word of the table of reasons; `null`: it may be taken. Never throws. */
  readonly whyLeaveAlone: (link: Pick<PageLink, 'rel' | 'element'>) => string | null;
}

/** A reason of a page's own, or of our option on canonical URLs. */
export type ExclusionReason = Omit<PageReason, 'reason'> & { readonly reason: PageReasonCode | 'canonical' };

/** Items of the page may go to the sinks. */
export interface ItemsStored {
  readonly storesItems: true;
  readonly reason: null;
  readonly detail: null;
}

/** Items of the page are kept out of the sinks. */
export interface ItemsLeft {
  readonly storesItems: false;
  /** The first reason that acts on items, as a word of the table of reasons. */
  readonly reason: ExclusionReason['reason'];
  /** Where it was found, and what goes with it, for people. */
  readonly detail: string;
}

/** A page as exclusion sees it. */
export interface ExclusionInput {
  readonly work: Pick<PageWork, 'url' | 'record' | 'signals'>;
  readonly headers: HeaderLines;
  /** Field lines may have been joined by the fetcher; read the stricter way. */
  readonly isJoined: boolean;
  readonly facts: HtmlSummary | null;
  /** What the site's tdmrep.json says of the URL. */
  readonly tdm: TdmReservation;
  /** The crawler's product tokens. */
  readonly tokens: readonly string[];
  readonly options: ResolvedExclusionOptions;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** Reasons for which items are kept out, as `PageEffects.storeItems` counts them. */
const KEEPING_OUT: readonly ExclusionReason['reason'][] = [
  'noindex',
  'unavailable-after',
  'indexinstead',
  'tdm-reserved',
  'preferences',
  'content-use',
  'canonical',
];

/**
 * Judges a page.
 *
 * @throws Never
 * @see page-level §7
 */
export function excludePage(input: ExclusionInput): PageExclusion {
  const { work, facts, options } = input;
  const signals = signalsOf(input);
  const effects = pageEffects(signals, options.page, input.nowMs);
  const reasons = reasonsOf(signals, effects, options);
  const { followLinks } = effects;
  const plainLink = followLinks ? null : 'page-nofollow';
  return {
    signals,
    effects,
    reasons,
    runsHandler: effects.runHandler,
    keepsBody: effects.archiveBody,
    expiresAtMs: effects.expiresAtMs,
    preferences: effects.preferences,
    links: followLinks ? leadingOn(work, facts, signals, effects, options) : [],
    whyLeaveAlone: ({ rel, element }) => {
      if (element === 'img' && !effects.takeImages) return 'noimageindex';
      return rel.length === 0 ? plainLink : linkVerdict(rel, followLinks, options.page).reason;
    },
    ...items(reasons, effects),
  };
}

function signalsOf({ work, headers, isJoined, facts, tdm, tokens }: ExclusionInput): PageSignals {
  const { reserved, policy } = tdm;
  return readPageSignals({
    url: work.url,
    headers,
    isJoined,
    tokens,
    metas: facts?.metas ?? [],
    linkElements: facts?.linkElements ?? [],
    baseHref: facts?.baseHref ?? null,
    robots: work.signals,
    // The file has been asked about this URL already: its answer stands for every path.
    tdmRules: reserved === null ? [] : [{ location: '/', reserved, policy }],
  });
}

/** What the page says of its canonical URL is only a reason where our option makes it one. */
function reasonsOf(
  signals: PageSignals,
  effects: PageEffects,
  options: ResolvedExclusionOptions,
): readonly ExclusionReason[] {
  if (options.canonical !== 'dedupe' || !namesAnother(signals)) return effects.reasons;
  return [...effects.reasons, { reason: 'canonical', sources: ['link'], detail: signals.canonical, isApplied: true }];
}

function items(reasons: readonly ExclusionReason[], effects: PageEffects): ItemsStored | ItemsLeft {
  const acting = reasons.find((each) => each.isApplied && KEEPING_OUT.includes(each.reason));
  if (acting === undefined && effects.storeItems) return { storesItems: true, reason: null, detail: null };
  const from = (acting?.sources ?? []).join(', ');
  return {
    storesItems: false,
    reason: acting?.reason ?? 'noindex',
    detail: acting?.detail == null ? from : `${from}: ${acting.detail}`,
  };
}

/**
 * Not links between pages but other words for this one: they keep its depth, and count as a hop so that no chain is
 * endless.
 */
function leadingOn(
  { url, record }: ExclusionInput['work'],
  facts: HtmlSummary | null,
  signals: PageSignals,
  effects: PageEffects,
  options: ResolvedExclusionOptions,
): NewUrl[] {
  const refresh = facts?.refresh == null ? null : refreshTarget(facts.refresh, parseBase(facts.baseHref, url), url);
  const canonical = options.canonical !== 'expose' && namesAnother(signals) ? signals.canonical : null;
  if (refresh === null && canonical === null && effects.enqueue.length === 0) return [];
  const leading: readonly (readonly [target: string | null, via: 'link' | 'redirect'])[] = [
    ...effects.enqueue.map((target) => [target, 'link'] as const),
    [canonical, 'link'],
    [refresh, 'redirect'],
  ];
  const targets = new Map<string, NewUrl>();
  for (const [target, via] of leading) {
    if (target === null || targets.has(target)) continue;
    targets.set(target, {
      url: target,
      depth: record.depth,
      via,
      from: url,
      hops: record.hops + 1,
      ...(record.label === null ? {} : { label: record.label }),
      ...(record.userData === null ? {} : { userData: record.userData }),
    });
  }
  return [...targets.values()];
}

function namesAnother({ canonical, url }: PageSignals): boolean {
  return canonical !== null && canonical !== url;
}
