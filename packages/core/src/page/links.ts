// The links of a page as URLs, with what the page says about each: all links, or those that a selector finds. URLs of
// pages and fields are http or https, without fragment and userinfo.
//
// Most hrefs are paths of ordinary characters. Appended to the matching part of the base, they equal the parser's
// result in a fraction of its time. Every other href goes to the parser; a differential test compares the two.

import type { CheerioAPI } from 'cheerio';
import { invalidOption } from '../errors.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import { parseUrl } from '../parse-url.js';
import type { HtmlSummary, LinkTag } from './html.js';
import { MAX_PAGE_LINK_CHARS } from './limits.js';

/** A link of a page. */
export interface PageLink {
  /** The URL parser's serialisation, http or https, without fragment and userinfo. */
  readonly url: string;
  /** Words of `rel`, lower case. */
  readonly rel: readonly string[];
  readonly element: LinkTag['element'];
  readonly isNofollow: boolean;
  readonly isUgc: boolean;
  readonly isSponsored: boolean;
}

/**
 * Resolves the links of a page, in its order. A link that repeats an earlier one in URL and in nofollow, ugc, sponsored
 * and next is dropped. A link that differs in these stays: a URL may be taken if one of its links may (page-level §4).
 * @returns The links up to `MAX_PAGE_LINK_CHARS`, and how many were left out.
 */
export function resolveLinks(
  facts: Pick<HtmlSummary, 'links' | 'baseHref'>,
  pageUrl: string,
): { readonly links: PageLink[]; readonly dropped: number } {
  const base = linkBase(pageUrl, facts.baseHref);
  const links: PageLink[] = [];
  /** URL → the combinations of nofollow, ugc, sponsored and next it was seen with, one bit each. */
  const seen = new Map<string, number>();
  let chars = 0;
  let dropped = 0;
  for (const { href, rel, element } of facts.links) {
    if (chars > MAX_PAGE_LINK_CHARS) {
      dropped += 1;
      continue;
    }
    const url = resolveHref(href, base);
    if (url === null) continue;
    // Most links have no `rel`.
    const hasRel = rel.length > 0;
    const isNofollow = hasRel && rel.includes('nofollow');
    const isUgc = hasRel && rel.includes('ugc');
    const isSponsored = hasRel && rel.includes('sponsored');
    const isNext = hasRel && rel.includes('next');
    const bit = 1 << ((isNofollow ? 1 : 0) | (isUgc ? 2 : 0) | (isSponsored ? 4 : 0) | (isNext ? 8 : 0));
    const known = seen.get(url) ?? 0;
    if ((known & bit) !== 0) continue;
    seen.set(url, known | bit);
    chars += url.length;
    links.push({ url, rel, element, isNofollow, isUgc, isSponsored });
  }
  return { links, dropped };
}

const ELEMENTS: readonly LinkTag['element'][] = ['a', 'area', 'frame', 'iframe', 'img', 'link'];
const WITH_URL = '[href]:not(base), [src], img[srcset], source[srcset]';
/** What counts as an image for `noimageindex`. */
const IMAGE = 'img, picture source, svg image, input[type="image" i]';

/**
 * The links that a selector finds on a page, in document order.
 * @throws MannerlyError `page-not-markup` unless the page is HTML or XML; `option-invalid` for an invalid selector.
 */
export function selectLinks(
  page: { readonly $: CheerioAPI; readonly html: Pick<HtmlSummary, 'baseHref'> | null; readonly url: string },
  selector: string,
): PageLink[] {
  const { $ } = page;
  const facts: LinkTag[] = [];
  selectElements($, selector).each((_, found) => {
    const element = $(found);
    const elements = element.is(WITH_URL) ? element : element.find(WITH_URL);
    elements.each((_index, link) => {
      const attributes = $(link).attr() ?? {};
      const href = attributes['href'] ?? attributes['src'] ?? firstCandidate(attributes['srcset'] ?? '');
      if (href === undefined) return;
      const rel = attributes['rel']?.toLowerCase().match(/[^\t\n\f\r ]+/g) ?? [];
      const name = $(link).is(IMAGE) ? 'img' : $(link).prop('tagName')?.toLowerCase();
      facts.push({ href: href.trim(), rel, element: ELEMENTS.find((each) => each === name) ?? 'a' });
    });
  });
  return resolveLinks({ links: facts, baseHref: page.html?.baseHref ?? null }, page.url).links;
}

/** The library's own error has neither the selector nor, below its own frames, the user's line. */
function selectElements($: CheerioAPI, selector: string) {
  const isUrl = typeof selector === 'string' && /^(?:https?:)?\//i.test(selector);
  if (typeof selector !== 'string' || isUrl)
    throw invalidOption('selector', 'a CSS selector', selector, 'A URL is added by `page.add(url)`');
  try {
    return $(selector);
  } catch (cause) {
    throw invalidOption('selector', 'a CSS selector', selector, String(cause));
  }
}

/** The URL of the first candidate of a `srcset`, if it has one (HTML, "parsing a srcset attribute"). */
function firstCandidate(srcset: string): string | undefined {
  return /[^\t\n\f\r ,][^\t\n\f\r ]*/.exec(srcset)?.[0].replace(/(?<!,),+$/, '');
}

/** Without fragment and userinfo; `null`: it does not parse, or its scheme is not http or https. @throws Never */
export function parseWebUrl(text: string, base: string | URL): URL | null {
  const url = parseUrl(text, base);
  if (url === null || !isHttp(url)) return null;
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  // An empty fragment leaves its `#` in `href` although `hash` is empty.
  if (url.href.includes('#')) url.hash = '';
  return url;
}

/** The base of a page: its `base` element's href, resolved, if that may be a base. @throws Never */
export function parseBase(baseHref: string | null, pageUrl: string): URL {
  const base = baseHref === null ? null : parseUrl(baseHref, pageUrl);
  return base === null || base.protocol === 'data:' || base.protocol === 'javascript:' ? new URL(pageUrl) : base;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** A base URL, split once per page. */
export interface LinkBase {
  readonly url: URL;
  /** `https://host:port`, without a slash; empty for other schemes. */
  readonly origin: string;
  /** Everything up to the last slash of the path, including it. */
  readonly directory: string;
  /** Everything before the query. */
  readonly path: string;
  /** The whole URL, without fragment. */
  readonly urlWithoutHash: string;
}

/** @param baseHref - Of the first `base` that has one; ignored if invalid, or with `data:` or `javascript:`. */
export function linkBase(pageUrl: string, baseHref: string | null): LinkBase {
  const url = parseBase(baseHref, pageUrl);
  const origin = isHttp(url) ? `${url.protocol}//${url.host}` : '';
  const path = origin + url.pathname;
  // Not `search`, which does not show an empty query.
  const beforeHash = url.href.slice(0, url.href.length - url.hash.length).replace(/#$/, '');
  const query = beforeHash.indexOf('?');
  const urlWithoutHash = query < 0 ? path : path + beforeHash.slice(query);
  return { url, origin, directory: path.slice(0, path.lastIndexOf('/') + 1), path, urlWithoutHash };
}

/**
 * The URL parser's serialisation without fragment and userinfo; `null` if the href is not a URL, has another scheme, or
 * is longer than {@link MAX_LINK_URL_CHARS}. @param href - As `readHtml` returns it: trimmed, references decoded.
 */
export function resolveHref(href: string, base: LinkBase): string | null {
  const plain = base.origin === '' ? null : resolvePlain(href, base);
  const resolved = plain ?? (OTHER_SCHEME.test(href) ? null : (parseWebUrl(href, base.url)?.href ?? null));
  return resolved !== null && resolved.length <= MAX_LINK_URL_CHARS ? resolved : null;
}

const HASH = 0x23;
const DOT = 0x2e;
const SLASH = 0x2f;
const QUESTION = 0x3f;

/** A scheme other than http and https: it is never a link. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z\d+.-]*:/i;

// An origin as the parser writes it, and a slash: a name whose last label begins with a letter (so that it is not a
// number), or four plain numbers; a port without leading zero.
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** Ports from 60,000 on go to the parser. */
const PORT = '(?:[1-5]\\d{4}|[1-9]\\d{0,3})';
const NAME = '(?:[a-z\\d][a-z\\d-]*\\.)*[a-z][a-z\\d-]*';
const ORIGIN = new RegExp(`^https?://(?:${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}|${NAME})(?::${PORT})?/`);
/** A default port, or an encoded name: the parser handles them. */
const DEFAULT_PORT_OR_PUNYCODE = /^http:\/\/[^/]*:80\/|^https:\/\/[^/]*:443\/|xn--/;

/** The length of an origin that is written as the parser would write it, with a slash after it; 0 for all others. */
function plainOrigin(url: string): number {
  const origin = ORIGIN.exec(url)?.[0];
  return origin === undefined || DEFAULT_PORT_OR_PUNYCODE.test(origin) ? 0 : origin.length - 1;
}

/** The URL of an ordinary href, `null` for all others. */
function resolvePlain(href: string, base: LinkBase): string | null {
  switch (href.charCodeAt(0)) {
    case SLASH:
      if (href.length === 1) return joined(base.origin, href);
      return append(base.origin, href, 0, ordinaryEnd(href, 1, ORDINARY));
    case DOT:
      return resolveDotPath(href, base.directory, base.origin.length);
    case HASH:
      // The parser decides whether an empty query of the page stays.
      return base.urlWithoutHash.endsWith('?') ? null : base.urlWithoutHash;
    case QUESTION:
      return append(base.path, href, 0, ordinaryEnd(href, 0, ORDINARY));
    default:
      return append(base.directory, href, 0, ordinaryEnd(href, 0, ORDINARY_HREF)) ?? resolveAbsolute(href, base);
  }
}

/** Resolves `./x` and `../x`. @param root - The length of the origin: nothing is above its slash. */
function resolveDotPath(href: string, from: string, root: number): string | null {
  let directory = from;
  let at = 0;
  for (;;) {
    if (href.startsWith('./', at)) at += 2;
    else if (href.startsWith('../', at)) {
      at += 3;
      const above = directory.lastIndexOf('/', directory.length - 2);
      if (above >= root) directory = directory.slice(0, above + 1);
    } else if (at === href.length) return joined(directory, '');
    else return append(directory, href, at, ordinaryEnd(href, at, ORDINARY));
  }
}

function resolveAbsolute(href: string, base: LinkBase): string | null {
  const isSameOrigin = href.startsWith(base.origin) && href.charCodeAt(base.origin.length) === SLASH;
  const root = isSameOrigin ? base.origin.length : plainOrigin(href);
  if (root === 0) return null;
  if (root + 1 === href.length) return joined(href.slice(0, root), '/');
  return append(href.slice(0, root), href, root, ordinaryEnd(href, root + 1, ORDINARY));
}

function append(start: string, href: string, from: number, end: number): string | null {
  return end < 0 ? null : joined(start, from === 0 && end === href.length ? href : href.slice(from, end));
}

/** Joins two pieces into a flat string: V8 keeps pieces as views, and with them the page, until a character is read. */
function joined(start: string, end: string): string {
  const text = start + end;
  return text.charCodeAt(0) > 0 ? text : '';
}

// An ordinary path: segments that begin with a letter, a digit, `~`, `-` or `_` (a dot or an escape at the beginning
// may be a dot segment), one slash between them, perhaps one at the end; then perhaps a query. A fragment may follow.
// No two neighbouring parts share a character, so the patterns take linear time.
const QUERY = '(?:\\?[\\w~.%!$&()*+,;=@:/?-]*)?(?=#|$)';
const SEGMENT = '[\\w~-][\\w~.%!$&()*+,;=@:-]*';
const ORDINARY = new RegExp(`(?:${SEGMENT}(?:/${SEGMENT})*/?)?${QUERY}`, 'y');
/** Without colons, since one in the first segment of an href could end a scheme. */
const ORDINARY_HREF = new RegExp(ORDINARY.source.replaceAll('@:-', '@-'), 'y');

/** Where an ordinary path and its query end, or -1. @param from - Where the first segment or a query begins. */
function ordinaryEnd(href: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.test(href) && pattern.lastIndex > from ? pattern.lastIndex : -1;
}
