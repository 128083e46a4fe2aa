// Traps that one URL reveals by itself: paths that go in circles, paths and queries that only grow. Pure, and cheap for
// usual URLs, since every link is checked.

import type { UrlParts } from '@mannerly/frontier/internal';
import type { ResolvedTrapOptions, TrapFinding } from './trap-options.js';

/**
 * Segments of a block that may repeat: `/a/b/c/d/a/b/c/d/…` is seen, longer circles are left to the likeness of their
 * pages.
 */
const LONGEST_BLOCK = 4;
/** A block this often in a row is a circle: a page's relative links were resolved against the wrong place. */
const BLOCK_REPEATS = 3;
/** The same, for blocks of a single character: dates, tiles and hashed folders repeat those. */
const SHORT_BLOCK_REPEATS = 4;
/** A segment of three and more characters this often anywhere in a path. */
const SEGMENT_REPEATS = 4;
/** The same `name=value` this often in a query. */
const PARAMETER_REPEATS = 3;
const SLASH = 47;

/** Why this URL alone is taken for a part of a trap; `null`: it is not. @throws Never */
export function urlLoop(url: UrlParts, options: ResolvedTrapOptions): TrapFinding | null {
  const byPath = slashes(url.path) > BLOCK_REPEATS ? pathLoop(url, options) : null;
  if (byPath !== null || url.query === null || !url.query.includes('&')) return byPath;
  return queryLoop(url, url.query, options);
}

function slashes(path: string): number {
  let count = 0;
  for (let at = 0; at < path.length; at += 1) if (path.charCodeAt(at) === SLASH) count += 1;
  return count;
}

function pathLoop({ host, path }: UrlParts, { maxPathSegments }: ResolvedTrapOptions): TrapFinding | null {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length > maxPathSegments) return { rule: 'long-path', pattern: `${host}/${segments[0]}/…` };
  const block = repeatedBlock(segments);
  if (block !== null) return { rule: 'repeating-path', pattern: `${host}/…/${block.join('/')}/${block.join('/')}/…` };
  const often = frequentSegment(segments);
  return often === null ? null : { rule: 'repeating-path', pattern: `${host}/…/${often}/…/${often}/…` };
}

/** The first block of segments that stands in a row too often. Numbers may repeat: they are dates and coordinates. */
function repeatedBlock(segments: readonly string[]): readonly string[] | null {
  for (let length = 1; length <= LONGEST_BLOCK; length += 1) {
    // `run`: how many segments in a row equal the one a block before them.
    let run = 0;
    for (let at = length; at < segments.length; at += 1) {
      run = segments[at] === segments[at - length] ? run + 1 : 0;
      const block = segments.slice(at - length + 1, at + 1);
      const repeats = length === 1 && block[0]?.length === 1 ? SHORT_BLOCK_REPEATS : BLOCK_REPEATS;
      if (run >= length * (repeats - 1) && !block.every(isNumber)) return block;
    }
  }
  return null;
}

function frequentSegment(segments: readonly string[]): string | null {
  if (segments.length < SEGMENT_REPEATS) return null;
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (count >= SEGMENT_REPEATS && segment.length > 2 && !isNumber(segment)) return segment;
    counts.set(segment, count);
  }
  return null;
}

function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

function queryLoop(
  { host, path }: UrlParts,
  query: string,
  { maxQueryParameters }: ResolvedTrapOptions,
): TrapFinding | null {
  const pieces = query.split('&');
  if (pieces.length > maxQueryParameters) return { rule: 'long-query', pattern: `${host}${path}?…` };
  if (pieces.length < PARAMETER_REPEATS) return null;
  const counts = new Map<string, number>();
  for (const piece of pieces) {
    const count = (counts.get(piece) ?? 0) + 1;
    if (count >= PARAMETER_REPEATS && piece !== '') {
      return { rule: 'repeating-query', pattern: `${host}${path}?…${piece}&…${piece}` };
    }
    counts.set(piece, count);
  }
  return null;
}
