// The crawl that the command does, in its own process or in each of several: every HTML page becomes an item, and what an
// operator should know becomes lines.

import { type Crawler, type CrawlReport, createCrawler, MannerlyError, printable } from 'mannerly';
import type { CrawlSetup } from './crawl-setup.js';
import { type OpenedStore, openStore } from './open-store.js';
import { retryFrom } from './retry-flags.js';
import { isShared } from './store-flags.js';

/** HostWarnings printed while the crawl runs; the notice log has all of them. */
const MAX_WARNING_LINES = 100;

/** A crawl that can be run once. */
export interface LiveCrawl {
  readonly crawler: Crawler;
  /** Runs it, and closes the store's client after it. */
  run(out: string): Promise<CrawlReport>;
}

/**
 * Makes the crawl of a command line.
 *
 * @param isFirst - Whether this process resets, wakes and retries, where it is one of several.
 * @throws UsageError, MannerlyError
 */
export async function makeCrawl({ options, flags, register }: CrawlSetup, isFirst: boolean): Promise<LiveCrawl> {
  const { name } = options.identity;
  const opened: OpenedStore | null = flags.store === undefined ? null : await openStore(flags.store, name);
  const crawler = createCrawler(opened === null ? options : { ...options, store: (tell) => opened.make(tell) });
  register(crawler);
  const retry = isFirst ? retryFrom(flags) : undefined;
  return {
    crawler,
    async run(out) {
      try {
        if (isFirst) for (const host of flags.wake ?? []) await crawler.unpark(host);
        return await crawler.run({
          out,
          reset: isFirst && flags.reset === true,
          shared: isShared(flags),
          ...(retry === undefined ? {} : { retry }),
        });
      } catch (error) {
        if (opened === null) throw error;
        throw outOfReach(error, opened);
      } finally {
        await opened?.close();
      }
    },
  };
}

/** A store's server that does not answer, with what connecting came to; every other error is given back as it is. */
function outOfReach(error: unknown, { name, trouble }: OpenedStore): unknown {
  if (!(error instanceof MannerlyError && /could not be reached/.test(error.message))) return error;
  const why = trouble() ?? error.message.replace(/^.*could not be reached: /, '');
  return new MannerlyError('store-failed', `${name} cannot be reached: ${why}`, {
    cause: error,
    hint: 'Is the server running, and is its URL right? What was committed is kept: the same command goes on from there.',
  });
}

/** Tells the person at the terminal what an operator should know, a line each. */
export function tellNotices(crawler: Crawler, say: (line: string) => void): void {
  let notices = 0;
  crawler.events.on('host-warning', ({ code, host, detail }) => {
    if (code === 'robots-read' || notices > MAX_WARNING_LINES) return;
    notices += 1;
    say(notices > MAX_WARNING_LINES ? 'More notices are in warnings.jsonl.' : `${host}: ${code}: ${printable(detail)}`);
  });
  crawler.events.on('store', ({ message }) => say(printable(message, 500)));
  crawler.events.on('handler-error', ({ url, error }) => say(`${url}: the handler failed: ${String(error)}`));
}
