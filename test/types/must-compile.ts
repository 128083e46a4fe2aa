// Callers' everyday code must compile unchanged.

import { createCrawler, type HandledPage, RefusePage, RetryPage, refuse, StopCrawl, unchecked } from 'mannerly';

const identity = { name: 'tidepool-study', contact: 'https://example.org/our-crawler' };
const scope = { seeds: ['https://docs.example.org/'] };

export async function nineLines(): Promise<void> {
  const crawler = createCrawler({
    identity,
    scope: { seeds: ['https://docs.example.org/'], within: 'host' },
    bounds: { pages: 200, depth: 4, minutes: 30 },
  });
  crawler.on('html', async (page) => {
    await page.emit({ url: page.url, title: page.$('title').text() });
    await page.follow();
  });
  const report = await crawler.run({ out: 'tidepools' });
  console.log(report.politeness, report.outcomes.excluded?.['robots-rule']);
}

export const boundedByPages = createCrawler({ identity, scope, bounds: { pages: 1 } });
export const boundedByMinutes = createCrawler({ identity, scope, bounds: { minutes: 1 } });
export const gentle = createCrawler({ identity, scope, bounds: { pages: 1 }, politeness: { profile: 'gentle' } });
export const ownPace = createCrawler({
  identity,
  scope,
  bounds: { pages: 1 },
  politeness: { profile: { factor: 2, minMs: 5_000, maxMs: 60_000 } },
});

export const scoped = createCrawler({
  identity,
  scope: {
    seeds: ['https://docs.example.org/'],
    within: 'surt',
    surts: ['(org,example,'],
    prefixes: ['/docs/'],
    include: ['/*.html$', /\/$/],
    exclude: ['https://old.example.org/'],
    allows: (url, via) => via === 'seed' || !url.includes('draft'),
  },
  bounds: { pages: 1 },
  urls: { trackingParameters: ['utm_*'] },
  traps: { maxSimilarPages: 64 },
});
export const anyHost = createCrawler({ identity, scope: { ...scope, within: 'any' }, bounds: { minutes: 1 } });
export const everything = createCrawler({ identity, scope, bounds: { pages: 1 }, traps: false });

export function listeners(): void {
  scoped.events.on('scope-moved', ({ from, to }) => console.log(from, to));
  scoped.events.on('trap', ({ rule, pattern }) => console.log(rule, pattern));
  boundedByPages.events.on('decision', (decision) => {
    const word: 'fetched' | 'excluded' | 'dropped' | 'failed' | 'held' = decision.status;
    const line: number | null = decision.line;
    console.log(word, line);
  });
}

/** An item as most people declare it: an interface with optional fields. */
interface Listing {
  readonly title: string;
  readonly href: string | undefined;
  readonly price?: number;
  readonly seenAt: Date;
  readonly tags: readonly { readonly name: string | null }[];
}

export const scraper = createCrawler({ identity, scope, bounds: { pages: 1 } });
scraper.on('html', async (page) => {
  await page.emit({ href: page.$('a').attr('href') });
  const listing: Listing = { title: 'a', href: page.$('a').attr('href'), seenAt: new Date(), tags: [{ name: null }] };
  await page.emit(listing);
  await page.emit([listing, listing]);
  await page.emit('text');
  await page.emit(null);
  const loose: Record<string, unknown> = { any: 1 };
  await page.emit(loose);
  await page.emit(await page.json());
  // An interface has no index signature, so `as` would refuse it.
  const { items } = await page.json<{ items: Listing[] }>();
  for (const item of items) await page.emit(item);
  await page.follow('a', { label: 'detail', userData: listing });
  await page.add('/detail', { userData: { listing, shelf: undefined } });
  await page.revisit(60_000, { userData: listing });
  const found: number = await page.follow('a.next');
  if (found === 0) await scraper.add('https://docs.example.org/more', { userData: listing });
});
scraper.route({ html: (page) => page.emit({ href: page.$('a').attr('href'), seenAt: new Date() }) });

/** Labels are known if no route has a schema. */
createCrawler({ identity, scope, bounds: { pages: 1 } }).route({
  async html(page) {
    await page.follow('a', { label: 'product' });
    await page.follow('a', { label: 'list', userData: [1] });
  },
  'label:list': (page) => page.revisit(1, { label: 'product' }),
  'label:product': { handle: (page) => page.emit({ title: page.title }) },
});

/** A function for the pages of any route, whatever its schemas. */
const priceOf = (page: Pick<HandledPage, '$' | 'url'>) => Number(page.$('.price').text());

/** Routes in one object: labels, user data and items are inferred from it, wherever they are. */
export const routed = createCrawler({ identity, scope, bounds: { pages: 1 } }).route({
  html: async (page) => {
    const kind: 'html' = page.kind;
    const links: number = page.html.links.length;
    await page.add('/list', { label: 'list', userData: { shelf: 3 }, priority: 2 });
    await page.follow('a.product', { label: 'product', userData: { id: 1, sale: true } });
    await page.follow('a.plain', { label: 'plain', userData: 'anything' });
    await page.follow('a.plain', { label: 'plain' });
    await page.follow('a.sale', { label: 'sale' });
    await page.follow('a', { userData: [1, 2] });
    const listing: Listing = { title: 'a', href: '/a', seenAt: new Date(), tags: [] };
    await page.follow('a', { label: 'plain', userData: listing });
    await page.follow();
    await page.emit({ title: page.title ?? kind, links });
  },
  json: { maxBodyBytes: 1024, handle: async (page) => page.emit({ kind: page.kind, mime: page.mime }) },
  'application/rss+xml': (page) => page.mime satisfies 'application/rss+xml',
  'label:product': {
    userData: unchecked<{ readonly id: number; readonly sale?: boolean }>(),
    item: unchecked<{ readonly name: string; readonly price: number }>(),
    async handle(page) {
      const label: 'product' = page.label;
      const { id, sale = false } = page.userData;
      const emitted = await page.emit({ name: `${label} ${id}`, price: sale ? 1 : priceOf(page) });
      if (emitted.kind === 'rejected')
        console.log(emitted.issues.map(({ path, message }) => [path.join('.'), message]));
      await page.add('/', { label: 'product', userData: { id: id + 1 } });
      await page.revisit(60_000, { label: 'product', userData: { id } });
      await page.revisit(60_000, { userData: { id }, priority: 5 });
      await page.revisit(60_000, { label: 'plain' });
      await page.revisit(60_000);
      if (page.status === 202) throw new RetryPage('not there yet', { afterMs: 60_000 });
      if (page.bodyBytes === 0) throw new RefusePage('empty');
      throw new StopCrawl('look at this');
    },
  },
  'label:list': {
    userData: unchecked<{ readonly shelf: number }>(),
    handle: (page) => page.add('/list', { label: 'list', userData: { shelf: page.userData.shelf + 1 } }),
  },
  'label:sale': { userData: unchecked<{ readonly id: number } | undefined>(), handle: (page) => page.userData?.id },
  'label:plain': (page) => page.emit(page.userData),
});

export const hooked = createCrawler({
  identity,
  scope,
  bounds: { pages: 1 },
  hooks: {
    beforeFetch: ({ url, depth }) => (url.endsWith('.iso') && depth > 1 ? refuse('too large') : undefined),
    async afterFetch({ status, headers }) {
      return status === 200 && headers.length === 0 ? refuse('no headers') : undefined;
    },
    onExclusion: ({ url, reason }) => console.log(url, reason),
    timeoutMs: 1_000,
  },
});
