// The signs of an endless space: paths and queries of one URL that repeat or only grow, and groups of URLs whose pages
// are compared (traps.ts). Cheap for usual URLs, since every link is checked.

import { hostKeyOf, parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';

/** When URLs count as a trap. The option table has the ranges and the defaults. */
export interface ResolvedTrapOptions {
  /** What happens to its URLs: they go last on their host, or are dropped. */
  readonly action: 'defer' | 'drop';
  readonly maxSimilarPages: number;
  readonly maxPathSegments: number;
  readonly maxQueryParameters: number;
}

export type TrapRule =
  | 'repeating-path'
  | 'long-path'
  | 'repeating-query'
  | 'long-query'
  /** Pages next to each other, such as the months of a calendar. */
  | 'alike-pages'
  /** Pages below each other. */
  | 'alike-growth'
  /** Pages of one host, with any URLs. */
  | 'alike-host'
  /** Pages on ever new host names of a domain. */
  | 'alike-hosts';

/** A trap: the sign that revealed it, and its URLs, with `*` and `…` for what varies. */
export interface TrapFinding {
  readonly rule: TrapRule;
  readonly pattern: string;
}

/** A trap as the detail of a decision. @throws Never */
export function trapText({ rule, pattern }: TrapFinding): string {
  return `${rule}: ${pattern}`;
}

/** The longest repeated block, in segments. Longer circles are detected by the fingerprints of their pages. */
const MAX_BLOCK_SEGMENTS = 4;
/** A block repeated this often in a row is a circle: a page's relative links were resolved against the wrong base. */
const MIN_BLOCK_REPEATS = 3;
/** The same for blocks of a single character, which dates, tiles and hashed folders repeat. */
const MIN_SHORT_BLOCK_REPEATS = 4;
/** A segment of three or more characters that occurs this often anywhere in a path. */
const MIN_SEGMENT_REPEATS = 4;
/** The same `name=value` occurring this often in a query. */
const MIN_PARAMETER_REPEATS = 3;

/** Why this URL alone counts as part of a trap; `null`: it does not. @throws Never */
export function urlLoop(url: UrlParts, options: ResolvedTrapOptions): TrapFinding | null {
  const isDeep = /^(?:[^/]*\/){4}/.test(url.path);
  const byPath = isDeep ? pathLoop(url, options) : null;
  if (byPath !== null || url.query === null || !url.query.includes('&')) return byPath;
  return queryLoop(url, url.query, options.maxQueryParameters);
}

function pathLoop({ host, path }: UrlParts, { maxPathSegments }: ResolvedTrapOptions): TrapFinding | null {
  const segments = segmentsOf(path);
  if (segments.length > maxPathSegments) return { rule: 'long-path', pattern: `${host}/${segments[0]}/…` };
  const block = repeatedBlock(segments);
  if (block !== null) return { rule: 'repeating-path', pattern: `${host}/…/${block.join('/')}/${block.join('/')}/…` };
  const words = segments.filter((segment) => segment.length > 2 && !isNumber(segment));
  const repeated = findFrequent(words, MIN_SEGMENT_REPEATS);
  return repeated === null ? null : { rule: 'repeating-path', pattern: `${host}/…/${repeated}/…/${repeated}/…` };
}

/** The first block of segments that repeats too often in a row. Numbers may repeat: they are dates and coordinates. */
function repeatedBlock(segments: readonly string[]): readonly string[] | null {
  for (let length = 1; length <= MAX_BLOCK_SEGMENTS; length += 1) {
    // `run`: how many consecutive segments equal the one a block earlier.
    let run = 0;
    for (let at = length; at < segments.length; at += 1) {
      run = segments[at] === segments[at - length] ? run + 1 : 0;
      const block = segments.slice(at - length + 1, at + 1);
      const repeats = length === 1 && block[0]?.length === 1 ? MIN_SHORT_BLOCK_REPEATS : MIN_BLOCK_REPEATS;
      if (run >= length * (repeats - 1) && !block.every(isNumber)) return block;
    }
  }
  return null;
}

/** The first value that occurs this many times. */
function findFrequent(values: readonly string[], times: number): string | null {
  if (values.length < times) return null;
  const counts = new Map<string, number>();
  for (const value of values) {
    const count = (counts.get(value) ?? 0) + 1;
    if (count >= times) return value;
    counts.set(value, count);
  }
  return null;
}

function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

function queryLoop({ host, path }: UrlParts, query: string, maxQueryParameters: number): TrapFinding | null {
  const parameters = query.split('&');
  if (parameters.length > maxQueryParameters) return { rule: 'long-query', pattern: `${host}${path}?…` };
  const named = parameters.filter((each) => each !== '');
  const parameter = findFrequent(named, MIN_PARAMETER_REPEATS);
  return parameter === null ? null : { rule: 'repeating-query', pattern: `${host}${path}?…${parameter}&…${parameter}` };
}

/** Whether a group includes more than the trap. Then only links of its repeating pages are dropped. @throws Never */
export function isWide({ rule }: TrapFinding): boolean {
  return rule === 'alike-host' || rule === 'alike-hosts';
}

/** Readable names, also of traps, that a URL shares with its page: links within a group make an endless space. */
export function groupsOf(url: string, from: string | null): readonly TrapFinding[] {
  const target = parseUrlParts(url);
  const page = from === null ? null : parseUrlParts(from);
  if (target === null || page === null) return [];
  if (target.host !== page.host) {
    const domain = domainOf(target);
    return domain === domainOf(page) ? [{ rule: 'alike-hosts', pattern: `*.${domain}` }] : [];
  }
  const groups: TrapFinding[] = [];
  const shape = shapeOf(target);
  if (shape === shapeOf(page)) groups.push({ rule: 'alike-pages', pattern: target.host + shape });
  if (isBelow(target, page)) {
    groups.push({ rule: 'alike-growth', pattern: `${target.host}/${mask(target.path.split('/')[1] ?? '')}/…` });
  }
  groups.push({ rule: 'alike-host', pattern: `${target.host}/…` });
  return groups;
}

function domainOf({ host, scheme }: UrlParts): string {
  return hostKeyOf(`${scheme}://${host}/`, 'domain') ?? host;
}

/** The folder with its numbers and tokens masked, ignoring the last segment, and whether there is a query. */
function shapeOf({ path, query }: UrlParts): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const masked = /[\d;]/.test(folder) || folder.length > 16 ? folder.split('/').map(mask).join('/') : folder;
  return `${masked}*${query === null ? '' : '?'}`;
}

function mask(segment: string): string {
  const plain = segment.replace(/;.*$/, '');
  return isToken(plain) ? '~' : plain.replace(/\d+/g, '0');
}

/** Alternating letters and digits, hexadecimal digits, or many consonants in a row: made by a machine. */
function isToken(segment: string): boolean {
  if (segment.length < 6) return false;
  if (/[bcdfghjklmnpqrstvwxz]{6}/i.test(segment)) return true;
  if (!/\d/.test(segment)) return false;
  // Each test takes one pass, however long the segment is.
  const isHex = /^[0-9a-f-]+$/i.test(segment) && /[a-f]/i.test(segment);
  return isHex || /\d[a-z].*\d[a-z]/is.test(segment);
}

/** Deeper than the page it was found on, and in its folder or under its name. */
function isBelow(target: UrlParts, page: UrlParts): boolean {
  const folder = page.path.slice(0, page.path.lastIndexOf('/') + 1);
  return target.path.startsWith(folder) && segmentsOf(target.path).length > segmentsOf(page.path).length;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}
