// How slowly, from the command line. What a site asks for only ever makes it slower.

import type { Command } from 'commander';
import type { CrawlerOptions } from 'mannerly';
import { UsageError } from './failure.js';
import { numberArgument, oneOf } from './flag-values.js';

/** The flags of pace as commander hands them over. */
export interface PaceFlags {
  readonly interval?: number;
  readonly profile?: string;
  readonly perDomain?: boolean;
  readonly perIp?: boolean;
  readonly requestsPerSecond?: number;
  readonly jitter?: number;
}

const PROFILES = ['polite', 'gentle', '1996-rule-of-thumb'] as const;
/** Seconds; the frontier takes up to a day. */
const MAX_INTERVAL_SECONDS = 86_400;

/** Adds the flags to a command. */
export function withPace(command: Command): Command {
  return command
    .optionsGroup('How slowly (what a site asks for only makes it slower):')
    .option('--profile <name>', `pace where a site asks for none: ${PROFILES.join(', ')} (default: polite)`)
    .option(
      '--interval <seconds>',
      'pause between two requests to a host, instead of a profile; 0 only for hosts of your own',
      numberArgument(0, MAX_INTERVAL_SECONDS, false),
    )
    .option('--per-domain', 'hosts of one registrable domain are asked as one')
    .option('--per-ip', 'hosts on one address are asked one at a time')
    .option(
      '--requests-per-second <n>',
      'requests of the whole crawl at most, 1/3600 to 10000 (default: no limit)',
      numberArgument(1 / 3_600, 10_000, false),
    )
    .option(
      '--jitter <share>',
      "share of a host's pause added at random, 0 to 0.1 (default: 0)",
      numberArgument(0, 0.1, false),
    );
}

/** The options of pace from the flags. @throws UsageError for an unknown profile, or two paces. */
export function paceFrom(flags: PaceFlags): Pick<CrawlerOptions, 'politeness'> {
  const { interval, profile, perDomain, perIp, requestsPerSecond, jitter } = flags;
  if (interval !== undefined && profile !== undefined) {
    throw new UsageError('--interval and --profile both set the pace', 'Give one of them.');
  }
  const politeness = {
    ...(profile === undefined ? {} : { profile: oneOf('--profile', PROFILES, profile) }),
    ...(interval === undefined ? {} : { profile: everySeconds(interval) }),
    ...(perDomain === undefined ? {} : { perDomain }),
    ...(perIp === undefined ? {} : { perIp }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(jitter === undefined ? {} : { jitter }),
  };
  return Object.keys(politeness).length === 0 ? {} : { politeness };
}

function everySeconds(interval: number): { readonly factor: 0; readonly minMs: number; readonly maxMs: number } {
  const intervalMs = Math.ceil(interval * 1_000);
  return { factor: 0, minMs: intervalMs, maxMs: intervalMs };
}
