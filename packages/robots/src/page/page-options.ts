// The options of page-level exclusion: how the crawl treats directives of pages, and the purposes it declares
// (page-level §4, §7). No other file of this folder supplies a default.

import { checkNames, invalidOption, type OptionTable, readOptions } from '../options.js';
import { CONTENT_USES, type ContentUse } from '../preferences/preferences.js';

/** What a crawl declares it is for. */
export type Purpose = 'search' | 'archive' | 'tdm' | 'ai-train' | 'ai-input' | 'other';

/** The options as given. Every value except the default keeps or follows what a page asked not to be. */
export interface PageOptions {
  /** @default [] none declared */
  readonly purposes?: readonly Purpose[] | undefined;
  /** Items of a `noindex` page are kept out of sinks, only flagged, not even handled, or kept. @default 'skip-store' */
  readonly noindex?: 'skip-store' | 'flag' | 'skip-handler' | 'ignore' | undefined;
  /** Bodies of a `noarchive` page are not written, only flagged, or written. @default 'skip-body' */
  readonly noarchive?: 'skip-body' | 'flag' | 'ignore' | undefined;
  /** Whether the excerpt limit is passed on. @default 'respect' */
  readonly snippet?: 'respect' | 'ignore' | undefined;
  /** Whether image URLs of a `noimageindex` page are skipped. @default 'respect' */
  readonly images?: 'respect' | 'ignore' | undefined;
  /** Whether `unavailable_after` is an expiry date, and `noindex` once it has passed. @default 'respect' */
  readonly unavailableAfter?: 'respect' | 'ignore' | undefined;
  /** Whether Noindex lines of robots.txt count as `noindex`. @default 'apply' */
  readonly robotsNoindex?: 'apply' | 'expose' | undefined;
  /** Page-level `nofollow`. @default 'respect' */
  readonly pageNofollow?: 'respect' | 'ignore' | undefined;
  /** Whether links with these `rel` tokens are taken. @default { nofollow: false, ugc: true, sponsored: true } */
  readonly rel?: { readonly nofollow?: boolean; readonly ugc?: boolean; readonly sponsored?: boolean } | undefined;
  /** INDEXINSTEAD. @default 'respect' */
  readonly indexInstead?: 'respect' | 'expose' | undefined;
  /** TDM reservations, if a purpose is `tdm`, `ai-train` or `ai-input`. @default 'respect' */
  readonly tdm?: 'respect' | 'observe' | 'off' | undefined;
  /** Use preferences, compared with the declared purposes. @default 'respect' */
  readonly preferences?: 'respect' | 'observe' | 'off' | undefined;
  /** What an unknown category counts as. @default 'allow' */
  readonly unknownPreference?: 'allow' | 'disallow' | undefined;
  /** The level of use that this crawl declares; null declares none. @default null */
  readonly contentUse?: ContentUse | null | undefined;
}

/** The options with every field filled in. */
export type ResolvedPageOptions = {
  readonly [Name in Exclude<keyof PageOptions, 'rel'>]-?: Exclude<PageOptions[Name], undefined>;
} & { readonly rel: Required<NonNullable<PageOptions['rel']>> };

const RESPECT = ['respect', 'ignore'];
const OBSERVE = ['respect', 'observe', 'off'];
const TABLE: OptionTable = {
  noindex: ['skip-store', 'flag', 'skip-handler', 'ignore'],
  noarchive: ['skip-body', 'flag', 'ignore'],
  snippet: RESPECT,
  images: RESPECT,
  unavailableAfter: RESPECT,
  robotsNoindex: ['apply', 'expose'],
  pageNofollow: RESPECT,
  indexInstead: ['respect', 'expose'],
  tdm: OBSERVE,
  preferences: OBSERVE,
  unknownPreference: ['allow', 'disallow'],
  contentUse: [null, ...CONTENT_USES],
};
const REL_TABLE: OptionTable = { nofollow: [false, true], ugc: [true, false], sponsored: [true, false] };
const PURPOSES: readonly unknown[] = ['search', 'archive', 'tdm', 'ai-train', 'ai-input', 'other'];

/** The defaults of page-level exclusion. */
export const PAGE_DEFAULTS: ResolvedPageOptions = resolvePageOptions();

/** Fills in the options of page-level exclusion. @throws RobotsError `option-invalid`, `option-unknown`. */
export function resolvePageOptions(options: PageOptions = {}): ResolvedPageOptions {
  checkNames(['purposes', 'rel', ...Object.keys(TABLE)], options);
  const { purposes = [], rel = {}, ...words } = options;
  if (!Array.isArray(purposes) || !purposes.every((purpose) => PURPOSES.includes(purpose))) {
    throw invalidOption('purposes', `a list of ${PURPOSES.join(', ')}`, purposes);
  }
  if (typeof rel !== 'object' || rel === null) throw invalidOption('rel', 'an object', rel);
  const read = { purposes, rel: Object.freeze(readOptions(REL_TABLE, rel)), ...readOptions(TABLE, words) };
  return Object.freeze(read) as unknown as ResolvedPageOptions;
}
