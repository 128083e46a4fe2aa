// Licences (RSL) on loopback sites, by the servers' own log: the table of docs/politeness.md, outcome by outcome and
// purpose by purpose. A document is requested once, before the pages that it covers.

import { readFileSync } from 'node:fs';
import type { CrawlerOptions } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { rowsUnder } from '../docs/tables.js';
import { rootPath } from '../house/source-tree.js';
import { crawl } from '../support/crawl.js';
import { page, type Route, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const RSL = 'https://rslstandard.org/rsl';
const rsl = (licenses: string, content = 'url="/"') =>
  text(`<rsl xmlns="${RSL}"><content ${content}><license>${licenses}</license></content></rsl>`);
const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';
const permits = (uses: string) => `<permits type="usage">${uses}</permits>`;

type Purpose = NonNullable<CrawlerOptions['purposes']>[number];

/** The licence of the site for each row, by the words of the row. */
const SITES: Readonly<Record<string, Route>> = {
  free: rsl(''),
  attribution: rsl('<payment type="attribution"/>'),
  terms: rsl('<payment type="contribution"/>'),
  payment: rsl(PRICE),
  'payment search': rsl(permits('search') + PRICE),
  'payment ai-all': rsl(permits('ai-all') + PRICE),
  token: rsl('', 'url="/" server="https://olp.example/"'),
  prohibited: rsl('<prohibits type="usage">all</prohibits>'),
  unreadable: text('no licence'),
};
/** The answers of the rows without a document. */
const REFUSALS: Readonly<Record<string, Route>> = {
  License: { status: 401, headers: { 'www-authenticate': 'License error="invalid_request"' } },
  '': { status: 402, headers: { 'crawler-price': 'USD 0.01' } },
};
const PURPOSES: readonly (Purpose | null)[] = [null, 'search', 'archive', 'tdm', 'other', 'ai-train', 'ai-input'];
const TABLE = rowsUnder(readFileSync(`${rootPath}docs/politeness.md`, 'utf8'), '## Licences and prices').map(
  ({ words, cells }, at) => ({ host: `row${at}.test`, site: words.join(' '), cells: cells.slice(1) }),
);

/** Crawls one site for every row of the table, for one purpose. */
async function crawled(purpose: Purpose | null) {
  const hosts = TABLE.map(({ host, site }) => {
    const refusal = REFUSALS[site];
    const routes: Record<string, Route> = {
      '/robots.txt': text(`User-agent: *\nDisallow: /no\n${refusal === undefined ? 'License: /license.xml\n' : ''}`),
      '/license.xml': SITES[site] ?? { status: 404 },
      '/.well-known/tdmrep.json': { status: 404 },
      '/': refusal ?? page('start', ['/1', '/no']),
      '/1': page('one'),
    };
    return [host, routes] as const;
  });
  const web = await webForTest({ hosts: Object.fromEntries(hosts) });
  const seeds = TABLE.flatMap(({ host, site }) => [web.url(host), ...(site in REFUSALS ? [] : [web.url(host, '/1')])]);
  const story = await crawl({ seeds, ...(purpose === null ? {} : { purposes: [purpose] }) });
  return TABLE.map(({ host, site, cells }) => {
    const found = story.decisions.filter(({ url }) => seeds.includes(url) && new URL(url).hostname === host);
    const items = story.items.filter(({ url }) => new URL(url).hostname === host);
    return {
      row: `${site}, ${purpose}`,
      site,
      cell: cells[PURPOSES.indexOf(purpose)],
      document: site in REFUSALS ? null : web.url(host, '/license.xml'),
      paths: web.paths(host).filter((path) => !path.startsWith('/.well-known')),
      words: [...new Set(found.map(({ status, reason }) => `${status} ${reason}`))],
      details: found.map(({ detail }) => detail ?? ''),
      licenses: items.map(({ license }) => license),
      isTold: story.notices.some(({ code, detail }) => code.startsWith('license-') && detail?.includes(host)),
    };
  });
}

const KEPT_RESULT = { words: ['fetched fetched'], pages: ['/', '/1'], documents: 1, items: 2 };
/** What each word of the table means for requests, decisions and items. */
const MEANING: Readonly<Record<string, typeof KEPT_RESULT>> = {
  kept: KEPT_RESULT,
  'not read': { ...KEPT_RESULT, documents: 0 },
  held: { words: ['held license'], pages: [], documents: 1, items: 0 },
  excluded: { words: ['excluded license-prohibits'], pages: [], documents: 1, items: 0 },
  refused: { words: ['failed payment-required'], pages: ['/'], documents: 0, items: 0 },
};

describe('the table of licences in docs/politeness.md', () => {
  it('has a row for each site of this test, and no other', () => {
    expect(TABLE.map(({ site }) => site).sort()).toEqual(Object.keys({ ...SITES, ...REFUSALS }).sort());
    expect(TABLE.every(({ cells }) => cells.length === PURPOSES.length)).toBe(true);
  });

  it.each(PURPOSES.map((purpose) => ({ purpose })))('is what happens: purpose $purpose', async ({ purpose }) => {
    for (const { row, site, cell, paths, words, document, details, licenses, isTold } of await crawled(purpose)) {
      const meant = MEANING[cell ?? '']!;
      expect(words, row).toEqual(meant.words);
      // The document once, before the first page.
      const documents = Array.from({ length: meant.documents }, () => '/license.xml');
      expect(paths, row).toEqual(['/robots.txt', ...documents, ...meant.pages]);
      expect(licenses, row).toHaveLength(meant.items);
      if (document === null) continue;
      for (const license of licenses) expect(license?.document, row).toBe(document);
      if (meant.items === 0) for (const detail of details) expect(detail, row).toContain(document);
      if (cell === 'held') {
        for (const detail of details)
          expect(detail, row).toMatch(new RegExp(`^${site.split(' ')[0]}.*, for ${purpose}$`));
      }
      // RSL has no term for two of the purposes: for them, a price for other uses is not reported.
      expect(isTold, row).toBe(!site.includes(' ') || cell !== 'kept');
    }
  });

  it('names price, server and element for held pages', async () => {
    const sites = await crawled('ai-train');
    const held = sites.find(({ site }) => site === 'payment');
    const byServer = sites.find(({ site }) => site === 'token');
    expect(byServer?.details[0]).toMatch(
      /^token of https:\/\/olp\.example\/: .* content\[1\]\/license\[1\], for ai-train$/,
    );
    expect(held?.details[0]).toMatch(/^payment 0\.015 USD: .* content\[1\]\/license\[1\], for ai-train$/);
  });
});

describe('a licence that only the response names', () => {
  const DOCUMENTS = {
    '/priced.xml': rsl(PRICE),
    '/closed.xml': rsl('<prohibits type="usage">all</prohibits>'),
  };
  const HTML = { 'content-type': 'text/html' };
  const linked = (href: string) => `<link rel="license" type="application/rsl+xml" href="${href}">`;
  const inline = (inner: string) =>
    `<script type="application/RSL+xml"><rsl xmlns="${RSL}"><content url=""><license>${inner}</license></content></rsl></script>`;
  const field = (href: string) => ({ link: `<${href}>; rel="license"; type="application/rsl+xml"` });
  const UTF16 = 'text/html; charset=utf-16le';

  it.each<[title: string, Route, isKept: boolean, isFollowed: boolean]>([
    ['no licence', page('x', ['/1']), true, true],
    ['a licence that is none of RSL', page('x', ['/1'], '<link rel="license" href="/priced.xml">'), true, true],
    ['a price, by a link element', page('x', ['/1'], linked('/priced.xml')), false, true],
    [
      'a price, by a Link field',
      { body: page('x', ['/1']), headers: { ...HTML, ...field('/priced.xml') } },
      false,
      true,
    ],
    ['a price, in a script', page('x', ['/1'], inline(PRICE)), false, true],
    [
      'a price, in a page of two bytes a character',
      { body: Buffer.from(page('x', ['/1'], linked('/priced.xml')), 'utf16le'), headers: { 'content-type': UTF16 } },
      false,
      true,
    ],
    ['a prohibition', page('x', ['/1'], linked('/closed.xml')), false, false],
  ])('%s', async (_, front, isKept, isFollowed) => {
    const web = await webForTest({
      hosts: {
        'a.test': { '/.well-known/tdmrep.json': { status: 404 }, ...DOCUMENTS, '/': front, '/1': page('one') },
      },
    });
    const { itemUrls } = await crawl({ seeds: [web.url('a.test')], purposes: ['ai-train'] });
    expect(itemUrls.includes(web.url('a.test'))).toBe(isKept);
    expect(web.paths('a.test').includes('/1')).toBe(isFollowed);
  });
});
