// Which URLs belong together when their pages are compared. A group is a name that a URL and the page it was found on
// share: links between pages of one group are what an endless space is made of. Pure.

import { hostKeyOf, parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { MAX_KNOWN_DOMAINS } from './limits.js';
import type { TrapFinding } from './trap-options.js';

/** A group, by a readable name that is also the trap's. */
export interface UrlGroup extends TrapFinding {
  /**
   * The group takes in more than a trap would: only what its repeating pages link to is dropped, not every link from
   * one of its URLs to another.
   */
  readonly isWide: boolean;
}

/** Finds the groups of a link. */
export type GroupFinder = (url: string, from: string | null) => readonly UrlGroup[];

const NONE: readonly UrlGroup[] = [];

/** Makes a finder, which remembers the registrable domains of hosts it has met, within a bound. @throws Never */
export function createGroupFinder(): GroupFinder {
  const domains = new Map<string, string>();
  const domainOf = ({ host, scheme }: UrlParts): string => {
    const known = domains.get(host);
    if (known !== undefined) return known;
    if (domains.size >= MAX_KNOWN_DOMAINS) domains.clear();
    const domain = hostKeyOf(`${scheme}://${host}/`, 'domain') ?? host;
    domains.set(host, domain);
    return domain;
  };
  return (url, from) => {
    const to = parseUrlParts(url);
    const on = from === null ? null : parseUrlParts(from);
    if (to === null || on === null) return NONE;
    if (to.host !== on.host) {
      const domain = domainOf(to);
      return domain === domainOf(on) ? [{ rule: 'alike-hosts', pattern: `*.${domain}`, isWide: true }] : NONE;
    }
    const groups: UrlGroup[] = [];
    const shape = shapeOf(to);
    if (shape === shapeOf(on)) groups.push({ rule: 'alike-pages', pattern: to.host + shape, isWide: false });
    if (isBelow(to, on))
      groups.push({ rule: 'alike-growth', pattern: `${to.host}/${first(to.path)}/…`, isWide: false });
    groups.push({ rule: 'alike-host', pattern: `${to.host}/…`, isWide: true });
    return groups;
  };
}

/** The folder with its numbers and tokens masked, whatever the last segment, and whether there is a query. */
function shapeOf({ path, query }: UrlParts): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const masked = /[\d;]/.test(folder) || folder.length > 16 ? folder.split('/').map(mask).join('/') : folder;
  return `${masked}*${query === null ? '' : '?'}`;
}

function mask(segment: string): string {
  const plain = segment.replace(/;.*$/, '');
  if (isToken(plain)) return '~';
  return plain.replace(/\d+/g, '0');
}

/**
 * Letters and digits in turns, hexadecimal digits, or too many consonants in a row: drawn by a machine, not named by a
 * person.
 */
function isToken(segment: string): boolean {
  if (segment.length < 6) return false;
  if (/[bcdfghjklmnpqrstvwxz]{6}/i.test(segment)) return true;
  if (!/\d/.test(segment)) return false;
  return /^[0-9a-f-]*[a-f][0-9a-f-]*$/i.test(segment) || (segment.match(/\d+[a-z]+/gi)?.length ?? 0) >= 2;
}

/** Deeper than the page it was found on, and in its folder or under its very name. */
function isBelow(to: UrlParts, on: UrlParts): boolean {
  const folder = on.path.slice(0, on.path.lastIndexOf('/') + 1);
  return to.path.startsWith(folder) && depth(to.path) > depth(on.path);
}

function depth(path: string): number {
  return path.split('/').filter((segment) => segment !== '').length;
}

function first(path: string): string {
  return mask(path.split('/')[1] ?? '');
}
