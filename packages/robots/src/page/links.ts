// Whether one link of a page is taken, from its `rel` and from what the page says of all its links (page-level §4). The
// exclusion concerns this discovery only: the same URL found through another link, a sitemap or a seed is fetched.

import { readUrl } from '../target.js';
import type { ResolvedPageOptions } from './page-options.js';
import { metaNamed, type PageMeta } from './tags.js';

/** Whether a link is taken, the reason where it is not, and its `ugc` and `sponsored` marks. */
interface LinkVerdict {
  readonly isTaken: boolean;
  readonly reason: 'page-nofollow' | 'link-nofollow' | 'link-ugc' | 'link-sponsored' | null;
  readonly marks: readonly ('ugc' | 'sponsored')[];
}

/**
 * Decides about a link on `a`, `area` or `form` (page-level §4, DECISION L7).
 * @param rel - The tokens of `rel`, or the attribute as written.
 * @param followLinks - `PageEffects.followLinks` of the page.
 */
export function linkVerdict(
  rel: string | readonly string[],
  followLinks: boolean,
  options: ResolvedPageOptions,
): LinkVerdict {
  const words = (typeof rel === 'string' ? rel.split(/[\t\n\f\r ]+/) : rel).map((word) => word.toLowerCase());
  const marks = (['ugc', 'sponsored'] as const).filter((word) => words.includes(word));
  if (!followLinks) return { isTaken: false, reason: 'page-nofollow', marks };
  if (words.includes('nofollow') && !options.rel.nofollow) return { isTaken: false, reason: 'link-nofollow', marks };
  const left = marks.find((word) => !options.rel[word]);
  return left === undefined
    ? { isTaken: true, reason: null, marks }
    : { isTaken: false, reason: `link-${left}`, marks };
}

/** A `link` element, attributes as written; `rel` is split into tokens. */
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

/** Reads the named links of a page. `baseUrl` resolves relative URLs (page-level §4.1, §4.2, DECISION L8). */
export function readNamedLinks(
  elements: readonly PageLinkElement[],
  metas: readonly PageMeta[],
  linkFields: readonly string[],
  pageUrl: string,
  baseUrl: string,
): NamedLinks {
  const instead = firstOf(elements.map(insteadOf), baseUrl);
  return {
    indexInstead: instead !== null && instead === resolveLink(pageUrl, pageUrl) ? null : instead,
    canonical:
      firstOf(
        elements.map(({ rel, href }) => (hasWord(rel, 'canonical') ? href : null)),
        baseUrl,
      ) ?? firstOf(linkFields.flatMap(canonicalTargets), pageUrl),
    metaUrl: resolveLink(metaNamed(metas, 'url'), baseUrl),
  };
}

/** The first that resolves. */
function firstOf(hrefs: readonly (string | null)[], baseUrl: string): string | null {
  for (const href of hrefs) {
    const url = resolveLink(href, baseUrl);
    if (url !== null) return url;
  }
  return null;
}

function insteadOf({ name, rel, content, href }: PageLinkElement): string | null {
  if (name?.trim().toLowerCase() === 'indexinstead') return content ?? href;
  return hasWord(rel, 'indexinstead') ? href : null;
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
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') return null;
  target.hash = '';
  target.username = '';
  target.password = '';
  return target.href;
}
