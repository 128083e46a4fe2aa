// Other representations that a page names: a feed, another language, a Markdown copy (licensing C12). They are offered
// to the handler. The crawl requests none on its own account, since a copy may lack the page's directives: only feeds,
// where it is told to (`discover.feeds`).

import type { HeaderLines } from '../fetch/outcome.js';
import type { HtmlSummary } from './html.js';
import { linksOfFields } from './links.js';
import { parseBase, parseWebUrl } from './resolve-href.js';

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
  const found = new Map<string, PageAlternate>();
  const take = (target: string | null, rel: readonly string[], against: string | URL, of: Described): void => {
    // With `stylesheet` it is a style sheet that a reader may choose.
    if (target === null || !rel.includes('alternate') || rel.includes('stylesheet')) return;
    const url = parseWebUrl(target, against)?.href;
    if (url === undefined) return;
    const type = of.type?.trim().toLowerCase() || null;
    const hreflang = of.hreflang?.trim() || null;
    found.set(`${url} ${type} ${hreflang}`, { url, type, hreflang });
  };
  for (const element of html?.linkElements ?? []) take(element.href, element.rel, base, element);
  for (const { target, rel, parameters } of linksOfFields(headers)) {
    take(target, rel, pageUrl, { type: parameters.get('type'), hreflang: parameters.get('hreflang') });
  }
  return [...found.values()];
}

interface Described {
  readonly type?: string | null | undefined;
  readonly hreflang?: string | null | undefined;
}
