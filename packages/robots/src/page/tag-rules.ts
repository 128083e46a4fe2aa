/**
 * The rules of robots meta and X-Robots-Tag: which words restrict what, and their strictest union.
 *
 * Clause: specification, page-level §1, §2. A permission is nothing; a restriction is never cancelled (DECISION L1).
 */
import { parseLooseDate } from '../access/http-date.js';
import { MAX_IGNORED_WORDS, MAX_TAG_CHARS } from '../limits.js';

/** Words that restrict by themselves, after aliases are resolved. `notranslate` and `indexifembedded` only inform. */
export type TagWord =
  | 'noindex'
  | 'nofollow'
  | 'noarchive'
  | 'nosnippet'
  | 'noimageindex'
  | 'notranslate'
  | 'indexifembedded'
  | 'noai'
  | 'noimageai';

/** How large an image preview may be, smallest first. */
export type ImagePreview = 'none' | 'standard' | 'large';

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
  /** Words that are not known or whose value does not parse, as written, in order. */
  readonly ignored: readonly string[];
}

/** Nothing asked. */
export const NO_TAGS: PageTags = Object.freeze({
  restrictions: Object.freeze([]),
  maxSnippet: null,
  maxImagePreview: null,
  maxVideoPreview: null,
  unavailableAfterMs: null,
  ignored: Object.freeze([]),
});

const WORDS: Readonly<Record<string, readonly TagWord[]>> = {
  noindex: ['noindex'],
  nofollow: ['nofollow'],
  none: ['nofollow', 'noindex'],
  noarchive: ['noarchive'],
  nocache: ['noarchive'],
  nosnippet: ['nosnippet'],
  noimageindex: ['noimageindex'],
  notranslate: ['notranslate'],
  indexifembedded: ['indexifembedded'],
  noai: ['noai'],
  noimageai: ['noimageai'],
  // Permissions and obsolete words.
  all: [],
  index: [],
  follow: [],
  archive: [],
  snippet: [],
  imageindex: [],
  translate: [],
  noodp: [],
  noydir: [],
};
const VALUED: readonly string[] = ['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'];
const PREVIEWS: readonly ImagePreview[] = ['none', 'standard', 'large'];

/**
 * The comma-separated pieces of a value, white space trimmed; a date that holds a comma is one piece.
 *
 * @returns Non-empty pieces, in order; `prefix: unavailable_after: …` is recognised as well.
 * @throws Never.
 * @see specification, page-level §3
 */
export function tagPieces(value: string): string[] {
  const raw = value.slice(0, MAX_TAG_CHARS).split(',');
  const pieces: string[] = [];
  for (let at = 0; at < raw.length; at += 1) {
    const piece = raw[at]?.trim() ?? '';
    const date = /(?:^|:)[ \t]*unavailable_after[ \t]*:(.*)$/i.exec(piece)?.[1];
    const next = raw[at + 1];
    const isSplitDate = date !== undefined && next !== undefined && parseLooseDate(date) === null;
    if (isSplitDate && parseLooseDate(`${date},${next}`) !== null) {
      pieces.push(`${piece},${next}`);
      at += 1;
    } else if (piece !== '') pieces.push(piece);
  }
  return pieces;
}

/**
 * Whether a word before a colon is a rule with a value, rather than the name of an agent.
 *
 * @throws Never.
 * @see specification, page-level §3
 */
export function isValuedRule(word: string): boolean {
  return VALUED.includes(word.toLowerCase());
}

/**
 * What one rule asks: a word, `word: value`, or known words separated by blanks (DECISION L2).
 *
 * @throws Never.
 * @see specification, page-level §2
 */
export function readTagRule(piece: string): PageTags {
  const colon = piece.indexOf(':');
  if (colon >= 0) {
    const name = piece.slice(0, colon).trim();
    return readValued(name.toLowerCase(), piece.slice(colon + 1).trim()) ?? { ...NO_TAGS, ignored: [name] };
  }
  const words = piece.toLowerCase().split(/\s+/);
  if (!words.every((word) => Object.hasOwn(WORDS, word))) return { ...NO_TAGS, ignored: [piece] };
  return withWords(words.flatMap((word) => WORDS[word] ?? []));
}

/**
 * Several readings as one: the sum of the restrictions, the smallest limits, the earliest date.
 *
 * @throws Never.
 * @see specification, page-level §1, DECISION L1
 */
export function mergeTags(all: readonly PageTags[]): PageTags {
  if (all.every((tags) => tags === NO_TAGS)) return NO_TAGS;
  const least = (values: readonly (number | null)[]) =>
    values.reduce((left, right) => (left === null || (right !== null && right < left) ? right : left), null);
  const preview = least(all.map((tags) => tags.maxImagePreview && PREVIEWS.indexOf(tags.maxImagePreview)));
  const maxSnippet = least(all.map((tags) => tags.maxSnippet));
  const restrictions = new Set(all.flatMap((tags) => tags.restrictions));
  if (maxSnippet === 0) restrictions.add('nosnippet');
  return {
    restrictions: [...restrictions].sort(),
    maxSnippet: restrictions.has('nosnippet') ? 0 : maxSnippet,
    maxImagePreview: preview === null ? null : (PREVIEWS[preview] ?? null),
    maxVideoPreview: least(all.map((tags) => tags.maxVideoPreview)),
    unavailableAfterMs: least(all.map((tags) => tags.unavailableAfterMs)),
    ignored: all.flatMap((tags) => tags.ignored).slice(0, MAX_IGNORED_WORDS),
  };
}

function withWords(words: readonly TagWord[]): PageTags {
  return mergeTags([{ ...NO_TAGS, restrictions: words }]);
}

/** Null: the name is unknown or its value does not parse. */
function readValued(name: string, value: string): PageTags | null {
  switch (name) {
    case 'max-snippet': {
      const characters = readLimit(value);
      return characters === null ? null : mergeTags([{ ...NO_TAGS, maxSnippet: characters < 0 ? null : characters }]);
    }
    case 'max-video-preview': {
      const seconds = readLimit(value);
      return seconds === null ? null : { ...NO_TAGS, maxVideoPreview: seconds < 0 ? null : seconds };
    }
    case 'max-image-preview': {
      const size = PREVIEWS.find((known) => known === value.toLowerCase());
      return size === undefined ? null : { ...NO_TAGS, maxImagePreview: size };
    }
    case 'unavailable_after': {
      const dateMs = parseLooseDate(value);
      return dateMs === null ? null : { ...NO_TAGS, unavailableAfterMs: dateMs };
    }
    default:
      return null;
  }
}

/** A whole number; −1 says there is no limit. */
function readLimit(value: string): number | null {
  return /^(?:\d{1,15}|-1)$/.test(value) ? Number(value) : null;
}
