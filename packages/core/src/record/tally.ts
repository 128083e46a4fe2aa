// A few running totals over all runs of a crawl: what a progress line and the head of the report show.

import type { Item } from '../output/sink.js';
import type { RequestRecord } from '../report/decision.js';

/** Totals so far. */
export interface Tally {
  request(record: RequestRecord): void;
  items(items: readonly Item[]): void;
  rejected(items: readonly unknown[], count: number): void;
  /** Adds what earlier runs came to; once. */
  goOnFrom(earlier: TallyTotals): void;
  /** Requests of this run alone. */
  readonly ownRequests: number;
  readonly requests: number;
  readonly bytes: number;
  readonly itemCount: number;
  readonly rejectedCount: number;
}

/** What the totals were when they were last kept. */
export interface TallyTotals {
  readonly requests: number;
  readonly bytes: number;
  readonly items: number;
  /** Absent in what earlier versions kept. */
  readonly rejected?: number;
}

/** Makes totals of zero. @throws Never */
export function createTally(): Tally {
  let ownRequests = 0;
  let bytes = 0;
  let itemCount = 0;
  let rejectedCount = 0;
  let earlierRequests = 0;
  return {
    request(record) {
      ownRequests += 1;
      bytes += record.encodedBytes;
    },
    items(items) {
      itemCount += items.length;
    },
    rejected(_items, count) {
      rejectedCount += count;
    },
    goOnFrom(earlier) {
      earlierRequests = earlier.requests;
      bytes += earlier.bytes;
      itemCount += earlier.items;
      rejectedCount += earlier.rejected ?? 0;
    },
    get ownRequests() {
      return ownRequests;
    },
    get requests() {
      return earlierRequests + ownRequests;
    },
    get bytes() {
      return bytes;
    },
    get itemCount() {
      return itemCount;
    },
    get rejectedCount() {
      return rejectedCount;
    },
  };
}
