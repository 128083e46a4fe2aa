// Licences (RSL) on loopback sites, by the server's own log: each outcome of the table in docs/politeness.md, requested
// or not, kept or not. A licence document is requested once, before the pages it speaks of.

import type { CrawlerOptions } from 'mannerly';
import { expect, it } from 'vitest';
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

async function crawled([, document, purposes]: Row) {
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
  const { decisions, items, requests } = await crawl({ seeds, purposes });
  const found = decisions.filter(({ url }) => seeds.includes(url));
  return {
    paths: web.paths('a.test').filter((path) => !path.startsWith('/.well-known')),
    words: found.map(({ status, reason }) => `${status} ${reason}`),
    said: items[0]?.license?.outcome ?? found[0]?.detail?.split(/[: ]/)[0],
    named: items[0]?.license?.document ?? /: (\S+?),? /.exec(found[0]?.detail ?? '')?.[1],
    document: web.url('a.test', '/license.xml'),
    documents: requests.filter(({ purpose }) => purpose === 'license').length,
    details: found.map(({ detail }) => detail),
    items: items.length,
  };
}

it('each outcome of a licence that robots.txt names, by the log of a server', async () => {
  const stories = await Promise.all(ROWS.map(crawled));
  for (const [at, [outcome, , purposes, word]] of ROWS.entries()) {
    const { paths, words, said, named, document, documents, details, items } = stories[at]!;
    const row = `${outcome}, ${purposes.join(' and ')}`;
    const isKept = word === null;
    // Once, and before the first page.
    expect(paths, row).toEqual(['/robots.txt', '/license.xml', ...(isKept ? ['/', '/1'] : [])]);
    expect(documents, row).toBe(1);
    expect(words, row).toEqual(isKept ? ['fetched fetched', 'fetched fetched'] : [word, word]);
    expect(said, row).toBe(outcome);
    expect(named, row).toBe(document);
    expect(items, row).toBe(isKept ? 2 : 0);
    if (outcome === 'payment') expect(details[0]).toMatch(/^payment 0\.015 USD: .* content\[1\]\/license\[1\], for/);
  }
});
