// How often a page changes, as two numbers that each visit updates: a gamma distribution of its rate of changes, which
// are taken as a Poisson process. No history is kept, and visits may be any time apart.
// A new page starts at what the pages of its group have in common.

import { decodeJson, encodeJson } from '../json-record.js';
import { MAX_GROUPS, MAX_SHAPE, MIN_GROUP_VISITS, MIN_SHAPE } from './limits.js';
import type { PageVisit } from './page-visit.js';

/** Gamma distribution of the changes per day. Its mean is `shape / days`. */
export interface ChangeEstimate {
  /** Changes seen, more or less. 0.1 to 50. */
  readonly shape: number;
  /** Days looked at, more or less. */
  readonly days: number;
}

/** Of a page that was fetched once: a change in two weeks, and little is known. */
export const FIRST_ESTIMATE: ChangeEstimate = { shape: 0.5, days: 7 };

export function changesPerDay({ shape, days }: ChangeEstimate): number {
  return shape / days;
}

/** How likely a page is as it was so many days ago. */
export function expectedFresh({ shape, days }: ChangeEstimate, sinceDays: number): number {
  return (days / (days + sinceDays)) ** shape;
}

/** The page was as before after so many days: exact. */
export function afterUnchanged({ shape, days }: ChangeEstimate, sinceDays: number): ChangeEstimate {
  return bounded(shape, days + Math.max(0, sinceDays));
}

/**
 * The page has changed, once or more, in so many days: the gamma distribution with the mean and the variance of the
 * exact posterior. @param ageDays - How long ago the only change was, where the site says so and has proved true.
 */
export function afterChange({ shape, days }: ChangeEstimate, sinceDays: number, ageDays?: number): ChangeEstimate {
  if (ageDays !== undefined) return bounded(shape + 1, days + Math.max(0, ageDays));
  const r = days / (days + Math.max(MIN_DAYS, sinceDays));
  const z = 1 - r ** shape;
  const mean = ((shape / days) * (1 - r ** (shape + 1))) / z;
  const square = (((shape * (shape + 1)) / days ** 2) * (1 - r ** (shape + 2))) / z;
  const variance = square - mean ** 2;
  return bounded(mean ** 2 / variance, mean / variance);
}

/** A second: visits closer together say the same, and no division is by nothing. */
const MIN_DAYS = 1 / 86_400;

/** Old habits are forgotten: above the largest shape both numbers are halved. */
function bounded(shape: number, days: number): ChangeEstimate {
  if (shape > MAX_SHAPE) return { shape: shape / 2, days: days / 2 };
  return { shape: Math.max(MIN_SHAPE, shape), days };
}

/** Sums over the pages of a group that were visited again. */
type Sums = readonly [pages: number, visits: number, means: number, squares: number, variances: number];

const NOTHING: Sums = [0, 0, 0, 0, 0];

/** The groups of one crawl: host, first part of the path, and kind of content. */
export class GroupPriors {
  readonly #groups: Map<string, Sums>;

  /** @param kept - What `encode` returned; other bytes count as none. */
  constructor(kept: Uint8Array | null = null) {
    this.#groups = decode(kept);
  }

  /** Counts a page, or takes it back. Of more than `MAX_GROUPS` groups the first ones are kept. */
  add(visit: PageVisit, sign: 1 | -1 = 1): void {
    const group = groupOf(visit);
    if (visit.visits < 2 || (!this.#groups.has(group) && this.#groups.size >= MAX_GROUPS)) return;
    const { shape, days } = visit.estimate;
    const mean = shape / days;
    const page = [1, visit.visits - 1, mean, mean ** 2, mean / days];
    const sums = this.#groups.get(group) ?? NOTHING;
    this.#groups.set(group, sums.map((sum, at) => sum + sign * (page[at] ?? 0)) as unknown as Sums);
  }

  /** The page as it is expected to be: where nothing was seen of it, by its group. */
  expected(visit: PageVisit): PageVisit {
    const estimate = visit.visits < 2 ? this.of(visit) : null;
    return estimate === null ? visit : { ...visit, estimate };
  }

  /** The gamma distribution with the mean and the variance of a group's rates; `null`: too little is known of it. */
  of(page: Pick<PageVisit, 'url' | 'kind'>): ChangeEstimate | null {
    const [pages, visits, means, squares, variances] = this.#groups.get(groupOf(page)) ?? NOTHING;
    if (visits < MIN_GROUP_VISITS || pages < 1) return null;
    const mean = means / pages;
    const variance = squares / pages - mean ** 2 + variances / pages;
    if (!(mean > 0 && variance > 0)) return null;
    const shape = Math.max(MIN_SHAPE, mean ** 2 / variance);
    return { shape, days: shape / mean };
  }

  encode(): Uint8Array {
    return encodeJson([...this.#groups]);
  }
}

function groupOf({ url, kind = '' }: Pick<PageVisit, 'url' | 'kind'>): string {
  // As the URL parser has written it: a slash in the query is no part of the path.
  const [, , host = '', first = '', ...more] = (url.split('?', 1)[0] ?? '').split('/', 5);
  return `${host}/${more.length === 0 ? '' : first.slice(0, MAX_SEGMENT_CHARS)} ${kind}`;
}

/** With `MAX_GROUPS`, what fits into one record of the store. */
const MAX_SEGMENT_CHARS = 40;

function decode(kept: Uint8Array | null): Map<string, Sums> {
  if (kept === null) return new Map();
  try {
    const read = decodeJson<[string, Sums][]>(kept);
    return new Map(read.filter(([, sums]) => sums.length === NOTHING.length && sums.every(Number.isFinite)));
  } catch {
    return new Map();
  }
}
