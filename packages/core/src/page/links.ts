// The links of a page as URLs, with what the page says of each: all of them, or those that a selector finds. Other
// modules decide which of them may be taken.

import type { CheerioAPI } from 'cheerio';
import type { HtmlSummary, LinkTag } from './html.js';
import { linkBase, resolveHref } from './resolve-href.js';

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

const NOFOLLOW = 1;
const UGC = 2;
const SPONSORED = 4;

/**
 * Resolves the links of a page, in the order of the page.
 *
 * A link that repeats an earlier one in URL and in nofollow, ugc and sponsored is dropped. One that says something else
 * of the same URL stays: a URL may be taken if one of its links may (page-level §4).
 *
 * @param facts - The page's links and base.
 * @param pageUrl - Absolute http(s) URL of the page as fetched.
 * @throws Never
 */
export function resolveLinks(facts: Pick<HtmlSummary, 'links' | 'baseHref'>, pageUrl: string): PageLink[] {
  const base = linkBase(pageUrl, facts.baseHref);
  const links: PageLink[] = [];
  /** URL → which combinations of marks it was seen with, one bit each. */
  const seen = new Map<string, number>();
  for (const { href, rel, element } of facts.links) {
    const url = resolveHref(href, base);
    if (url === null) continue;
    const marks = rel.length === 0 ? 0 : marksOf(rel);
    const known = seen.get(url) ?? 0;
    if ((known & (1 << marks)) !== 0) continue;
    seen.set(url, known | (1 << marks));
    links.push({
      url,
      rel,
      element,
      isNofollow: (marks & NOFOLLOW) !== 0,
      isUgc: (marks & UGC) !== 0,
      isSponsored: (marks & SPONSORED) !== 0,
    });
  }
  return links;
}

function marksOf(rel: readonly string[]): number {
  return (
    (rel.includes('nofollow') ? NOFOLLOW : 0) |
    (rel.includes('ugc') ? UGC : 0) |
    (rel.includes('sponsored') ? SPONSORED : 0)
  );
}

const WITH_URL = 'a[href], area[href], link[href], frame[src], iframe[src], img[src]';

/**
 * The links that a selector finds on a page, in document order.
 *
 * @throws MannerlyError `page-not-markup` unless the page is HTML or XML; what cheerio throws for a bad selector.
 */
export function selectLinks(
  page: { readonly $: CheerioAPI; readonly html: Pick<HtmlSummary, 'baseHref'> | null; readonly url: string },
  selector: string,
): PageLink[] {
  const { $ } = page;
  const facts: LinkTag[] = [];
  $(selector).each((_, found) => {
    const element = $(found);
    const elements = element.is(WITH_URL) ? element : element.find(WITH_URL);
    elements.each((_index, link) => {
      const attributes = $(link).attr() ?? {};
      const href = attributes['href'] ?? attributes['src'] ?? '';
      const rel = attributes['rel']?.toLowerCase().match(/[^\t\n\f\r ]+/g) ?? [];
      facts.push({ href: href.trim(), rel, element: elementOf($(link).prop('tagName')) });
    });
  });
  return resolveLinks({ links: facts, baseHref: page.html?.baseHref ?? null }, page.url);
}

function elementOf(name: string | undefined): LinkTag['element'] {
  const lower = name?.toLowerCase();
  return ELEMENTS.find((element) => element === lower) ?? 'a';
}

const ELEMENTS: readonly LinkTag['element'][] = ['a', 'area', 'frame', 'iframe', 'img', 'link'];
