// A list is followed to its last page, however many "next" links lead there. If these links counted against a bound, a
// shop of 500 list pages would end after a few of them, in state `finished`, and no option would explain it.

import { type CrawlerOptions, createCrawler } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb } from 'mannerly/testing';
import { expect, it, vi } from 'vitest';

// These tests take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const SYLLABLES = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu'];

/** A product that is unique in the list: three readable words. */
function productOf(at: number): string {
  const digits = [...String(at).padStart(4, '0')].map(Number);
  return digits
    .map((digit, place) => `${SYLLABLES[digit]}${SYLLABLES[(digit + place) % 10]}${'nsr'[place % 3]}`)
    .join(' ');
}

/** A list of `pages` pages. Each names one product, whose page links to another page. */
function shop(pages: number, rel: string) {
  return createFakeWeb({
    hosts: {
      'a.test': {
        pages: ({ path }) => {
          const at = Number(path.slice(path.lastIndexOf('/') + 1));
          if (path.startsWith('/details')) return htmlOf(`details of ${productOf(at)}`);
          if (path.startsWith('/product')) return htmlOf(productOf(at), `<a href="/details/${at}">Details</a>`);
          const next = at < pages ? `<a class="next" ${rel} href="/list/${at + 1}">Next</a>` : '';
          return htmlOf(`page ${at}: ${productOf(at)}`, `<a href="/product/${at}">${productOf(at)}</a> ${next}`);
        },
      },
    },
  });
}

const htmlOf = (title: string, body = ''): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;

/** Crawls a shop with a handler. Returns how many pages of each kind were fetched. */
async function crawled(
  web: ReturnType<typeof shop>,
  bounds: CrawlerOptions['bounds'],
  next: { readonly depth?: 'same' } | null,
) {
  const { report } = await crawlInVirtualTime(web, (fakes) => {
    const crawler = createCrawler({
      identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
      scope: { seeds: ['https://a.test/list/1'], within: 'host' },
      bounds,
      ...fakes,
    });
    if (next !== null) {
      crawler.on('html', async (page) => {
        await page.follow('a:not(.next)');
        await page.follow('.next', next);
      });
    }
    return crawler;
  });
  const count = (kind: string): number => new Set(web.requested().filter((url) => url.includes(`/${kind}/`))).size;
  return { state: report.state, dropped: report.outcomes['dropped'] ?? {}, ...countsOf(count) };
}

const countsOf = (count: (kind: string) => number) => ({
  lists: count('list'),
  products: count('product'),
  details: count('details'),
});

it('a list of 200 pages, with `bounds.pages` alone', async () => {
  expect(await crawled(shop(200, ''), { pages: 10_000 }, null)).toEqual({
    state: 'finished',
    dropped: {},
    lists: 200,
    products: 200,
    details: 200,
  });
});

it.each([
  ['rel=next, without a handler', 'rel="next"', null],
  ['rel=next, by a selector', 'rel="noopener next"', {}],
  ["`depth: 'same'`", '', { depth: 'same' as const }],
])('40 pages with `bounds.depth` 2 and everything within it: %s', async (_name, rel, next) => {
  const found = { lists: 40, products: 40, details: 40 };
  expect(await crawled(shop(40, rel), { pages: 1_000, depth: 2 }, next)).toMatchObject({ state: 'finished', ...found });
});

it('the depth of all other links counts', async () => {
  expect(await crawled(shop(40, 'rel="next"'), { pages: 1_000, depth: 1 }, null)).toMatchObject({
    dropped: { 'bound-depth': 40 },
    lists: 40,
    products: 40,
    details: 0,
  });
  expect(await crawled(shop(40, ''), { pages: 1_000, depth: 2 }, {})).toMatchObject({
    lists: 3,
    products: 2,
    details: 1,
  });
});

it.each([
  ['pages', { pages: 60 }],
  ['pagesPerHost', { pages: 1_000, pagesPerHost: 60 }],
])('another bound ends a list without end: %s', async (_name, bounds) => {
  const { lists, products } = await crawled(
    shop(Number.POSITIVE_INFINITY, 'rel="next"'),
    { ...bounds, depth: 1 },
    null,
  );
  expect(lists + products).toBe(60);
});
