/**
 * The options of page-level exclusion: what is done about what pages ask, and the purposes the crawl declares.
 *
 * Clause: specification, page-level §4, §7. No other file of this folder supplies a default.
 */
import { RobotsError } from '../errors.js';

/** What a crawl declares it is for. */
export type Purpose = 'search' | 'archive' | 'tdm' | 'ai-train' | 'ai-input' | 'other';

/** How far content is used, as Content-Signal's `use` words it, least first. */
export type ContentUse = 'immediate' | 'reference' | 'full';

/** The options as a caller gives them. Every value but the default keeps or follows what a page asked to be left. */
export interface PageOptions {
  /** @default [] none declared */
  readonly purposes?: readonly Purpose[] | undefined;
  /** Items of a `noindex` page are kept out of sinks, only flagged, not even handled, or kept. @default 'skip-store' */
  readonly noindex?: 'skip-store' | 'flag' | 'skip-handler' | 'ignore' | undefined;
  /** Bodies of a `noarchive` page are not written, only flagged, or written. @default 'skip-body' */
  readonly noarchive?: 'skip-body' | 'flag' | 'ignore' | undefined;
  /** Whether the excerpt limit is handed on. @default 'respect' */
  readonly snippet?: 'respect' | 'ignore' | undefined;
  /** Whether image URLs of a `noimageindex` page are left alone. @default 'respect' */
  readonly images?: 'respect' | 'ignore' | undefined;
  /** Whether `unavailable_after` counts as `noindex` once passed, and as an expiry date before. @default 'respect' */
  readonly unavailableAfter?: 'respect' | 'ignore' | undefined;
  /** Whether Noindex lines of robots.txt count as `noindex`. @default 'apply' */
  readonly robotsNoindex?: 'apply' | 'expose' | undefined;
  /** Page-level `nofollow`. @default 'respect' */
  readonly pageNofollow?: 'respect' | 'ignore' | undefined;
  /** Whether links with these words are taken. @default { nofollow: false, ugc: true, sponsored: true } */
  readonly rel?: { readonly nofollow?: boolean; readonly ugc?: boolean; readonly sponsored?: boolean } | undefined;
  /** INDEXINSTEAD. @default 'respect' */
  readonly indexInstead?: 'respect' | 'expose' | undefined;
  /** TDM reservations, where a purpose is `tdm`, `ai-train` or `ai-input`. @default 'respect' */
  readonly tdm?: 'respect' | 'observe' | 'off' | undefined;
  /** Use preferences against the declared purposes. @default 'respect' */
  readonly preferences?: 'respect' | 'observe' | 'off' | undefined;
  /** What a category nobody speaks about counts as. @default 'allow' */
  readonly unknownPreference?: 'allow' | 'disallow' | undefined;
  /** The level of use that this crawl declares; null declares none. @default null */
  readonly contentUse?: ContentUse | null | undefined;
}

/** The options with every field filled in. */
export interface ResolvedPageOptions {
  readonly purposes: readonly Purpose[];
  readonly noindex: 'skip-store' | 'flag' | 'skip-handler' | 'ignore';
  readonly noarchive: 'skip-body' | 'flag' | 'ignore';
  readonly snippet: 'respect' | 'ignore';
  readonly images: 'respect' | 'ignore';
  readonly unavailableAfter: 'respect' | 'ignore';
  readonly robotsNoindex: 'apply' | 'expose';
  readonly pageNofollow: 'respect' | 'ignore';
  readonly rel: { readonly nofollow: boolean; readonly ugc: boolean; readonly sponsored: boolean };
  readonly indexInstead: 'respect' | 'expose';
  readonly tdm: 'respect' | 'observe' | 'off';
  readonly preferences: 'respect' | 'observe' | 'off';
  readonly unknownPreference: 'allow' | 'disallow';
  readonly contentUse: ContentUse | null;
}

/** Levels of use, least first. */
export const CONTENT_USES: readonly ContentUse[] = ['immediate', 'reference', 'full'];

/** The defaults of page-level exclusion. */
export const PAGE_DEFAULTS: ResolvedPageOptions = Object.freeze({
  purposes: Object.freeze([]),
  noindex: 'skip-store',
  noarchive: 'skip-body',
  snippet: 'respect',
  images: 'respect',
  unavailableAfter: 'respect',
  robotsNoindex: 'apply',
  pageNofollow: 'respect',
  rel: Object.freeze({ nofollow: false, ugc: true, sponsored: true }),
  indexInstead: 'respect',
  tdm: 'respect',
  preferences: 'respect',
  unknownPreference: 'allow',
  contentUse: null,
});

const PURPOSES: readonly unknown[] = ['search', 'archive', 'tdm', 'ai-train', 'ai-input', 'other'];
const RESPECT: readonly unknown[] = ['respect', 'ignore'];
const OBSERVE: readonly unknown[] = ['respect', 'observe', 'off'];
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
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
  contentUse: [...CONTENT_USES, null],
};

/**
 * Fills in the options of page-level exclusion.
 *
 * @throws RobotsError `option-invalid`, `option-unknown`.
 * @see specification, page-level §7
 */
export function resolvePageOptions(options: PageOptions = {}): ResolvedPageOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [key, value] of given) checkOption(key, value);
  const rel = Object.freeze({ ...PAGE_DEFAULTS.rel, ...options.rel });
  return Object.freeze({ ...PAGE_DEFAULTS, ...Object.fromEntries(given), rel });
}

function checkOption(key: string, value: unknown): void {
  if (!Object.hasOwn(PAGE_DEFAULTS, key)) throw new RobotsError('option-unknown', `unknown page option \`${key}\``);
  if (key === 'purposes') {
    const isKnown = Array.isArray(value) && value.every((purpose) => PURPOSES.includes(purpose));
    if (!isKnown) throw wrong('purposes', `a list of ${PURPOSES.join(', ')}`, value);
  } else if (key === 'rel') checkRel(value);
  else if (WORDS[key]?.includes(value) !== true) throw wrong(key, `one of ${WORDS[key]?.join(', ')}`, value);
}

function checkRel(value: unknown): void {
  if (typeof value !== 'object' || value === null) throw wrong('rel', 'an object', value);
  for (const [word, isTaken] of Object.entries(value)) {
    if (!Object.hasOwn(PAGE_DEFAULTS.rel, word)) {
      throw new RobotsError('option-unknown', `unknown page option \`rel.${word}\``);
    }
    if (typeof isTaken !== 'boolean') throw wrong(`rel.${word}`, 'true or false', isTaken);
  }
}

function wrong(key: string, range: string, value: unknown): RobotsError {
  return new RobotsError('option-invalid', `expected \`${key}\` to be ${range}, got ${String(value)}`);
}
