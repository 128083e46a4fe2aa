// Settings of single hosts (Heritrix calls them sheets). An entry makes the hosts that it matches slower or narrower
// than the crawl, never faster or wider. If several entries match, the strictest of each value counts, so their order
// does not matter.

import { MAX_HOST_ENTRIES, MAX_INTERVAL_MS, MAX_MINUTES, MAX_PAGES } from '../limits.js';
import { checkKeys, invalid, numberIn, wholeIn } from '../option-value.js';
import type { CustomPoliteness, Politeness } from '../politeness/profile.js';
import { createHostMatch } from '../url/host-pattern.js';
import type { HostKeyBy } from '../url/url.js';
import { labelIn, weightIn } from './labels.js';

/** Settings of the hosts that it matches. Absent fields are as for every host. */
export interface HostEntry {
  /** `shop.example`: that host. `*.shop.example`: every host below it. `*`: every host. Or a list of 1 to 1,000. */
  readonly match: string | readonly string[];
  /** Each number is at least that of the crawl's profile. A Request-rate does not replace it. */
  readonly spacing?: Partial<CustomPoliteness>;
  /**
   * For each host that matches: pages, decoded bytes, minutes since its first request. None exceeds the crawl's own.
   */
  readonly bounds?: { readonly pages?: number; readonly bytes?: number; readonly minutes?: number };
  /**
   * How many turns it gets if the crawl cannot request from all due hosts: 3 gets three times as many as 1. Requests
   * never come earlier than allowed. If several entries match, the last counts. 0.01 … 100
   * @default 1
   */
  readonly weight?: number;
  /** The label of its URLs whose route gives them none (`labels`). If several entries match, the last counts. */
  readonly label?: string;
}

/** The bounds of one host; `null`: none. */
export interface HostLimits {
  readonly pagesPerHost: number | null;
  /** Decoded bytes of its bodies. */
  readonly bytesPerHost: number | null;
  /** The crawl's running time since the first request to it, milliseconds. */
  readonly runningPerHostMs: number | null;
}

/** What applies to one host: the crawl's settings and those of the entries that match. */
export interface HostSettings {
  readonly politeness: Politeness;
  readonly limits: HostLimits;
  readonly weight: number;
  /** `null`: none. */
  readonly label: string | null;
}

/**
 * Checks entries. @returns The settings of a host, by its key.
 *
 * @throws FrontierError `option-invalid` for a value that is faster or wider than the crawl's.
 */
export function resolveHosts(
  entries: readonly HostEntry[],
  politeness: Politeness,
  bounds: HostLimits,
  by: HostKeyBy,
): (key: string) => HostSettings {
  if (!Array.isArray(entries) || entries.length > MAX_HOST_ENTRIES)
    throw invalid('hosts', `a list of at most ${MAX_HOST_ENTRIES} entries`, entries);
  const crawl: HostSettings = { politeness, limits: bounds, weight: 1, label: null };
  const resolved = entries.map((entry: HostEntry, at) => {
    const path = `hosts[${at}]`;
    checkKeys(`${path}.`, entry, ['match', 'spacing', 'bounds', 'weight', 'label']);
    return {
      spacing: readSpacing(`${path}.spacing`, entry.spacing ?? {}, politeness),
      limits: readLimits(`${path}.bounds`, entry.bounds ?? {}, bounds),
      weight: entry.weight === undefined ? null : weightIn(`${path}.weight`, entry.weight),
      label: entry.label === undefined ? null : labelIn(`${path}.label`, entry.label),
    };
  });
  const matching = createHostMatch(
    entries.map(({ match }) => match),
    by,
  );
  return (key) => {
    let settings = crawl;
    for (const at of matching(key)) {
      const { spacing, limits, weight, label } = resolved[at]!;
      settings = {
        politeness: slower(settings.politeness, spacing),
        limits: narrower(settings.limits, limits),
        weight: weight ?? settings.weight,
        label: label ?? settings.label,
      };
    }
    return settings;
  };
}

type Spacing = Partial<CustomPoliteness>;

function readSpacing(path: string, spacing: Spacing, { factor, minMs, maxMs }: Politeness): Spacing | null {
  const keys = ['factor', 'minMs', 'maxMs'] as const;
  checkKeys(`${path}.`, spacing, keys);
  const minimums = { factor, minMs, maxMs: Math.max(maxMs ?? MAX_INTERVAL_MS, spacing.minMs ?? 0) };
  for (const key of keys) {
    const value = spacing[key];
    if (value !== undefined)
      numberIn(`${path}.${key}`, value, minimums[key], key === 'factor' ? 1_000 : MAX_INTERVAL_MS);
  }
  return keys.some((key) => spacing[key] !== undefined) ? spacing : null;
}

/** The slower of each number. An entry's values apply even next to a Request-rate. */
function slower(politeness: Politeness, spacing: Spacing | null): Politeness {
  if (spacing === null) return politeness;
  const factor = Math.max(politeness.factor, spacing.factor ?? 0);
  const minMs = Math.max(politeness.minMs, spacing.minMs ?? 0);
  const maxMs = politeness.maxMs === null ? null : Math.max(politeness.maxMs, spacing.maxMs ?? 0, minMs);
  return { ...politeness, name: 'custom', factor, minMs, maxMs, rateReplacesRule: false };
}

function readLimits(path: string, own: NonNullable<HostEntry['bounds']>, crawl: HostLimits): HostLimits {
  checkKeys(`${path}.`, own, ['pages', 'bytes', 'minutes']);
  const { pages, bytes, minutes } = own;
  const max = { pages: crawl.pagesPerHost ?? MAX_PAGES, bytes: crawl.bytesPerHost ?? Number.MAX_SAFE_INTEGER };
  const maxMinutes = crawl.runningPerHostMs === null ? MAX_MINUTES : crawl.runningPerHostMs / 60_000;
  return {
    pagesPerHost: pages === undefined ? null : wholeIn(`${path}.pages`, pages, 1, max.pages),
    bytesPerHost: bytes === undefined ? null : wholeIn(`${path}.bytes`, bytes, 1, max.bytes),
    runningPerHostMs:
      minutes === undefined ? null : 60_000 * numberIn(`${path}.minutes`, minutes, Number.MIN_VALUE, maxMinutes),
  };
}

function narrower(a: HostLimits, b: HostLimits): HostLimits {
  const smaller = (key: keyof HostLimits) => (a[key] === null ? b[key] : Math.min(a[key], b[key] ?? a[key]));
  return {
    pagesPerHost: smaller('pagesPerHost'),
    bytesPerHost: smaller('bytesPerHost'),
    runningPerHostMs: smaller('runningPerHostMs'),
  };
}
