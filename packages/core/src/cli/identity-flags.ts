// Who asks, from the command line: every command that sends a request wants to know it first.

import type { Command } from 'commander';
import type { IdentityOptions } from 'mannerly';
import { UsageError } from './failure.js';

/** The flags of identity as they come from the command line. */
export interface IdentityFlags {
  readonly name?: string;
  readonly contact?: string;
}

/** Adds `--name` and `--contact` to a command. */
export function withIdentity(command: Command): Command {
  return command
    .option('--name <token>', 'who asks: the product token that robots.txt can address, such as tidepool-study')
    .option('--contact <url-or-mail>', 'where the people asked can reach you; stands in every request');
}

/**
 * The identity from the flags.
 *
 * @throws UsageError when one is missing, saying what to write and why. What they may contain is checked by the crawl.
 */
export function identityFrom(flags: IdentityFlags): IdentityOptions {
  if (flags.name === undefined) {
    throw new UsageError(
      'missing --name: a crawl says who it is',
      'Write a short name of letters, digits, "-" and "_", such as --name tidepool-study. Sites address it in robots.txt ("User-agent: tidepool-study").',
    );
  }
  if (flags.contact === undefined) {
    throw new UsageError(
      'missing --contact: a crawl says where its people can be reached',
      'Write a page or a mailbox, such as --contact https://example.org/our-crawler or --contact crawler@example.org. It stands in the User-Agent of every request, so that whoever minds can write to you instead of blocking you.',
    );
  }
  return { name: flags.name, contact: flags.contact };
}
