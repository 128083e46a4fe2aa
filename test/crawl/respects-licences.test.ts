// Licences (RSL) on loopback sites, by the server's own log: each outcome of the table in docs/politeness.md, requested
// or not, kept or not. A licence document is requested once, before the pages it speaks of.

import type { CrawlerOptions } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const RSL = 'https://rslstandard.org/rsl';
const rsl = (licenses: string, content = 'url="/"') =>
  text(`<rsl xmlns="${RSL}"><content ${content}>${licenses}</content></rsl>`);
const license = (inner = '') => `<license>${inner}</license>`;
const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';

type Purposes = NonNullable<CrawlerOptions['purposes']>;
type Row = readonly [outcome: string, document: string | object, purposes: Purposes, word: string | null];

/** What becomes of a page, `null`: it is kept; by the word of its licence. */
const ROWS: readonly Row[] = [
  ['free', rsl(license()), ['ai-train'], null],
  ['attribution', rsl(license('<payment type="attribution"/>')), ['ai-train'], null],
  ['terms', rsl(license('<payment type="contribution"/>')), ['search'], null],
  ['terms', rsl(license('<payment type="contribution"/>')), ['ai-input'], 'held license'],
  ['payment', rsl(license(PRICE)), ['search'], 'held license'],
  ['payment', rsl(license(PRICE)), ['archive', 'ai-train'], 'held license'],
  ['token', rsl(license(), 'url="/" server="https://olp.example/"'), ['archive'], 'held license'],
  ['prohibited', rsl(license('<prohibits type="usage">all</prohibits>')), ['other'], 'excluded license-prohibits'],
  ['unreadable', text('no licence'), ['search'], null],
  ['unreadable', text('no licence'), ['ai-train'], 'held license'],
  ['unreadable', { status: 404 }, ['ai-train'], 'held license'],
  ['none', rsl(license(`<permits type="usage">ai-all</permits>${PRICE}`)), ['tdm'], null],
];

describe('a licence that robots.txt names', () => {
  it.each(ROWS)('%s: by the server’s log', async (outcome, document, purposes, word) => {
    const web = await webForTest({
      hosts: {
        'a.test': {
          '/robots.txt': text('User-agent: *\nDisallow: /no\nLicense: /license.xml\n'),
          '/license.xml': document,
          '/.well-known/tdmrep.json': { status: 404 },
          '/': page('start', ['/1', '/no']),
          '/1': page('one'),
        },
      },
    });
    const seeds = [web.url('a.test'), web.url('a.test', '/1')];
    const { report, decisions, items, requests } = await crawl({ seeds, purposes });
    const paths = web.paths('a.test').filter((path) => !path.startsWith('/.well-known'));
    const pages = word === null ? ['/', '/1'] : [];
    expect(paths).toEqual(['/robots.txt', '/license.xml', ...pages]);
    expect(requests.filter(({ purpose }) => purpose === 'license')).toHaveLength(1);
    const found = decisions.filter(({ url }) => seeds.includes(url));
    expect(found.map(({ status, reason }) => `${status} ${reason}`)).toEqual(
      word === null ? ['fetched fetched', 'fetched fetched'] : [word, word],
    );
    if (word === null) {
      const [item] = items;
      expect(item?.license).toMatchObject({ document: web.url('a.test', '/license.xml'), outcome });
    } else {
      expect(found[0]?.detail).toContain(outcome);
      expect(found[0]?.detail).toContain(web.url('a.test', '/license.xml'));
      expect(items).toEqual([]);
      expect(report.pages).toBe(0);
    }
    if (outcome === 'payment') expect(found[0]?.detail).toMatch(/^payment 0\.015 USD: .* content\[1\]\/license\[1\], for/);
  });
});
