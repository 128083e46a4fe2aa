// URLs that look endless go last on their host, and are requested when nothing better is left: a suspicion costs no
// page that the bounds allow. At stake: a third of a shop with one template is missing, and the crawl says "Finished".

import { expect, it } from 'vitest';
import { crawlVirtually } from '../support/virtual-crawl.js';

const html = (text: string, links: readonly string[]): string =>
  `<!doctype html><title>${text}</title><p>${text}</p>${links.map((link) => `<a href="${link}">more</a>`).join('')}`;

/** The number in a path. */
const numberIn = (path: string): number => Number(/\d+/.exec(path)?.[0] ?? 0);

/** More than the depth of any limit. */
const PRODUCTS = 1_100;

it('a shop with one template is fetched completely, with a bound on pages alone', async () => {
  const { report, paths } = await crawlVirtually({
    seeds: ['http://shop.test/p/1'],
    bounds: { pages: 5_000 },
    hosts: {
      'shop.test': {
        pages: ({ path }) => {
          const at = numberIn(path);
          return html('One of our fine products', at < PRODUCTS ? [`/p/${at + 1}`] : []);
        },
      },
    },
  });
  expect(new Set(paths('shop.test').filter((path) => path.startsWith('/p/'))).size).toBe(PRODUCTS);
  expect(report).toMatchObject({ state: 'finished', pages: PRODUCTS, bounds: [] });
  expect(report.traps.length).toBeGreaterThan(0);
});

const ALIKE = 2_500;
const REAL = 60;
/** Used for unique names of stories. */
const SYLLABLES = ['ba', 'de', 'fi', 'go', 'ku', 'la', 'me', 'ni', 'po', 'ru'];

/** An endless calendar, a catalogue of similar pages that link to each other, and a chain of real pages. */
const crowded = {
  seeds: ['http://a.test/'],
  hosts: {
    'a.test': {
      pages: ({ path }: { readonly path: string }) => {
        const at = numberIn(path);
        if (path.startsWith('/calendar/')) return html('Nothing on this day', [`/calendar/${at + 1}`]);
        if (path.startsWith('/item/')) {
          const ahead = Array.from({ length: 20 }, (_, each) => at * 20 + each - 18).filter((to) => to <= ALIKE);
          return html(
            'An item of the catalogue',
            ahead.map((to) => `/item/${to}`),
          );
        }
        const next = at < REAL ? [`/story/${at + 1}`] : [];
        const name = `${SYLLABLES[Math.floor(at / 10)]}${SYLLABLES[at % 10]}`;
        return html(`Story of ${name}`, path === '/' ? ['/story/1', '/calendar/1', '/item/1'] : next);
      },
    },
  },
};

it('a trap and 2,500 alike pages starve no real page, and no alike page is lost', { timeout: 120_000 }, async () => {
  const bounds = { pages: ALIKE + REAL + 300 };
  const { report, paths } = await crawlVirtually({ ...crowded, bounds });
  const requestedPaths = paths('a.test');
  const positionOf = (path: string): number => requestedPaths.indexOf(path);
  expect(requestedPaths.filter((path) => path.startsWith('/story/'))).toHaveLength(REAL);
  // Long before the end of the catalogue: URLs that were queued before the suspicion are moved back.
  expect(positionOf(`/story/${REAL}`)).toBeLessThan(1_000);
  expect(new Set(requestedPaths.filter((path) => path.startsWith('/item/'))).size).toBe(ALIKE);
  expect(report).toMatchObject({ state: 'bounded', bound: 'pages' });
  expect(report.outcomes['dropped']).toBeUndefined();
});

it('with `action: drop` both end early, and the report says what that cost', async () => {
  const { report } = await crawlVirtually({ ...crowded, bounds: { pages: 10_000 }, traps: { action: 'drop' } });
  expect(report.pages).toBeLessThan(1_000);
  const dropped = report.outcomes['dropped']?.['trap'] ?? 0;
  expect(report).toMatchObject({ state: 'bounded', bound: null, bounds: [{ bound: 'traps', dropped, left: 0 }] });
  expect(dropped).toBeGreaterThan(10);
});
