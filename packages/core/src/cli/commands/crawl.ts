// `mannerly crawl`: a crawl in one or several processes, with its progress on standard error and its report; and
// `mannerly serve`: a crawl that stays open, with its live view and the HTTP API for other programs.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkEntryKinds, readCrawlDirectory } from '../../directory/crawl-directory.js';
import { continueManifest } from '../../directory/crawl-manifest.js';
import { crawlPaths } from '../../directory/crawl-paths.js';
import { lacksPage, NO_PAGE } from '../../fetch/identity.js';
import { readSettings } from '../../options/crawl-settings.js';
import { resolveOptions } from '../../options/options.js';
import type { CrawlReport } from '../../report/crawl-report.js';
import { progressText } from '../../report/progress-line.js';
import { plural } from '../../report/table.js';
import { directoryFor } from '../crawl-directories.js';
import { type CrawlFlags, checkProcesses, retryFrom } from '../crawl-flags.js';
import { type CrawlSetup, createCommandCrawl, setUpCrawl, stopOnInterrupt } from '../crawl-setup.js';
import { UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { DEFAULT_LISTEN } from '../limits.js';
import { metricsOf, openDashboard } from '../open-dashboard.js';
import { type ProgressDisplay, startProgressLine } from '../progress.js';
import { seedsFrom } from '../seeds-file.js';

export async function crawlCommand(args: readonly string[], given: CrawlFlags, io: CliIo): Promise<number> {
  const first = await setUpCrawl(await seedsFrom(args, given, io), given);
  const retry = retryFrom(first.flags);
  checkProcesses(first.flags);
  const { name, tokens = [name] } = first.options.identity;
  const out = first.flags.out ?? (await directoryFor({ name, tokens, seeds: first.seeds }, io.nowMs()));
  // Also for the workers, which get the flags.
  const recrawl = (await hasKeptVisits(out, first)) ? { recrawl: true } : {};
  const setup = { ...first, flags: { ...first.flags, ...recrawl }, options: { ...first.options, ...recrawl } };
  const { flags } = setup;
  if (retry !== undefined && !holdsCrawl(out)) {
    const hint = 'Name its directory with --out, and the same seeds and --name.';
    throw new UsageError(`there is nothing to retry: ${out} holds no crawl`, hint);
  }
  const continues = holdsCrawl(out) && flags.reset !== true;
  if (continues) await refuseOtherCrawl(out, setup);
  announce(setup, out, continues, io);
  const { workers = 1 } = flags;
  const runCrawl =
    workers > 1 ? (await import('../workers/crawl-with-workers.js')).crawlWithWorkers : crawlInThisProcess;
  const report = await runCrawl(setup, out, io);
  if (typeof report === 'number') return report;
  // Loaded late, so that a crawl sends its first request sooner.
  const { printEnd } = await import('../crawl-end.js');
  return printEnd(report, setup, out, io);
}

export async function serveCommand(args: readonly string[], flags: CrawlFlags, io: CliIo): Promise<number> {
  if (flags.dashboard !== undefined) {
    throw new UsageError('serve has the live view at its own address already', 'Name its port with --listen.');
  }
  return crawlCommand(args, { ...flags, keepOpen: true, listen: flags.listen ?? DEFAULT_LISTEN }, io);
}

/**
 * Whether earlier runs kept visits (`--recrawl`), and this command line does not say whether to. Without them, a later
 * recrawl would not know the pages that this run fetches.
 */
async function hasKeptVisits(out: string, { flags, options }: CrawlSetup): Promise<boolean> {
  if (options.recrawl !== undefined || flags.reset === true || !holdsCrawl(out)) return false;
  await checkEntryKinds(out);
  // A file that cannot be read is named by the run, as damage.
  const settings = await readSettings(crawlPaths(out).settingsPath, []).catch(() => null);
  return settings?.recrawl != null;
}

/** Before it is announced that the crawl continues. @throws MannerlyError `directory-taken` for another crawl */
async function refuseOtherCrawl(out: string, { options }: CrawlSetup): Promise<void> {
  const { manifest } = await readCrawlDirectory(out);
  const { identity, scope } = resolveOptions(options);
  continueManifest(out, manifest, { ...identity, seeds: scope.seeds });
}

/** Crawls in this process. Others may work on the same store. */
async function crawlInThisProcess(setup: CrawlSetup, out: string, io: CliIo): Promise<CrawlReport> {
  const { flags } = setup;
  let display: ProgressDisplay | null = null;
  const print = (line: string): void => (display === null ? io.err(line) : display.line(line));
  const { crawler, run } = await createCommandCrawl(setup, true, print);
  const dashboard = await openDashboard(crawler, flags, () => metricsOf(crawler), io, { crawl: crawler, out });
  const lineOf = (width: number): string => {
    // The dashboard may have paused the crawl.
    const mark = crawler.activity({ limit: 0 }).phase === 'paused' ? 'paused · ' : '';
    return `${mark}${progressText(crawler.progress(), io.nowMs(), width - mark.length)}`;
  };
  display = startProgressLine(io, lineOf, flags.progress);
  const stop = (): void => crawler.stop();
  // A page is the first thing that can keep this process busy, unless the configuration has functions.
  const mayHaveFunctions = setup.file !== null && !setup.file.endsWith('.json');
  const beforeBusy = (startListening: () => void): void => {
    if (mayHaveFunctions) startListening();
    else crawler.events.on('request', startListening);
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

function announce({ seeds, flags, options, file }: CrawlSetup, out: string, continues: boolean, io: CliIo): void {
  const { within = 'host', hosts = [] } = options.scope;
  const { name, contact, signature } = options.identity;
  const isOne = seeds.length === 1;
  const ofSeeds = `within the ${within} of the seed${isOne ? '' : 's'}`;
  const listed = `within the hosts ${hosts.join(', ')}`;
  const places = { list: listed, any: 'to any host', surt: 'within the given SURTs', host: ofSeeds, domain: ofSeeds };
  io.err(`Crawling ${isOne ? seeds[0] : `${seeds.length} seeds`} as ${name} (${contact}), ${places[within]}.`);
  const { pages, depth, minutes } = options.bounds;
  const limits = [
    pages === undefined ? [] : plural(pages, 'page'),
    depth === undefined ? [] : `depth ${depth}`,
    minutes === undefined ? [] : plural(minutes, 'minute'),
  ].flat();
  const scope = flags.again === true ? 'in this visit' : 'all runs together';
  io.err(`At most ${limits.join(', ')} (--pages, --depth, --minutes), ${scope}.`);
  if (file !== null) io.err(`Configured by ${file}.`);
  const sitemap = seeds.find((seed) => /sitemap[^/?]*\.xml(?:\.gz)?$/i.test(seed));
  if (sitemap !== undefined) io.err(`Warning: as a seed, ${sitemap} is a page. --sitemap reads the URLs in it.`);
  const first = flags.again === true && flags.store === undefined ? ' This is the first run of the crawl.' : '';
  io.err(continues ? `Continuing in ${out}.` : `Into ${out}.${first}`);
  const tables = continues ? [] : [flags.csv, flags.sqlite].filter((table) => table !== undefined && existsSync(table));
  if (tables.length > 0) {
    const hint = 'To get its new items there, remove the file first or name another one.';
    io.err(`Warning: ${tables.join(' and ')} may contain items from the same pages, which are not changed. ${hint}`);
  }
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
