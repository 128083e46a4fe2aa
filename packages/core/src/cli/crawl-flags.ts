// The flags of `mannerly crawl`, in the groups in which its help shows them, and the options of a crawl that they stand for.

import type { Command } from 'commander';
import type { CrawlerOptions, RobotsOptions } from 'mannerly';
import { type BoundsFlags, boundsFrom, withBounds } from './bounds-flags.js';
import { type DashboardFlags, withDashboard } from './dashboard-flags.js';
import { collected, numberArgument, oneOf } from './flag-values.js';
import { type IdentityFlags, identityFrom, withIdentity } from './identity-flags.js';
import { type OutputFlags, outputFrom, withOutput } from './output-flags.js';
import { type PaceFlags, paceFrom, withPace } from './pace-flags.js';
import { type RetryFlags, withRetry } from './retry-flags.js';
import { type ScopeFlags, scopeFrom, withScope } from './scope-flags.js';
import { type StoreFlags, withProcesses } from './store-flags.js';

/** The flags as commander hands them over. */
export interface CrawlFlags
  extends IdentityFlags,
    ScopeFlags,
    BoundsFlags,
    PaceFlags,
    RetryFlags,
    DashboardFlags,
    OutputFlags,
    StoreFlags {
  readonly robotsPolicy?: string;
  readonly robotsDialect?: string;
  readonly purpose?: string[];
  readonly sitemaps?: boolean;
  readonly sitemap?: string[];
  readonly dataTxt?: boolean;
  readonly datasets?: boolean;
  readonly out?: string;
  readonly reset?: boolean;
  readonly wake?: string[];
  readonly allowAddress?: string[];
  readonly port?: number[];
  readonly maxBodyBytes?: number;
  readonly concurrency?: number;
  readonly maxIdle?: number;
  readonly seeded?: string;
  readonly json?: boolean;
  /** The configuration file; `false`: none, `undefined`: the one in the working directory. */
  readonly config?: string | false;
  /** Names of the flags that stand on the command line: the others have their defaults. */
  readonly given?: readonly string[];
}

const POLICIES = ['base', 'declared', 'declared-only', 'strictest'] as const;
const DIALECTS = ['rfc9309', 'google', '1996', '1994'] as const;
const PURPOSES = ['search', 'archive', 'tdm', 'ai-train', 'ai-input', 'other'] as const;
const GIB = 1_073_741_824;

/** Adds the flags to a command. */
export function withCrawlFlags(command: Command): Command {
  withIdentity(command.optionsGroup('Who asks (both are needed):'));
  withBounds(command);
  withScope(command);
  command
    .optionsGroup('In which order:')
    .option(
      '--order-seed <word>',
      'let this word decide the order, so that the crawl can be repeated (docs/reproducible.md)',
    );
  withPace(command);
  withWishes(command);
  withProcesses(command);
  withRetry(
    command
      .optionsGroup('The crawl directory, and going on:')
      .option(
        '--out <dir>',
        'the crawl directory (default: the one that the same crawl has, else crawls/<host>-<date>)',
      )
      .option('--reset', 'remove what this crawl has kept in its directory, and start over')
      .option(
        '--unpark <host>',
        'a host that was set aside, to be tried again: you have looked at it (again for more)',
        collected,
      ),
  );
  command
    .optionsGroup('A configuration, which says what flags do not (docs/config.md):')
    .option('--config <file>', 'read this one (default: mannerly.config.json, .js or .ts in the working directory)')
    .option('--no-config', 'read none');
  return withOutput(withDashboard(withNetwork(command))).helpOption('-h, --help', 'print this');
}

/** What sites say, and what is asked for beside pages. */
function withWishes(command: Command): Command {
  return command
    .optionsGroup('What sites say, and what is read beside pages:')
    .option('--robots-policy <name>', `which wishes count: ${POLICIES.join(', ')} (default: declared)`)
    .option('--robots-dialect <name>', `how robots.txt is read: ${DIALECTS.join(', ')} (default: rfc9309)`)
    .option('--purpose <word>', `what the data is for: ${PURPOSES.join(', ')} (again for more)`, collected)
    .option('--sitemaps', 'read the sitemaps that robots.txt names')
    .option('--sitemap <url>', 'read this sitemap or feed (again for more)', collected)
    .option('--data-txt', 'ask each site for /data.txt, which lists its datasets')
    .option('--datasets', 'fetch the datasets that data.txt names too (with it, --data-txt)');
}

function withNetwork(command: Command): Command {
  return command
    .optionsGroup('The network:')
    .option(
      '--allow-address <cidr>',
      'reach this private address range too, such as 127.0.0.0/8 (again for more)',
      collected,
    )
    .option(
      '--port <n>',
      'reach this port too, beside 80, 443 and those of the seeds (again for more)',
      (text: string, before: number[] = []) => [...before, numberArgument(1, 65_535, true)(text)],
    )
    .option(
      '--max-body-bytes <bytes>',
      'decoded bytes kept of a page at most (default: 10485760)',
      numberArgument(1, GIB, true),
    )
    .option(
      '--concurrency <n>',
      'requests under way over all hosts; a host is asked one thing at a time (default: 64)',
      numberArgument(1, 1_024, true),
    )
    .option(
      '--max-idle <seconds>',
      'end when only hosts are left that wait longer (default: 600)',
      numberArgument(0, 2_592_000, false),
    );
}

/**
 * The options of a crawl from seeds and flags.
 *
 * @throws UsageError for a word that a flag does not know, or flags that contradict each other.
 */
export function crawlOptions(seeds: readonly string[], flags: CrawlFlags): CrawlerOptions {
  return {
    identity: identityFrom(flags),
    ...scopeFrom(seeds, flags),
    bounds: boundsFrom(flags),
    ...paceFrom(flags),
    ...robotsFrom(flags),
    ...(flags.purpose === undefined
      ? {}
      : { purposes: flags.purpose.map((word) => oneOf('--purpose', PURPOSES, word)) }),
    ...networkFrom(flags),
    ...discoveryFrom(flags),
    ...outputFrom(flags),
    ...(flags.maxIdle === undefined ? {} : { maxIdleMs: flags.maxIdle * 1_000 }),
    ...(flags.seeded === undefined ? {} : { orderSeed: flags.seeded }),
  };
}

function robotsFrom({ robotsPolicy, robotsDialect }: CrawlFlags): Pick<CrawlerOptions, 'robots'> {
  const robots: Pick<RobotsOptions, 'policy' | 'dialect'> = {
    ...(robotsPolicy === undefined ? {} : { policy: oneOf('--robots-policy', POLICIES, robotsPolicy) }),
    ...(robotsDialect === undefined ? {} : { dialect: oneOf('--robots-dialect', DIALECTS, robotsDialect) }),
  };
  return Object.keys(robots).length === 0 ? {} : { robots };
}

function networkFrom({ allowAddress, port, maxBodyBytes, concurrency }: CrawlFlags): Pick<CrawlerOptions, 'network'> {
  const network = {
    ...(allowAddress === undefined ? {} : { allowAddresses: allowAddress }),
    ...(port === undefined ? {} : { ports: port }),
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
  return Object.keys(network).length === 0 ? {} : { network };
}

function discoveryFrom({
  sitemaps,
  sitemap,
  dataTxt,
  datasets,
}: CrawlFlags): Pick<CrawlerOptions, 'discover' | 'datasets'> {
  const discover = {
    ...(sitemaps === undefined && sitemap === undefined
      ? {}
      : { sitemaps: sitemaps ?? false, sitemapUrls: sitemap ?? [] }),
    // Datasets are named by data.txt, so wanting them is asking for it.
    ...(dataTxt === true || datasets === true ? { dataTxt: true } : {}),
  };
  return {
    ...(Object.keys(discover).length === 0 ? {} : { discover }),
    ...(datasets === true ? { datasets: { enqueue: true } } : {}),
  };
}
