// Code that would make a crawl anonymous, endless or ambiguous must not compile. Each line below a mark is a faulty
// variant of something in must-compile; if the compiler accepts it, this file no longer compiles.

import { type CrawlReport, createCrawler, unchecked } from 'mannerly';

const identity = { name: 'tidepool-study', contact: 'https://example.org/our-crawler' };
const scope = { seeds: ['https://docs.example.org/'] };
const bounds = { pages: 1 };

// @ts-expect-error no options
createCrawler();
// @ts-expect-error empty options
createCrawler({});
// @ts-expect-error no identity
createCrawler({ scope, bounds });
// @ts-expect-error no contact
createCrawler({ identity: { name: 'tidepool-study' }, scope, bounds });
// @ts-expect-error no name
createCrawler({ identity: { contact: 'https://example.org/' }, scope, bounds });
// @ts-expect-error the contact is undefined
createCrawler({ identity: { name: 'tidepool-study', contact: undefined }, scope, bounds });
// @ts-expect-error no scope
createCrawler({ identity, bounds });
// @ts-expect-error no seeds
createCrawler({ identity, scope: {}, bounds });
// @ts-expect-error a `via` that does not exist
createCrawler({ identity, scope: { ...scope, allows: (_url, via) => via === 'teleport' }, bounds });
// @ts-expect-error a pattern instead of a list
createCrawler({ identity, scope: { ...scope, include: '/docs/' }, bounds });
// @ts-expect-error no such value of `within`
createCrawler({ identity, scope: { ...scope, within: 'web' }, bounds });
// @ts-expect-error traps are false or an object
createCrawler({ identity, scope, bounds, traps: true });
// @ts-expect-error no bounds
createCrawler({ identity, scope });
// @ts-expect-error bounds that bound neither pages nor minutes
createCrawler({ identity, scope, bounds: {} });
// @ts-expect-error depth alone is not a bound
createCrawler({ identity, scope, bounds: { depth: 3 } });
// @ts-expect-error pages per host alone are not a bound
createCrawler({ identity, scope, bounds: { pagesPerHost: 3 } });
// @ts-expect-error the bound is undefined
createCrawler({ identity, scope, bounds: { pages: undefined } });
// @ts-expect-error no such scope
createCrawler({ identity, scope: { ...scope, within: 'everything' }, bounds });
// @ts-expect-error no such profile
createCrawler({ identity, scope, bounds, politeness: { profile: 'rude' } });
// @ts-expect-error no such option: robots.txt cannot be switched off
createCrawler({ identity, scope, bounds, ignoreRobots: true });

const crawler = createCrawler({ identity, scope, bounds });
// @ts-expect-error no route has this label, and no route has a schema
crawler.route({ html: (page) => page.follow('a', { label: 'produkt' }), 'label:product': () => undefined });
// @ts-expect-error no route has a label
crawler.route({ html: (page) => page.add('/x', { label: 'product' }) });
// @ts-expect-error no such kind of content
crawler.on('htm', async () => undefined);
crawler.on('html', async (page) => {
  // @ts-expect-error a function cannot be written as JSON
  await page.emit({ url: page.url, load: () => page.url });
  // @ts-expect-error a bigint cannot be written as JSON
  await page.emit({ size: 1n });
  // @ts-expect-error a symbol cannot be written as JSON
  await page.emit([Symbol('x')]);
  // @ts-expect-error nor can one deep inside
  await page.emit({ parts: [{ at: new Date(), size: 1n }] });
  // @ts-expect-error a Map is written as {}
  await page.emit(new Map([['a', 1]]));
  // @ts-expect-error undefined is not an item
  await page.emit(undefined);
  // @ts-expect-error a function cannot be user data
  await page.follow('a', { userData: () => 1 });
  // @ts-expect-error nor can a bigint deep inside
  await page.add('/a', { userData: { parts: [{ size: 1n }] } });
  // @ts-expect-error nor can a promise
  await crawler.add('https://a.test/', { userData: { text: page.text() } });
});
// @ts-expect-error no such event
crawler.events.on('page-fetched', () => undefined);
crawler.events.on('decision', (decision) => {
  // @ts-expect-error results are read-only
  decision.status = 'fetched';
});

const userData = unchecked<{ readonly id: number }>();
const item = unchecked<{ readonly name: string }>();
crawler.route({
  html: async (page) => {
    // @ts-expect-error no route has this label
    await page.add('/x', { label: 'produkt', userData: { id: 1 } });
    // @ts-expect-error user data of another type
    await page.add('/x', { label: 'product', userData: { id: 'one' } });
    // @ts-expect-error no user data
    await page.add('/x', { label: 'product' });
    // @ts-expect-error no route has this label
    await page.follow('a', { label: 'produkt' });
    // @ts-expect-error no user data
    await page.follow('a', { label: 'product' });
    // @ts-expect-error a function cannot be user data
    await page.add('/x', { label: 'plain', userData: () => 1 });
    // @ts-expect-error user data without a label is unknown
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
      // @ts-expect-error results are read-only
      page.userData.id = 2;
      // @ts-expect-error user data of another type
      await page.revisit(1, { label: 'product', userData: { id: null } });
      // @ts-expect-error user data of another type, for the page's own label
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
// @ts-expect-error text is not a schema
crawler.route({ 'label:product': { item: 'name', handle: () => undefined } });
// @ts-expect-error a hook returns nothing or a refusal
createCrawler({ identity, scope, bounds, hooks: { beforeFetch: () => true } });
// @ts-expect-error no return value permits anything
createCrawler({ identity, scope, bounds, hooks: { beforeFetch: async () => 'allow' } });
// @ts-expect-error no such status
export const refused = (report: CrawlReport) => report.outcomes.refused;
// @ts-expect-error no such hook
createCrawler({ identity, scope, bounds, hooks: { beforeRobots: () => undefined } });
