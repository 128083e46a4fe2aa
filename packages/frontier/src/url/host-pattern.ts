// Patterns for host names: `shop.example` that host, `*.shop.example` every host below it, `*` every host.

import { MAX_HOST_PATTERNS } from '../limits.js';
import { invalid } from '../option-value.js';
import { type HostKeyBy, hostKeyOf } from './url.js';

/** The pattern in lower case and A-labels, without a trailing dot; `null`: it is not a pattern. @throws Never */
export function readHostPattern(text: unknown): string | null {
  if (text === '*') return text;
  const [, wildcard = '', name = ''] = /^(\*\.)?([^*\s/?#@\\]+)$/.exec(String(text)) ?? [];
  // Otherwise a port would be dropped silently, because all ports of a host are one.
  const isName = typeof text === 'string' && (/^\[[\da-f:.]+\]$/i.test(name) || !name.includes(':'));
  const host = isName && name !== '' ? hostKeyOf(`http://${name}/`) : null;
  return host === null || (wildcard !== '' && /^(?:[\d.]+|\[.*)$/.test(host)) ? null : wildcard + host;
}

/**
 * Finds the entries of `hosts` that match a host name or a host key: their places, in order. By `domain` a key stands
 * for all its hosts, so a pattern for one of them matches it. It takes one look-up per label.
 *
 * @param matches - The entries' `match` values.
 * @throws FrontierError `option-invalid` for an invalid pattern.
 */
export function createHostMatch(
  matches: readonly (string | readonly string[])[],
  by: HostKeyBy = 'host',
): (host: string) => readonly number[] {
  const entriesByName = new Map<string, Set<number>>();
  const add = (pattern: string, at: number): void => {
    entriesByName.set(pattern, (entriesByName.get(pattern) ?? new Set()).add(at));
  };
  for (const [at, match] of matches.entries()) {
    for (const pattern of readPatterns(`hosts[${at}].match`, match)) {
      add(pattern, at);
      const key = by === 'host' ? null : hostKeyOf(`http://${pattern.replace('*.', '')}/`, by);
      if (key !== null) add(key, at);
    }
  }
  return (host) => {
    if (entriesByName.size === 0) return NONE;
    const found = new Set([...(entriesByName.get(host) ?? NONE), ...(entriesByName.get('*') ?? NONE)]);
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      for (const at of entriesByName.get(`*${host.slice(dot)}`) ?? NONE) found.add(at);
    }
    return [...found].sort((a, b) => a - b);
  };
}

const NONE: readonly number[] = [];

function readPatterns(option: string, match: string | readonly string[]): readonly string[] {
  const patterns: readonly unknown[] = Array.isArray(match) ? match : [match];
  if (patterns.length === 0 || patterns.length > MAX_HOST_PATTERNS)
    throw invalid(option, `1 to ${MAX_HOST_PATTERNS} host names`, match);
  return patterns.map((each) => {
    const pattern = readHostPattern(each);
    if (pattern === null) throw invalid(option, 'host names without port, *.name for all below one, or *', each);
    return pattern;
  });
}
