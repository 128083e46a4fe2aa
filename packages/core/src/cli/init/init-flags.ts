// The flags of `mannerly init`: one for every question.

import type { Command } from 'commander';
import { BOUND_ARGUMENTS, type BoundsFlags, DEFAULT_BOUNDS } from '../bounds-flags.js';
import { collected, oneOf } from '../flag-values.js';
import { type IdentityFlags, withIdentity } from '../identity-flags.js';
import type { SaidPlan } from './interview.js';

/** The flags as commander hands them over. */
export interface InitFlags extends IdentityFlags, Partial<Pick<BoundsFlags, 'pages' | 'depth' | 'minutes'>> {
  readonly seed?: readonly string[];
  readonly within?: string;
  readonly yes?: boolean;
}

/** Where a crawl may go, in one word; the other words want lists, which are for the configuration. */
const WITHIN = ['host', 'domain'] as const;

const INIT_HELP = `
Examples:
  mannerly init my-crawl
  mannerly init my-crawl --yes --name tidepool-study --contact https://example.org/our-crawler \\
      --seed https://docs.example.org/ --pages 200

What no flag says is asked; without a terminal, or with --yes, --name, --contact and --seed are needed and the rest has its
default. It writes a configuration, handlers, a test of them and what npm needs, into a directory that is empty or new. It asks
no site anything and installs nothing.`;

/** Adds description, argument and flags to a command. */
export function withInit(command: Command): Command {
  const { pages, depth, minutes } = BOUND_ARGUMENTS;
  return withIdentity(
    command
      .description('write a small TypeScript project: a crawl that runs, and its test')
      .argument('[dir]', 'where: a directory that is empty or does not exist yet', '.'),
  )
    .option('--seed <url>', 'where the crawl begins (again for more)', collected)
    .option('--within <scope>', `where it may go: ${WITHIN.join(' or ')} of the seeds (default: host)`)
    .option('--pages <n>', `pages fetched at most (default: ${DEFAULT_BOUNDS.pages})`, pages)
    .option('--depth <n>', `links from a seed at most (default: ${DEFAULT_BOUNDS.depth})`, depth)
    .option('--minutes <n>', `running time at most (default: ${DEFAULT_BOUNDS.minutes})`, minutes)
    .option('--yes', 'ask nothing: what no flag says has its default')
    .addHelpText('after', INIT_HELP);
}

/** What the flags say. @throws UsageError for a word that `--within` does not know. */
export function saidBy({ name, contact, seed, within, pages, depth, minutes }: InitFlags): SaidPlan {
  return {
    ...(name === undefined ? {} : { name }),
    ...(contact === undefined ? {} : { contact }),
    ...(seed === undefined ? {} : { seeds: seed }),
    ...(within === undefined ? {} : { within: oneOf('--within', WITHIN, within) }),
    bounds: {
      ...(pages === undefined ? {} : { pages }),
      ...(depth === undefined ? {} : { depth }),
      ...(minutes === undefined ? {} : { minutes }),
    },
  };
}
