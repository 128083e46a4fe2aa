// What entries of `hosts` say of URLs: patterns that are excluded, and the depth. Spacing and the other bounds are the
// frontier's, header fields are egress's.

import { createHostMatch } from '@mannerly/frontier/internal';
import { readPatterns, type UrlPattern, type UrlTest } from './url-pattern.js';

interface HostRule {
  readonly match: readonly string[];
  readonly bounds: { readonly depth: number | null } | null;
  readonly exclude: readonly UrlPattern[];
}

/** What all entries say together that match a host. */
export interface HostRules {
  readonly excludes: readonly UrlTest[];
  /** Links from a seed; `null`: as the crawl. */
  readonly depth: number | null;
}

/** The rules of a host, by its name. @throws Never */
export type HostRulesOf = (host: string) => HostRules;

const NONE: HostRules = { excludes: [], depth: null };

export const noHostRules: HostRulesOf = () => NONE;

/** Reads entries: the least depth counts, and every pattern. @throws Never: they are checked. */
export function createHostRules(entries: readonly HostRule[]): HostRulesOf {
  if (entries.length === 0) return noHostRules;
  const matching = createHostMatch(entries.map(({ match }) => match));
  const tests = entries.map(({ exclude }) => readPatterns('exclude', exclude));
  const together = (host: string): HostRules => {
    const places = matching(host.replace(/\.$/, ''));
    const depths = places.flatMap((at) => entries[at]?.bounds?.depth ?? []);
    return {
      excludes: places.flatMap((at) => tests[at] ?? []),
      depth: depths.length === 0 ? null : Math.min(...depths),
    };
  };
  // The links of a page are mostly of one host.
  let last = { host: '', rules: together('') };
  return (host) => {
    if (last.host !== host) last = { host, rules: together(host) };
    return last.rules;
  };
}
