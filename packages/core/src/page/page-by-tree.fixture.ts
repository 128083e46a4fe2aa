// The facts of a page as a whole HTML parser finds them (cheerio on parse5, which follows the standard's algorithm):
// what the scan of a page is held to. Links are compared as a set: a tree builder repeats formatting elements that were
// left open.

import { loadDocument } from './cheerio.js';
import type { HtmlSummary } from './html.js';

const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

/** What is compared of a page, made comparable. */
export interface ComparedFacts {
  readonly title: string | null;
  readonly baseHref: string | null;
  readonly links: readonly string[];
  readonly metas: readonly string[];
  readonly linkElements: readonly string[];
  readonly refresh: string | null;
}

/**
 * The facts by the tree. What lies in templates is no part of the page; `frame` outside of a frameset is none to a
 * tree.
 */
export function factsByTree(html: string): ComparedFacts {
  const $ = loadDocument(html, false);
  // `$` looks inside templates. One in SVG is an element like any other.
  $('template')
    .filter((_, { namespace }) => namespace === HTML_NAMESPACE)
    .remove();
  const find = (selector: string) =>
    $(selector)
      .toArray()
      .map((element) => ({
        name: 'tagName' in element ? element.tagName : '',
        of: (attribute: string) => $(element).attr(attribute) ?? null,
      }));
  const titles = $('title')
    .toArray()
    .filter((element) => $(element).closest('svg, math').length === 0)
    .map((element) => words($(element).text()).join(' '));
  const links = find('a, area, iframe').flatMap(({ name, of }) => {
    const href = of(name === 'iframe' ? 'src' : 'href');
    return href === null ? [] : [{ href: trim(href), rel: relOf(of('rel')), element: name }];
  });
  const linkElements = find('link').map(({ of }) => ({
    rel: relOf(of('rel')),
    name: of('name'),
    href: trimOrNull(of('href')),
    content: of('content'),
  }));
  const refresh = find('meta').find(
    ({ of }) => of('http-equiv')?.trim().toLowerCase() === 'refresh' && of('content') !== null,
  );
  return {
    title: titles.find((title) => title !== '') ?? null,
    baseHref: trimOrNull(find('base[href]')[0]?.of('href') ?? null),
    links: asSet(links),
    metas: asSet(
      find('meta[name]').map(({ of }) => ({ name: of('name'), content: of('content'), value: of('value') })),
    ),
    linkElements: asSet(linkElements.filter(({ rel, name }) => rel.length > 0 || name !== null)),
    refresh: refresh?.of('content') ?? null,
  };
}

/** The facts by the scan, made comparable. */
export function comparable(facts: HtmlSummary): ComparedFacts {
  const { title, baseHref, links, metas, linkElements, refresh } = facts;
  return {
    title,
    baseHref,
    links: asSet(links.filter(({ element }) => element !== 'frame')),
    metas: asSet(metas),
    linkElements: asSet(linkElements),
    refresh,
  };
}

function asSet(values: readonly unknown[]): string[] {
  return [...new Set(values.map((value) => JSON.stringify(value)))].sort();
}

function words(text: string): string[] {
  return text.match(/[^\t\n\f\r ]+/g) ?? [];
}

function relOf(rel: string | null): string[] {
  return words(rel?.toLowerCase() ?? '');
}

function trim(value: string): string {
  return value.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
}

function trimOrNull(value: string | null): string | null {
  return value === null ? null : trim(value);
}
