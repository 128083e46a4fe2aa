// What is expected of a page that was fetched once: the same as of other pages of its kind in the same part of the
// site, once enough of them have been visited again (recrawl 8.2).

import { decodeIfJson, encodeJson } from '../json-record.js';
import type { ChangeEstimate } from './change-estimate.js';
import { MAX_GROUPS, MIN_GROUP_VISITS, MIN_SHAPE } from './limits.js';
import type { PageVisit } from './page-visit.js';

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
  add(visit: PageVisit, sign: 1 | -1 = 1): void {
    const group = groupOf(visit);
    if (visit.visits < 2 || (!this.#groups.has(group) && this.#groups.size >= MAX_GROUPS)) return;
    const { shape, days } = visit.estimate;
    const mean = shape / days;
    const page = [1, visit.visits - 1, mean, mean ** 2, mean / days];
    const sums = this.#groups.get(group) ?? NO_SUMS;
    this.#groups.set(group, sums.map((sum, at) => sum + sign * (page[at] ?? 0)) as unknown as GroupSums);
  }

  /** The page with its expected estimate: from its group, if it was visited only once. */
  withExpectedEstimate(visit: PageVisit): PageVisit {
    const estimate = visit.visits < 2 ? this.estimateOf(visit) : null;
    return estimate === null ? visit : { ...visit, estimate };
  }

  /** The gamma distribution with the mean and the variance of a group's rates; `null`: too little is known about it. */
  estimateOf(page: Pick<PageVisit, 'url' | 'kind'>): ChangeEstimate | null {
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

function groupOf({ url, kind }: Pick<PageVisit, 'url' | 'kind'>): string {
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
