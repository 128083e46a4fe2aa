// A crawl on virtual time, from its first request to its report.

import { checkOptions } from '../call-options.js';
import type { Crawler } from '../crawler.js';
import { isError, MannerlyError } from '../errors.js';
import type { CrawlReport } from '../report/crawl-report.js';
import type { RunOptions } from '../run/run-setup.js';
import type { CrawlerFakes, FakeExchange, FakeWeb } from './fake-web.js';
import { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.js';

/** A finished crawl of a fake web. */
export interface FakeCrawl {
  readonly report: CrawlReport;
  /** Its requests, as the web saw them, in order. */
  readonly exchanges: readonly FakeExchange[];
  /** The crawler, for example for `crawler.explain(url)`. */
  readonly crawler: Crawler;
  /** Virtual milliseconds it took. */
  readonly tookMs: number;
}

interface FakeCrawlOptions {
  /** Options of `crawler.run`. */
  readonly run?: RunOptions;
  readonly clock?: VirtualClockOptions;
  /** Whether a handler or a hook may throw because the test is about that. @default false */
  readonly mayThrow?: boolean;
}

/** Virtual milliseconds for the end of a stuck crawl; a stop takes ten seconds. */
const STOP_GRACE_MS = 20_000;
/** Virtual milliseconds after a crawl in which calls of its handlers still fail the test. */
const LATE_CALLS_MS = 60_000;

/** The latest crawl: the process has one set of timers, and tests may run at the same time. */
let latestCrawl: Promise<void> = Promise.resolve();

/**
 * Runs a crawler to its end while the clock moves from timer to timer. Rejects like `crawler.run`, and with
 * MannerlyError `clock-stuck` if nothing can advance any more or a limit is reached. The crawl is then stopped.
 */
export async function runCrawl(crawler: Crawler, clock: VirtualClock, options: RunOptions = {}): Promise<CrawlReport> {
  const running = crawler.run(options);
  let hasEnded = false;
  const onEnd = (): void => {
    hasEnded = true;
  };
  running.then(onEnd, onEnd);
  try {
    return await clock.finish(running);
  } finally {
    if (!hasEnded) {
      crawler.stop();
      crawler.stop();
      // The caller gets the first error, not those of the stop.
      await clock.advance(STOP_GRACE_MS).catch(onEnd);
    }
  }
}

/**
 * Crawls a fake web on virtual time, with its own clock. Waits for the end of an earlier call.
 * @param make - Makes the crawler, with the fakes among its options.
 * @example
 * ```ts
 * const crawl = await crawlInVirtualTime(web, (fakes) => createCrawler({ ...options, ...fakes }));
 * assertKeepsGap(crawl, 'example.org', 10_000);
 * ```
 * @returns Rejects as `runCrawl` does, with the error of `make`, with the first error of a route of the web, and with
 *   the first error of a handler or a hook, unless `mayThrow`.
 */
export async function crawlInVirtualTime(
  web: FakeWeb,
  make: (fakes: CrawlerFakes & { readonly clock: VirtualClock }) => Crawler | Promise<Crawler>,
  options: FakeCrawlOptions = {},
): Promise<FakeCrawl> {
  checkOptions('crawlInVirtualTime', options, { run: 'object', clock: 'object', mayThrow: 'boolean' });
  const earlier = latestCrawl;
  let markEnded = (): void => undefined;
  latestCrawl = new Promise((resolve) => {
    markEnded = resolve;
  });
  await earlier;
  try {
    // Awaited, so that the stack of an error names the line of the test.
    return await crawlWithOwnClock(web, make, options);
  } finally {
    markEnded();
  }
}

async function crawlWithOwnClock(
  web: FakeWeb,
  make: Parameters<typeof crawlInVirtualTime>[1],
  options: FakeCrawlOptions,
): Promise<FakeCrawl> {
  const clock = createVirtualClock(options.clock);
  try {
    const startMs = clock.nowMs();
    const [exchangesBefore, errorsBefore] = [web.exchanges.length, web.errors.length];
    const { fetcher, ...fakes } = web.fakes(clock);
    let areUsed = false;
    const crawler = await make({
      ...fakes,
      clock,
      get fetcher() {
        areUsed = true;
        return fetcher;
      },
    });
    if (!areUsed) {
      throw new MannerlyError('option-invalid', 'the crawler was created without the fakes: it would use the network', {
        hint: 'Pass them on: (fakes) => createCrawler({ ...options, ...fakes }).',
      });
    }
    const thrown: unknown[] = [];
    crawler.events.on('handler-error', ({ error }) => thrown.push(error));
    crawler.events.on('hook-error', ({ error }) => thrown.push(error));
    const report = await runCrawl(crawler, clock, options.run);
    const tookMs = clock.nowMs() - startMs;
    await clock.advance(LATE_CALLS_MS);
    if (web.errors.length > errorsBefore) throw web.errors[errorsBefore];
    if (thrown.length > 0 && options.mayThrow !== true)
      throw isError(thrown[0]) ? thrown[0] : new Error(String(thrown[0]), { cause: thrown[0] });
    return { report, exchanges: web.exchanges.slice(exchangesBefore), crawler, tookMs };
  } finally {
    clock.end();
  }
}
