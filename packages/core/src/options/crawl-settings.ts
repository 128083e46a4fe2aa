// The options of a frontier, stored in `settings.json` to answer questions about a stopped crawl.

import type { FrontierError, FrontierOptions } from '@mannerly/frontier';
import { resolveUrlOptions } from '../admit/admit-options.js';
import { readJsonObject } from '../directory/atomic-file.js';
import { MannerlyError } from '../errors.js';
import { MAX_MANIFEST_BYTES } from '../limits.js';
import { present } from '../present.js';
import type { HostEntryText } from '../report/host-entry.js';
import type { RecrawlOptions } from './crawler-options.js';
import { frontierEntry, hostEntryTexts } from './host-options.js';
import type { ResolvedOptions } from './options.js';

/** The part of a crawl's options that questions about it need; plain JSON. */
export type CrawlSettings = Pick<
  FrontierOptions,
  'robots' | 'politeness' | 'hostKeyBy' | 'maxQueued' | 'onFull' | 'bounds' | 'labels'
> & {
  /** What decides when pages are visited again, without functions; `null` or absent if no visits were recorded. */
  readonly recrawl?: RecrawlOptions | null;
  /** The parameters that do not tell URLs apart. @default 'keep' */
  readonly trackingParameters?: ResolvedOptions['trackingParameters'];
  /** Settings of single hosts. @default none */
  readonly hosts?: readonly HostEntryText[];
};

export function crawlSettings(options: ResolvedOptions): CrawlSettings {
  const { identity, robots, bounds, spacing, trackingParameters, hosts, labels } = options;
  const { pages, minutes, bytes, pagesPerHost, bytesPerHost, minutesPerHost, queuedUrls, onFull } = bounds;
  return {
    robots: { ...robots, tokens: identity.tokens },
    politeness: spacing.politeness,
    hostKeyBy: spacing.hostKeyBy,
    ...present({ maxQueued: queuedUrls, onFull }),
    bounds: present({ pages, minutes, bytes, pagesPerHost, bytesPerHost, minutesPerHost }),
    ...(trackingParameters === 'keep' ? {} : { trackingParameters }),
    ...(hosts.length === 0 ? {} : { hosts: hostEntryTexts(hosts) }),
    ...(labels.length === 0 ? {} : { labels }),
  };
}

export function frontierSettings({
  recrawl: _,
  hosts = [],
  trackingParameters = 'keep',
  ...rest
}: CrawlSettings): Omit<FrontierOptions, 'store'> {
  return { ...rest, canonicalRules: resolveUrlOptions({ trackingParameters }), hosts: hosts.map(frontierEntry) };
}

/** The same, with the options that the plan of a recrawl uses. */
export function storedSettings(options: ResolvedOptions): CrawlSettings {
  return { ...crawlSettings(options), recrawl: options.recrawl === null ? null : present(options.recrawl) };
}

/** The error for settings that no run wrote. @param cause - The frontier's error, if it refused them. Never throws. */
export function settingsError(file: string, cause?: FrontierError): MannerlyError {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new MannerlyError('directory-format', `${file} is not what this version writes${why}`, {
    cause,
    hint: 'Remove it: the next run writes it again. Until then, the defaults are assumed.',
  });
}

/**
 * The settings of the last run, or the defaults. @throws MannerlyError `directory-format` unless it is a JSON object
 */
export async function readSettings(file: string, tokens: readonly string[]): Promise<CrawlSettings> {
  const value: Partial<CrawlSettings> | 'unreadable' | null = await readJsonObject(file, MAX_MANIFEST_BYTES);
  if (value === null) return { robots: { tokens } };
  if (value === 'unreadable') throw settingsError(file);
  const { trackingParameters: names = 'keep' } = value;
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string');
  if (!isList && names !== 'keep' && names !== 'drop') throw settingsError(file);
  return { ...value, robots: { ...value.robots, tokens } };
}
