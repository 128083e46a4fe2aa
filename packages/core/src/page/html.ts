// One pass over a page: its title, base, links, metas and link elements as written. Nothing is resolved or decided.

import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { SLOT } from './html-syntax.js';
import {
  MAX_ATTRIBUTE_CHARS,
  MAX_PAGE_LINK_ELEMENTS,
  MAX_PAGE_LINKS,
  MAX_PAGE_METAS,
  MAX_TITLE_CHARS,
} from './limits.js';
import { TagScanner } from './tag-scanner.js';

/** A link as written. */
export interface LinkTag {
  /** The href, references decoded and trimmed, not resolved. */
  readonly href: string;
  /** Words of `rel`, lower case. */
  readonly rel: readonly string[];
  readonly element: 'a' | 'area' | 'frame' | 'iframe' | 'img' | 'link';
}

/** A `meta` element with a name: robots, tokens, tdm-reservation, … */
export interface MetaTag {
  readonly name: string;
  readonly content: string | null;
  readonly value: string | null;
}

/** A `link` element with a name or a `rel`: canonical, alternate, next, … */
export interface LinkElement {
  readonly rel: readonly string[];
  readonly name: string | null;
  readonly href: string | null;
  readonly content: string | null;
  readonly type?: string;
  readonly hreflang?: string;
}

/** What the pass over an HTML page found. */
export interface HtmlSummary {
  readonly title: string | null;
  /** `href` of the first `base` with one. */
  readonly baseHref: string | null;
  readonly links: readonly LinkTag[];
  readonly metas: readonly MetaTag[];
  readonly linkElements: readonly LinkElement[];
  /** Content of `meta http-equiv=refresh`. */
  readonly refresh: string | null;
  /** Whether it may name a licence (RSL): by a `link` with `rel=license`, or in a script. */
  readonly mayNameLicense: boolean;
  /** Links that were not kept: past the limit, or with an href that is too long (as written, in UTF-8: bytes). */
  readonly linksDropped: number;
}

/**
 * A page to scan. Markup is ASCII, so a UTF-8 page is scanned as a string of one character per byte, which takes a
 * tenth of the time of decoding it. Only the values that are kept are decoded.
 */
interface PageUnits {
  readonly units: string;
  /** A piece of the page as text. Never throws. */
  readonly text: (start: number, end: number) => string;
}

/**
 * A page in UTF-8. A piece between two ASCII characters decodes the same alone as in its page: malformed bytes never
 * reach past the next ASCII character. @param body - Without byte order mark; not copied.
 */
export function utf8Page(body: Uint8Array): PageUnits {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return { units: buffer.toString('latin1'), text: (start, end) => buffer.toString('utf8', start, end) };
}

/** A title is read from this many times its maximum characters, since white space collapses. */
const TITLE_WINDOW = 4;
const SPACE = 0x20;
const WHITE_SPACE = '\t\n\f\r ';
const WORD = /[^\t\n\f\r ]+/g;
const NO_WORDS: readonly string[] = Object.freeze([]);
/** A value that needs no decoding: ASCII without references, line ends and NUL. */
const PLAIN = /^[ -%'-\x7f]*$/;

/**
 * Reads an HTML page, decoded or in UTF-8. Content of comments, scripts, styles and `template` is skipped; `noscript`
 * is read. Metas count in the head and the body. The title is the first one that is not blank. Linear in the length of
 * the page. @throws Never @see page-level §2, §4
 */
export function readHtml(page: string | PageUnits): HtmlSummary {
  const { units, text } = typeof page === 'string' ? { units: page, text: page.slice.bind(page) } : page;
  const scanner = new TagScanner(units);
  const { starts, ends } = scanner;
  const links: LinkTag[] = [];
  const metas: MetaTag[] = [];
  const linkElements: LinkElement[] = [];
  let title: string | null = null;
  let baseHref: string | null = null;
  let refresh: string | null = null;
  let linksDropped = 0;
  let hasLicenseLink = false;

  const valueAt = (start: number, end: number): string => {
    const raw = units.slice(start, end);
    return PLAIN.test(raw) ? raw : decoded(text(start, end), decodeHTMLAttribute);
  };
  /** The value of an attribute, cut at the limit; `null` when absent. */
  const textOf = (slot: number): string | null => {
    const start = starts[slot]!;
    return start < 0 ? null : valueAt(start, Math.min(ends[slot]!, start + MAX_ATTRIBUTE_CHARS));
  };
  /** An attribute that holds a URL; `null` when absent or too long: half a URL is another URL. */
  const urlOf = (slot: number): string | null => {
    const start = starts[slot]!;
    const end = ends[slot]!;
    return start < 0 || end - start > MAX_ATTRIBUTE_CHARS ? null : trimmed(valueAt(start, end));
  };
  const optional = (name: 'type' | 'hreflang', slot: number) => {
    const value = textOf(slot);
    return value === null ? {} : { [name]: value };
  };
  const wordsOf = (slot: number): readonly string[] => textOf(slot)?.toLowerCase().match(WORD) ?? NO_WORDS;
  const addLink = (element: LinkTag['element'], slot: number): void => {
    if (starts[slot]! < 0) return;
    const href = links.length < MAX_PAGE_LINKS ? urlOf(slot) : null;
    if (href === null) linksDropped += 1;
    else links.push({ href, rel: wordsOf(SLOT.rel), element });
  };
  const addMeta = (): void => {
    if (refresh === null && textOf(SLOT['http-equiv'])?.trim().toLowerCase() === 'refresh') {
      refresh = textOf(SLOT.content);
    }
    const name = textOf(SLOT.name);
    if (name === null || metas.length >= MAX_PAGE_METAS) return;
    metas.push({ name, content: textOf(SLOT.content), value: textOf(SLOT.value) });
  };
  const addLinkElement = (): void => {
    const rel = wordsOf(SLOT.rel);
    hasLicenseLink ||= rel.includes('license');
    if (linkElements.length >= MAX_PAGE_LINK_ELEMENTS) return;
    const name = textOf(SLOT.name);
    if (name === null && rel.length === 0) return;
    const element = { rel, name, href: urlOf(SLOT.href), content: textOf(SLOT.content) };
    if (!rel.includes('alternate')) linkElements.push(element);
    else linkElements.push({ ...element, ...optional('type', SLOT.type), ...optional('hreflang', SLOT.hreflang) });
  };
  const readTitle = (): string | null => {
    const end = Math.min(scanner.titleEnd, scanner.titleStart + TITLE_WINDOW * MAX_TITLE_CHARS);
    const decodedTitle = decoded(text(scanner.titleStart, end), (raw) => decodeHTML(raw));
    return (decodedTitle.match(WORD) ?? NO_WORDS).join(' ').slice(0, MAX_TITLE_CHARS) || null;
  };

  for (let found = scanner.next(); found !== null; found = scanner.next()) {
    if (found === 'a' || found === 'area') addLink(found, SLOT.href);
    else if (found === 'frame' || found === 'iframe') addLink(found, SLOT.src);
    else if (found === 'link') addLinkElement();
    else if (found === 'meta') addMeta();
    else if (found === 'title') title ??= readTitle();
    else baseHref ??= urlOf(SLOT.href);
  }
  const mayNameLicense = hasLicenseLink || scanner.hasLicenseScript;
  return { title, baseHref, links, metas, linkElements, refresh, mayNameLicense, linksDropped };
}

/** Decodes character references, by `entities`. Line ends and NUL are normalized first, as HTML does with its input. */
function decoded(raw: string, decode: (text: string) => string): string {
  let text = raw.includes('\0') ? raw.replaceAll('\0', '\uFFFD') : raw;
  if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
  if (!text.includes('&')) return text;
  // Nearly every reference in a link is `&amp;`.
  const plain = text.replaceAll('&amp;', '\0');
  return plain.includes('&') ? decode(text) : plain.replaceAll('\0', '&');
}

/** Without ASCII white space at the ends, which is what HTML strips. */
function trimmed(text: string): string {
  if (text.charCodeAt(0) > SPACE && text.charCodeAt(text.length - 1) > SPACE) return text;
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.includes(text.charAt(start))) start += 1;
  while (end > start && WHITE_SPACE.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
