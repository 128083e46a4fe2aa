// Settings of single hosts, and of URLs by their label (`hosts`, `labels`): their rows, the check of an entry against
// the crawl, and entries as plain values.

import type { FrontierOptions } from '@mannerly/frontier';
import { readPatterns } from '../admit/url-pattern.js';
import { invalidOption } from '../errors.js';
import { parseExtraHeaders } from '../fetch/egress-request.js';
import { MAX_EXTRA_HEADERS } from '../fetch/limits.js';
import { present } from '../present.js';
import type { HostEntryText } from '../report/host-entry.js';
import {
  MAX_DEPTH,
  MAX_HOST_ENTRIES,
  MAX_HOST_PATTERNS,
  MAX_LABEL_CHARS,
  MAX_LABELS,
  MAX_MINUTES,
  MAX_PAGES,
} from './limits.js';
import { either, type Filled, group, integer, list, number, patterns, row, text } from './row.js';

const DAY_MS = 86_400_000;
const weight = number(0.01, 100, ', 1 is that of every other');
const label = text('a name', { max: MAX_LABEL_CHARS });
const host = text('a host name, `*.` and a name for every host below it, or `*`');

export const HOST_ROWS = {
  hosts: row(
    list(
      group('HostOptions', {
        match: row(
          either(host, list(host, MAX_HOST_PATTERNS, 1)),
          'The hosts, without port: `shop.example`, `*.shop.example` for every subdomain, or `*`.',
          { isRequired: true },
        ),
        spacing: row(
          group('HostSpacing', {
            factor: row(
              number(0, 1_000, "times the last retrieval time, not less than the crawl's"),
              'As `politeness.profile.factor`.',
              { defaultText: "the crawl's" },
            ),
            minMs: row(number(0, DAY_MS, "ms, not less than the crawl's"), 'The shortest pause.', {
              defaultText: "the crawl's",
            }),
            maxMs: row(
              number(0, DAY_MS, "ms, not less than the crawl's"),
              'The longest pause that `factor` can lead to.',
              { defaultText: "the crawl's, or `minMs` where that is longer" },
            ),
          }),
          'A slower pace. A Request-rate does not replace it, even under `1996-rule-of-thumb`.',
        ),
        headers: row(
          list(text('a field such as `Accept-Language: de`'), MAX_EXTRA_HEADERS),
          'As `network.headers`, in addition to those. If several entries have the same name, the last one counts.',
          { default: [] },
        ),
        bounds: row(
          group('HostBounds', {
            pages: row(
              integer(1, MAX_PAGES, 'pages, not above `bounds.pagesPerHost`'),
              'Pages from each of these hosts.',
            ),
            bytes: row(
              integer(1, Number.MAX_SAFE_INTEGER, 'bytes, not above `bounds.bytesPerHost`'),
              'Decoded bytes from each of these hosts.',
            ),
            minutes: row(
              number(0, MAX_MINUTES, 'minutes, not above `bounds.minutesPerHost`', true),
              'Running time since the first request to each of these hosts.',
            ),
            depth: row(
              integer(0, MAX_DEPTH, 'links from a seed, not above `bounds.depth`'),
              'Links from a seed to a page of these hosts.',
            ),
          }),
          'Narrower bounds.',
        ),
        exclude: row(patterns, 'As `scope.exclude`, for these hosts.', { default: [] }),
        weight: row(
          weight,
          'Share of turns for each of these hosts when more hosts are due than the crawl can request: 3 gets three ' +
            'times as many as 1. No host gets requests sooner. If several entries match, the last one counts.',
          { defaultText: '1' },
        ),
        label: row(
          label,
          'The label for their URLs that have none from their route. If several entries match, the last one counts.',
        ),
      }),
      MAX_HOST_ENTRIES,
    ),
    '[Settings for single hosts](../scope.md#settings-of-single-hosts), only ever slower and narrower than ' +
      'those of the crawl. If several entries match, the strictest of each value counts.',
    { default: [] },
  ),
  labels: row(
    list(
      group('LabelOptions', {
        label: row(label, 'The label: that of the route that handles a URL, else that of its host (`hosts[].label`).', {
          isRequired: true,
        }),
        weight: row(weight, 'A page of weight 3 uses up a third of a turn of its host.', { defaultText: '1' }),
        pages: row(
          integer(1, MAX_PAGES, 'pages'),
          'Pages from all hosts. After that, URLs with the label are dropped (`bound-label-pages`).',
        ),
      }),
      MAX_LABELS,
    ),
    '[Turns and pages](../scope.md#order-between-hosts) for URLs with a label.',
    { default: [] },
  ),
};

type GivenEntry = Filled<typeof HOST_ROWS>['hosts'][number];
type FrontierEntry = NonNullable<FrontierOptions['hosts']>[number];

export interface ResolvedHostEntry extends Omit<GivenEntry, 'match' | 'headers'> {
  readonly match: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Checks what the frontier cannot check. @param depth - That of the crawl. @throws MannerlyError `option-invalid` */
export function resolveHostEntries(given: readonly GivenEntry[], depth: number | null): readonly ResolvedHostEntry[] {
  return given.map((entry, at) => {
    const path = `hosts[${at}]`;
    const { depth: entryDepth = null } = entry.bounds ?? {};
    if (entryDepth !== null && depth !== null && entryDepth > depth)
      throw invalidOption(`${path}.bounds.depth`, `at most \`bounds.depth\`, which is ${depth}`, entryDepth);
    readPatterns(`${path}.exclude`, entry.exclude);
    const match = typeof entry.match === 'string' ? [entry.match] : entry.match;
    return { ...entry, match, headers: parseExtraHeaders(entry.headers, `${path}.headers`) };
  });
}

/** Entries as plain values, without absent ones. */
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
  const { depth: _3, ...hostBounds } = bounds;
  return { ...rest, bounds: hostBounds };
}

function listOf(name: 'headers' | 'exclude', values: readonly string[]): Partial<HostEntryText> {
  return values.length === 0 ? {} : { [name]: values };
}
