// Other representations that a page names (a feed, a Markdown copy; licensing C12), and the links of its `Link` fields
// (RFC 8288), as written. They are offered to the handler. A copy may lack the page's directives, so the crawl requests
// only feeds, if `discover.feeds` says so.

import { type HeaderLines, headerValues } from '../fetch/outcome.js';
import type { HtmlSummary } from './html.js';
import { parseBase, parseWebUrl } from './links.js';

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
