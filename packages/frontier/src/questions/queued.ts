// What is queued, for a report or a person who asks: read from the store, in its order, changing nothing.

import { decodeItem } from '../records/record.js';
import type { FrontierStore } from '../store.js';
import type { UrlRecord } from '../url-record.js';
import { LIST_MOST, LOOK_SCAN_ENTRIES, LOOK_SCAN_PAGES } from './limits.js';

/** One URL that is queued or in hand. */
export interface QueuedUrl {
  /** The politeness unit it is queued under. */
  readonly host: string;
  /** Whose robots.txt it is asked of. */
  readonly authority: string;
  /** Priority class, 0 first. */
  readonly priority: number;
  readonly record: UrlRecord;
}

/** Which part of the queue. */
export interface ListRequest {
  /** `null` or absent: from the beginning; then the last page's `cursor`. */
  readonly cursor?: string | null;
  /** URLs of one page, 1 … 1,000. @default 100 */
  readonly limit?: number;
  /** Only of this host. */
  readonly host?: string;
  /** Only of this authority, `scheme://host[:port]`. */
  readonly authority?: string;
}

/** One page. It may hold fewer URLs than asked for, none included; the end is a `null` cursor. */
export interface QueueListing {
  readonly cursor: string | null;
  readonly items: readonly QueuedUrl[];
}

const LIST_USUAL = 100;

/**
 * A page of the queue; robots.txt hops are left out. What changes meanwhile may be missed or seen twice.
 *
 * @throws What the store throws; FrontierError `record-unreadable`.
 */
export async function listQueued(
  store: FrontierStore,
  { cursor = null, limit = LIST_USUAL, host, authority }: ListRequest,
  authorityOf: (url: string) => string | null,
): Promise<QueueListing> {
  const wanted = Math.min(Math.max(1, Math.trunc(limit)), LIST_MOST);
  const items: QueuedUrl[] = [];
  let next = cursor;
  for (let page = 0; page < LOOK_SCAN_PAGES; page += 1) {
    const found: Awaited<ReturnType<FrontierStore['scan']>> = await store.scan(next, wanted - items.length, host);
    for (const { host: key, entry } of found.items) {
      const item = decodeItem(entry.body);
      if (item.kind !== 'page') continue;
      const of = authorityOf(item.record.url) ?? '';
      if (authority === undefined || of === authority)
        items.push({ host: key, authority: of, priority: entry.priority, record: item.record });
    }
    next = found.cursor;
    if (next === null || items.length >= wanted) break;
  }
  return { cursor: next, items };
}

/**
 * The URLs queued for a host; robots.txt hops are left out.
 *
 * @param limit - Records at most.
 * @throws What the store throws; FrontierError `record-unreadable`.
 */
export async function queuedOf(store: FrontierStore, host: string, limit: number): Promise<UrlRecord[]> {
  const records: UrlRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<FrontierStore['scan']>> = await store.scan(cursor, LOOK_SCAN_ENTRIES, host);
    for (const { entry } of page.items) {
      const item = decodeItem(entry.body);
      if (item.kind === 'page' && records.length < limit) records.push(item.record);
    }
    cursor = page.cursor;
  } while (cursor !== null && records.length < limit);
  return records;
}
