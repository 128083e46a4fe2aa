/**
 * `<meta name="robots">` and its kin, given as plain data: HTML is not parsed here.
 *
 * Clause: specification, page-level §2. General and specific elements all count; a specific `index` undoes nothing.
 */
import { mergeTags, NO_TAGS, type PageTags, readTagRule, tagPieces } from './tag-rules.js';

/** A `meta` element of the parsed document, attributes as written; absent attributes are null or left out. */
export interface PageMeta {
  readonly name: string;
  readonly content?: string | null | undefined;
  /** Used where `content` is missing: the 1996 mail spells it so. */
  readonly value?: string | null | undefined;
}

/**
 * Reads the elements named `robots` or like one of the crawler's product tokens, and `SPIDER BY` of 1996.
 *
 * @param metas - The `meta` elements of the document, of head and body, not those inside `template`.
 * @param tokens - The crawler's product tokens; compared whole, ignoring case.
 * @throws Never.
 * @see specification, page-level §2, DECISIONS L2 and L3
 */
export function parseRobotsMeta(metas: readonly PageMeta[], tokens: readonly string[]): PageTags {
  const names = ['robots', ...tokens.map((token) => token.toLowerCase())];
  const rules = metas.flatMap((meta) => {
    const name = metaName(meta);
    const content = metaContent(meta);
    if (name === 'spider by') return readSpiderBy(content);
    return names.includes(name) ? tagPieces(content).map(readTagRule) : [];
  });
  return rules.length === 0 ? NO_TAGS : mergeTags(rules);
}

/**
 * The content of the first element of a name, or null.
 *
 * @param name - In lower case.
 * @throws Never.
 */
export function metaNamed(metas: readonly PageMeta[], name: string): string | null {
  const found = metas.find((meta) => metaName(meta) === name);
  return found === undefined ? null : metaContent(found).trim();
}

function metaName({ name }: PageMeta): string {
  return name.trim().toLowerCase().replace(/\s+/g, ' ');
}

function metaContent({ content, value }: PageMeta): string {
  return content ?? value ?? '';
}

/** `NONE` is noindex, `ALL` is nothing; superseded by ROBOTS and never stricter than it. */
function readSpiderBy(content: string): PageTags[] {
  return content.trim().toLowerCase() === 'none' ? [readTagRule('noindex')] : [];
}
