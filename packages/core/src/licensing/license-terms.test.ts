// The vectors of licensing §13 that concern RSL, and more cases: terms that include others, parties, several documents.
// If this breaks, a crawl takes what is not offered to it.

import { compileRules, parseRobots } from '@mannerly/robots';
import type { Purpose } from '@mannerly/robots/page';
import { describe, expect, it } from 'vitest';
import { contentsOf, rslOf } from '../../test-support/rsl-document.js';
import { readLicenseDocument } from './license-document.js';
import { assessLicenses, type LicenseUser } from './license-terms.js';

const SITE = 'https://site.example';
const permits = (terms: string, type = 'usage') => `<permits type="${type}">${terms}</permits>`;
const prohibits = (terms: string, type = 'usage') => `<prohibits type="${type}">${terms}</prohibits>`;
const license = (...parts: readonly string[]) => `<license>${parts.join('')}</license>`;
const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';

/** The documents of the vectors, by URL. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'https://x.example/l.xml': rslOf(license(permits('all'))),
  'https://x.example/l1.xml': rslOf(license(prohibits('all'))),
  'https://x.example/l2.xml': rslOf(license(permits('search'))),
  'https://x.example/articles.xml': contentsOf([
    ['/', license(permits('all'))],
    ['/articles/', license(prohibits('ai-train'))],
  ]),
  'https://x.example/price.xml': rslOf(license(permits('ai-all'), PRICE)),
  'https://x.example/server.xml': rslOf(license(permits('all'), '<payment type="free"/>')).replace(
    '<content',
    '<content server="https://olp.example/"',
  ),
  'https://x.example/unknown.xml': rslOf(license('<permit type="usage">all</permit>')),
};

function judged(file: string, agent: string, path: string, user: Partial<LicenseUser>) {
  const rules = compileRules(parseRobots(file, { robotsUrl: `${SITE}/robots.txt` }), { tokens: [agent] });
  if (!rules.isAllowed(SITE + path)) return 'excluded by robots';
  const documents = rules.licenses.map((document) => ({ document, reading: readOf(DOCUMENTS[document] ?? '') }));
  const verdict = assessLicenses(SITE + path, documents, { ...NO_ONE, ...user });
  return [verdict.outcome, verdict.effect].join(', ');
}

const NO_ONE: LicenseUser = { purposes: [], party: {}, accepted: [], licensedOrigins: [], isStrict: false };
const readOf = readLicenseDocument;
const named = (name: string) => `License: https://x.example/${name}.xml\n`;
const TWO = `${named('l1')}User-agent: mybot\n${named('l2')}`;

type Row = readonly [
  vector: string,
  file: string,
  agent: string,
  path: string,
  Purpose,
  expected: string,
  user?: Partial<LicenseUser>,
];

const VECTORS: readonly Row[] = [
  ['1', `User-agent: *\nDisallow: /a\n${named('l')}`, 'mybot', '/a', 'search', 'excluded by robots'],
  ['2', TWO, 'mybot', '/', 'search', 'free, none'],
  ['3', TWO, 'otherbot', '/', 'search', 'prohibited, prohibited'],
  ['4', `User-agent: a\nDisallow:\n\n${named('l1')}`, 'b', '/', 'search', 'prohibited, prohibited'],
  ['5', named('l2'), 'mybot', '/', 'ai-train', 'prohibited, prohibited'],
  ['6', named('articles'), 'mybot', '/articles/1', 'ai-train', 'prohibited, prohibited'],
  ['6, elsewhere', named('articles'), 'mybot', '/about', 'ai-train', 'free, none'],
  ['7', named('price'), 'mybot', '/', 'ai-input', 'payment, held'],
  ['7, archive', named('price'), 'mybot', '/', 'archive', 'none, none'],
  ['7, strict', named('price'), 'mybot', '/', 'archive', 'prohibited, prohibited', { isStrict: true }],
  ['8', named('server'), 'mybot', '/', 'archive', 'token, held'],
  ['8, with a token', named('server'), 'mybot', '/', 'archive', 'free, none', { licensedOrigins: [SITE] }],
  ['9', named('unknown'), 'mybot', '/', 'ai-train', 'unreadable, held'],
  ['9, search', named('unknown'), 'mybot', '/', 'search', 'unreadable, none'],
  ['11', `User-agent: *\nContent-Usage: bots=n`, 'mybot', '/', 'ai-train', 'none, none'],
];

describe('vectors of licensing §13', () => {
  it.each(VECTORS.map((row) => [row[0], row] as const))('%s', (_, [, file, agent, path, purpose, expected, user]) => {
    expect(judged(file, agent, path, { ...user, purposes: [purpose] })).toBe(expected);
  });
});

/** The table of licensing §9: the result of each term for each purpose. `-`: none. */
const TERMS: Readonly<Record<string, string>> = {
  free: license(),
  attribution: license('<payment type="attribution"/>'),
  terms: license('<payment type="free"><custom>https://x.example/terms</custom></payment>'),
  payment: license(PRICE),
  prohibited: license(prohibits('all')),
  unreadable: '<other/>',
};
const EFFECTS = `
  outcome      search      archive     tdm         other       ai-train    ai-input
  free         none        none        none        none        none        none
  attribution  none        none        none        none        none        none
  terms        none        none        none        none        held        held
  payment      held        held        held        held        held        held
  prohibited   prohibited  prohibited  prohibited  prohibited  prohibited  prohibited
  unreadable   none        none        none        none        held        held`;

describe('what follows from a licence', () => {
  const [head = [], ...rows] = EFFECTS.trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/));
  const cases = rows.flatMap(([outcome = '', ...effects]) =>
    effects.map((effect, at) => [outcome, head[at + 1] as Purpose, effect] as const),
  );
  it.each(cases)('%s, %s: %s', (outcome, purpose, effect) => {
    const reading = readOf(rslOf(TERMS[outcome] as string));
    const documents = [{ document: 'https://x.example/l.xml', reading }];
    const verdict = assessLicenses(`${SITE}/a`, documents, { ...NO_ONE, purposes: [purpose] });
    expect([verdict.outcome, verdict.effect]).toEqual([outcome, effect]);
    const none = assessLicenses(`${SITE}/a`, documents, NO_ONE);
    expect([none.outcome, none.effect, none.purpose]).toEqual([outcome, 'none', null]);
  });

  it('is nothing if the document was not requested', () => {
    const documents = [{ document: 'https://x.example/l.xml', reading: null }];
    const verdict = assessLicenses(`${SITE}/a`, documents, { ...NO_ONE, purposes: ['ai-train'] });
    expect(verdict).toMatchObject({ outcome: 'unread', effect: 'none', document: 'https://x.example/l.xml' });
  });
});

const OTHERS: readonly (readonly [string, string, Purpose, string, Partial<LicenseUser>?])[] = [
  ['ai-all includes each of them', license(permits('ai-all')), 'ai-train', 'free'],
  ['ai-all includes no search', license(permits('ai-all')), 'search', 'prohibited'],
  ['all includes search', license(permits('all')), 'search', 'free'],
  ['a prohibition includes as a permission does', license(prohibits('ai-all')), 'ai-train', 'prohibited'],
  ['a narrow prohibition leaves the rest', license(prohibits('ai-train')), 'ai-input', 'free'],
  ['ai-input asks for an index too (C6)', license(permits('ai-input')), 'ai-input', 'prohibited'],
  ['ai-input and its index', license(permits('ai-input ai-index')), 'ai-input', 'free'],
  ['a prohibited index', license(prohibits('ai-index')), 'ai-input', 'prohibited'],
  ['of two offers the lesser', license(PRICE) + license(permits('search')), 'search', 'free'],
  ['whichever comes first', license(permits('search')) + license(PRICE), 'search', 'free'],
  ['an offer of something else is none', license(PRICE) + license(permits('ai-train')), 'search', 'payment'],
  [
    'terms that were accepted',
    TERMS['terms'] as string,
    'ai-train',
    'terms',
    { accepted: ['https://x.example/l.xml'] },
  ],
  ['acceptance does not pay a price', license(PRICE), 'ai-train', 'payment', { accepted: ['https://x.example/l.xml'] }],
  ['a price is met by a token', license(PRICE), 'ai-train', 'free', { licensedOrigins: [SITE] }],
  ['not by one of another origin', license(PRICE), 'ai-train', 'payment', { licensedOrigins: [`${SITE}:8443`] }],
  ['a prohibition stays, token or not', license(prohibits('all')), 'search', 'prohibited', { licensedOrigins: [SITE] }],
  ['the words of RSL 0.9 prohibit', license(prohibits('train-ai')), 'ai-train', 'prohibited'],
  ['all of them', license(prohibits('train-genai,ai-summarize')), 'ai-input', 'prohibited'],
  ['and permit', license(permits('train-ai')), 'ai-train', 'free'],
  ['a prohibition in capitals', license(prohibits('AI-Train')), 'ai-train', 'prohibited'],
  ['a country in small letters', license(prohibits('de', 'geo')), 'search', 'prohibited', { party: { country: 'DE' } }],
  ['a price that is called free', license(PRICE.replace('crawl', 'free')), 'search', 'payment'],
  ['a price besides attribution', license(PRICE.replace('crawl', 'attribution')), 'search', 'payment'],
  ['a price of nothing', license(PRICE.replace('crawl', 'free').replace('0.015', '0.00')), 'search', 'free'],
  ['an unknown payment is one', license('<payment type="barter"/>'), 'search', 'payment'],
  ['a contribution is terms', license('<payment type="contribution"/>'), 'search', 'terms'],
  ['a contribution of an amount too', license(PRICE.replace('crawl', 'contribution')), 'search', 'terms'],
  ['a report is terms', license('<reporting type="audit"/>'), 'search', 'terms'],
  ['a party that is not known', license(permits('education', 'user')), 'search', 'prohibited'],
  ['its party', license(permits('education', 'user')), 'search', 'free', { party: { user: 'education' } }],
  ['another party', license(permits('education', 'user')), 'search', 'prohibited', { party: { user: 'commercial' } }],
  ['a country that is not known', license(prohibits('US', 'geo')), 'search', 'prohibited'],
  ['a country that is not refused', license(prohibits('US', 'geo')), 'search', 'free', { party: { country: 'DE' } }],
  ['a country of the EU', license(permits('EU', 'geo')), 'search', 'free', { party: { country: 'de' } }],
  ['a country outside the EU', license(permits('EU', 'geo')), 'search', 'prohibited', { party: { country: 'US' } }],
  ['another one of the EU', license(permits('FR', 'geo')), 'search', 'prohibited', { party: { country: 'DE' } }],
  [
    'a token does not move a country',
    license(prohibits('EU', 'geo'), PRICE),
    'search',
    'prohibited',
    {
      party: { country: 'DE' },
      licensedOrigins: [SITE],
    },
  ],
];

describe('a licence', () => {
  it.each(OTHERS.map((row) => [row[0], row] as const))('%s', (_, [, licenses, purpose, outcome, user]) => {
    const documents = [{ document: 'https://x.example/l.xml', reading: readOf(rslOf(licenses)) }];
    const verdict = assessLicenses(`${SITE}/a`, documents, { ...NO_ONE, ...user, purposes: [purpose] });
    expect(verdict.outcome).toBe(outcome);
  });

  it('holds no page once its terms are accepted', () => {
    const document = 'https://x.example/l.xml';
    const documents = [{ document, reading: readOf(rslOf(TERMS['terms'] as string)) }];
    const user: LicenseUser = { ...NO_ONE, purposes: ['ai-train'], accepted: [document] };
    expect(assessLicenses(`${SITE}/a`, documents, user)).toMatchObject({ outcome: 'terms', effect: 'none' });
  });

  it('that did not come holds a page for every purpose, and nothing without one', () => {
    const reading = { kind: 'unreadable', reason: 'timeout', isTemporary: true } as const;
    const effect = (...purposes: Purpose[]) =>
      assessLicenses(`${SITE}/a`, [{ document: 'd', reading }], { ...NO_ONE, purposes }).effect;
    expect([effect('search'), effect('archive'), effect('ai-train'), effect()]).toEqual([
      'held',
      'held',
      'held',
      'none',
    ]);
  });

  it('is the stricter of two contents that are equally narrow, whatever the order', () => {
    const contents = [
      ['/*.html', license()],
      ['/a.html', license(PRICE)],
    ] as const;
    for (const order of [contents, contents.toReversed()]) {
      const documents = [{ document: 'd', reading: readOf(contentsOf(order)) }];
      const verdict = assessLicenses(`${SITE}/a.html`, documents, { ...NO_ONE, purposes: ['search'] });
      expect(verdict.outcome).toBe('payment');
    }
  });

  it('counts for a URL that cannot be parsed, whatever its content is', () => {
    const documents = [{ document: 'd', reading: readOf(contentsOf([['/a', license(prohibits('all'))]])) }];
    expect(assessLicenses('nonsense', documents, { ...NO_ONE, purposes: ['search'] }).effect).toBe('prohibited');
  });

  it('is that of the narrowest content that covers the use, whatever the order', () => {
    const contents = [
      ['/', license(PRICE)],
      ['/free/', license()],
      ['/free/not', license(permits('ai-all'), PRICE)],
    ] as const;
    // An absolute URL is as narrow as its path.
    const absolute = contents.map(([url, each], at) => [at === 0 ? SITE + url : url, each] as const);
    for (const order of [contents, contents.toReversed(), absolute]) {
      const documents = [{ document: 'd', reading: readOf(contentsOf(order)) }];
      const outcome = (path: string, purpose: Purpose) =>
        assessLicenses(SITE + path, documents, { ...NO_ONE, purposes: [purpose] }).outcome;
      expect(outcome('/a', 'archive')).toBe('payment');
      expect(outcome('/free/a', 'archive')).toBe('free');
      expect(outcome('/free/not', 'archive')).toBe('free');
      expect(outcome('/free/not', 'ai-train')).toBe('payment');
    }
  });

  it('is the strictest of several documents and purposes, and names it', () => {
    const documents = [
      { document: 'a', reading: readOf(rslOf(license())) },
      {
        document: 'b',
        reading: readOf(
          contentsOf([
            ['/x', license()],
            ['/', license() + license(permits('search'), PRICE)],
          ]),
        ),
      },
      { document: 'c', reading: readOf(rslOf(license(permits('ai-train'), PRICE))) },
    ];
    const verdict = assessLicenses(`${SITE}/a`, documents, { ...NO_ONE, purposes: ['search', 'ai-train'] });
    expect(verdict).toEqual({
      outcome: 'prohibited',
      effect: 'prohibited',
      document: 'c',
      element: 'content[1]',
      price: null,
      purpose: 'search',
    });
    const ai = assessLicenses(`${SITE}/a`, documents, { ...NO_ONE, purposes: ['ai-train'] });
    expect(ai).toMatchObject({ effect: 'held', document: 'c', element: 'content[1]/license[1]', price: '0.015 USD' });
  });

  it('has the strictest effect, and then the strictest outcome, whatever the order', () => {
    const unreadable = { document: 'unreadable', reading: readOf('') };
    const priced = { document: 'priced', reading: readOf(rslOf(license(PRICE))) };
    const free = { document: 'free', reading: readOf(rslOf(license())) };
    const strictest = (...documents: readonly (typeof free)[]) =>
      [documents, documents.toReversed()].map(
        (order) => assessLicenses(`${SITE}/a`, order, { ...NO_ONE, purposes: ['search'] }).document,
      );
    expect(strictest(unreadable, priced)).toEqual(['priced', 'priced']);
    expect(strictest(unreadable, free)).toEqual(['unreadable', 'unreadable']);
  });

  it('with an absolute URL applies to its origin, and with an empty one to the page that contains it', () => {
    const outcome = (url: string) => {
      const documents = [{ document: 'd', reading: readOf(contentsOf([[url, license(PRICE)]])) }];
      const verdict = assessLicenses(`${SITE}/a?b=c`, documents, { ...NO_ONE, purposes: ['search'] });
      // Named also if it says nothing about the URL.
      expect(verdict.document).toBe('d');
      return verdict.outcome;
    };
    expect(outcome(`${SITE}/`)).toBe('payment');
    expect(outcome(SITE)).toBe('payment');
    expect(outcome(`${SITE}/b`)).toBe('none');
    expect(outcome('/a?b=')).toBe('payment');
    expect(outcome('/a?c=')).toBe('none');
    expect(outcome(`${SITE.replace('https', 'HTTP')}/*`)).toBe('payment');
    expect(outcome('https://other.example/')).toBe('none');
    expect(outcome('')).toBe('payment');
    expect(outcome('*.html')).toBe('none');
  });
});
