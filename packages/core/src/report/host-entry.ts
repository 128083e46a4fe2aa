// An entry of `hosts` as it is stored and shown: plain values, without absent ones.

import type { HostKeyBy } from '@mannerly/frontier';
import { createHostMatch } from '@mannerly/frontier/internal';

/** Settings of single hosts, with fields and patterns as written. */
export interface HostEntryText {
  readonly match: readonly string[];
  readonly spacing?: { readonly [K in 'factor' | 'minMs' | 'maxMs']?: number };
  readonly headers?: readonly string[];
  readonly bounds?: { readonly [K in 'pages' | 'bytes' | 'minutes' | 'depth']?: number };
  readonly exclude?: readonly string[];
  readonly weight?: number;
  readonly label?: string;
}

export interface AppliedHostEntry extends HostEntryText {
  /** Its position in the option. */
  readonly at: number;
}

/** The entries that apply to a host, by its name and its key, in their order. @throws Never */
export function entriesFor(
  entries: readonly HostEntryText[],
  names: readonly string[],
  by: HostKeyBy = 'host',
): readonly AppliedHostEntry[] {
  const matches = entries.map(({ match }) => match);
  const matchHost = createHostMatch(matches, by);
  const positions = new Set(names.flatMap((name) => matchHost(name)));
  return entries.flatMap((entry, at) => (positions.has(at) ? [{ at, ...entry }] : []));
}

export function entryText(entry: AppliedHostEntry): string {
  const { at, match, spacing = {}, headers = [], bounds = {}, exclude = [], ...ordering } = entry;
  const numbers = (values: object): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  const parts = [
    ['spacing', numbers(spacing)],
    ['bounds', numbers(bounds)],
    ['headers', headers.join(', ')],
    ['exclude', exclude.join(', ')],
    ['order', numbers(ordering)],
  ].filter(([, text]) => text !== '');
  const details = parts.map(([name, text]) => `${name}: ${text}`).join('; ');
  return `hosts[${at}] applies (${match.join(', ')})${details === '' ? '' : `: ${details}`}.`;
}
