// The default store and fetcher of a crawl. No other file chooses them.

import { type Clock, FrontierError, type FrontierStore, memoryStore, systemClock } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { readCrawlDirectory } from './directory/crawl-directory.js';
import { crawlPaths } from './directory/crawl-paths.js';
import { checkedFetcher } from './fetch/fetch-call.js';
import type { Fetcher } from './fetch/fetcher.js';
import { createUndiciFetcher } from './fetch/undici-fetcher.js';
import type { CrawlInspection } from './inspection/inspection.js';
import { readSettings, settingsError } from './options/crawl-settings.js';
import type { CrawlerOptions } from './options/crawler-options.js';
import type { ResolvedOptions } from './options/options.js';
import type { RunSetup } from './run/run-setup.js';

/** The default store: in the crawl directory, or in memory if there is none. */
export function storeFor(out: string | undefined, { clock }: CrawlerOptions, resolved: ResolvedOptions): FrontierStore {
  if (out === undefined) {
    const maxQueued = resolved.bounds.queuedUrls;
    return memoryStore({ maxQueued, ...(clock === undefined ? {} : { nowMs: () => clock.nowMs() }) });
  }
  return durableStore(out, resolved.identity.tokens, clock);
}

/** The given fetcher, whose calls are checked, or undici by default. */
export function fetcherOf({ fetcher, network }: Pick<CrawlerOptions, 'fetcher' | 'network'>, clock: Clock): Fetcher {
  const nowMs = clock.nowMs.bind(clock);
  if (fetcher !== undefined) return checkedFetcher(fetcher, nowMs);
  const { proxy } = network ?? {};
  return createUndiciFetcher({ nowMs, ...(proxy === undefined ? {} : { proxy }) });
}

/** Clock, fetcher and a store in memory, for a plan. Never throws. */
export function partsInMemory(options: CrawlerOptions): Pick<RunSetup, 'clock' | 'fetcher' | 'store'> {
  const clock = options.clock ?? systemClock();
  return { clock, fetcher: fetcherOf(options, clock), store: memoryStore({ nowMs: () => clock.nowMs() }) };
}

/**
 * Opens a crawl directory for inspection, with the settings of its last run. The caller closes it. Nothing is requested
 * or changed. While a run uses the directory, its logs provide the answers.
 * @throws MannerlyError `directory-taken` if there is no crawl; `directory-format`; `store-failed`.
 */
export async function inspectCrawl(directory: string): Promise<CrawlInspection> {
  const { manifest, ...paths } = await readCrawlDirectory(directory);
  const settings = await readSettings(paths.settingsPath, manifest.tokens);
  const store = (await storesIn(directory))();
  const { openInspection } = await import('./inspection/inspection.js');
  try {
    return await openInspection({ paths, store, settings, clock: systemClock() });
  } catch (error) {
    const isAboutSettings = error instanceof FrontierError && error.code.startsWith('option-');
    throw isAboutSettings ? settingsError(paths.settingsPath, error) : error;
  }
}

/** Creates stores in an existing crawl directory, not opened yet. @throws As `inspectCrawl` */
export async function storesIn(directory: string): Promise<() => FrontierStore> {
  const { manifest } = await readCrawlDirectory(directory);
  return () => durableStore(directory, manifest.tokens);
}

function durableStore(out: string, tokens: readonly string[], clock?: CrawlerOptions['clock']): FrontierStore {
  return lmdbStore({
    path: crawlPaths(out).frontierPath,
    identity: tokens.join(' '),
    // The frontier's own bound applies.
    maxQueued: Number.MAX_SAFE_INTEGER,
    ...(clock === undefined ? {} : { nowMs: () => clock.nowMs() }),
  });
}
