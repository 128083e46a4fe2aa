// What a crawl does about a page's signals, under its options and declared purposes (page-level §7). The strictest
// reading of all places decides; every effect carries its reason and its sources. Effects never change what robots.txt
// decided. This file also decides whether one link of a page is taken. That concerns this discovery of the URL only:
// the same URL found through another link, a sitemap or a seed is fetched.

import { CONTENT_USES, type ContentUse, type Preferences, USE_CATEGORIES } from '../preferences/preferences.js';
import type { Purpose, ResolvedPageOptions } from './page-options.js';
import type { PageSignals, SignalSource } from './signals.js';
import type { TagWord } from './tags.js';
import { type TdmReservation, UNSET_TDM } from './tdm-reservation.js';

/** Why something is excluded, or could have been. */
export type PageReasonCode =
  | 'noindex'
  | 'unavailable-after'
  | 'page-nofollow'
  | 'noarchive'
  | 'nosnippet'
  | 'noimageindex'
  | 'indexinstead'
  | 'tdm-reserved'
  | 'preferences'
  | 'content-use';

/** One reason, where it was found, and whether an option lets it act. */
export interface PageReason {
  readonly reason: PageReasonCode;
  readonly sources: readonly SignalSource[];
  /** The category, date, policy URL or target that goes with it; null if there is nothing to add. */
  readonly detail: string | null;
  /** False: an option or the lack of a declared purpose keeps the signal from acting. */
  readonly isApplied: boolean;
}

/** The effects for a page. */
export interface PageEffects {
  readonly runHandler: boolean;
  /** The first reason that keeps the page's items out of sinks; null if none does. */
  readonly keptOutBy: PageReason | null;
  /** Whether the body, a snapshot or an archive record may be written. */
  readonly archiveBody: boolean;
  /** Whether links of the page are taken at all. */
  readonly followLinks: boolean;
  /** Whether image URLs of the page may be queued for storing. */
  readonly takeImages: boolean;
  /** The maximum length of an excerpt in characters; null: no limit. */
  readonly maxSnippet: number | null;
  /** Epoch milliseconds from which items should no longer be kept and the page not be revisited; null: no end. */
  readonly expiresAtMs: number | null;
  /** URLs to queue because the page names them as replacements. */
  readonly enqueue: readonly string[];
  /** In force at the time of fetching; stored with the items. */
  readonly preferences: Preferences;
  readonly tdm: TdmReservation;
  readonly reasons: readonly PageReason[];
}

/** Reasons that keep items out of sinks. */
const EXCLUDING_REASONS: readonly string[] =
  'noindex unavailable-after indexinstead tdm-reserved preferences content-use'.split(' ');
const TDM_PURPOSES: readonly Purpose[] = ['tdm', 'ai-train', 'ai-input'];
/** Purposes that map to a category of use; the others map to none. */
const CATEGORIES = Object.entries(USE_CATEGORIES) as [Purpose, string][];

/** Decides what follows from a page's signals (page-level §7, DECISIONS L13 and L14). */
export function pageEffects(signals: PageSignals, options: ResolvedPageOptions, nowMs: number): PageEffects {
  const reasons = [
    ...indexReasons(signals, options, nowMs),
    ...tagReasons(signals, options),
    ...useReasons(signals, options),
  ];
  const applied = new Set(reasons.filter((each) => each.isApplied).map((each) => each.reason));
  const followLinks = !applied.has('page-nofollow');
  const instead = applied.has('indexinstead') && followLinks ? signals.indexInstead : null;
  const { unavailableAfterMs, maxSnippet } = signals.tags;
  const isIndexRefused = applied.has('noindex') || applied.has('unavailable-after');
  const keptOutBy = reasons.find((each) => each.isApplied && EXCLUDING_REASONS.includes(each.reason)) ?? null;
  return {
    runHandler: !(isIndexRefused && options.noindex === 'skip-handler'),
    keptOutBy,
    archiveBody: !applied.has('noarchive'),
    followLinks,
    takeImages: !applied.has('noimageindex'),
    maxSnippet: options.snippet === 'respect' ? maxSnippet : null,
    expiresAtMs: options.unavailableAfter === 'respect' ? unavailableAfterMs : null,
    enqueue: instead === null ? [] : [instead],
    preferences: options.preferences === 'off' ? {} : signals.preferences,
    tdm: options.tdm === 'off' ? UNSET_TDM : signals.tdm,
    reasons,
  };
}

/**
 * Whether robots.txt alone disallows every purpose that the crawl declares, so that the URL is not fetched.
 * Purposes without a category are never disallowed, and unknown is not disallowed (page-level §7).
 */
export function forbidsEveryPurpose(preferences: Preferences, options: ResolvedPageOptions): boolean {
  if (options.preferences !== 'respect' || options.purposes.length === 0) return false;
  return options.purposes.every((purpose) => {
    const category = CATEGORIES.find(([each]) => each === purpose)?.[1];
    return category !== undefined && preferences[category] === 'disallow';
  });
}

/** Whether the authority's tdmrep.json is wanted before its first page (page-level §5). */
export function wantsTdmRep(options: ResolvedPageOptions): boolean {
  return options.tdm !== 'off' && options.purposes.some((purpose) => TDM_PURPOSES.includes(purpose));
}

/**
 * Why a link on `a`, `area` or `form` is not taken; `null`: it is taken (page-level §4, DECISION L7).
 * @param rel - The tokens of `rel`, or the attribute as written.
 * @param followLinks - `PageEffects.followLinks` of the page.
 */
export function linkRefusal(
  rel: string | readonly string[],
  followLinks: boolean,
  options: ResolvedPageOptions,
): 'page-nofollow' | 'link-nofollow' | 'link-ugc' | 'link-sponsored' | null {
  if (!followLinks) return 'page-nofollow';
  const words = (typeof rel === 'string' ? rel.split(/[\t\n\f\r ]+/) : rel).map((word) => word.toLowerCase());
  const refused = (['nofollow', 'ugc', 'sponsored'] as const).find(
    (word) => words.includes(word) && !options.rel[word],
  );
  return refused === undefined ? null : `link-${refused}`;
}

/** `noindex` in all its forms. `ignore` gives no reason; `flag` gives one and lets the items pass. */
function indexReasons(signals: PageSignals, options: ResolvedPageOptions, nowMs: number): PageReason[] {
  if (options.noindex === 'ignore') return [];
  const isApplied = options.noindex !== 'flag';
  const reasons: PageReason[] = [];
  const sources = sourcesOf(signals, 'noindex');
  if (sources.length > 0) reasons.push({ reason: 'noindex', sources, detail: null, isApplied });
  if (signals.isRobotsNoindex) {
    const isActive = isApplied && options.robotsNoindex === 'apply';
    reasons.push({ reason: 'noindex', sources: ['robots-txt'], detail: null, isApplied: isActive });
  }
  const { unavailableAfterMs: endMs } = signals.tags;
  if (endMs !== null && endMs <= nowMs && options.unavailableAfter === 'respect') {
    const dated = signals.taggedBy.flatMap(([source, tags]) => (tags.unavailableAfterMs === endMs ? [source] : []));
    const detail = new Date(endMs).toISOString();
    reasons.push({ reason: 'unavailable-after', sources: dated, detail, isApplied });
  }
  return reasons;
}

/** Tag words, their reason, and its option. */
const TAG_REASONS = [
  ['nofollow', 'page-nofollow', 'pageNofollow'],
  ['noarchive', 'noarchive', 'noarchive'],
  ['nosnippet', 'nosnippet', 'snippet'],
  ['noimageindex', 'noimageindex', 'images'],
] as const;

function tagReasons(signals: PageSignals, options: ResolvedPageOptions): PageReason[] {
  const reasons: PageReason[] = [];
  for (const [word, reason, option] of TAG_REASONS) {
    const sources = options[option] === 'ignore' ? [] : sourcesOf(signals, word);
    if (sources.length > 0) reasons.push({ reason, sources, detail: null, isApplied: options[option] !== 'flag' });
  }
  const { indexInstead: detail } = signals;
  const isApplied = options.indexInstead === 'respect';
  if (detail !== null) reasons.push({ reason: 'indexinstead', sources: ['link'], detail, isApplied });
  return reasons;
}

/** Reservations and preferences bind by declared purpose; without a purpose they are reported and do not act. */
function useReasons(signals: PageSignals, options: ResolvedPageOptions): PageReason[] {
  const reasons: PageReason[] = [];
  const { tdm, tdmBy, contentUse, contentUseBy } = signals;
  if (tdm.reserved === true && options.tdm !== 'off') {
    const isApplied = options.tdm === 'respect' && wantsTdmRep(options);
    reasons.push({ reason: 'tdm-reserved', sources: tdmBy, detail: tdm.policy, isApplied });
  }
  if (options.preferences === 'off') return reasons;
  const isRespected = options.preferences === 'respect';
  for (const [purpose, category] of CATEGORIES) {
    const verdict = signals.preferences[category];
    const isDeclared = options.purposes.includes(purpose);
    const isUnknownRefused = verdict === undefined && options.unknownPreference === 'disallow' && isDeclared;
    if (verdict !== 'disallow' && !isUnknownRefused) continue;
    const refusing = signals.preferredBy.filter(([, each]) => each[category] === 'disallow');
    const sources = [...new Set(refusing.map(([source]) => source))];
    reasons.push({ reason: 'preferences', sources, detail: category, isApplied: isRespected && isDeclared });
  }
  const levelOf = (use: ContentUse | null): number => (use === null ? -1 : CONTENT_USES.indexOf(use));
  if (contentUse !== null && levelOf(options.contentUse) > levelOf(contentUse)) {
    reasons.push({ reason: 'content-use', sources: contentUseBy, detail: contentUse, isApplied: isRespected });
  }
  return reasons;
}

/** Empty for most pages. */
function sourcesOf({ tags, taggedBy }: PageSignals, word: TagWord): SignalSource[] {
  if (!tags.restrictions.includes(word)) return [];
  return taggedBy.flatMap(([source, each]) => (each.restrictions.includes(word) ? [source] : []));
}
