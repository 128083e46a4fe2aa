// What a run opens before it begins: the crawl directory, started over where that is asked for, and the logs in it.

import { resolvePoliteness } from '@mannerly/frontier/internal';
import { type CrawlDirectory, openCrawlDirectory } from '../directory/crawl-directory.js';
import { MANNERLY_VERSION } from '../directory/crawl-manifest.js';
import { crawlSettings, keepSettings } from '../options/crawl-settings.js';
import type { ResolvedOptions } from '../options/options.js';
import { type CrawlLogs, openCrawlLogs } from '../report/crawl-logs.js';
import type { RunPromise } from '../report/run-line.js';
import { resetCrawlDirectory } from './directory-reset.js';

/** What is open. */
export interface Account {
  /** `null`: none was asked for. */
  readonly directory: CrawlDirectory | null;
  readonly logs: CrawlLogs;
  /** What a reset made the crawl forget: until when the hosts that were asked last are left alone, epoch milliseconds. */
  readonly restedAtMs: number;
}

/** What is asked for. */
interface AccountRequest {
  readonly options: ResolvedOptions;
  readonly out: string | null;
  readonly reset: boolean;
  readonly isShared: boolean;
}

/**
 * Opens the crawl directory and its logs, or neither. The caller closes both.
 *
 * @throws MannerlyError as `openCrawlDirectory` and `resetCrawlDirectory`, and `log-failed`.
 */
export async function openAccount({ options, out, reset, isShared }: AccountRequest, nowMs: number): Promise<Account> {
  const promise = promiseOf(options, nowMs);
  if (out === null) return { directory: null, logs: openCrawlLogs(null, promise), restedAtMs: 0 };
  const { name, tokens } = options.identity;
  const restedAtMs = reset ? await resetCrawlDirectory(out, name, resolvePoliteness(options.spacing.politeness)) : 0;
  const directory = await openCrawlDirectory(out, { name, tokens, seeds: options.scope.seeds }, nowMs, isShared);
  try {
    await keepSettings(directory.settingsPath, crawlSettings(options));
    return { directory, logs: openCrawlLogs(directory, promise, options.decisionLog), restedAtMs };
  } catch (error) {
    await directory.release();
    throw error;
  }
}

/** What the run promises, for whoever judges its log. */
function promiseOf({ identity, robots, spacing, network }: ResolvedOptions, startedAtMs: number): RunPromise {
  const { name, factor, minMs, maxMs, rateReplacesRule, perIp } = resolvePoliteness(spacing.politeness);
  return {
    startedAtMs,
    versions: { mannerly: MANNERLY_VERSION, node: process.version },
    name: identity.name,
    userAgent: identity.userAgent,
    tokens: identity.tokens,
    hostKeyBy: spacing.hostKeyBy,
    robots,
    pace: { name, factor, minMs, maxMs, rateReplacesRule, perIp },
    concurrency: network.concurrency,
  };
}
