// Running totals over all runs of a crawl: what a progress line and the head of the report show.

import type { Item } from '../output/sink.js';
import type { RequestRecord } from '../report/decision.js';

/** The totals when they were last kept. */
export interface TallyTotals {
  readonly requests: number;
  readonly bytes: number;
  readonly items: number;
  /** Absent: none. */
  readonly rejected?: number;
}

/** Totals so far. */
export class Tally {
  /** Requests of this run alone. */
  ownRequests = 0;
  requests = 0;
  bytes = 0;
  itemCount = 0;
  rejectedCount = 0;

  request(record: RequestRecord): void {
    this.ownRequests += 1;
    this.requests += 1;
    this.bytes += record.encodedBytes;
  }

  items(items: readonly Item[]): void {
    this.itemCount += items.length;
  }

  rejected(_items: readonly unknown[], count: number): void {
    this.rejectedCount += count;
  }

  /** Adds the totals of earlier runs. Once. */
  goOnFrom(earlier: TallyTotals): void {
    this.requests += earlier.requests;
    this.bytes += earlier.bytes;
    this.itemCount += earlier.items;
    this.rejectedCount += earlier.rejected ?? 0;
  }
}
