// The rules of robots meta and X-Robots-Tag: which words restrict what, and their strictest union (page-level §1, §2).
// Permissions have no effect; a restriction is never cancelled (DECISION L1).

import { parseLooseDate } from '../access/http-date.js';
import { MAX_IGNORED_WORDS, MAX_PAGE_TAG_CHARS, MAX_TAG_CHARS } from '../limits.js';

const TAG_WORDS = [
  ...(['noindex', 'nofollow', 'noarchive', 'nosnippet', 'noimageindex'] as const),
  ...(['notranslate', 'indexifembedded', 'noai', 'noimageai'] as const),
];
/** Words that restrict by themselves, after aliases are resolved. `notranslate` and `indexifembedded` only inform. */
export type TagWord = (typeof TAG_WORDS)[number];

/** How large an image preview may be, smallest first. */
type ImagePreview = 'none' | 'standard' | 'large';

/** The strictest union of everything that was read. */
export interface PageTags {
  /** Sorted, each once. */
  readonly restrictions: readonly TagWord[];
  /** Characters; null: no limit. */
  readonly maxSnippet: number | null;
  readonly maxImagePreview: ImagePreview | null;
  /** Seconds; null: no limit. */
  readonly maxVideoPreview: number | null;
  /** Epoch milliseconds from which the page counts as `noindex`. */
  readonly unavailableAfterMs: number | null;
  /** Unknown words and words whose value does not parse, as written, in order. */
  readonly ignored: readonly string[];
}

const NO_TAGS: PageTags = Object.freeze({
  restrictions: Object.freeze([]),
  maxSnippet: null,
  maxImagePreview: null,
  maxVideoPreview: null,
  unavailableAfterMs: null,
  ignored: Object.freeze([]),
});

/** Permissions and obsolete words. */
const IDLE_WORDS = ['all', 'index', 'follow', 'archive', 'snippet', 'imageindex', 'translate', 'noodp', 'noydir'];
/** The meaning of single words. */
const WORDS = new Map<string, Partial<PageTags>>([
  ...TAG_WORDS.map((word) => [word, { restrictions: [word] }] as const),
  ...IDLE_WORDS.map((word) => [word, { restrictions: [] }] as const),
  ['none', { restrictions: ['nofollow', 'noindex'] }],
  ['nocache', { restrictions: ['noarchive'] }],
]);
const PREVIEWS: readonly ImagePreview[] = ['none', 'standard', 'large'];

/** What a word with a value means; null if the value does not parse. */
const VALUED_WORDS: Readonly<Record<string, (value: string) => Partial<PageTags> | null>> = {
  'max-snippet': (value) => (LIMIT.test(value) ? { maxSnippet: limitOf(value) } : null),
  'max-video-preview': (value) => (LIMIT.test(value) ? { maxVideoPreview: limitOf(value) } : null),
  'max-image-preview': (value) => {
    const size = PREVIEWS.find((known) => known === value.toLowerCase());
    return size === undefined ? null : { maxImagePreview: size };
  },
  unavailable_after: (value) => {
    const dateMs = parseLooseDate(value);
    return dateMs === null ? null : { unavailableAfterMs: dateMs };
  },
};
const LIMIT = /^(?:\d{1,15}|-1)$/;
/** −1 means no limit. */
const limitOf = (value: string) => (value === '-1' ? null : Number(value));

/** The comma-separated tags of a value, trimmed. A date with a comma is one tag (page-level §3). */
function splitTags(value: string): string[] {
  const raw = value.slice(0, MAX_TAG_CHARS).split(',');
  if (!/unavailable_after/i.test(value)) return raw.map((tag) => tag.trim()).filter((tag) => tag !== '');
  const tags: string[] = [];
  for (let at = 0; at < raw.length; at += 1) {
    const tag = raw[at]?.trim() ?? '';
    const date = /(?:^|:)[ \t]*unavailable_after[ \t]*:(.*)$/is.exec(tag)?.[1];
    const next = raw[at + 1];
    const isSplitDate = date !== undefined && next !== undefined && parseLooseDate(date) === null;
    if (isSplitDate && parseLooseDate(`${date},${next}`) !== null) {
      tags.push(`${tag},${next}`);
      at += 1;
    } else if (tag !== '') tags.push(tag);
  }
  return tags;
}

/** Collects rules: each word counts once; at most `MAX_IGNORED_WORDS` unknown words are kept. */
class TagRules {
  readonly #rules = new Set<Partial<PageTags>>();
  #ignored = 0;

  add(tag: string): void {
    const rule = WORDS.get(tag.toLowerCase()) ?? readTagRule(tag);
    if (rule.ignored !== undefined && ++this.#ignored > MAX_IGNORED_WORDS) return;
    this.#rules.add(rule);
  }

  merged(): PageTags {
    return mergeTags([...this.#rules]);
  }
}

/** Reads one rule: a word, `word: value`, or known words separated by blanks (page-level §2, DECISION L2). */
function readTagRule(tag: string): Partial<PageTags> {
  const colon = tag.indexOf(':');
  if (colon >= 0) {
    const name = tag.slice(0, colon).trim();
    const read = hasValue(name) ? VALUED_WORDS[name.toLowerCase()]?.(tag.slice(colon + 1).trim()) : null;
    return read ?? { ignored: [name] };
  }
  if (!/\s/.test(tag)) return { ignored: [tag] };
  const words = tag.toLowerCase().split(/\s+/);
  if (!words.every((word) => WORDS.has(word))) return { ignored: [tag] };
  return { restrictions: words.flatMap((word) => WORDS.get(word)?.restrictions ?? []) };
}

function hasValue(word: string): boolean {
  return Object.hasOwn(VALUED_WORDS, word.toLowerCase());
}

/** The sum of the restrictions, the smallest limits, the earliest date (page-level §1, DECISION L1). */
export function mergeTags(all: readonly Partial<PageTags>[]): PageTags {
  if (all.every((tags) => tags === NO_TAGS)) return NO_TAGS;
  const smallest = (name: 'maxSnippet' | 'maxVideoPreview' | 'unavailableAfterMs'): number | null =>
    all.reduce<number | null>((left, { [name]: right = null }) => {
      return left === null || (right !== null && right < left) ? right : left;
    }, null);
  const maxSnippet = smallest('maxSnippet');
  const restrictions = new Set(all.flatMap((tags) => tags.restrictions ?? []));
  if (maxSnippet === 0) restrictions.add('nosnippet');
  return {
    restrictions: [...restrictions].sort(),
    maxSnippet: restrictions.has('nosnippet') ? 0 : maxSnippet,
    maxImagePreview: PREVIEWS.find((size) => all.some((tags) => tags.maxImagePreview === size)) ?? null,
    maxVideoPreview: smallest('maxVideoPreview'),
    unavailableAfterMs: smallest('unavailableAfterMs'),
    ignored: all.flatMap((tags) => tags.ignored ?? []).slice(0, MAX_IGNORED_WORDS),
  };
}

/**
 * Reads the field lines of `X-Robots-Tag` (page-level §3).
 * @param values - Raw field lines, each by itself.
 * @param tokens - The crawler's product tokens; compared whole, ignoring case.
 * @param isJoined - Lines may have been joined into one: rules after any agent then also apply to all, the stricter
 *   error (DECISION L5). Default false.
 */
export function parseRobotsTag(values: readonly string[], tokens: readonly string[], isJoined = false): PageTags {
  const rules = new TagRules();
  for (const value of values) {
    let applies = true;
    for (const tag of splitTags(value)) {
      const { agent, rule } = splitAgent(tag);
      if (agent !== null) applies = isOurs(agent, tokens);
      if ((applies || isJoined) && rule !== '') rules.add(rule);
    }
  }
  return rules.merged();
}

/** Reads `Robots-Tag` lines: lists for `token=`, for `*=` or for all, separated by semicolons (page-level §3, L6). */
export function parseRobotsTagLists(values: readonly string[], tokens: readonly string[]): PageTags {
  const lists = values.flatMap((value) => value.slice(0, MAX_TAG_CHARS).split(';'));
  const rules = new TagRules();
  for (const list of lists) {
    const match = /^([^=,:]*)=(.*)$/s.exec(list);
    const token = match?.[1]?.trim() ?? '';
    if (token !== '' && !isOurs(token, tokens)) continue;
    for (const tag of splitTags(match?.[2] ?? list)) rules.add(tag);
  }
  return rules.merged();
}

/** `word: rest` names an agent unless the word is a rule that takes a value. */
function splitAgent(tag: string): { agent: string | null; rule: string } {
  const match = /^([^\s:]+)[ \t]*:(.*)$/s.exec(tag);
  const word = match?.[1] ?? '';
  if (match === null || hasValue(word)) return { agent: null, rule: tag };
  return { agent: word, rule: match[2]?.trim() ?? '' };
}

function isOurs(agent: string, tokens: readonly string[]): boolean {
  const name = agent.toLowerCase();
  return name === '*' || tokens.some((token) => token.toLowerCase() === name);
}

const SPIDER_BY = 'spider by';

/** A `meta` element of the parsed document, attributes as written; absent attributes are null or left out. */
export interface PageMeta {
  readonly name: string;
  readonly content?: string | null | undefined;
  /** Used if `content` is missing: the 1996 mail spells it so. */
  readonly value?: string | null | undefined;
}

/**
 * Reads the elements named `robots` or like one of the crawler's product tokens, and `SPIDER BY` of 1996 (page-level
 * §2, DECISIONS L2 and L3). More than `MAX_PAGE_TAG_CHARS` of them count as `none` too.
 * @param metas - The `meta` elements of the document, of head and body, not those inside `template`.
 * @param tokens - The crawler's product tokens; compared whole, ignoring case.
 */
export function parseRobotsMeta(metas: readonly PageMeta[], tokens: readonly string[]): PageTags {
  const rules = new TagRules();
  let chars = 0;
  for (const meta of metas) {
    if (!isRobotsMeta(meta, tokens)) continue;
    const content = metaContent(meta);
    chars += content.length;
    if (chars > MAX_PAGE_TAG_CHARS) {
      // Text that is not read may say anything, so the strictest applies.
      rules.add('none');
      break;
    }
    if (metaName(meta) === SPIDER_BY) {
      // `NONE` is noindex, `ALL` is nothing; superseded by ROBOTS and never stricter than it.
      if (content.trim().toLowerCase() === 'none') rules.add('noindex');
    } else for (const tag of splitTags(content)) rules.add(tag);
  }
  return rules.merged();
}

/** Whether `parseRobotsMeta` reads an element with this name. */
export function isRobotsMeta(meta: PageMeta, tokens: readonly string[]): boolean {
  const name = metaName(meta);
  return name === 'robots' || name === SPIDER_BY || tokens.some((token) => token.toLowerCase() === name);
}

/** The name in the form that is compared: lower case, white space as one blank. */
export function metaName({ name }: PageMeta): string {
  const folded = name.trim().toLowerCase();
  return /\s/.test(folded) ? folded.replace(/\s+/g, ' ') : folded;
}

/** The content of an element; empty if it has none. */
export function metaContent({ content, value }: PageMeta): string {
  return content ?? value ?? '';
}
