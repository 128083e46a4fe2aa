// The usual code of people who implement a contract, or use a package by itself, must compile unchanged.

import { createFrontier, type FrontierStore, memoryStore } from '@mannerly/frontier';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { compileRules, type Decision, parseRobots, RobotsError, type RobotsErrorCode } from '@mannerly/robots';
import { explain } from '@mannerly/robots/explain';
import {
  type CrawlConfig,
  createCrawler,
  createPlatformFetcher,
  defineConfig,
  type Fetcher,
  type Item,
  MannerlyError,
  type MannerlyErrorCode,
  type Schema,
  type Sink,
} from 'mannerly';
import { fetcherSuite } from 'mannerly/fetcher-conformance';
import { sinkSuite } from 'mannerly/sink-conformance';
import { assertKeepsGap, crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';

const identity = { name: 'tidepool-study', contact: 'https://example.org/our-crawler' };
const scope = { seeds: ['https://docs.example.org/'] };

/** A user's store: every method of the contract, and nothing more is required. */
export function counted(inner: FrontierStore): FrontierStore & { readonly commits: () => number } {
  let commits = 0;
  return {
    ...inner,
    commit(hosts, links) {
      commits += 1;
      return inner.commit(hosts, links);
    },
    commits: () => commits,
  };
}

/** A fetcher with fixed answers. */
export const fixed: Fetcher = {
  capabilities: createPlatformFetcher().capabilities,
  fetch: async () => null,
  close: async () => undefined,
};

/** A user's sink. */
export const titles: Sink & { readonly kept: Item[] } = {
  name: 'titles',
  kept: [],
  open: async () => undefined,
  async write(items) {
    this.kept.push(...items);
  },
  close: async () => undefined,
};

export const brought = createCrawler({
  identity,
  scope,
  bounds: { pages: 1 },
  store: () => counted(memoryStore()),
  fetcher: fixed,
  sinks: [titles],
});
export const suites: readonly unknown[] = [frontierStoreSuite, fetcherSuite, sinkSuite, createFrontier, lmdbStore];

/** A schema of any library that implements Standard Schema: its input and output may differ. */
const price: Schema<{ readonly price: string }, { readonly price: number }> = {
  '~standard': {
    version: 1,
    vendor: 'by-hand',
    validate: (value) => {
      const { price: text } = value as { price: string };
      return text === '' ? { issues: [{ message: 'empty', path: ['price'] }] } : { value: { price: Number(text) } };
    },
  },
};
brought.route({ html: { item: price, handle: (page) => page.emit({ price: page.title ?? '' }) } });

export function robots(body: Uint8Array | string): string {
  const rules = compileRules(parseRobots(body, { robotsUrl: 'https://example.com/robots.txt' }), { tokens: ['mybot'] });
  const decision: Decision = rules.decide('https://example.com/a');
  const allowed: boolean = decision.allowed;
  const line: number | null = decision.line;
  return `${allowed} ${line} ${explain(rules, 'https://example.com/a').decision.reason}`;
}

export function codes(error: unknown): RobotsErrorCode | MannerlyErrorCode | null {
  if (error instanceof RobotsError) return error.code;
  return error instanceof MannerlyError && error.code !== 'option-invalid' ? error.code : null;
}

export const config: CrawlConfig = defineConfig({ identity: { name: 'tide' }, bounds: { minutes: 1 }, out: 'tides' });

export async function kit(): Promise<void> {
  const web = createFakeWeb({ hosts: { 'example.org': { pages: { '/': fakePage('Start') } } } });
  const crawl = await crawlInVirtualTime(web, (fakes) =>
    createCrawler({ identity, scope, bounds: { pages: 1 }, ...fakes }),
  );
  assertKeepsGap(crawl, 'example.org', 1_000);
}
