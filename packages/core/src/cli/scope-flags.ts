// Where a crawl may go, and which URLs count as one, from the command line.

import type { Command } from 'commander';
import type { CrawlerOptions } from 'mannerly';
import { UsageError } from './failure.js';
import { collected, oneOf } from './flag-values.js';

/** The flags of scope as commander hands them over. */
export interface ScopeFlags {
  readonly within: string;
  readonly host?: string[];
  readonly surt?: string[];
  readonly prefix?: string[];
  readonly include?: string[];
  readonly exclude?: string[];
  readonly dropTracking?: boolean;
  readonly traps?: boolean;
}

const WITHIN = ['host', 'domain', 'list', 'surt'] as const;

/** Adds the flags to a command. */
export function withScope(command: Command): Command {
  return command
    .optionsGroup('Where:')
    .option('--within <scope>', `where it may go: ${WITHIN.join(', ')} (host: the seeds' hosts)`, 'host')
    .option('--host <name>', 'with --within list: a host it may go to (again for more)', collected)
    .option('--surt <prefix>', 'with --within surt: a SURT prefix such as (org,example, (again for more)', collected)
    .option('--prefix <path>', 'only paths that begin so (again for more)', collected)
    .option(
      '--include <pattern>',
      'only URLs that match, as in robots.txt: /docs/, /*.html$ (again for more)',
      collected,
    )
    .option('--exclude <pattern>', 'no URLs that match, whatever else is said (again for more)', collected)
    .option('--drop-tracking', 'URLs that differ in tracking parameters only count as one')
    .option('--no-traps', 'follow endless spaces too, as far as the bounds go');
}

/**
 * The options of scope from seeds and flags.
 *
 * @throws UsageError for a word that a flag does not know, or flags that contradict each other.
 */
export function scopeFrom(
  seeds: readonly string[],
  flags: ScopeFlags,
): Pick<CrawlerOptions, 'scope' | 'urls' | 'traps'> {
  if (flags.host !== undefined && flags.within !== 'list') {
    throw new UsageError('--host has a meaning only with --within list', 'Add --within list, or leave --host out.');
  }
  if (flags.surt !== undefined && flags.within !== 'surt') {
    throw new UsageError('--surt has a meaning only with --within surt', 'Add --within surt, or leave --surt out.');
  }
  return {
    scope: {
      seeds,
      within: oneOf('--within', WITHIN, flags.within),
      ...(flags.host === undefined ? {} : { hosts: flags.host }),
      ...(flags.surt === undefined ? {} : { surts: flags.surt }),
      ...(flags.prefix === undefined ? {} : { prefixes: flags.prefix }),
      ...(flags.include === undefined ? {} : { include: flags.include }),
      ...(flags.exclude === undefined ? {} : { exclude: flags.exclude }),
    },
    ...(flags.dropTracking === true ? { urls: { trackingParameters: 'drop' as const } } : {}),
    ...(flags.traps === false ? { traps: false as const } : {}),
  };
}
