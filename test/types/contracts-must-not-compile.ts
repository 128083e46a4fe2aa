// Faulty variants of contracts-must-compile.ts: half a store, a fetcher that rejects by its type, another item.

import type { FrontierStore } from '@mannerly/frontier';
import { compileRules, parseRobots } from '@mannerly/robots';
import { createCrawler, defineConfig, type Fetcher, type MannerlyError, type Schema, type Sink } from 'mannerly';

const identity = { name: 'tidepool-study', contact: 'https://example.org/our-crawler' };
const crawl = { identity, scope: { seeds: ['https://docs.example.org/'] }, bounds: { pages: 1 } };

declare const whole: FrontierStore;
const { commit: _, ...half } = whole;
// @ts-expect-error a store that cannot commit
export const store: FrontierStore = half;
// @ts-expect-error every fingerprint has 8 bytes
export const wide: FrontierStore['capabilities'] = { ...whole.capabilities, fingerprintBytes: 16 };
// @ts-expect-error a promise of a store is needed, or a store
createCrawler({ ...crawl, store: async () => whole });

declare const fetcher: Fetcher;
// @ts-expect-error a fetcher declares its capabilities
export const silent: Fetcher = { fetch: fetcher.fetch, close: fetcher.close };
// @ts-expect-error a response is not an outcome
export const bare: Fetcher = { ...fetcher, fetch: async () => new Uint8Array() };

// @ts-expect-error a sink needs `close`
export const open: Sink = { name: 'open', open: async () => undefined, write: async () => undefined };
// @ts-expect-error a sink writes a list of items
export const single: Sink = { ...open, write: async (_item: string) => undefined };

declare const price: Schema<{ readonly price: string }, { readonly price: number }>;
createCrawler(crawl).route({
  html: {
    item: price,
    // @ts-expect-error `emit` takes the input of the schema, not its output
    handle: (page) => page.emit({ price: 1 }),
  },
});

const parsed = parseRobots('', { robotsUrl: 'https://example.com/robots.txt' });
// @ts-expect-error rules are compiled for product tokens
compileRules(parsed);
// @ts-expect-error the body is not a parsed document
compileRules('User-agent: *', { tokens: ['mybot'] });
// @ts-expect-error a decision is read-only
compileRules(parsed, { tokens: ['mybot'] }).decide('https://example.com/').allowed = true;

export function code(error: MannerlyError): boolean {
  // @ts-expect-error no such code
  return error.code === 'robots-ignored';
}
// @ts-expect-error no such key
defineConfig({ ignoreRobots: true });
