// `<meta name="robots">` and its kin, given as plain data: HTML is not parsed here (page-level §2). General and
// specific elements all count; a specific `index` undoes nothing.

import { mergeTags, NO_TAGS, type PageTags, readTagRule, tagPieces } from './tag-rules.js';

const SPIDER_BY = 'spider by';

/** A `meta` element of the parsed document, attributes as written; absent attributes are null or left out. */
export interface PageMeta {
  readonly name: string;
  readonly content?: string | null | undefined;
  /** Used where `content` is missing: the 1996 mail spells it so. */
  readonly value?: string | null | undefined;
}

/**
 * Reads the elements named `robots` or like one of the crawler's product tokens, and `SPIDER BY` of 1996 (page-level
 * §2, DECISIONS L2 and L3).
 * @param metas - The `meta` elements of the document, of head and body, not those inside `template`.
 * @param tokens - The crawler's product tokens; compared whole, ignoring case.
 */
export function parseRobotsMeta(metas: readonly PageMeta[], tokens: readonly string[]): PageTags {
  const rules = metas.flatMap((meta) => {
    if (!isRobotsMeta(meta, tokens)) return [];
    const content = metaContent(meta);
    return metaName(meta) === SPIDER_BY ? readSpiderBy(content) : tagPieces(content).map(readTagRule);
  });
  return rules.length === 0 ? NO_TAGS : mergeTags(rules);
}

/** Whether an element's name makes it one that `parseRobotsMeta` reads. @throws Never. */
export function isRobotsMeta(meta: PageMeta, tokens: readonly string[]): boolean {
  const name = metaName(meta);
  return name === 'robots' || name === SPIDER_BY || tokens.some((token) => token.toLowerCase() === name);
}

/**
 * The content of the first element of a name, or null.
 * @param name - In lower case.
 */
export function metaNamed(metas: readonly PageMeta[], name: string): string | null {
  const found = metas.find((meta) => metaName(meta) === name);
  return found === undefined ? null : metaContent(found).trim();
}

/** The name as names are compared: in lower case, white space as one blank. @throws Never. */
export function metaName({ name }: PageMeta): string {
  const folded = name.trim().toLowerCase();
  return /\s/.test(folded) ? folded.replace(/\s+/g, ' ') : folded;
}

function metaContent({ content, value }: PageMeta): string {
  return content ?? value ?? '';
}

/** `NONE` is noindex, `ALL` is nothing; superseded by ROBOTS and never stricter than it. */
function readSpiderBy(content: string): PageTags[] {
  return content.trim().toLowerCase() === 'none' ? [readTagRule('noindex')] : [];
}
