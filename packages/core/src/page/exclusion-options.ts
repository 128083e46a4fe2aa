// What a crawl does about what pages ask: the options as a user turns them, and the one place that checks and fills them in.
// The meaning of every value, and its default, belongs to `@mannerly/robots`; here they get their places in the options.

import { RobotsError } from '@mannerly/robots';
import {
  type ContentUse,
  PAGE_DEFAULTS,
  type PageOptions,
  type Purpose,
  type ResolvedPageOptions,
  resolvePageOptions,
} from '@mannerly/robots/page';
import { MannerlyError } from '../errors.js';

/** What is done about robots meta elements and X-Robots-Tag (page-level §7). A value other than the default keeps or shows what a site asked to be left. */
export interface PageLevelOptions {
  /** Items of a `noindex` page are kept out of sinks, only flagged, not even handled, or kept. @default 'skip-store' */
  readonly noindex?: 'skip-store' | 'flag' | 'skip-handler' | 'ignore';
  /** Bodies of a `noarchive` page are not written, only flagged, or written. @default 'skip-body' */
  readonly noarchive?: 'skip-body' | 'flag' | 'ignore';
  /** Whether `page.excerpt` keeps to `max-snippet`. @default 'respect' */
  readonly snippet?: 'respect' | 'ignore';
  /** Whether image URLs of a `noimageindex` page are left alone. @default 'respect' */
  readonly images?: 'respect' | 'ignore';
  /** Whether `unavailable_after` counts as `noindex` once passed, and as an expiry date before. @default 'respect' */
  readonly unavailableAfter?: 'respect' | 'ignore';
  /** Whether Noindex lines of robots.txt count as `noindex`. @default 'apply' */
  readonly robotsNoindex?: 'apply' | 'expose';
}

/** Which links are taken (page-level §4). */
export interface LinkOptions {
  /** What is done about a page that says `nofollow`. @default 'respect' */
  readonly pageNofollow?: 'respect' | 'ignore';
  /** Whether links whose `rel` has the word are taken. @default { nofollow: false, ugc: true, sponsored: true } */
  readonly rel?: { readonly nofollow?: boolean; readonly ugc?: boolean; readonly sponsored?: boolean };
}

/** What is done about preferences (Content-Usage, Content-Signal, noai) for a declared purpose (page-level §6, §7). */
export interface PreferenceOptions {
  /** @default 'respect' */
  readonly apply?: 'respect' | 'observe' | 'off';
  /** What a category that nobody speaks about counts as. @default 'allow' */
  readonly unknown?: 'allow' | 'disallow';
  /** The level of use this crawl declares, held against Content-Signal's `use`; `null` declares none. @default null */
  readonly contentUse?: ContentUse | null;
}

/** The part of `createCrawler`'s options that is about what pages ask. */
export interface ExclusionOptions {
  /** What the crawl is for; reservations and preferences bind by it. @default [] none declared */
  readonly purposes?: readonly Purpose[];
  readonly pageLevel?: PageLevelOptions;
  readonly links?: LinkOptions;
  /** TDM reservations, where a purpose is `tdm`, `ai-train` or `ai-input`. @default 'respect' */
  readonly tdm?: 'respect' | 'observe' | 'off';
  /** A word for `apply` alone, or all of it. @default 'respect' */
  readonly preferences?: 'respect' | 'observe' | 'off' | PreferenceOptions;
  /**
   * A page that names another URL as canonical: `expose` shows it; `follow` queues that URL too; `dedupe` queues it and
   * keeps this page's items out. @default 'expose'
   */
  readonly canonical?: CanonicalMode;
  /** A page that names another URL to keep instead: that one is queued and this one not kept, or it is only shown. @default 'respect' */
  readonly indexInstead?: 'respect' | 'expose';
}

/** What is done about `rel=canonical`. */
export type CanonicalMode = 'expose' | 'dedupe' | 'follow';

/** The options, checked and complete. */
export interface ResolvedExclusionOptions {
  readonly page: ResolvedPageOptions;
  readonly canonical: CanonicalMode;
}

/** What holds where nothing is said. */
export const EXCLUSION_DEFAULTS: ResolvedExclusionOptions = Object.freeze({ page: PAGE_DEFAULTS, canonical: 'expose' });

/**
 * Checks the options and fills in the rest.
 *
 * @param options - All options of the crawler; those that are not options of exclusion are left to their owners.
 * @throws MannerlyError `option-invalid` or `option-unknown`, naming the option, its range and the value.
 */
export function resolveExclusionOptions(options: ExclusionOptions): ResolvedExclusionOptions {
  const pageLevel = objectOf('pageLevel', options.pageLevel, [
    'noindex',
    'noarchive',
    'snippet',
    'images',
    'unavailableAfter',
    'robotsNoindex',
  ]);
  const links = objectOf('links', options.links, ['pageNofollow', 'rel']);
  const preferences = objectOf(
    'preferences',
    typeof options.preferences === 'string' ? { apply: options.preferences } : options.preferences,
    ['apply', 'unknown', 'contentUse'],
  );
  const canonical = options.canonical ?? EXCLUSION_DEFAULTS.canonical;
  if (!['expose', 'dedupe', 'follow'].includes(canonical)) {
    throw new MannerlyError(
      'option-invalid',
      `expected \`canonical\` to be one of expose, dedupe, follow, got ${String(canonical)}`,
    );
  }
  const page = resolvePage({
    ...pageLevel,
    ...links,
    purposes: options.purposes,
    indexInstead: options.indexInstead,
    tdm: options.tdm,
    preferences: preferences.apply,
    unknownPreference: preferences.unknown,
    contentUse: preferences.contentUse,
  });
  return Object.freeze({ page, canonical });
}

/**
 * The options that stand at less than a site may expect, one sentence each, for the report.
 *
 * @throws Never
 * @see page-level, DECISION L14
 */
export function relaxedExclusionDefaults({ page }: ResolvedExclusionOptions): string[] {
  const rows: readonly (readonly [isRelaxed: boolean, sentence: string])[] = [
    [
      page.noindex === 'ignore' || page.noindex === 'flag',
      `\`pageLevel.noindex\` is ${page.noindex}: items of noindex pages are kept`,
    ],
    [
      page.noarchive !== 'skip-body',
      `\`pageLevel.noarchive\` is ${page.noarchive}: bodies of noarchive pages may be written`,
    ],
    [page.snippet === 'ignore', '`pageLevel.snippet` is ignore: excerpts have no limit'],
    [page.images === 'ignore', '`pageLevel.images` is ignore: images of noimageindex pages are taken'],
    [page.unavailableAfter === 'ignore', '`pageLevel.unavailableAfter` is ignore: dates of expiry are not kept'],
    [
      page.robotsNoindex === 'expose',
      '`pageLevel.robotsNoindex` is expose: Noindex lines of robots.txt have no effect',
    ],
    [page.pageNofollow === 'ignore', '`links.pageNofollow` is ignore: links of nofollow pages are taken'],
    [page.rel.nofollow, '`links.rel.nofollow` is true: nofollow links are taken'],
    [page.tdm !== 'respect', `\`tdm\` is ${page.tdm}: reservations for text and data mining have no effect`],
    [page.preferences !== 'respect', `\`preferences\` is ${page.preferences}: use preferences have no effect`],
    [
      page.indexInstead === 'expose',
      '`indexInstead` is expose: pages that name another URL to keep are kept themselves',
    ],
  ];
  return rows.filter(([isRelaxed]) => isRelaxed).map(([, sentence]) => sentence);
}

function objectOf<T extends object>(
  name: string,
  value: T | undefined,
  keys: readonly (keyof T & string)[],
): Partial<T> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null) {
    throw new MannerlyError('option-invalid', `expected \`${name}\` to be an object, got ${String(value)}`);
  }
  const unknown = Object.keys(value).find((key) => !keys.some((known) => known === key));
  if (unknown === undefined) return value;
  throw new MannerlyError(
    'option-unknown',
    `\`${name}.${unknown}\` is no option; \`${name}\` knows ${keys.join(', ')}`,
  );
}

function resolvePage(options: PageOptions): ResolvedPageOptions {
  try {
    return resolvePageOptions(options);
  } catch (error) {
    if (!(error instanceof RobotsError)) throw error;
    const code = error.code === 'option-unknown' ? 'option-unknown' : 'option-invalid';
    throw new MannerlyError(code, error.message, { cause: error });
  }
}
