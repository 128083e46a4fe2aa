// Everything a response says about exclusion and use, collected with its sources before any decision (page-level §1 to
// §6). Plain data in, plain data out; `effects.ts` has the effects.

import {
  CONTENT_USES,
  type ContentUse,
  mergePreferences,
  type Preferences,
  parseContentSignal,
  parseUsageField,
  refusalsOf,
  resolveSignals,
  signalPreferences,
} from '../preferences/preferences.js';
import { readUrl, readWebUrl } from '../read-url.js';
import {
  isRobotsMeta,
  mergeTags,
  metaContent,
  metaName,
  type PageMeta,
  type PageTags,
  parseRobotsMeta,
  parseRobotsTag,
  parseRobotsTagLists,
} from './tags.js';
import { mergeTdm, readTdm, type TdmReservation, type TdmRule, tdmForUrl } from './tdm-reservation.js';

/** Where a signal was found. */
export type SignalSource =
  | 'robots-txt'
  | 'x-robots-tag'
  | 'robots-tag'
  | 'meta'
  | 'link'
  | 'content-usage'
  | 'content-signal'
  | 'tdmrep'
  | 'tdm-reservation';

/** A final response as plain data. Only `url`, `headers` and `tokens` are required. */
export interface PageSignalsInput {
  /** The URL of the response. */
  readonly url: string;
  /** Raw field lines in order, names in any case: `x-robots-tag` must not be joined (DECISION L5). */
  readonly headers: readonly (readonly [string, string])[];
  /** Whether the fetcher may have joined field lines; if so, they are read the stricter way. @default false */
  readonly isJoined?: boolean;
  /** The crawler's product tokens. */
  readonly tokens: readonly string[];
  /** `meta` elements of the document, and of the DOM after load if there is one. @default [] */
  readonly metas?: readonly PageMeta[];
  /** `link` elements of the document. @default [] */
  readonly linkElements?: readonly PageLinkElement[];
  /** `href` of the document's `base`. @default null */
  readonly baseHref?: string | null;
  /** What robots.txt says about this URL besides allow and deny. @default nothing */
  readonly robots?: {
    readonly isNoindex: boolean;
    readonly preferences: Preferences;
    readonly contentSignals: Readonly<Record<string, string>>;
  };
  /** Rules of the authority's tdmrep.json. @default [] */
  readonly tdmRules?: readonly TdmRule[];
}

/** A `link` element, attributes as written; `rel` is split into tokens. */
export interface PageLinkElement {
  readonly rel: readonly string[];
  readonly name: string | null;
  readonly href: string | null;
  readonly content: string | null;
}

/** Absolute http(s) URLs without fragment, null if the page names none. */
export interface NamedLinks {
  /** The URL to keep instead of this page; null also when the page names itself. */
  readonly indexInstead: string | null;
  readonly canonical: string | null;
  /** Kollar's proposal, which the mail rejected as too broad a name: only exposed. */
  readonly metaUrl: string | null;
}

/** Everything found, applied or not, with its source. */
export interface PageSignals extends NamedLinks {
  readonly url: string;
  /** The strictest union of all tags. */
  readonly tags: PageTags;
  /** The tags of each place. */
  readonly taggedBy: readonly (readonly [SignalSource, PageTags])[];
  readonly isRobotsNoindex: boolean;
  /** Per category: disallow wins over allow, and allow over unknown. */
  readonly preferences: Preferences;
  /** The preferences of each source. */
  readonly preferredBy: readonly (readonly [SignalSource, Preferences])[];
  /** The least `use` that Content-Signal permits; null if none is stated. */
  readonly contentUse: ContentUse | null;
  readonly contentUseBy: readonly SignalSource[];
  readonly tdm: TdmReservation;
  /** The place whose reservation counts; empty if it is unset. */
  readonly tdmBy: readonly SignalSource[];
}

/** Gathers the signals of a final response (page-level §1). */
export function readPageSignals(input: PageSignalsInput): PageSignals {
  const { url, metas = NONE, linkElements = NONE, baseHref = null } = input;
  const fields = fieldsOf(input.headers);
  const baseUrl = (baseHref === null ? null : readUrl(baseHref, url))?.href ?? url;
  const directives = hasNoDirectives(input, metas, fields)
    ? NO_DIRECTIVES
    : readDirectives(input, metas, fields, baseUrl);
  return { url, ...directives, ...readNamedLinks(linkElements, metas, fields.get('link') ?? NONE, url, baseUrl) };
}

type Directives = Omit<PageSignals, 'url' | keyof NamedLinks>;

const NONE: readonly never[] = [];
const TDM_METAS: readonly string[] = ['tdm-reservation', 'tdm-policy'];

/** True for most pages: no field, element or file has a directive. */
function hasNoDirectives(input: PageSignalsInput, metas: readonly PageMeta[], fields: FieldLines): boolean {
  const { robots, tokens, tdmRules = NONE } = input;
  if (fields.size > (fields.has('link') ? 1 : 0) || tdmRules.length > 0) return false;
  if (robots !== undefined && (robots.isNoindex || !isEmpty(robots.preferences) || !isEmpty(robots.contentSignals))) {
    return false;
  }
  return !metas.some((meta) => isRobotsMeta(meta, tokens) || TDM_METAS.includes(metaName(meta)));
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}

function readDirectives(
  input: PageSignalsInput,
  metas: readonly PageMeta[],
  fields: FieldLines,
  baseUrl: string,
): Directives {
  const { url, tokens, robots } = input;
  const lines = (name: string): readonly string[] => fields.get(name) ?? NONE;
  const taggedBy: [SignalSource, PageTags][] = [
    ['x-robots-tag', parseRobotsTag(lines('x-robots-tag'), tokens, input.isJoined)],
    ['robots-tag', parseRobotsTagLists(lines('robots-tag'), tokens)],
    ['meta', parseRobotsMeta(metas, tokens)],
  ];
  const parsedSignals = parseContentSignalField(lines('content-signal'), url);
  const fieldSignals = fields.has('x-markdown-tokens') ? withoutGrants(parsedSignals) : parsedSignals;
  const preferredBy: [SignalSource, Preferences][] = [
    ['robots-txt', robots?.preferences ?? {}],
    ['content-usage', parseContentUsageField(lines('content-usage'))],
    ['content-signal', signalPreferences(fieldSignals)],
    ...taggedBy.map(([source, tags]): [SignalSource, Preferences] => [source, tagPreferences(tags)]),
  ];
  const usedBy: [SignalSource, ContentUse | null][] = [
    ['robots-txt', readUse(robots?.contentSignals)],
    ['content-signal', readUse(fieldSignals)],
  ];
  const contentUse = CONTENT_USES.find((use) => usedBy.some(([, each]) => each === use)) ?? null;
  const tdmSources: [SignalSource, TdmReservation][] = [
    ['tdmrep', tdmForUrl(input.tdmRules ?? NONE, url)],
    ['tdm-reservation', readTdmLines(lines('tdm-reservation'), lines('tdm-policy'), url)],
    ['meta', readTdmLines(metasNamed(metas, 'tdm-reservation'), metasNamed(metas, 'tdm-policy'), baseUrl)],
  ];
  return {
    tags: mergeTags(taggedBy.map(([, tags]) => tags)),
    taggedBy,
    isRobotsNoindex: robots?.isNoindex ?? false,
    preferences: preferredBy.map(([, each]) => each).reduce(mergePreferences),
    preferredBy,
    contentUse,
    contentUseBy: contentUse === null ? [] : usedBy.filter(([, each]) => each === contentUse).map(([by]) => by),
    tdm: mergeTdm(tdmSources.map(([, place]) => place)),
    tdmBy: tdmSources.flatMap(([by, place]) => (place.reserved === null ? [] : [by])).slice(-1),
  };
}

type FieldLines = ReadonlyMap<string, readonly string[]>;
const NO_LINES: FieldLines = new Map();
/** The fields that can have a directive. */
const SIGNAL_FIELDS: ReadonlySet<string> = new Set(
  'x-robots-tag robots-tag content-signal content-usage tdm-reservation tdm-policy link x-markdown-tokens'.split(' '),
);

/** The lines of these fields, in the order of the header section. */
function fieldsOf(headers: PageSignalsInput['headers']): FieldLines {
  let fields: Map<string, string[]> | null = null;
  for (const [key, value] of headers) {
    const name = SIGNAL_FIELDS.has(key) ? key : key.toLowerCase();
    if (!SIGNAL_FIELDS.has(name)) continue;
    fields ??= new Map();
    const lines = fields.get(name);
    if (lines === undefined) fields.set(name, [value]);
    else lines.push(value);
  }
  return fields ?? NO_LINES;
}

function readUse(signals: Readonly<Record<string, string>> | undefined): ContentUse | null {
  return CONTENT_USES.find((use) => use === signals?.['use']) ?? null;
}

/** The contents of the elements of a name. */
function metasNamed(metas: readonly PageMeta[], name: string): string[] {
  return metas.flatMap((meta) => (metaName(meta) === name ? [metaContent(meta).trim()] : []));
}

/** A repeated field or element is a reservation if one of its values is; field lines may have been joined. */
function readTdmLines(lines: readonly string[], policies: readonly string[], baseUrl: string): TdmReservation {
  const values = lines.flatMap((line) => line.split(','));
  const reserved = values.find((value) => value.trim() === '1') ?? values[0] ?? null;
  return readTdm(reserved, policies[0] ?? null, baseUrl);
}

/** The result for a page without directives, shared by all of them. */
const NO_DIRECTIVES: Directives = deepFreeze(
  readDirectives({ url: 'http://unsaid.invalid/', headers: [], tokens: [] }, [], NO_LINES, ''),
);

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

/**
 * Reads `Content-Usage` lines as one dictionary. Bad lines and conflicts count strictly, also within a line, since
 * lines are joined on the way (page-level §6, L10).
 */
export function parseContentUsageField(values: readonly string[]): Preferences {
  const lines = values.map(parseUsageField);
  const merged = lines.reduce<Preferences>((left, right) => mergePreferences(left, right ?? {}), {});
  return lines.includes(null) ? refusalsOf(merged) : merged;
}

/** Reads `Content-Signal` lines: key → `allow`, `disallow`, or the level of `use` (page-level §6). */
export function parseContentSignalField(values: readonly string[], url: string): Readonly<Record<string, string>> {
  const lines = values.flatMap((value) => parseContentSignal(value) ?? []);
  return resolveSignals(lines, url);
}

/** A converter to Markdown adds grants that no author wrote; its refusals count (licensing C11). */
function withoutGrants(signals: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(signals).filter(([, value]) => value !== 'allow' && value !== 'full'));
}

/** What `noai` and `noimageai` say about categories of use: both refuse training and input (page-level §2). */
export function tagPreferences(tags: PageTags): Preferences {
  const refuses = tags.restrictions.includes('noai') || tags.restrictions.includes('noimageai');
  return refuses ? { 'train-ai': 'disallow', 'ai-use': 'disallow' } : {};
}

/** Reads the named links of a page. `baseUrl` resolves relative URLs (page-level §4.1, §4.2, DECISION L8). */
export function readNamedLinks(
  elements: readonly PageLinkElement[],
  metas: readonly PageMeta[],
  linkFields: readonly string[],
  pageUrl: string,
  baseUrl: string,
): NamedLinks {
  const replacement = firstResolved(elements.map(replacementOf), baseUrl);
  const canonicals = elements.map(({ rel, href }) => (hasWord(rel, 'canonical') ? href : null));
  return {
    indexInstead: replacement !== null && replacement === resolveLink(pageUrl, pageUrl) ? null : replacement,
    canonical: firstResolved(canonicals, baseUrl) ?? firstResolved(linkFields.flatMap(canonicalTargets), pageUrl),
    metaUrl: resolveLink(metasNamed(metas, 'url')[0] ?? null, baseUrl),
  };
}

/** The first URL that resolves. */
function firstResolved(hrefs: readonly (string | null)[], baseUrl: string): string | null {
  return hrefs.flatMap((href) => resolveLink(href, baseUrl) ?? [])[0] ?? null;
}

function replacementOf({ name, rel, content, href }: PageLinkElement): string | null {
  if (name?.trim().toLowerCase() === 'indexinstead') return content ?? href;
  return hasWord(rel, 'indexinstead') ? href : null;
}

function hasWord(rel: readonly string[], word: string): boolean {
  return rel.some((each) => each.toLowerCase() === word);
}

/** `<url>; rel="canonical"` (RFC 8288); other parameters are ignored. */
function canonicalTargets(field: string): string[] {
  return [...field.matchAll(/<([^<>]*)>([^<]*)/g)].flatMap(([, url = '', parameters = '']) => {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    const words = (rel?.[1] ?? rel?.[2] ?? '').split(/\s+/);
    return hasWord(words, 'canonical') ? [url] : [];
  });
}

function resolveLink(url: string | null, baseUrl: string): string | null {
  if (url === null || url.trim() === '') return null;
  const target = readWebUrl(url, baseUrl);
  if (target === null) return null;
  target.hash = '';
  target.username = '';
  target.password = '';
  return target.href;
}
