// `mannerly crawl`: a polite crawl from the command line, with its progress on standard error and its report at the
// end.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Crawler } from '../../crawler.js';
import type { CrawlReport } from '../../report/crawl-report.js';
import { progressText } from '../../report/progress-line.js';
import { type CrawlFlags, checkProcesses, isShared, retryFrom } from '../crawl-flags.js';
import { type CrawlSetup, setUpCrawl } from '../crawl-setup.js';
import { directoryFor } from '../default-directory.js';
import { exitCodeOf } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { makeCrawl, printWarnings, stopOnInterrupt } from '../live-crawl.js';
import { openDashboard } from '../open-dashboard.js';
import { showLine } from '../progress.js';
import { summaryText } from '../summary.js';
import { crawlWithCrew } from '../workers/crew-crawl.js';

/**
 * Runs the command.
 *
 * @returns The exit code.
 * @throws UsageError, MannerlyError
 */
export async function crawlCommand(words: readonly string[], given: CrawlFlags, io: CliIo): Promise<number> {
  const setup = await setUpCrawl(words, given);
  const { seeds, flags, options } = setup;
  const retry = retryFrom(flags);
  checkProcesses(flags);
  const { name, tokens = [name] } = options.identity;
  const out = flags.out ?? (await directoryFor({ name, tokens, seeds }, io.nowMs()));
  if (retry !== undefined && !holdsCrawl(out)) {
    throw new UsageError(
      `there is nothing to retry: ${out} holds no crawl`,
      'Name its directory with --out, and the same seeds and --name.',
    );
  }
  announce(setup, out, io);
  const { workers = 1 } = flags;
  const report = workers > 1 ? await crawlWithCrew(setup, workers, out, io) : await crawlAlone(setup, out, io);
  if (typeof report === 'number') return report;
  io.out(flags.json === true ? JSON.stringify(report, null, 2) : summaryText(report, out, isShared(flags)));
  return exitCodeOf(report);
}

/** In this process. Others may work on the same store. */
async function crawlAlone(setup: CrawlSetup, out: string, io: CliIo): Promise<CrawlReport> {
  const { flags } = setup;
  const { crawler, run } = await makeCrawl(setup, true);
  const dashboard = await openDashboard(crawler, flags, io);
  const display = showLine(io, (width) => lineOf(crawler, io, width), flags.progress);
  printWarnings(crawler, display.line);
  const release = stopOnInterrupt(io, display.line, () => crawler.stop());
  try {
    return await run(out);
  } finally {
    display.stop();
    release();
    await dashboard?.close();
  }
}

/** The progress in one line. The crawl may be paused from its live view. */
function lineOf(crawler: Crawler, io: CliIo, width: number): string {
  const mark = crawler.activity({ limit: 0 }).phase === 'paused' ? 'paused · ' : '';
  return `${mark}${progressText(crawler.progress(), io.nowMs(), width - mark.length)}`;
}

/** Says what is about to happen. */
function announce({ seeds, flags, options, file }: CrawlSetup, out: string, io: CliIo): void {
  const { within = 'host', hosts = [] } = options.scope;
  const { name, contact } = options.identity;
  const where =
    within === 'list' ? `the hosts ${hosts.join(', ')}` : `the ${within} of the seed${plural(seeds.length)}`;
  const from = seeds.length === 1 ? seeds[0] : `${seeds.length} seeds`;
  io.err(`Crawling ${from} as ${name} (${contact}), within ${where}.`);
  const { pages, depth, minutes } = options.bounds;
  const most = [
    ...(pages === undefined ? [] : [`${pages} pages`]),
    ...(depth === undefined ? [] : [`depth ${depth}`]),
    ...(minutes === undefined ? [] : [`${minutes} minutes`]),
  ];
  io.err(`At most ${most.join(', ')} (--pages, --depth, --minutes), all runs together.`);
  if (file !== null) io.err(`Configured by ${file}.`);
  io.err(holdsCrawl(out) && flags.reset !== true ? `Going on in ${out}.` : `Into ${out}.`);
  if (flags.interval !== undefined && flags.interval < 1) {
    io.err(
      `Warning: --interval ${flags.interval} leaves a site less than a second between two requests. Use it for hosts of your own.`,
    );
  }
}

function plural(count: number): string {
  return count === 1 ? '' : 's';
}

function holdsCrawl(directory: string): boolean {
  return existsSync(join(directory, 'crawl.json'));
}
