// The order that a seed gives to URLs: by a keyed hash, wherever and whenever they were found. Pure. Of a URL that was
// found several times the same find always counts, so that neither depth nor label depends on which came first.

import { hash } from 'node:crypto';
import type { NewUrl } from '@mannerly/frontier';

/** A URL with its place. */
export interface Ranked {
  readonly url: NewUrl;
  /** Its place among URLs of its priority: the smaller goes first. */
  readonly rank: string;
}

/** Characters of a hash that are compared; the URL itself decides where they are alike. */
const RANK_CHARS = 16;
/** The frontier's default. */
const USUAL_PRIORITY = 4;

/** The place of a URL under a seed. Never throws. */
export function rankOf(seed: string, { url, visit = 0 }: NewUrl): string {
  return `${hash('sha256', `${seed}\n${visit}\n${url}`).slice(0, RANK_CHARS)} ${url}`;
}

/** For sorting: by priority, then by rank. Never throws. */
export function compareRanked(one: Ranked, other: Ranked): number {
  return (
    (one.url.priority ?? USUAL_PRIORITY) - (other.url.priority ?? USUAL_PRIORITY) || compareTexts(one.rank, other.rank)
  );
}

/** One name for all finds of the same visit of a URL. Never throws. */
export function nameOf({ url, visit = 0 }: NewUrl): string {
  return `${visit} ${url}`;
}

/**
 * Whether one find of a URL counts rather than another: the one nearer to a seed, then by its content. Never throws.
 */
export function standsBefore(one: NewUrl, other: NewUrl): boolean {
  const nearer = one.depth - other.depth || (one.hops ?? 0) - (other.hops ?? 0);
  return nearer < 0 || (nearer === 0 && compareTexts(contentOf(one), contentOf(other)) < 0);
}

/** Its content without the time of a pause, which differs between runs. */
function contentOf({ via, from = '', label = '', userData = null, priority = USUAL_PRIORITY }: NewUrl): string {
  return JSON.stringify([via, from, label, userData, priority]);
}

/** By code units: a locale would make two machines differ. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
