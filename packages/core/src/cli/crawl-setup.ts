// Combines a command line and a configuration file. A flag overrides the file, one option at a time.

import { createCrawler } from '../crawler.js';
import type { CrawlConfig } from '../options/config.js';
import type { CrawlerOptions } from '../options/crawler-options.js';
import { isObject } from '../parse-json.js';
import { present } from '../present.js';
import { findConfig, readConfig } from './config-file.js';
import { type CrawlFlags, identityFrom } from './crawl-flags.js';
import { UsageError } from './failure.js';
import { createNamedSinks } from './open-sinks.js';
import { commandDefault, optionsFromFlags, type PartialOptions, withFlagName } from './option-flags.js';
import { loadHandlers, loadStages, type RegisterHandlers, registerDefault } from './user-module.js';

export interface CrawlSetup {
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
  return { seeds, flags: { ...fileSettings, ...flags, config: file ?? false }, options, register, file };
}

function optionsOf(seeds: readonly string[], flags: CrawlFlags, fileOptions: PartialOptions): CommandOptions {
  const given = withInterval(optionsFromFlags(flags), flags);
  const merged = mergeOptions(
    fileOptions.bounds === undefined ? { ...fileOptions, bounds: commandBounds() } : fileOptions,
    given,
  );
  const { within = 'host' } = merged.scope ?? {};
  for (const [flag, requiredScope] of [
    ['host', 'list'],
    ['surt', 'surt'],
  ] as const) {
    if (flags[flag] === undefined || within === requiredScope) continue;
    throw new UsageError(
      `--${flag} needs --within ${requiredScope}`,
      `Add --within ${requiredScope}, or leave --${flag} out.`,
    );
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

/** Bounds if neither a flag nor a file sets any. */
function commandBounds(): Partial<CrawlerOptions['bounds']> {
  const names = ['pages', 'minutes'] as const;
  return Object.fromEntries(names.map((name) => [name, commandDefault(`bounds.${name}`)]));
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
