// How often a page changes, as two numbers that each visit updates: a gamma distribution of its change rate, where
// changes are modelled as a Poisson process. No history is kept, and visits may be any time apart. For a page that was
// fetched once, the same is expected as of other pages of its kind in the same part of the site, once enough of them
// have been visited again (recrawl 8.2).

import { decodeIfJson, encodeJson } from '../json-record.js';
import { MAX_GROUPS, MAX_SHAPE, MIN_GROUP_VISITS, MIN_SHAPE } from './limits.js';

/** Gamma distribution of the changes per day. Its mean is `shape / days`. */
export interface ChangeEstimate {
  /** Changes seen, approximately. 0.1 to 50. */
  readonly shape: number;
  /** Days observed, approximately. */
  readonly days: number;
}

/** The estimate for a page that was fetched once: one change in two weeks, with little certainty. */
export const FIRST_ESTIMATE: ChangeEstimate = { shape: 0.5, days: 7 };

export function changesPerDay({ shape, days }: ChangeEstimate): number {
  return shape / days;
}

/** The probability that a page is the same as this many days ago. */
export function expectedFresh({ shape, days }: ChangeEstimate, sinceDays: number): number {
  return (days / (days + sinceDays)) ** shape;
}

/** The update if the page was unchanged after this many days: exact. */
export function afterUnchanged({ shape, days }: ChangeEstimate, sinceDays: number): ChangeEstimate {
  return withBoundedShape(shape, days + Math.max(0, sinceDays));
}

/**
 * The update if the page changed at least once in this many days: the gamma distribution with the mean and the variance
 * of the exact posterior. @param ageDays - The age of the only change, if the site dates it and has proved reliable.
 */
export function afterChange({ shape, days }: ChangeEstimate, sinceDays: number, ageDays?: number): ChangeEstimate {
  if (ageDays !== undefined) return withBoundedShape(shape + 1, days + Math.max(0, ageDays));
  const r = days / (days + Math.max(MIN_DAYS, sinceDays));
  const z = 1 - r ** shape;
  const mean = ((shape / days) * (1 - r ** (shape + 1))) / z;
  const square = (((shape * (shape + 1)) / days ** 2) * (1 - r ** (shape + 2))) / z;
  const variance = square - mean ** 2;
  return withBoundedShape(mean ** 2 / variance, mean / variance);
}

/** One second: visits closer together add nothing, and division by zero is avoided. */
const MIN_DAYS = 1 / 86_400;

/** Older observations fade: above the largest shape both numbers are halved. */
function withBoundedShape(shape: number, days: number): ChangeEstimate {
  if (shape > MAX_SHAPE) return { shape: shape / 2, days: days / 2 };
  return { shape: Math.max(MIN_SHAPE, shape), days };
}

/** What is known of a page, and its kind of content. */
interface EstimatedPage {
  readonly url: string;
  readonly kind: string;
  readonly visits: number;
  readonly estimate: ChangeEstimate;
}

/** Sums over the pages of a group that were visited again. */
type GroupSums = readonly [pages: number, visits: number, means: number, squares: number, variances: number];

const NO_SUMS: GroupSums = [0, 0, 0, 0, 0];

/** The groups of one crawl: host, first part of the path, and kind of content. */
export class GroupPriors {
  readonly #groups: Map<string, GroupSums>;

  /** @param encoded - What `encode` returned; other bytes are ignored. */
  constructor(encoded: Uint8Array | null = null) {
    this.#groups = decode(encoded);
  }

  /** Counts a page, or removes it. With more than `MAX_GROUPS` groups, the first ones are kept. */
  add(visit: EstimatedPage, sign: 1 | -1 = 1): void {
    const group = groupOf(visit);
    if (visit.visits < 2 || (!this.#groups.has(group) && this.#groups.size >= MAX_GROUPS)) return;
    const { shape, days } = visit.estimate;
    const mean = shape / days;
    const page = [1, visit.visits - 1, mean, mean ** 2, mean / days];
    const sums = this.#groups.get(group) ?? NO_SUMS;
    this.#groups.set(group, sums.map((sum, at) => sum + sign * (page[at] ?? 0)) as unknown as GroupSums);
  }

  /** The page with its expected estimate: from its group, if it was visited only once. */
  withExpectedEstimate<Page extends EstimatedPage>(visit: Page): Page {
    const estimate = visit.visits < 2 ? this.estimateOf(visit) : null;
    return estimate === null ? visit : { ...visit, estimate };
  }

  /** The gamma distribution with the mean and the variance of a group's rates; `null`: too little is known about it. */
  estimateOf(page: Pick<EstimatedPage, 'url' | 'kind'>): ChangeEstimate | null {
    const [pages, visits, means, squares, variances] = this.#groups.get(groupOf(page)) ?? NO_SUMS;
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

function groupOf({ url, kind }: Pick<EstimatedPage, 'url' | 'kind'>): string {
  // As the URL parser wrote it; a slash in the query is not part of the path.
  const [, , host = '', first = '', ...more] = (url.split('?', 1)[0] ?? '').split('/', 5);
  return `${host}/${more.length === 0 ? '' : first.slice(0, MAX_SEGMENT_CHARS)} ${kind}`;
}

/** Together with `MAX_GROUPS`, this fits into one record of the store. */
const MAX_SEGMENT_CHARS = 40;

function decode(encoded: Uint8Array | null): Map<string, GroupSums> {
  const read = decodeIfJson<[string, GroupSums][]>(encoded);
  const isSums = (sums: unknown) =>
    Array.isArray(sums) && sums.length === NO_SUMS.length && sums.every(Number.isFinite);
  return new Map(Array.isArray(read) ? read.filter((each) => isSums(each?.[1])) : []);
}
