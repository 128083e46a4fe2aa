// The crawl that the command runs, in its own process or in each worker.

import { createCrawler } from '../crawler.js';
import { crawlPaths } from '../directory/crawl-paths.js';
import { type LogEntry, terminalLog, withLevel } from '../journal/log-entry.js';
import type { CrawlerOptions } from '../options/crawler-options.js';
import { present } from '../present.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { watchAddedUrls } from './added-urls.js';
import { isShared, retryFrom } from './crawl-flags.js';
import type { CrawlSetup } from './crawl-setup.js';
import { EXIT } from './exit-codes.js';
import type { CliIo } from './io.js';
import type { OpenedStore } from './open-store.js';

/**
 * Makes the crawl of a command line.
 *
 * @param isFirst - The first of several processes resets, unparks and retries.
 * @param takesAdded - Whether it takes the URLs of `mannerly add`.
 * @param print - Prints messages during the crawl.
 */
export async function createCommandCrawl(
  { options, flags, register }: CrawlSetup,
  isFirst: boolean,
  print: (line: string) => void,
  takesAdded = isFirst,
) {
  let opened: OpenedStore | null = null;
  const log = commandLog(options.log, print);
  const recrawlOption = flags.again === true && (options.recrawl ?? false) === false ? { recrawl: true } : {};
  const crawlOptions = { ...options, ...recrawlOption, ...present({ log }) };
  const crawler = createCrawler(
    // `run` makes the store once the client is open.
    flags.store === undefined
      ? crawlOptions
      : { ...crawlOptions, store: (notify, signal) => opened!.createStore(notify, signal) },
  );
  await register(crawler);
  const isReset = isFirst && flags.reset === true;
  const retry = isFirst ? retryFrom(flags) : undefined;
  return {
    crawler,
    /** Runs the crawl once, with a client of its own for its store. */
    async run(out: string): Promise<CrawlReport> {
      let stopAdding = (): void => undefined;
      if (flags.store !== undefined)
        opened = await (await import('./open-store.js')).openStore(flags.store, options.identity.name);
      try {
        if (isFirst) for (const host of flags.unpark ?? []) await crawler.unpark(host);
        const running = crawler.run({
          out,
          keepOpen: flags.keepOpen === true,
          reset: isReset,
          again: isFirst && flags.again === true,
          shared: isShared(flags),
          ...present({ retry }),
        });
        if (takesAdded) stopAdding = watchAddedUrls(crawler, crawlPaths(out).addedPath, isReset, print);
        return await running;
      } finally {
        stopAdding();
        await opened?.close();
      }
    },
  };
}

/** The option `log` of the command: prints important events. The report itself says why nothing was fetched. */
export function commandLog(
  given: CrawlerOptions['log'] = 'warn',
  print: (line: string) => void,
): CrawlerOptions['log'] {
  if (typeof given !== 'string' || given === 'silent') return given;
  const log = terminalLog(print, given);
  const write = (entry: LogEntry): void => {
    if (entry.code !== 'nothing-fetched') log(entry.code === 'comment' ? { ...entry, level: 'warn' } : entry);
  };
  return withLevel(write, log.level ?? 'debug');
}

/**
 * The first Ctrl-C stops cleanly, the second ends at once.
 *
 * @param ended - Called before the program ends.
 * @param beforeBusy - As in `CliIo.onInterrupt`.
 * @returns A function that removes it
 */
export function stopOnInterrupt(
  io: CliIo,
  print: (line: string) => void,
  stop: () => void,
  ended: () => void = () => undefined,
  beforeBusy?: (startListening: () => void) => void,
): () => void {
  let interrupts = 0;
  return io.onInterrupt(() => {
    interrupts += 1;
    if (interrupts === 1) {
      print('Stopping: requests in flight are completed. Ctrl-C again ends at once.');
      stop();
      return;
    }
    ended();
    io.exit(EXIT.stopped);
  }, beforeBusy);
}
