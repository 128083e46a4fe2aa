// What a command line and a configuration say together. Flags that were given override the file, one by one; what the
// command's flags are by default gives way to it.

import type { Command } from 'commander';
import { type CrawlConfig, type CrawlerOptions, createCrawler, csvSink } from 'mannerly';
import { findConfig, readConfig } from './config-file.js';
import { type CrawlFlags, crawlOptions } from './crawl-flags.js';
import { UsageError } from './failure.js';
import { type HandlerRoutes, loadHandlers, registerDefault } from './handlers-file.js';

/** A crawl as it was asked for. */
export interface CrawlSetup {
  readonly seeds: readonly string[];
  /** The flags, with what the file says in the place of those that were not given. Plain JSON: workers get them. */
  readonly flags: CrawlFlags;
  readonly options: CrawlerOptions;
  readonly register: (routes: HandlerRoutes) => void;
  /** The file; `null`: none. */
  readonly file: string | null;
}

/** Objects of options whose keys are merged one by one. */
const MERGED: readonly string[] = [
  'identity',
  'scope',
  'bounds',
  'politeness',
  'robots',
  'network',
  'discover',
  'decisionLog',
  'archive',
];

/** The flags that stand on a command line, as opposed to those that have their defaults. @throws Never */
export function givenFlags(command: Command): readonly string[] {
  return Object.keys(command.opts()).filter((name) => command.getOptionValueSource(name) === 'cli');
}

/**
 * Puts command line and configuration together.
 *
 * @param directory - Where a file is looked for when none is named.
 * @throws UsageError, naming the flag, or the file and its key.
 */
export async function setUpCrawl(
  words: readonly string[],
  flags: CrawlFlags,
  directory: string = process.cwd(),
): Promise<CrawlSetup> {
  const file = flags.config === false ? null : (flags.config ?? findConfig(directory));
  const config: CrawlConfig = file === null ? {} : (await readConfig(file)).config;
  const { handlers, out, csv, store, sinks = [], ...rest } = config;
  const seeds = words.length > 0 ? words : (config.scope?.seeds ?? []);
  if (seeds.length === 0) {
    throw new UsageError(
      'missing seeds: a crawl begins somewhere',
      'Write a URL after the command, or `scope: { seeds: […] }` in mannerly.config.json.',
    );
  }
  if (sinks.length > 0 && (flags.workers ?? 1) > 1) {
    throw new UsageError(
      `\`sinks\` of ${file} are written by one process`,
      'Leave --workers out, or the sinks, and read all items with mannerly export.',
    );
  }
  const effective = withConfig(flags, config, file);
  const { sinks: flagSinks = [], ...said } = crawlOptions(seeds, effective);
  const allSinks = [
    ...sinks,
    ...flagSinks,
    ...(csv === undefined || flags.csv !== undefined ? [] : [csvSink({ path: csv })]),
  ];
  const setup: CrawlSetup = {
    seeds,
    flags: {
      ...effective,
      ...(flags.out === undefined && out !== undefined ? { out } : {}),
      ...(flags.csv === undefined && csv !== undefined ? { csv } : {}),
      ...(flags.store === undefined && store !== undefined ? { store } : {}),
    },
    options: {
      ...merged(rest, withoutDefaults(said, flags, config)),
      ...(allSinks.length === 0 ? {} : { sinks: allSinks }),
    },
    register: handlers === undefined ? registerDefault : await loadHandlers(handlers),
    file,
  };
  // Nothing is opened by this: what is wrong is told before anything else is said.
  setup.register(createCrawler(setup.options));
  return setup;
}

/** The flags with what is said of them in the file: what the command tells, and asks elsewhere. */
function withConfig(
  flags: CrawlFlags,
  { identity, scope, bounds, network }: CrawlConfig,
  file: string | null,
): CrawlFlags {
  const given = new Set(flags.given);
  const own = <T>(name: string, value: T, said: T | undefined): T => (given.has(name) ? value : (said ?? value));
  return {
    ...flags,
    ...(file === null ? { config: false } : { config: file }),
    ...((flags.name ?? identity?.name) === undefined ? {} : { name: (flags.name ?? identity?.name) as string }),
    ...((flags.contact ?? identity?.contact) === undefined
      ? {}
      : { contact: (flags.contact ?? identity?.contact) as string }),
    // Several processes share it out.
    ...(flags.concurrency === undefined && network?.concurrency !== undefined
      ? { concurrency: network.concurrency }
      : {}),
    within: own('within', flags.within, scope?.within),
    ...(bounds === undefined
      ? {}
      : {
          pages: own('pages', flags.pages, bounds.pages),
          depth: own('depth', flags.depth, bounds.depth),
          minutes: own('minutes', flags.minutes, bounds.minutes),
        }),
  };
}

/** The options of the flags without those that nobody gave, where the file speaks of them. */
function withoutDefaults(
  options: CrawlerOptions,
  { given, sitemaps }: CrawlFlags,
  { bounds, discover }: CrawlConfig,
): CrawlerOptions {
  const isGiven = new Set(given);
  const kept = Object.entries(options.bounds).filter(([name]) => bounds === undefined || isGiven.has(name));
  const { sitemaps: read, ...found } = options.discover ?? {};
  const isRead = sitemaps !== undefined || discover?.sitemaps === undefined;
  return {
    ...options,
    bounds: Object.fromEntries(kept) as CrawlerOptions['bounds'],
    ...(options.discover === undefined
      ? {}
      : { discover: { ...found, ...(isRead && read !== undefined ? { sitemaps: read } : {}) } }),
  };
}

/** The file's options under those of the flags. */
function merged(config: Omit<CrawlConfig, 'sinks'>, flags: CrawlerOptions): CrawlerOptions {
  const result: Record<string, unknown> = { ...config };
  for (const [name, value] of Object.entries(flags)) {
    const before = result[name];
    result[name] = MERGED.includes(name) && isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return result as unknown as CrawlerOptions;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
