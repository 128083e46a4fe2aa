// Failures of earlier runs once more, from the command line.

import type { Command } from 'commander';
import type { RetryFilter } from 'mannerly';
import { UsageError } from './failure.js';
import { collected, instantArgument } from './flag-values.js';

/** The flags of a retry as commander hands them over. */
export interface RetryFlags {
  readonly retry?: string[];
  readonly retryHost?: string;
  /** Epoch milliseconds. */
  readonly retrySince?: number;
  readonly reset?: boolean;
}

/** The word for every reason. */
const ALL = 'all';

/** Adds the flags to a command. */
export function withRetry(command: Command): Command {
  return command
    .option(
      '--retry <reason>',
      `queue failures of earlier runs once more: a reason of docs/lifecycle.md such as status-500, "timeout-*", or ${ALL} (again for more)`,
      collected,
    )
    .option('--retry-host <name>', 'with --retry: only those of this host')
    .option('--retry-since <date>', 'with --retry: only those told since, such as 2026-05-01T18:30Z', instantArgument);
}

/**
 * Which failures; `undefined`: none.
 *
 * @throws UsageError for flags that have no meaning alone, or contradict each other.
 */
export function retryFrom({ retry, retryHost, retrySince, reset }: RetryFlags): RetryFilter | undefined {
  if (retry === undefined) {
    if (retryHost === undefined && retrySince === undefined) return undefined;
    throw new UsageError(
      '--retry-host and --retry-since have a meaning only with --retry',
      `Add --retry ${ALL}, or a reason.`,
    );
  }
  if (reset === true) {
    throw new UsageError('--retry and --reset contradict each other', 'A reset forgets what failed. Give one of them.');
  }
  return {
    ...(retry.includes(ALL) ? {} : { reason: retry }),
    ...(retryHost === undefined ? {} : { host: retryHost }),
    ...(retrySince === undefined ? {} : { sinceMs: retrySince }),
  };
}
