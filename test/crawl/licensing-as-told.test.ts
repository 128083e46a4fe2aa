// What the operator's licence options change, by the servers' log and the items. And after a person accepts terms, the
// same crawl continues with the pages that were held.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlerOptions, Item } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl, makeCrawler, memorySink } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const RSL = 'https://rslstandard.org/rsl';
const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';
const TERMS = '<payment type="free"><custom>https://x.example/terms</custom></payment>';
const permits = (uses: string, type: string) => `<permits type="${type}">${uses}</permits>`;

async function site(license: string) {
  const document = `<rsl xmlns="${RSL}"><content url="/"><license>${license}</license></content></rsl>`;
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /no\nLicense: /l.xml\n'),
        '/.well-known/tdmrep.json': { status: 404 },
        '/l.xml': text(document),
        '/': page('start', ['/no']),
      },
    },
  });
  const paths = () => web.paths('a.test').filter((path) => !path.includes('tdmrep'));
  return { seeds: [web.url('a.test')], document: web.url('a.test', '/l.xml'), paths };
}

type Case = readonly [
  title: string,
  license: string,
  options: Partial<CrawlerOptions>,
  word: string,
  paths: string,
  outcome: string | null,
];
const READ = '/robots.txt /l.xml /';
const CASES: readonly Case[] = [
  [
    'observe: kept, with what it asks',
    PRICE,
    { purposes: ['ai-train'], licensing: { mode: 'observe' } },
    'fetched',
    READ,
    'payment',
  ],
  [
    'off: nothing is read or said',
    PRICE,
    { purposes: ['ai-train'], licensing: { mode: 'off' } },
    'fetched',
    '/robots.txt /',
    null,
  ],
  [
    'never read: kept, and told',
    PRICE,
    { purposes: ['ai-train'], licensing: { read: 'never' } },
    'fetched',
    '/robots.txt /',
    'unread',
  ],
  ['no purpose: not read', PRICE, {}, 'fetched', '/robots.txt /', 'unread'],
  ['no purpose, always read: no effect', PRICE, { licensing: { read: 'always' } }, 'fetched', READ, 'payment'],
  [
    'a party that is met',
    permits('education', 'user'),
    { purposes: ['search'], licensing: { party: { user: 'education' } } },
    'fetched',
    READ,
    'free',
  ],
  [
    'a party that is not named',
    permits('education', 'user'),
    { purposes: ['search'] },
    'license-prohibits',
    '/robots.txt /l.xml',
    null,
  ],
  [
    'a country of the EU',
    permits('EU', 'geo'),
    { purposes: ['search'], licensing: { party: { country: 'DE' } } },
    'fetched',
    READ,
    'free',
  ],
  ['silent about archives', permits('search', 'usage'), { purposes: ['archive'] }, 'fetched', READ, 'none'],
  [
    'strict: taken at its word',
    permits('search', 'usage'),
    { purposes: ['archive'], licensing: { strict: true } },
    'license-prohibits',
    '/robots.txt /l.xml',
    null,
  ],
];

it('each option changes only what it says', async () => {
  const check = async ([title, license, options, reason, expected, outcome]: Case) => {
    const { seeds, paths } = await site(license);
    const { decisions, items, report } = await crawl({ seeds, ...options });
    expect(decisions.find(({ url }) => url === seeds[0])?.reason, title).toBe(reason);
    expect(paths(), title).toEqual(expected.split(' '));
    const outcomes = items.map((item) => item.license?.outcome ?? null);
    expect(outcomes, title).toEqual(reason === 'fetched' ? [outcome] : []);
    // The report lists options that are more permissive than the default.
    const { mode = 'respect', read = 'with-purpose' } = options.licensing ?? {};
    const isRelaxed = mode !== 'respect' || read === 'never';
    expect(
      report.relaxedDefaults.some((each) => each.includes('licensing')),
      title,
    ).toBe(isRelaxed);
  };
  await Promise.all(CASES.map(check));
});

it('after a person accepts terms, the same crawl continues with what it held', async () => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-accepted-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const { seeds, document, paths } = await site(TERMS);
  const first = await crawl({ seeds, purposes: ['ai-train'], out: join(out, 'crawl') });
  const held = first.decisions.find(({ url }) => url === seeds[0]);
  expect(held).toMatchObject({ status: 'held', reason: 'license', detail: expect.stringMatching(/^terms/) });
  const items: Item[] = [];
  const licensing = { accepted: [document] };
  const again = makeCrawler({ seeds, purposes: ['ai-train'], licensing }, [memorySink(items)]);
  await again.run({ out: join(out, 'crawl'), retry: { reason: 'license' } });
  expect(items.map(({ license }) => license)).toMatchObject([{ outcome: 'terms', document }]);
  // The document was stored; the page was requested once it was allowed.
  expect(paths()).toEqual(['/robots.txt', '/l.xml', '/']);
});
