// The crawl of a command line, in this process or in each worker: combines the command line and a configuration file,
// where a flag overrides the file, one option at a time; makes the crawl, runs it, and stops it at Ctrl-C.

import { createCrawler } from '../crawler.js';
import { type LogEntry, terminalLog, withLevel } from '../journal/log-entry.js';
import type { CrawlConfig } from '../options/config.js';
import type { CrawlerOptions, ScopeOptions } from '../options/crawler-options.js';
import { isObject } from '../parse-json.js';
import { present } from '../present.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { findConfig, readConfig } from './config-file.js';
import { type CrawlFlags, identityFrom, isShared, retryFrom } from './crawl-flags.js';
import { EXIT } from './exit-codes.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';
import { createNamedSinks } from './open-sinks.js';
import type { OpenedStore } from './open-store.js';
import { boundFlag, optionsFromFlags, type PartialOptions, withFlagName } from './option-flags.js';
import { loadHandlers, loadStages, type RegisterHandlers, registerDefault } from './user-module.js';

export interface CrawlSetup {
  /** The seeds of the command line; none: those of the configuration file. */
  readonly args: readonly string[];
  readonly seeds: readonly string[];
  /** The flags, with the paths and the store of the file. Plain JSON: workers receive them. */
  readonly flags: CrawlFlags;
  readonly options: CrawlerOptions;
  readonly register: RegisterHandlers;
  /** The configuration file; `null` if there is none. */
  readonly file: string | null;
}

/** If no file is named, the working directory is searched for one. @throws UsageError, MannerlyError */
export async function setUpCrawl(args: readonly string[], flags: CrawlFlags): Promise<CrawlSetup> {
  const file = flags.config === false ? null : (flags.config ?? findConfig(process.cwd()));
  const config: CrawlConfig = file === null ? {} : await readConfig(file);
  const { $schema: _, handlers, out, csv, sqlite, postgres, webhook, s3, store, sinks = [], ...fileOptions } = config;
  const seeds = args.length > 0 ? args : (config.scope?.seeds ?? []);
  if (seeds.length === 0) {
    const hint =
      'Write a URL after the command, a file of them after --seeds, or `scope: { seeds: […] }` in mannerly.config.json.';
    throw new UsageError('missing seeds: a crawl needs a URL to start from', hint);
  }
  if (sinks.length > 0 && (flags.workers ?? 1) > 1) {
    const hint = 'Leave out --workers or the sinks, and read all items with mannerly export.';
    throw new UsageError(`\`sinks\` of ${file} are written by one process`, hint);
  }
  const fileSettings = present({ out, csv, sqlite, postgres, webhook, s3, store });
  const allSinks = [...sinks, ...(await createNamedSinks({ ...fileSettings, ...flags }))];
  const options = {
    ...(await withBrowser(optionsOf(seeds, flags, fileOptions))),
    ...(handlers === undefined || fileOptions.items !== undefined ? {} : await loadStages(handlers)),
    ...(allSinks.length === 0 ? {} : { sinks: allSinks }),
  };
  const register = handlers === undefined ? registerDefault : await loadHandlers(handlers);
  // Opens nothing: reports errors in the options and handlers before anything happens.
  try {
    await register(createCrawler(options));
  } catch (error) {
    throw withFlagName(error, flags);
  }
  return {
    args,
    seeds: seeds.map((seed) => (typeof seed === 'string' ? seed : seed.url)),
    flags: { ...fileSettings, ...flags, config: file ?? false },
    options,
    register,
    file,
  };
}

function optionsOf(seeds: ScopeOptions['seeds'], flags: CrawlFlags, fileOptions: PartialOptions): CommandOptions {
  const { bounds = { pages: boundFlag('pages').default, minutes: boundFlag('minutes').default } } = fileOptions;
  const merged = mergeOptions({ ...fileOptions, bounds }, withInterval(optionsFromFlags(flags), flags));
  const { within = 'host' } = merged.scope ?? {};
  for (const [flag, scope] of Object.entries({ host: 'list', surt: 'surt' })) {
    if (flags[flag] === undefined || within === scope) continue;
    throw new UsageError(`--${flag} needs --within ${scope}`, `Add --within ${scope}, or leave --${flag} out.`);
  }
  if (flags['traps'] === false && flags['dropTraps'] === true)
    throw new UsageError('--no-traps and --drop-traps exclude each other', 'Leave one of them out.');
  return {
    ...merged,
    identity: { ...merged.identity, ...identityFrom(merged.identity ?? {}) },
    scope: { ...merged.scope, seeds },
  } as CommandOptions;
}

type CommandOptions = CrawlerOptions & Pick<CrawlConfig, 'browser'>;

/** The options, with the command's fetcher if pages are opened in a browser. */
async function withBrowser({ browser = false, ...options }: CommandOptions): Promise<CrawlerOptions> {
  if (browser === false) return options;
  if (options.fetcher !== undefined) {
    const hint = 'Omit one of them. For a fetcher with its own browser, use browserFetcher of mannerly/browser.';
    throw new UsageError('`browser` and `fetcher` both say what sends requests', hint);
  }
  const { proxy, ...network } = options.network ?? {};
  const { commandBrowser } = await import('./command-browser.js');
  return { ...options, network, fetcher: await commandBrowser(browser === true ? {} : browser, proxy) };
}

function withInterval(given: PartialOptions, { interval, profile }: CrawlFlags): PartialOptions {
  if (interval === undefined) return given;
  if (profile !== undefined) {
    throw new UsageError('--interval and --profile both set the pace', 'Give one of them.');
  }
  const ms = Math.ceil(interval * 1_000);
  return { ...given, politeness: { ...given.politeness, profile: { factor: 0, minMs: ms, maxMs: ms } } };
}

/** The options of both; those of the flags win. Groups are merged option by option. */
function mergeOptions(fileOptions: PartialOptions, flagOptions: PartialOptions): PartialOptions {
  const merged: Record<string, unknown> = { ...fileOptions };
  for (const [name, value] of Object.entries(flagOptions)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged as PartialOptions;
}

/**
 * Makes the crawl of a command line.
 * @param isFirst - The first of several processes resets, unparks and retries.
 * @param print - Prints messages during the crawl.
 */
export async function createCommandCrawl(
  { options, flags, register }: CrawlSetup,
  isFirst: boolean,
  print: (line: string) => void,
) {
  let opened: OpenedStore | null = null;
  const log = commandLog(options.log, print);
  const recrawlOption = flags.again === true && (options.recrawl ?? false) === false ? { recrawl: true } : {};
  // `run` makes the store once the client is open.
  const createStore: CrawlerOptions['store'] = (notify, signal) => opened!.createStore(notify, signal);
  const store = flags.store === undefined ? null : createStore;
  const crawler = createCrawler({ ...options, ...recrawlOption, ...present({ log, store }) });
  await register(crawler);
  const retry = isFirst ? retryFrom(flags) : undefined;
  return {
    crawler,
    async run(out: string): Promise<CrawlReport> {
      if (flags.store !== undefined)
        opened = await (await import('./open-store.js')).openStore(flags.store, options.identity.name);
      try {
        if (isFirst) for (const host of flags.unpark ?? []) await crawler.unpark(host);
        return await crawler.run({
          out,
          keepOpen: flags.keepOpen === true,
          reset: isFirst && flags.reset === true,
          again: isFirst && flags.again === true,
          shared: isShared(flags),
          ...present({ retry }),
        });
      } finally {
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
    const isImportant = entry.code === 'comment' || entry.code === 'added';
    if (entry.code !== 'nothing-fetched') log(isImportant ? { ...entry, level: 'warn' } : entry);
  };
  return withLevel(write, log.level ?? 'debug');
}

/**
 * The first Ctrl-C stops cleanly, the second ends at once.
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
