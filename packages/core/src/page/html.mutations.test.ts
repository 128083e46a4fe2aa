// Compares the scan of a page with a complete HTML parser on thousands of damaged pages, and on any corpus that is
// available. If the scan misreads a page, a link is never fetched or a `noindex` is missed.
//
// `PAGE_CASES` sets the number of damaged pages, `PAGE_SEED` their seed. `PAGE_CORPUS` names a folder of HTML files,
// for example of a documentation package: PAGE_CORPUS=/usr/share/doc/python3-doc/html.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createRandom, damagedPage, islandsAndDamage, PAGES } from '../../test-support/page-mutations.js';
import { loadDocument } from './cheerio.js';
import { type HtmlSummary, readHtml, utf8Page } from './html.js';
import { MAX_PAGE_LINKS, MAX_TITLE_CHARS } from './limits.js';

const PAGE_COUNT = Number(process.env['PAGE_CASES'] ?? 400);
const SEED = Number(process.env['PAGE_SEED'] ?? 20_261_120);
const CORPUS = process.env['PAGE_CORPUS'];

describe('a scan and a tree', () => {
  it.each(PAGES.map((html, index) => [index, html] as const))('find the same in page %i', (_, html) => {
    expect(comparable(readHtml(html))).toEqual(factsByTree(html));
  });

  it.each([
    ['damaged pages', damagedPage],
    ['pages with SVG and MathML', islandsAndDamage],
  ])(
    `find the same in ${PAGE_COUNT} %s`,
    (_, page) => {
      const random = createRandom(SEED);
      for (let count = 0; count < PAGE_COUNT; count += 1) {
        const html = page(random);
        expect({ html, ...comparable(readHtml(html)) }).toEqual({ html, ...factsByTree(html) });
      }
    },
    600_000,
  );

  it.skipIf(CORPUS === undefined)(
    'find the same in every page of the corpus',
    () => {
      for (const { path, bytes } of corpus(CORPUS ?? '')) {
        const html = bytes.toString('utf8');
        expect({ path, ...comparable(readHtml(utf8Page(bytes))) }).toEqual({ path, ...factsByTree(html) });
      }
    },
    3_600_000,
  );
});

describe('a page in UTF-8 and the same page decoded', () => {
  it.each([
    ['damaged pages', damagedPage],
    ['pages with SVG and MathML', islandsAndDamage],
  ])('read the same: %s', (_, page) => {
    const random = createRandom(SEED);
    for (let count = 0; count < PAGE_COUNT; count += 1) {
      const bytes = Buffer.from(page(random));
      // Damage to single bytes.
      for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      }
      expect(readHtml(utf8Page(bytes))).toEqual(readHtml(bytes.toString('utf8')));
    }
  });
});

function* corpus(folder: string): Generator<{ path: string; bytes: Buffer }> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.html(?:\.gz)?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    yield { path, bytes: path.endsWith('.gz') ? gunzipSync(bytes) : bytes };
  }
}

const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

/** The compared facts of a page. Links are a set: a tree builder repeats unclosed formatting elements. */
interface ComparedFacts {
  readonly title: string | null;
  readonly baseHref: string | null;
  readonly links: readonly string[];
  readonly metas: readonly string[];
  readonly linkElements: readonly string[];
  readonly refresh: string | null;
}

/**
 * The facts as a complete HTML parser finds them (cheerio on parse5, which follows the standard's algorithm). The
 * content of templates is not part of the page; a tree builder ignores `frame` outside of a frameset.
 */
function factsByTree(html: string): ComparedFacts {
  const $ = loadDocument(html, false);
  // `$` also searches templates. In SVG, `template` is an ordinary element.
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
  const linkElements = find('link').map(({ of }) => {
    const rel = relOf(of('rel'));
    const element = { rel, name: of('name'), href: trimOrNull(of('href')), content: of('content') };
    const [type, hreflang] = [of('type'), of('hreflang')];
    const described = { ...(type === null ? {} : { type }), ...(hreflang === null ? {} : { hreflang }) };
    return rel.includes('alternate') ? { ...element, ...described } : element;
  });
  const refresh = find('meta').find(
    ({ of }) => of('http-equiv')?.trim().toLowerCase() === 'refresh' && of('content') !== null,
  );
  return {
    title: titles.find((title) => title !== '')?.slice(0, MAX_TITLE_CHARS) ?? null,
    baseHref: trimOrNull(find('base[href]')[0]?.of('href') ?? null),
    links: asSet(links.slice(0, MAX_PAGE_LINKS)),
    metas: asSet(
      find('meta[name]').map(({ of }) => ({ name: of('name'), content: of('content'), value: of('value') })),
    ),
    linkElements: asSet(linkElements.filter(({ rel, name }) => rel.length > 0 || name !== null)),
    refresh: refresh?.of('content') ?? null,
  };
}

/** The facts of the scan, made comparable. */
function comparable(facts: HtmlSummary): ComparedFacts {
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
