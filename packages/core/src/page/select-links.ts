// Links by a selector of the handler's: the elements it finds, or the links inside them, judged like any link of the page.

import type { LinkTag } from './html-summary.js';
import { type PageLink, resolveLinks } from './links.js';
import type { FetchedPage } from './page.js';

const WITH_URL = 'a[href], area[href], link[href], frame[src], iframe[src], img[src]';

/**
 * The links that a selector finds on a page, in document order.
 *
 * @throws MannerlyError `page-not-markup` unless the page is HTML or XML; what cheerio throws for a bad selector.
 */
export function selectLinks(page: FetchedPage, selector: string): PageLink[] {
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
