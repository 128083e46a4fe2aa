// `page.links` and `page.$('a')` read the same page with a scan and with a tree. A handler may use either, so they must
// find the same links with the same `rel`. Three differences are known. `$('a')` also looks into `template`, whose
// content is not part of the document (HTML, "the template element"). parse5 drops what it finds in a `select` or a
// `frameset`; the scan keeps those links. And parse5 lets `</table>` end a table from within a `template` in it, which
// the standard does not.

import type { Element, ParentNode } from 'domhandler';
import { describe, expect, it } from 'vitest';
import { createRandom, damagedPage, islandsAndDamage, PAGES, type Random } from '../../test-support/page-mutations.js';
import { pageReader, pageWork, response } from '../../test-support/page-work.js';
import type { FetchedPage } from './page.js';

const PAGE_COUNT = Number(process.env['PAGE_CASES'] ?? 400);
const SEED = Number(process.env['PAGE_SEED'] ?? 20_261_123);
const URL_OF_PAGE = 'https://a.example/dir/page.html?x=1';
/** Damaged pages may look like binary data. */
const HEADERS = [
  ['Content-Type', 'text/html'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;
const HTML = 'http://www.w3.org/1999/xhtml';

const reader = pageReader();
const read = (html: string) => reader.read(pageWork(URL_OF_PAGE), response(URL_OF_PAGE, html, HEADERS));

/** The links of a page from its tree, in the form of `page.links`: each URL once for each meaning of its `rel`. */
function byTree({ $ }: FetchedPage): string[] {
  const base = resolved($('base[href]').filter(isInDocument).first().attr('href') ?? '', URL_OF_PAGE) ?? URL_OF_PAGE;
  const found = $('a[href], area[href], iframe[src]')
    .filter(isInDocument)
    .toArray()
    .flatMap((element) => {
      const url = resolved($(element).attr(element.name === 'iframe' ? 'src' : 'href') ?? '', base);
      const isWeb = url !== null && /^https?:/.test(url);
      return isWeb ? [described(url.replace(/#.*$/, ''), wordsOf($(element).attr('rel') ?? ''))] : [];
    });
  return [...new Set(found)].sort();
}

function isInDocument(_: number, element: Element): boolean {
  for (let at: ParentNode | null = element.parent; at !== null; at = at.parent) {
    if ('namespace' in at && at.name === 'template' && at.namespace === HTML) return false;
  }
  return true;
}

function byScan(page: FetchedPage): string[] {
  const links = page.links.filter(({ element }) => element !== 'frame');
  return [...new Set(links.map(({ url, rel }) => described(url, rel)))].sort();
}

const described = (url: string, rel: readonly string[]): string =>
  [url, ...['nofollow', 'ugc', 'sponsored', 'next'].filter((word) => rel.includes(word))].join(' ');
const wordsOf = (rel: string): string[] => rel.toLowerCase().match(/[^\t\n\f\r ]+/g) ?? [];

function resolved(href: string, base: string): string | null {
  try {
    return new URL(href.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, ''), base).href;
  } catch {
    return null;
  }
}

/** Tables, forms and lists, nested and closed at random, with links in all of them. */
function nestedPage(random: Random): string {
  const names = ['table', 'tr', 'td', 'caption', 'form', 'ul', 'li', 'p', 'a', 'b', 'button', 'dl', 'dd', 'nobr'];
  let html = random() < 0.5 ? '<!doctype html>' : '<base href=/other/>';
  for (let left = 30; left > 0; left -= 1) {
    const name = names[Math.floor(random() * names.length)] ?? 'p';
    const part = random();
    if (part < 0.4) html += `<a href="l${left}" rel="${random() < 0.3 ? 'nofollow' : 'me'}">`;
    else html += part < 0.75 ? `<${name}>` : `</${name}>`;
  }
  return html;
}

describe('`page.links` and `page.$("a")`', () => {
  it.each(PAGES.map((html, index) => [index, html] as const))('agree on page %i', async (_, html) => {
    const page = await read(html);
    expect(byScan(page)).toEqual(byTree(page));
    expect(byScan(page).length).toBeGreaterThan(5);
  });

  it.each([
    ['damaged pages', damagedPage],
    ['pages with SVG and MathML', islandsAndDamage],
    ['tables, forms and lists in any order', nestedPage],
  ])(`agree on ${PAGE_COUNT} %s`, async (_, make) => {
    const random = createRandom(SEED);
    for (let count = 0; count < PAGE_COUNT; count += 1) {
      const html = make(random);
      const page = await read(html);
      expect({ html, links: byScan(page) }).toEqual({ html, links: byTree(page) });
    }
  });

  it.each([
    ['<template><a href=/x></a></template>', [], ['/x']],
    ['<select><option><a href=/x>x</a></select>', ['/x'], []],
    ['<table><tr><template><tr></table><a href=/x></a>', [], ['/x']],
    ['<frameset><a href=/x>x</a></frameset>', ['/x'], []],
  ])('differ only as the header of this test says: %s', async (html, links, found) => {
    const page = await read(html);
    expect(page.links.map(({ url }) => new URL(url).pathname)).toEqual(links);
    expect(
      page
        .$('a')
        .toArray()
        .map(({ attribs }) => attribs['href']),
    ).toEqual(found);
  });
});
