// Patterns for host names: `shop.example` that host, `*.shop.example` every host below it, `*` every host.

import { type HostKeyBy, hostKeyOf } from './url.js';

/** The pattern in lower case and A-labels, without a trailing dot; `null` for what is none. @throws Never */
export function readHostPattern(text: unknown): string | null {
  if (text === '*') return text;
  const [, below = '', name = ''] = /^(\*\.)?([^*\s/?#@\\]+)$/.exec(String(text)) ?? [];
  // A port would be dropped in silence: all ports of a host are one.
  const isName = typeof text === 'string' && (/^\[[\da-f:.]+\]$/i.test(name) || !name.includes(':'));
  const host = isName && name !== '' ? hostKeyOf(`http://${name}/`) : null;
  return host === null || (below !== '' && /^(?:[\d.]+|\[.*)$/.test(host)) ? null : below + host;
}

/**
 * Says which of several lists of patterns a host name, or a host key, is matched by: their places, in order. By `domain`
 * a key stands for all its hosts, so that a pattern for one of them matches it. One look-up for each label.
 *
 * @param lists - Patterns as `readHostPattern` gives them.
 */
export function createHostMatch(
  lists: readonly (readonly string[])[],
  by: HostKeyBy = 'host',
): (host: string) => readonly number[] {
  const places = new Map<string, Set<number>>();
  const add = (pattern: string, at: number): void => {
    places.set(pattern, (places.get(pattern) ?? new Set()).add(at));
  };
  for (const [at, patterns] of lists.entries()) {
    for (const pattern of patterns) {
      add(pattern, at);
      const key = by === 'host' ? null : hostKeyOf(`http://${pattern.replace('*.', '')}/`, by);
      if (key !== null) add(key, at);
    }
  }
  return (host) => {
    if (places.size === 0) return NONE;
    const found = new Set([...(places.get(host) ?? NONE), ...(places.get('*') ?? NONE)]);
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      for (const at of places.get(`*${host.slice(dot)}`) ?? NONE) found.add(at);
    }
    return [...found].sort((a, b) => a - b);
  };
}

const NONE: readonly number[] = [];
