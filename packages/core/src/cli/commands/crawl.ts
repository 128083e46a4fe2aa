// `mannerly crawl`: a crawl in this process or in several, with its progress on standard error and its report.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WatchedCrawl } from '../../dashboard/view.js';
import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { lacksPage, NO_PAGE } from '../../fetch/identity.js';
import { resolveOptions } from '../../options/options.js';
import type { CrawlReport } from '../../report/crawl-report.js';
import { totalsFromLogs } from '../../report/from-logs.js';
import { progressText } from '../../report/progress-line.js';
import { MAX_ACTIVITY_SEEDS } from '../../run/limits.js';
import { type CrawlFlags, checkProcesses, isShared, retryFrom } from '../crawl-flags.js';
import { type CrawlSetup, setUpCrawl } from '../crawl-setup.js';
import { directoryFor } from '../default-directory.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { json } from '../flags.js';
import type { CliIo } from '../io.js';
import { makeCrawl, stopOnInterrupt } from '../live-crawl.js';
import { openDashboard, openWorkersDashboard } from '../open-dashboard.js';
import { outOfScopeText } from '../out-of-scope.js';
import { type ProgressDisplay, showLine } from '../progress.js';
import { resultFilesText } from '../result-files.js';
import { seedsFrom } from '../seeds-file.js';
import { summaryText } from '../summary.js';
import { joinedProgress, joinedReport } from '../workers/joined-report.js';
import { watchedWorkers } from '../workers/joined-view.js';
import { WorkerPool } from '../workers/worker-pool.js';

/** The default of `network.concurrency`. */
const DEFAULT_CONCURRENCY = 64;

/** Runs the command. @throws UsageError, MannerlyError */
export async function crawlCommand(args: readonly string[], given: CrawlFlags, io: CliIo): Promise<number> {
  const setup = await setUpCrawl(await seedsFrom(args, given, io), given);
  const { seeds, flags, options } = setup;
  const retry = retryFrom(flags);
  checkProcesses(flags);
  const { name, tokens = [name] } = options.identity;
  const out = flags.out ?? (await directoryFor({ name, tokens, seeds }, io.nowMs()));
  if (retry !== undefined && !holdsCrawl(out)) {
    const hint = 'Name its directory with --out, and the same seeds and --name.';
    throw new UsageError(`there is nothing to retry: ${out} holds no crawl`, hint);
  }
  announce(setup, out, io);
  const { workers = 1 } = flags;
  const report = workers > 1 ? await crawlWithWorkers(setup, workers, out, io) : await crawlAlone(setup, out, io);
  if (typeof report === 'number') return report;
  const closed = await outOfScopeText(report, options.scope, out);
  const last = [
    resultFilesText(out, isShared(flags), [flags.csv, flags.sqlite]),
    ...(closed === null ? [] : [closed]),
  ].join('\n\n');
  if (flags.json === true) {
    io.out(json(report));
    io.err(last);
  } else io.out([summaryText(report), last].join('\n\n'));
  return exitCodeOf(report);
}

/** In this process. Others may work on the same store. */
async function crawlAlone(setup: CrawlSetup, out: string, io: CliIo): Promise<CrawlReport> {
  const { flags } = setup;
  let display: ProgressDisplay | null = null;
  const print = (line: string): void => (display === null ? io.err(line) : display.line(line));
  const { crawler, run } = await makeCrawl(setup, true, print);
  const dashboard = await openDashboard(crawler, flags, out, io);
  const lineOf = (width: number): string => {
    // The crawl may be paused from its dashboard.
    const mark = crawler.activity({ limit: 0 }).phase === 'paused' ? 'paused · ' : '';
    return `${mark}${progressText(crawler.progress(), io.nowMs(), width - mark.length)}`;
  };
  display = showLine(io, lineOf, flags.progress);
  const stop = (): void => crawler.stop();
  // A page is the first that may keep this process busy, unless the configuration has functions.
  const mayHaveFunctions = setup.file !== null && !setup.file.endsWith('.json');
  const beforeBusy = (hear: () => void): void => {
    if (mayHaveFunctions) hear();
    else crawler.events.on('request', hear);
  };
  const release = stopOnInterrupt(io, display.line, stop, undefined, beforeBusy);
  try {
    return await run(out);
  } finally {
    display.stop();
    release();
    await dashboard?.close();
  }
}

/** With several processes. @returns The exit code where no worker has a report: they have said why */
async function crawlWithWorkers(
  setup: CrawlSetup,
  count: number,
  out: string,
  io: CliIo,
): Promise<CrawlReport | number> {
  const { seeds, flags, options } = setup;
  const { concurrency = DEFAULT_CONCURRENCY } = options.network ?? {};
  const shared = { ...flags, concurrency: Math.ceil(concurrency / count) };
  let display: ProgressDisplay | null = null;
  const pool = new WorkerPool({
    count,
    start: () => io.startWorker(),
    firstMessage: (isFirst) => ({ kind: 'start', seeds, flags: shared, out, isFirst }),
    print: (line) => (display === null ? io.err(line) : display.line(line)),
  });
  const lineOf = (width: number): string => {
    const progress = joinedProgress(pool.progress());
    const mark = `${pool.running()} processes · `;
    return `${mark}${progress === null ? 'opening' : progressText(progress, io.nowMs(), width - mark.length)}`;
  };
  const dashboard = await openWorkersDashboard(watched(pool, setup, io), pool, flags, io).catch((error: unknown) => {
    pool.kill();
    throw error;
  });
  display = showLine(io, lineOf, flags.progress);
  const stop = (): void => pool.stop();
  const release = stopOnInterrupt(io, display.line, stop, () => pool.kill());
  try {
    const ends = await pool.ended;
    const [first, ...others] = ends.flatMap(({ report }) => report ?? []);
    const worst = Math.max(...ends.map(({ code }) => code));
    if (first === undefined) return worst === EXIT.ok ? EXIT.broken : worst;
    const logged = await totalsFromLogs(await readCrawlDirectory(out));
    return joinedReport([first, ...others], logged);
  } finally {
    display.stop();
    release();
    await dashboard?.close();
  }
}

/** The workers as the live view sees them. */
function watched(pool: WorkerPool, { seeds, options }: CrawlSetup, io: CliIo): WatchedCrawl {
  const { bounds } = resolveOptions(options);
  return watchedWorkers({
    ...{ name: options.identity.name, seeds: seeds.slice(0, MAX_ACTIVITY_SEEDS), seedCount: seeds.length, bounds },
    workers: () => pool.workers(),
    pause: () => pool.tell('pause'),
    resume: () => pool.tell('resume'),
    stop: () => pool.stop(),
    nowMs: () => io.nowMs(),
  });
}

/** Says what is about to happen. */
function announce({ seeds, flags, options, file }: CrawlSetup, out: string, io: CliIo): void {
  const { within = 'host', hosts = [] } = options.scope;
  const { name, contact, signature } = options.identity;
  const isOne = seeds.length === 1;
  const ofSeeds = `within the ${within} of the seed${isOne ? '' : 's'}`;
  const listed = `within the hosts ${hosts.join(', ')}`;
  const where = { list: listed, any: 'to any host', surt: 'within the given SURTs', host: ofSeeds, domain: ofSeeds }[
    within
  ];
  io.err(`Crawling ${isOne ? seeds[0] : `${seeds.length} seeds`} as ${name} (${contact}), ${where}.`);
  const { pages, depth, minutes } = options.bounds;
  const most = [
    ...(pages === undefined ? [] : [`${pages} pages`]),
    ...(depth === undefined ? [] : [`depth ${depth}`]),
    ...(minutes === undefined ? [] : [`${minutes} minutes`]),
  ];
  io.err(`At most ${most.join(', ')} (--pages, --depth, --minutes), all runs together.`);
  if (file !== null) io.err(`Configured by ${file}.`);
  io.err(holdsCrawl(out) && flags.reset !== true ? `Continuing in ${out}.` : `Into ${out}.`);
  if (signature !== undefined && lacksPage(options.identity)) io.err(NO_PAGE);
  const { interval = 1 } = flags;
  if (interval < 1) {
    const risk = 'leaves a site less than a second between two requests. Use it for hosts of your own.';
    io.err(`Warning: --interval ${interval} ${risk}`);
  }
}

function holdsCrawl(directory: string): boolean {
  return existsSync(join(directory, 'crawl.json'));
}
