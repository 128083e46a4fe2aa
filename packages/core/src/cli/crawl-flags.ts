// The flags of `mannerly crawl` and `plan`: those of the option table, and those that are not options of a crawl.

import type { Command, Option } from 'commander';
import type { IdentityOptions } from '../options/crawler-options.js';
import { present } from '../present.js';
import type { RetryFilter } from '../run/retry-failures.js';
import { UsageError } from './failure.js';
import {
  appendValue,
  dateArgument,
  type Flags,
  flag,
  type NamedSinks,
  numberArgument,
  SINK_FLAGS,
  STORE_FLAG,
} from './flags.js';
import { FLAGGED_ROWS, optionOf, withOptionFlags } from './option-flags.js';
import { PROGRESS_MODES, type ProgressMode } from './progress.js';

type SharedFlags = Pick<Flags, 'json' | 'metrics' | 'store' | keyof NamedSinks>;

/** The flags as commander returns them. `optionsFromFlags` reads those of the option table. */
export interface CrawlFlags extends SharedFlags {
  readonly [optionFlag: string]: unknown;
  /** A file with a seed per line; `-`: standard input. */
  readonly seeds?: string;
  /** Seconds. */
  readonly interval?: number;
  /** The configuration file; `false`: none, `undefined`: the one in the working directory. */
  readonly config?: string | false;
  readonly out?: string;
  readonly keepOpen?: boolean;
  readonly reset?: boolean;
  readonly again?: boolean;
  readonly unpark?: string[];
  readonly retry?: string[];
  readonly retryHost?: string;
  /** Epoch milliseconds. */
  readonly retrySince?: number;
  readonly workers?: number;
  /** A port; `true`: any free port. */
  readonly dashboard?: number | true;
  /** `port` or `address:port`: where `serve` listens. */
  readonly listen?: string;
  /** Host names under which `serve` may be requested. */
  readonly listenName?: readonly string[];
  readonly progress?: ProgressMode;
}

const MAX_WORKERS = 64;
const DAY_SECONDS = 86_400;
const ALL_REASONS = 'all';

/** The flags that set no option, under their titles. */
const OTHER_FLAGS: Readonly<Record<string, readonly Option[]>> = {
  'Scope:': [flag('--seeds <file>', 'also read seeds from this file, one URL per line; - for standard input')],
  'Politeness:': [
    flag(
      '--interval <seconds>',
      'pause between two requests to a host, in place of --profile; less than 1 for your own hosts only',
      numberArgument(0, DAY_SECONDS, false),
    ),
  ],
  'The crawl directory, and continuing a crawl:': [
    flag('--out <dir>', 'the crawl directory (default: that of the same crawl, or crawls/<host>-<date>)'),
    flag('--reset', 'delete what this crawl keeps in its directory, its archive too, and start over'),
    flag('--again', 'visit known pages again, those most likely to have changed first'),
    flag('--keep-open', 'when nothing is left, wait for URLs from mannerly add until Ctrl-C'),
    flag('--unpark <host>', 'try a parked host again (repeatable)', appendValue<string>),
    flag(
      '--retry <reason>',
      `queue failures of earlier runs again: a reason such as status-500, "timeout-*", or ${ALL_REASONS} (repeatable)`,
      appendValue<string>,
    ),
    flag('--retry-host <name>', 'with --retry: only those of this host'),
    flag('--retry-since <date>', 'with --retry: only those since a date such as 2026-05-01T18:30Z', dateArgument),
  ],
  'Several processes:': [
    STORE_FLAG,
    flag(
      '--workers <n>',
      'processes on this machine that share the crawl (default: 1)',
      numberArgument(1, MAX_WORKERS, true),
    ),
  ],
  'Progress:': [
    flag('--dashboard [port]', 'serve a live view to this machine', numberArgument(0, 65_535, true)),
    flag('--metrics', 'with --dashboard: serve metrics for Prometheus at /metrics (needs prom-client)'),
    flag(
      '--progress <how>',
      'auto: one live line on a terminal, otherwise nothing; lines: a line every five seconds (default: auto)',
    ).choices(PROGRESS_MODES),
  ],
  'Output and configuration:': [
    ...SINK_FLAGS,
    flag('--json', 'print the report as JSON on standard output'),
    flag('--config <file>', 'read this file (default: mannerly.config.json, .js or .ts in the working directory)'),
    flag('--no-config', 'read no configuration file'),
  ],
};

export function withCrawlFlags(command: Command): Command {
  withOptionFlags(command);
  for (const [title, flags] of Object.entries(OTHER_FLAGS)) {
    command.optionsGroup(title);
    for (const each of flags) command.addOption(each);
  }
  return command.helpOption('-h, --help', 'print this');
}

export function withFlagsOf(command: Command, paths: RegExp): void {
  for (const flagged of FLAGGED_ROWS) if (paths.test(flagged.path)) command.addOption(optionOf(flagged));
}

/** @throws UsageError if the name or the contact is missing. The crawl checks their values. */
export function identityFrom(given: Partial<IdentityOptions>): IdentityOptions {
  const { name, contact, version, tokens } = given;
  if (name === undefined && contact === undefined) {
    const hint =
      'Sites address the name in robots.txt and write to the contact. For instance: --name tidepool-study --contact crawler@example.org';
    throw new UsageError(
      'missing --name and --contact: a crawl must say who it is and how to reach its operator',
      hint,
    );
  }
  if (name === undefined) {
    const hint =
      'Give a short name of letters, digits, "-" and "_", such as --name tidepool-study. Sites address it in robots.txt ("User-agent: tidepool-study").';
    throw new UsageError('missing --name: a crawl must say who it is', hint);
  }
  if (contact === undefined) {
    const hint =
      'Give a page or a mailbox, such as --contact https://example.org/our-crawler or --contact crawler@example.org. It is in the User-Agent of every request, so that a site can write to you instead of blocking you.';
    throw new UsageError('missing --contact: a crawl must say how to reach its operator', hint);
  }
  return { name, contact, ...present({ version, tokens }) };
}

/**
 * The failures to retry; `undefined`: none. @throws UsageError for flags that need another one or contradict each other
 */
export function retryFrom({ retry, retryHost, retrySince, reset }: CrawlFlags): RetryFilter | undefined {
  if (retry === undefined) {
    if (retryHost === undefined && retrySince === undefined) return undefined;
    throw new UsageError('--retry-host and --retry-since need --retry', `Add --retry ${ALL_REASONS}, or a reason.`);
  }
  if (reset === true) {
    const hint = 'A reset deletes the failures. Give one of them.';
    throw new UsageError('--retry and --reset contradict each other', hint);
  }
  return present({ reason: retry.includes(ALL_REASONS) ? null : retry, host: retryHost, sinceMs: retrySince });
}

export function isShared({ store, workers = 1 }: CrawlFlags): boolean {
  return store !== undefined || workers > 1;
}

/** Refuses flags that cannot be combined. @throws UsageError */
export function checkProcesses({ store, reset, workers = 1, csv, listen }: CrawlFlags): void {
  if (store !== undefined && reset === true) {
    const hint = 'Use another name (--store …?crawl=<name>), or remove this one first: mannerly delete --store <url>.';
    throw new UsageError('--reset does not delete what is on a server', hint);
  }
  if (workers > 1 && csv !== undefined) {
    const hint = 'Omit it, and write all items as one table afterwards: mannerly export <dir> --csv <file>.';
    throw new UsageError('--csv is written by one process', hint);
  }
  if (workers > 1 && listen !== undefined) {
    const hint =
      'Leave --workers out. With --store, other processes may work on the same crawl: mannerly crawl … --keep-open.';
    throw new UsageError('serve runs one process', hint);
  }
}
