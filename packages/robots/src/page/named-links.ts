// Links of a page that say something about the page itself: INDEXINSTEAD, canonical, and the `meta URL` of 1996
// (page-level §4). What follows from a link between pages is `link-rel.ts`'s business.

import { readUrl } from '../web-url.js';
import { metaNamed, type PageMeta } from './robots-meta.js';

/** A `link` element, attributes as written; `rel` is split into words. */
export interface PageLinkElement {
  readonly rel: readonly string[];
  readonly name: string | null;
  readonly href: string | null;
  readonly content: string | null;
}

/** Absolute http(s) URLs without fragment, null where the page has none. */
export interface NamedLinks {
  /** The URL to keep instead of this page; null also when the page names itself. */
  readonly indexInstead: string | null;
  readonly canonical: string | null;
  /** Kollar's proposal, rejected by the mail as too broad a name: only exposed. */
  readonly metaUrl: string | null;
}

/**
 * Reads the named links of a page (page-level §4.1, §4.2, DECISION L8).
 * @param pageUrl - The URL of the response.
 * @param baseUrl - What relative URLs are resolved against: the document's base, else `pageUrl`.
 * @param linkFields - Raw lines of the `Link` response field.
 */
export function readNamedLinks(
  elements: readonly PageLinkElement[],
  metas: readonly PageMeta[],
  linkFields: readonly string[],
  pageUrl: string,
  baseUrl: string,
): NamedLinks {
  const instead = firstOf(elements, insteadOf, baseUrl);
  return {
    indexInstead: instead !== null && instead === resolveLink(pageUrl, pageUrl) ? null : instead,
    canonical:
      firstOf(elements, canonicalOf, baseUrl) ?? firstOf(linkFields.flatMap(canonicalTargets), asWritten, pageUrl),
    metaUrl: resolveLink(metaNamed(metas, 'url'), baseUrl),
  };
}

/** The first that resolves. */
function firstOf<Item>(items: readonly Item[], hrefOf: (item: Item) => string | null, baseUrl: string): string | null {
  for (const item of items) {
    const url = resolveLink(hrefOf(item), baseUrl);
    if (url !== null) return url;
  }
  return null;
}

function insteadOf(element: PageLinkElement): string | null {
  if (element.name?.trim().toLowerCase() === 'indexinstead') return element.content ?? element.href;
  return hasWord(element.rel, 'indexinstead') ? element.href : null;
}

function canonicalOf(element: PageLinkElement): string | null {
  return hasWord(element.rel, 'canonical') ? element.href : null;
}

function asWritten(href: string): string {
  return href;
}

function hasWord(rel: readonly string[], word: string): boolean {
  return rel.some((each) => each.toLowerCase() === word);
}

/** `<url>; rel="canonical"` (RFC 8288); other parameters are passed over. */
function canonicalTargets(field: string): string[] {
  return [...field.matchAll(/<([^<>]*)>([^<]*)/g)].flatMap(([, url = '', parameters = '']) => {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    const words = (rel?.[1] ?? rel?.[2] ?? '').split(/\s+/);
    return hasWord(words, 'canonical') ? [url] : [];
  });
}

function resolveLink(url: string | null, baseUrl: string): string | null {
  if (url === null || url.trim() === '') return null;
  const target = readUrl(url, baseUrl);
  if (target === null) return null;
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return null;
  target.hash = '';
  return target.href;
}
