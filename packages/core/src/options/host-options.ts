// The option `hosts`: checks what an entry says against the crawl, and writes it down as plain values.

import type { FrontierOptions } from '@mannerly/frontier';
import { readPatterns } from '../admit/url-pattern.js';
import { invalidOption } from '../errors.js';
import { readOwnHeaders } from '../fetch/own-headers.js';
import { present } from '../present.js';
import type { HostEntryText } from '../report/host-entry.js';
import type { HOST_ROWS } from './host-rows.js';
import type { Filled } from './row.js';

type GivenEntry = Filled<typeof HOST_ROWS>['hosts'][number];
type FrontierEntry = NonNullable<FrontierOptions['hosts']>[number];

export interface ResolvedHostEntry extends Omit<GivenEntry, 'match' | 'headers'> {
  readonly match: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Checks what the frontier does not know. @param depth - That of the crawl. @throws MannerlyError `option-invalid` */
export function resolveHostEntries(given: readonly GivenEntry[], depth: number | null): readonly ResolvedHostEntry[] {
  return given.map((entry, at) => {
    const path = `hosts[${at}]`;
    const { depth: own = null } = entry.bounds ?? {};
    if (own !== null && depth !== null && own > depth)
      throw invalidOption(`${path}.bounds.depth`, `at most \`bounds.depth\`, which is ${depth}`, own);
    readPatterns(`${path}.exclude`, entry.exclude);
    const match = typeof entry.match === 'string' ? [entry.match] : entry.match;
    return { ...entry, match, headers: readOwnHeaders(entry.headers, `${path}.headers`) };
  });
}

/** Entries as plain values, without what is absent. */
export function hostEntryTexts(entries: readonly ResolvedHostEntry[]): readonly HostEntryText[] {
  return entries.map(({ match, spacing, headers, bounds, exclude, weight, label }) => ({
    match,
    ...(spacing === null ? {} : { spacing: present(spacing) }),
    ...(bounds === null ? {} : { bounds: present(bounds) }),
    ...listOf(
      'headers',
      Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ),
    ...listOf('exclude', exclude.map(String)),
    ...present({ weight, label }),
  }));
}

export function frontierEntry({ headers: _1, exclude: _2, bounds = {}, ...rest }: HostEntryText): FrontierEntry {
  const { depth: _3, ...ofHost } = bounds;
  return { ...rest, bounds: ofHost };
}

function listOf(name: 'headers' | 'exclude', values: readonly string[]): Partial<HostEntryText> {
  return values.length === 0 ? {} : { [name]: values };
}
