// Runs a crawl against a loopback web and keeps all its results: the report, the events and the items. Names resolve to
// 127.0.0.1 inside the crawl only, so no test depends on the machine's resolver.

import { type HostWarning, memoryStore } from '@mannerly/frontier';
import {
  type CrawlerOptions,
  type CrawlReport,
  createCrawler,
  type Item,
  type RequestRecord,
  type Sink,
  type UrlDecision,
} from 'mannerly';
import { expect } from 'vitest';

/** The crawler type that the package exports. */
export type Crawler = ReturnType<typeof createCrawler>;

/** The contact of the tests' crawler; part of every User-Agent. */
export const CONTACT = 'https://example.org/our-crawler';

/** An interval of zero, for tests that are not about spacing. Loopback only. */
export const NO_INTERVAL = { factor: 0, minMs: 0, maxMs: 0 } as const;

/** The options of a test's crawl; the rest is filled in for loopback. */
export type TestCrawlOptions = Partial<CrawlerOptions> & {
  readonly seeds: CrawlerOptions['scope']['seeds'];
  /** Registers handlers. @default emits the title of every HTML page and follows its links */
  readonly handlers?: (crawler: Crawler) => void;
  /** The crawl directory; absent: none. */
  readonly out?: string;
  /** Visits known pages again, as `--again` does. @default false */
  readonly again?: boolean;
};

/** Everything that a crawl reported. */
export interface CrawlStory {
  readonly crawler: Crawler;
  readonly report: CrawlReport;
  readonly decisions: readonly UrlDecision[];
  readonly requests: readonly RequestRecord[];
  readonly notices: readonly HostWarning[];
  readonly items: readonly Item[];
  /** URLs of the items. */
  readonly itemUrls: readonly string[];
}

/** A sink that keeps its items in an array. */
export function memorySink(items: Item[]): Sink {
  return {
    name: 'memory',
    open: async () => undefined,
    write: async (written) => {
      items.push(...written);
    },
    close: async () => undefined,
  };
}

/** Makes a crawler for loopback without running it. */
export function makeCrawler(options: TestCrawlOptions, sinks: readonly Sink[] = []): Crawler {
  const { seeds, handlers, out: _out, again: _again, ...rest } = options;
  const crawler = createCrawler({
    identity: { name: 'test-bot', contact: CONTACT },
    scope: { seeds, within: 'host' },
    bounds: { pages: 500, minutes: 20 },
    maxIdleMs: 2_000,
    log: false,
    sinks,
    // The store has its own clock, so it gets the crawl's.
    ...(rest.clock === undefined ? {} : { store: memoryStore({ nowMs: rest.clock.nowMs }) }),
    ...rest,
    politeness: { profile: NO_INTERVAL, ...rest.politeness },
    network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'], ...rest.network },
  });
  (handlers ?? followEverything)(crawler);
  return crawler;
}

/** Runs a crawl to its end. */
export async function crawl(options: TestCrawlOptions): Promise<CrawlStory> {
  const items: Item[] = [];
  const decisions: UrlDecision[] = [];
  const requests: RequestRecord[] = [];
  const notices: HostWarning[] = [];
  const crawler = makeCrawler(options, [memorySink(items)]);
  crawler.events.on('decision', (decision) => decisions.push(decision));
  crawler.events.on('request', (request) => requests.push(request));
  crawler.events.on('host-warning', (notice) => notices.push(notice));
  const { out, again = false } = options;
  const report = await crawler.run(out === undefined ? { again } : { out, again });
  // In a recrawl, known pages that wait for their next visit have a decision already.
  if (!again) expectEveryUrlDecided(report, decisions, options.orderSeed !== undefined);
  expectPagesToAgree(report);
  return { crawler, report, decisions, requests, notices, items, itemUrls: items.map((item) => item.url) };
}

/** Every URL that is still queued has a decision, so the outcomes add up to the number of URLs found. */
function expectEveryUrlDecided(
  { part, queued }: CrawlReport,
  decisions: readonly UrlDecision[],
  isSeeded: boolean,
): void {
  // A browser's requests, and pages that a licence holds, are held without being queued.
  const isQueued = ({ status, reason, detail }: UrlDecision): boolean =>
    status === 'held' && reason !== 'license' && !detail?.includes('in a browser');
  const held = decisions.filter(isQueued).length;
  // Of a queue that several processes share, each knows only its part. With an order seed, links wait, known or not.
  if (part !== undefined) return;
  if (isSeeded) expect(held).toBeLessThanOrEqual(queued);
  else expect(held, 'URLs that are held, of those that are queued').toBe(queued);
}

/** The pages of all hosts add up to the pages of the crawl. */
function expectPagesToAgree({ politeness, politenessOf, pages, part }: CrawlReport): void {
  if (politenessOf !== 'crawl' || part !== undefined || politeness.some((row) => row.pages === null)) return;
  const ofHosts = politeness.reduce((sum, row) => sum + (row.pages ?? 0), 0);
  expect(ofHosts, 'pages of all hosts').toBe(pages);
}

function followEverything(crawler: Crawler): void {
  crawler.on('html', async (page) => {
    await page.emit({ url: page.url, title: page.title });
    await page.follow();
  });
}
