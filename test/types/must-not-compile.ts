// What would make a crawl anonymous, endless or ambiguous must not compile. Each line below the mark is the nearest
// wrong neighbour of something in must-compile; if the compiler takes it, this file stops compiling.

import { createCrawler, unchecked } from 'mannerly';

const identity = { name: 'tidepool-study', contact: 'https://example.org/our-crawler' };
const scope = { seeds: ['https://docs.example.org/'] };
const bounds = { pages: 1 };

// @ts-expect-error nothing said
createCrawler();
// @ts-expect-error nothing said
createCrawler({});
// @ts-expect-error no identity
createCrawler({ scope, bounds });
// @ts-expect-error no contact
createCrawler({ identity: { name: 'tidepool-study' }, scope, bounds });
// @ts-expect-error no name
createCrawler({ identity: { contact: 'https://example.org/' }, scope, bounds });
// @ts-expect-error a contact that is not there
createCrawler({ identity: { name: 'tidepool-study', contact: undefined }, scope, bounds });
// @ts-expect-error no scope
createCrawler({ identity, bounds });
// @ts-expect-error no seeds
createCrawler({ identity, scope: {}, bounds });
// @ts-expect-error a `via` that does not exist
createCrawler({ identity, scope: { ...scope, allows: (_url, via) => via === 'teleport' }, bounds });
// @ts-expect-error one pattern is no list
createCrawler({ identity, scope: { ...scope, include: '/docs/' }, bounds });
// @ts-expect-error a place that does not exist
createCrawler({ identity, scope: { ...scope, within: 'web' }, bounds });
// @ts-expect-error traps are on or described
createCrawler({ identity, scope, bounds, traps: true });
// @ts-expect-error no bounds
createCrawler({ identity, scope });
// @ts-expect-error bounds that bound neither pages nor minutes
createCrawler({ identity, scope, bounds: {} });
// @ts-expect-error depth alone is no bound
createCrawler({ identity, scope, bounds: { depth: 3 } });
// @ts-expect-error pages per host alone are no bound
createCrawler({ identity, scope, bounds: { pagesPerHost: 3 } });
// @ts-expect-error a bound that is not there
createCrawler({ identity, scope, bounds: { pages: undefined } });
// @ts-expect-error no such scope
createCrawler({ identity, scope: { ...scope, within: 'everything' }, bounds });
// @ts-expect-error no such profile
createCrawler({ identity, scope, bounds, politeness: { profile: 'rude' } });
// @ts-expect-error no such option: robots.txt is not switched off
createCrawler({ identity, scope, bounds, ignoreRobots: true });

const crawler = createCrawler({ identity, scope, bounds });
// @ts-expect-error no route has this label, and no route has a schema
crawler.route({ html: (page) => page.follow('a', { label: 'produkt' }), 'label:product': () => undefined });
// @ts-expect-error no route has a label
crawler.route({ html: (page) => page.add('/x', { label: 'product' }) });
// @ts-expect-error no such kind of content
crawler.on('htm', async () => undefined);
crawler.on('html', async (page) => {
  // @ts-expect-error what cannot be written as JSON is no item
  await page.emit({ url: page.url, load: () => page.url });
  // @ts-expect-error a bigint is no JSON
  await page.emit({ size: 1n });
  // @ts-expect-error a symbol is no JSON
  await page.emit([Symbol('x')]);
  // @ts-expect-error deep inside neither
  await page.emit({ parts: [{ at: new Date(), size: 1n }] });
  // @ts-expect-error a Map is written as {}
  await page.emit(new Map([['a', 1]]));
  // @ts-expect-error nothing is no item
  await page.emit(undefined);
});
// @ts-expect-error no such event
crawler.events.on('page-fetched', () => undefined);
crawler.events.on('decision', (decision) => {
  // @ts-expect-error what is handed out is read-only
  decision.status = 'fetched';
});

const userData = unchecked<{ readonly id: number }>();
const item = unchecked<{ readonly name: string }>();
crawler.route({
  html: async (page) => {
    // @ts-expect-error no route has this label
    await page.add('/x', { label: 'produkt', userData: { id: 1 } });
    // @ts-expect-error the user data of another type
    await page.add('/x', { label: 'product', userData: { id: 'one' } });
    // @ts-expect-error no user data
    await page.add('/x', { label: 'product' });
    // @ts-expect-error no route has this label
    await page.follow('a', { label: 'produkt' });
    // @ts-expect-error no user data
    await page.follow('a', { label: 'product' });
    // @ts-expect-error what cannot be written as JSON is no user data
    await page.add('/x', { label: 'plain', userData: () => 1 });
    // @ts-expect-error what came along with no label in particular may be anything
    console.log(page.userData.id);
  },
  'label:product': {
    userData,
    item,
    async handle(page) {
      // @ts-expect-error the user data has no such field
      console.log(page.userData.name);
      // @ts-expect-error an item of another shape
      await page.emit({ title: 'x' });
      // @ts-expect-error the wrong type in an item
      await page.emit({ name: 1 });
      // @ts-expect-error the label of another page
      console.log(page.label === 'plain');
      // @ts-expect-error what is handed out is read-only
      page.userData.id = 2;
      // @ts-expect-error the user data of another type
      await page.revisit(1, { label: 'product', userData: { id: null } });
      // @ts-expect-error the user data of another type, for the page's own label
      await page.revisit(1, { userData: { id: null } });
      // @ts-expect-error no route has this label
      await page.revisit(1, { label: 'produkt' });
    },
  },
  'label:plain': () => undefined,
  // @ts-expect-error a page of JSON has no DOM
  json: (page) => page.$('title'),
});
// @ts-expect-error no such kind of content
crawler.route({ htm: () => undefined });
// @ts-expect-error a route needs a handler
crawler.route({ html: { item } });
// @ts-expect-error a schema is no text
crawler.route({ 'label:product': { item: 'name', handle: () => undefined } });
// @ts-expect-error a hook has no third answer: nothing, or a refusal
createCrawler({ identity, scope, bounds, hooks: { beforeFetch: () => true } });
// @ts-expect-error nothing is permitted by a word
createCrawler({ identity, scope, bounds, hooks: { beforeFetch: async () => 'allow' } });
// @ts-expect-error a hook that does not exist
createCrawler({ identity, scope, bounds, hooks: { beforeRobots: () => undefined } });
