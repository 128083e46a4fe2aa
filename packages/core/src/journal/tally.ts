// Running totals over all runs of a crawl: what a progress line and the head of the report show.

import type { Item } from '../output/sink.js';
import type { RequestRecord } from '../report/decision.js';

type EarlierTotals = Record<'requests' | 'bytes' | 'items', number> & {
  readonly rejected?: number;
  readonly signed?: number;
};

/** Totals so far. */
export class Tally {
  /** Requests of this run alone. */
  ownRequests = 0;
  requests = 0;
  bytes = 0;
  itemCount = 0;
  rejectedCount = 0;
  signedCount = 0;

  request(record: RequestRecord): void {
    this.ownRequests += 1;
    this.requests += 1;
    this.bytes += record.encodedBytes;
    if (record.signed === true) this.signedCount += 1;
  }

  items(items: readonly Item[]): void {
    this.itemCount += items.length;
  }

  rejected(_items: readonly unknown[], count: number): void {
    this.rejectedCount += count;
  }

  /** Adds the totals of earlier runs, once. `rejected` and `signed` are absent where there were none. */
  goOnFrom({ requests, bytes, items, rejected = 0, signed = 0 }: EarlierTotals): void {
    this.requests += requests;
    this.bytes += bytes;
    this.itemCount += items;
    this.rejectedCount += rejected;
    this.signedCount += signed;
  }
}
