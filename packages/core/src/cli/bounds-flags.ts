// How much, from the command line. All of it counts over all runs of a crawl.

import type { Command } from 'commander';
import type { BoundsOptions } from 'mannerly';
import { numberArgument } from './flag-values.js';

/** The flags of bounds as commander hands them over. */
export interface BoundsFlags {
  readonly pages: number;
  readonly depth: number;
  readonly minutes: number;
  readonly bytes?: number;
  readonly pagesPerHost?: number;
  readonly bytesPerHost?: number;
  readonly minutesPerHost?: number;
  readonly queuedUrls?: number;
}

/** A year; a crawl of the command's is not meant to run longer. */
const MOST_MINUTES = 525_600;
/** Below this a number of minutes is no time at all. */
const LEAST_MINUTES = 0.001;
const MOST_PAGES = 1e9;

/** How the three flags that every crawl has are read. */
export const BOUND_ARGUMENTS = {
  pages: numberArgument(1, MOST_PAGES, true),
  depth: numberArgument(0, 1_000, true),
  minutes: numberArgument(LEAST_MINUTES, MOST_MINUTES, false),
} as const;

/** What they are where nothing is said. */
export const DEFAULT_BOUNDS = Object.freeze({ pages: 100, depth: 5, minutes: 30 });

/** Adds the flags to a command. */
export function withBounds(command: Command): Command {
  const bytes = numberArgument(1, Number.MAX_SAFE_INTEGER, true);
  const { pages, depth, minutes } = BOUND_ARGUMENTS;
  return command
    .optionsGroup('How much, all runs together:')
    .option('--pages <n>', 'pages fetched at most', pages, DEFAULT_BOUNDS.pages)
    .option('--depth <n>', 'links from a seed at most', depth, DEFAULT_BOUNDS.depth)
    .option('--minutes <n>', 'running time at most', minutes, DEFAULT_BOUNDS.minutes)
    .option('--bytes <bytes>', 'decoded bytes of bodies at most, such as 1e9 (default: no limit)', bytes)
    .option('--pages-per-host <n>', 'pages of one host at most (default: --pages)', pages)
    .option('--bytes-per-host <bytes>', 'decoded bytes of one host at most (default: no limit)', bytes)
    .option(
      '--minutes-per-host <n>',
      'running time from the first request to a host at most (default: no limit)',
      minutes,
    )
    .option('--queued-urls <n>', 'URLs queued at a time; links past it are dropped (default: 10000000)', pages);
}

/** The bounds from the flags. Never throws. */
export function boundsFrom(flags: BoundsFlags): BoundsOptions {
  const { pages, depth, minutes, bytes, pagesPerHost, bytesPerHost, minutesPerHost, queuedUrls } = flags;
  return {
    pages,
    depth,
    minutes,
    ...(bytes === undefined ? {} : { bytes }),
    ...(pagesPerHost === undefined ? {} : { pagesPerHost }),
    ...(bytesPerHost === undefined ? {} : { bytesPerHost }),
    ...(minutesPerHost === undefined ? {} : { minutesPerHost }),
    ...(queuedUrls === undefined ? {} : { queuedUrls }),
  };
}
