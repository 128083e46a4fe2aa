// The links of a page as URLs, with what the page says about each: all links, or those that a selector finds. Also the
// links of its `Link` fields (RFC 8288), as written. Other representations (a feed, a Markdown copy; licensing C12) are
// offered to the handler. A copy may lack the page's directives, so the crawl requests only feeds, if `discover.feeds`
// says so.

import type { CheerioAPI } from 'cheerio';
import { invalidOption } from '../errors.js';
import { type HeaderLines, headerValues } from '../fetch/outcome.js';
import type { HtmlSummary, LinkTag } from './html.js';
import { MAX_PAGE_LINK_CHARS } from './limits.js';
import { linkBase, parseBase, parseWebUrl, resolveHref } from './resolve-href.js';

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

/**
 * The links in the order of the response, with lower-case `rel` tokens, and parameters by lower-case name. Of two
 * parameters with one name, the last counts. Linear in the length of the fields. Never throws.
 */
export function parseLinkFields(headers: HeaderLines) {
  const fields = headerValues(headers, 'link');
  if (fields.length === 0) return [];
  return fields
    .flatMap((value) => [...value.matchAll(LINK)])
    .map(([, target = '', parameterText = '']) => {
      const pairs = Array.from(parameterText.matchAll(PARAMETER), ([, name = '', quoted, unquoted]) => {
        return [name.toLowerCase(), (quoted ?? unquoted ?? '').trim()] as const;
      });
      const parameters = new Map(pairs);
      const rel = (parameters.get('rel') ?? '').toLowerCase().split(/[\t ]+/);
      return { target: target.trim(), rel, parameters };
    });
}

const LINK = /<([^<>]{0,8192})>((?:;(?:"[^"]*"|[^",;])*)*)/g;
const PARAMETER = /;[ \t]*([a-z]+)[ \t]*=[ \t]*(?:"([^"]*)"|([^",; \t]+))/gi;

/** Another representation of a page. */
export interface PageAlternate {
  /** Absolute, http or https, without fragment. */
  readonly url: string;
  /** Media type in lower case: `text/markdown`, `application/rss+xml`; `null`: it names none. */
  readonly type: string | null;
  /** Language tag as written; `null`: it names none. */
  readonly hreflang: string | null;
}

/** The alternates of `link` elements, then those of `Link` fields, each once per type and language. Never throws. */
export function pageAlternates(html: HtmlSummary | null, headers: HeaderLines, pageUrl: string): PageAlternate[] {
  const base = parseBase(html?.baseHref ?? null, pageUrl);
  const inPage = (html?.linkElements ?? []).map((element) => ({ ...element, base }));
  const inFields = parseLinkFields(headers).map(({ target, rel, parameters }) => {
    return { href: target, rel, type: parameters.get('type'), hreflang: parameters.get('hreflang'), base: pageUrl };
  });
  const found = new Map<string, PageAlternate>();
  for (const named of [...inPage, ...inFields]) {
    // With `stylesheet` it is an alternative style sheet.
    if (named.href === null || !named.rel.includes('alternate') || named.rel.includes('stylesheet')) continue;
    const url = parseWebUrl(named.href, named.base)?.href;
    if (url === undefined) continue;
    const type = named.type?.trim().toLowerCase() || null;
    const hreflang = named.hreflang?.trim() || null;
    found.set(`${url} ${type} ${hreflang}`, { url, type, hreflang });
  }
  return [...found.values()];
}
