// The option `hosts`: checks what an entry says against the crawl, and writes it down as plain values.

import type { FrontierOptions, HostKeyBy, PolitenessOptions } from '@mannerly/frontier';
import { readMatch, resolveHosts, resolvePoliteness } from '@mannerly/frontier/internal';
import { readPatterns } from '../admit/url-pattern.js';
import { invalidOption } from '../errors.js';
import { readOwnHeaders } from '../fetch/own-headers.js';
import type { HostEntryText } from '../report/host-entry.js';
import { withoutNulls } from './check.js';
import type { HOST_ROWS } from './host-rows.js';
import type { Filled } from './row.js';

type GivenEntry = Filled<typeof HOST_ROWS>['hosts'][number];
type FrontierEntry = NonNullable<FrontierOptions['hosts']>[number];

/** An entry that is checked. */
export interface ResolvedHostEntry extends Omit<GivenEntry, 'match' | 'headers'> {
  readonly match: readonly string[];
  /** By name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the crawl itself has. */
interface CrawlOfHosts {
  readonly spacing: { readonly politeness: PolitenessOptions; readonly hostKeyBy: HostKeyBy };
  readonly bounds: Readonly<Record<'depth' | 'pagesPerHost' | 'bytesPerHost' | 'minutesPerHost', number | null>>;
}

/**
 * Checks entries: none is faster or wider than the crawl.
 *
 * @throws MannerlyError, FrontierError `option-invalid`, naming the option, its range and the value.
 */
export function resolveHostEntries(
  given: readonly GivenEntry[],
  { spacing, bounds }: CrawlOfHosts,
): readonly ResolvedHostEntry[] {
  const entries = given.map((entry, at): ResolvedHostEntry => {
    const path = `hosts[${at}]`;
    const { depth = null } = entry.bounds ?? {};
    if (depth !== null && bounds.depth !== null && depth > bounds.depth) {
      throw invalidOption(`${path}.bounds.depth`, `at most \`bounds.depth\`, which is ${bounds.depth}`, depth);
    }
    readPatterns(`${path}.exclude`, entry.exclude);
    const headers = readOwnHeaders(entry.headers, `${path}.headers`);
    return { ...entry, match: readMatch(`${path}.match`, entry.match), headers };
  });
  hostSettingsOf({ hosts: entries, spacing, bounds });
  return entries;
}

/** The pace and the bounds of a host, by its key. */
export function hostSettingsOf({
  hosts,
  spacing: { politeness, hostKeyBy },
  bounds: { pagesPerHost, bytesPerHost, minutesPerHost },
}: CrawlOfHosts & { readonly hosts: readonly ResolvedHostEntry[] }): ReturnType<typeof resolveHosts> {
  const runningPerHostMs = minutesPerHost === null ? null : 60_000 * minutesPerHost;
  const limits = { pagesPerHost, bytesPerHost, runningPerHostMs };
  return resolveHosts(hostEntryTexts(hosts).map(frontierEntry), resolvePoliteness(politeness), limits, hostKeyBy);
}

/** Entries as plain values, without what is absent. */
export function hostEntryTexts(entries: readonly ResolvedHostEntry[]): readonly HostEntryText[] {
  return entries.map(({ match, spacing, headers, bounds, exclude }) => ({
    match,
    ...(spacing === null ? {} : { spacing: withoutNulls(spacing) }),
    ...(bounds === null ? {} : { bounds: withoutNulls(bounds) }),
    ...listOf(
      'headers',
      Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ),
    ...listOf('exclude', exclude.map(String)),
  }));
}

/** The part of an entry that the frontier takes. */
export function frontierEntry({ match, spacing = {}, bounds = {} }: HostEntryText): FrontierEntry {
  const { depth: _, ...ofHost } = bounds;
  return { match, spacing, bounds: ofHost };
}

function listOf(name: 'headers' | 'exclude', values: readonly string[]): Partial<HostEntryText> {
  return values.length === 0 ? {} : { [name]: values };
}
